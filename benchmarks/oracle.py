"""A call of a reference program through the client in the workspace, beside the same program run bare in the same place."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.timing import compared
from icae_env import registry
from icae_env.oracle.furnish import serve_reference
from icae_env.oracle.probes import ProbeLog
from icae_env.oracle.reference import Reference
from icae_env.sandbox.base import SandboxConfig
from icae_env.tasks.models import OracleSpec, TaskSource, TaskSpec

REACH = 5.0
"""Milliseconds that a call may cost over the bare program."""
_PROGRAM = "int main(void) { return 0; }"
_LOOP = """
import statistics, subprocess, sys, time
times = []
for _ in range(int(sys.argv[1]) + 5):
    begun = time.perf_counter()
    subprocess.run([sys.argv[2]], stdin=subprocess.DEVNULL)
    times.append(time.perf_counter() - begun)
print(statistics.median(times[5:]) * 1000)
"""


def oracle(sandbox: str, image: str, rounds: int) -> dict[str, Any]:
    """Measure a call of a program that does nothing."""
    program = _compiled()
    spec = TaskSpec(
        id="nothing", title="Nothing", kind="oracle", domain="none", language="c", image=image, protocol="program",
        oracle=OracleSpec(), source=TaskSource(registry="other", package="none", version="1", licence="MIT"),
    )  # fmt: skip
    backend = registry.resolve("sandbox", sandbox)()
    try:
        with backend.create(SandboxConfig(image=image)) as box:
            reference = Reference(program={"executable": (program, 0o755)}, docs={})
            serving = serve_reference(spec, reference, backend, box, ProbeLog())
            try:
                box.files.write("/workspace/bare", program, mode=0o755)
                box.files.write("/workspace/loop.py", _LOOP.encode())
                bare, through = (
                    float(box.run(["python3", "loop.py", str(rounds), f"./{name}"], timeout=600.0).stdout)
                    for name in ("bare", "executable")
                )
            finally:
                serving.close()
    finally:
        backend.close()
    row = compared(through, bare, "the same program in the agent's sandbox", bare + REACH)
    return {"oracle": {**row, "over_ms": round(through - bare, 3)}}


def _compiled() -> bytes:
    compiler = shutil.which("gcc")
    if compiler is None:
        raise SystemExit("This measurement needs gcc.")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "program"
        subprocess.run([compiler, "-static", "-x", "c", "-o", made, "-"], input=_PROGRAM.encode(), check=True)
        return made.read_bytes()
