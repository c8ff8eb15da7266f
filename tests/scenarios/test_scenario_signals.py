"""What the host's own processes ignore makes no difference inside."""

from __future__ import annotations

import json
import subprocess
import sys

PROGRAM = """
import json, sys, icae_env
env = icae_env.make_env("bracex", **json.loads(sys.argv[1]))
env.reset(seed=0)
look = "grep SigIgn /proc/self/status"
print(env.step({"type": "bash", "command": look})[0]["text"])
env.close()
"""


def test_signals_that_the_host_ignores_are_not_ignored_inside(where):
    # as nohup and a script's background do, and more
    ignoring = ["bash", "-c", "trap '' HUP INT QUIT TERM USR1 USR2 ALRM; exec \"$@\"", "bash"]
    done = subprocess.run(
        [*ignoring, sys.executable, "-c", PROGRAM, json.dumps(where)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["SigIgn:", "0000000000000000"]
