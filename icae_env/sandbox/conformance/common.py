"""What the groups of checks share."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from pathlib import Path

from icae_env.sandbox.base import SANDBOX_UID, Completed, Limits, Sandbox, SandboxConfig


class Checks:
    """Base of the groups of checks."""

    image: str = "host"
    """The image that sandboxes are made on."""
    uid: int = SANDBOX_UID
    """What commands see as their uid and gid; a backend that must run them as its caller says so here."""

    def config(self, **limits: int) -> SandboxConfig:
        """Return a configuration on the image under test, with some limits of its own."""
        return SandboxConfig(image=self.image, limits=Limits(**limits))


def bash(sandbox: Sandbox, script: str, *, timeout: float = 60.0, stdin: bytes = b"") -> Completed:
    """Run a bash script in the workspace."""
    return sandbox.run(["bash", "-c", script], timeout=timeout, stdin=stdin)


def output(sandbox: Sandbox, script: str) -> str:
    """Run a bash script that must succeed and return what it prints, without the last newline."""
    result = bash(sandbox, script)
    assert result.exit_code == 0, (script, result)
    return result.stdout.decode().removesuffix("\n")


def marker() -> str:
    """Return a word that no other process has on its command line: digits, so that it can be a number of seconds."""
    return str(10**8 + secrets.randbelow(10**8))


def processes_inside(sandbox: Sandbox) -> str:
    """Return the command lines of all processes inside."""
    return output(sandbox, "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '; true")


def processes_on_host(word: str) -> list[int]:
    """Return the host's numbers of all live processes with ``word`` on their command line."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and word.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:  # it has ended meanwhile
            continue
    return found


def eventually(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Return whether a condition comes true within a time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def raised(call: Callable[[], object], kind: type[BaseException] = OSError) -> bool:
    """Return whether a call raises an error of a kind."""
    try:
        call()
    except kind:
        return True
    return False
