"""Build a root file system with mmdebstrap, as root or, with subordinate uids, as any user."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from icae_env.errors import SandboxError, SandboxUnavailableError
from icae_env.sandbox.images import rootfs, steps
from icae_env.sandbox.images.apt import SUITE
from icae_env.sandbox.images.definition import ImageDefinition
from icae_env.sandbox.images.mirror import INSIDE, Mirror

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_TAIL = 15
# Without root only mmdebstrap itself can remove its subordinate users' files, so it is asked to end. It holds the signal
# back while a child runs, so the whole group gets it, as soon as this process closes the pipe that is its standard input.
_WATCHED = """
exec 3<&0 </dev/null
trap : TERM
{ cat <&3 >/dev/null 2>&1; kill -TERM 0; } &
"$@" 3<&-
code=$?
kill -KILL $! 2>/dev/null
exit $code
"""


def missing() -> tuple[str, str] | None:
    """Return what keeps mmdebstrap from working here and the command that mends it, or None."""
    if shutil.which("mmdebstrap") is None:
        return "mmdebstrap is not installed", "sudo apt-get install -y mmdebstrap uidmap"
    if not KEYRING.exists():
        return "Debian's archive keyring is not installed", "sudo apt-get install -y debian-archive-keyring"
    if os.geteuid() == 0:
        return None
    if shutil.which("newuidmap") is None:
        return (
            "newuidmap is not installed, which mmdebstrap needs without root",
            "sudo apt-get install -y uidmap",
        )
    user = getpass.getuser()
    for file in (Path("/etc/subuid"), Path("/etc/subgid")):
        owners = (
            {line.split(":")[0] for line in file.read_text("utf-8").splitlines()} if file.exists() else set()
        )
        if not owners & {user, str(os.getuid())}:
            return (
                f"the user '{user}' has no range in {file}",
                f"sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 {user}",
            )
    return None


def build(image: ImageDefinition, mirror: Mirror, root: Path, progress: Callable[[str], None]) -> None:
    """Fill an empty folder with the image's root file system.

    Args:
        image: A definition with all that it extends merged in.
        mirror: Where packages come from.
        root: The folder.
        progress: Called with each line mmdebstrap reports, the mirror's values removed.

    Raises:
        SandboxUnavailableError: mmdebstrap cannot work here.
        SandboxError: A package or step failed; the last lines are quoted.
    """
    if problem := missing():
        raise SandboxUnavailableError("image builder mmdebstrap", problem[0] + ".", mend=problem[1])
    with tempfile.TemporaryDirectory(prefix="icae-build-", dir=root.parent) as scratch:
        # Below the store's own folder, which the next build clears should this process be killed.
        argv = _command(image, mirror, Path(scratch))
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME", "USER", "LOGNAME") if name in os.environ},
            **mirror.proxies(), **_temporary(Path(scratch)), "LC_ALL": "C.UTF-8", "SOURCE_DATE_EPOCH": str(rootfs.EPOCH),
        }  # fmt: skip
        process = subprocess.Popen(
            [*_leash(), *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
            start_new_session=True,
        )  # fmt: skip
        try:
            _receive(process, mirror, root, progress)
        finally:
            if process.poll() is None:
                # It removes its own folder when it is asked to end.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)
                process.wait()
            if process.stdin:
                process.stdin.close()


def _leash() -> list[str]:
    """Return a prefix that ends the builder when this process is killed."""
    if os.geteuid() == 0:
        # In namespaces that end with their first process, so that no process and no mount can stay.
        unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        return ["setpriv", "--pdeathsig", "KILL", *unshare]
    return ["sh", "-c", _WATCHED, "sh"]


def _temporary(scratch: Path) -> dict[str, str]:
    if os.geteuid() != 0:
        # Subordinate users could not get to a folder below a private home.
        return {}
    work = scratch / "work"
    work.mkdir()
    return {"TMPDIR": str(work)}


def _command(image: ImageDefinition, mirror: Mirror, scratch: Path) -> list[str]:
    argv = [
        "mmdebstrap", "--variant=minbase", f"--mode={'root' if os.geteuid() == 0 else 'unshare'}", "--format=tar",
        "--aptopt=Acquire::Retries \"3\"",
        *([f"--include={','.join(sorted(image.packages))}"] if image.packages else []),
    ]  # fmt: skip
    inside = scratch / Path(INSIDE).name
    inside.mkdir()
    if steps.write(image, mirror, inside):
        argv += [
            f"--customize-hook=copy-in {inside} {Path(INSIDE).parent}",
            f'--customize-hook=chroot "$1" sh {INSIDE}/{steps.SCRIPT}',
            f'--customize-hook=rm -rf "$1{INSIDE}"',
        ]
    argv += [SUITE, "-"]
    if mirror.apt:
        listed = scratch / "sources.list"
        listed.write_text("".join(line + "\n" for line in mirror.apt), "utf-8")
        argv.append(str(listed))
    return argv


def _receive(
    process: subprocess.Popen[bytes], mirror: Mirror, root: Path, progress: Callable[[str], None]
) -> None:
    assert process.stdout and process.stderr
    tail: deque[str] = deque(maxlen=_TAIL)
    reader = threading.Thread(target=_follow, args=(process.stderr, mirror, tail, progress), daemon=True)
    reader.start()
    damage: SandboxError | None = None
    with process.stdout:
        try:
            # The tar goes through a pipe, so a killed parent ends the builder at its next write.
            rootfs.unpack(process.stdout, root)
        except SandboxError as error:
            damage = error
        while process.stdout.read(1 << 20):
            pass
    code = process.wait()
    reader.join()
    if code != 0:
        raise SandboxError("mmdebstrap failed:\n" + "\n".join(tail))
    if damage:
        raise damage


def _follow(stream: IO[bytes], mirror: Mirror, tail: deque[str], progress: Callable[[str], None]) -> None:
    with stream:
        for raw in stream:
            line = mirror.redact(raw.decode("utf-8", "replace").rstrip())
            tail.append(line)
            progress(line)
