"""What a launcher is told to seal a program in a sandbox or beside it (``launch/sealing.py``)."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from icae_env.errors import SandboxStartError
from icae_env.sandbox import bwrap_command
from icae_env.sandbox.base import SANDBOX_UID, WORKSPACE, Limits, SandboxConfig
from icae_env.sandbox.launch.client import Child, Launcher
from icae_env.sandbox.mounts import writable
from icae_env.sandbox.seccomp import filter_program

PLACE = PurePosixPath("/run/reference")
"""Where the program lies inside."""
_SEALER = 65_532
"""The host's uid and gid to whom the program belongs, where root seals it; nothing else has them."""
_START_SECONDS = 20.0
_PAGE = 4096


def recipe(
    files: Mapping[str, tuple[bytes, int]],
    program: str,
    *,
    limits: Limits | None = None,
    hidden: Sequence[str] = (),
    memory_group: bool = True,
) -> bytes:
    """Return the recipe of a companion, or of a program that is placed in a sandbox itself.

    Args:
        files: Relative path -> (bytes, permission bits).
        program: The one of them that is run.
        limits: What the companion may use; None: the program is placed in the sandbox itself.
        hidden: Folders of the sandbox that the companion must not share.
        memory_group: Whether a control group bounds the companion's memory.
    """
    bounds = limits or Limits()
    sizes = [-(-len(content) // _PAGE) * _PAGE for content, _ in files.values()]
    mounts = [[path, size, mode] for path, size, mode in writable(bounds) if path != str(WORKSPACE)]
    fields = {
        "mounts": [*mounts, *([path, _PAGE, "0755"] for path in hidden)], "workspace": str(WORKSPACE),
        "place": str(PLACE), "program": program, "size": sum(sizes) + 64 * _PAGE * (1 + len(sizes)),
        "uid": SANDBOX_UID, "sealer": _SEALER if os.geteuid() == 0 else 0, "direct": limits is None,
        "limits": bwrap_command.resource_limits(SandboxConfig(limits=bounds), memory_group=memory_group),
        "files": [[path, mode, len(content)] for path, (content, mode) in files.items()],
    }  # fmt: skip
    contents = (content for content, _ in files.values())
    return b"".join([json.dumps(fields).encode(), b"\n", *contents, filter_program(tracing=False)])


def carry_out(
    launcher: Launcher,
    init: int,
    identity: tuple[int, int],
    made: bytes,
    channel: tuple[socket.socket, socket.socket],
    *,
    groups: Sequence[str] = (),
) -> Child:
    """Let the launcher carry out a recipe and wait until that is done.

    Args:
        launcher: The launcher.
        init: The host's number of the sandbox's init.
        identity: The host's uid and gid of what runs in there.
        made: The recipe.
        channel: Both ends of a socket; the second is closed.
        groups: Control groups to join.

    Raises:
        SandboxStartError: It could not be carried out.
        OSError: Likewise.
    """
    uid, gid = identity
    ours, theirs = channel
    spec = bwrap_command.memory_file(made)
    try:
        server = launcher.serve(
            init, theirs.fileno(), spec, uid=uid, gid=gid, groups=groups, module="companion"
        )
    finally:
        os.close(spec)
        theirs.close()
    ours.settimeout(_START_SECONDS)
    try:
        answer = ours.recv(4096)
    except OSError:
        server.kill()
        server.close()
        raise
    if answer != b"ready":
        server.close()
        raise SandboxStartError(
            f"The program could not be sealed: {answer.decode(errors='replace') or 'no message'}."
        )
    return server


def place_directly(
    launcher: Launcher,
    init: int,
    identity: tuple[int, int],
    files: Mapping[str, tuple[bytes, int]],
    program: str,
) -> PurePosixPath:
    """Place a program in a running sandbox (see ``base.Backend.place_program``) and return its path inside.

    Raises:
        SandboxStartError: That is not possible.
    """
    channel = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        done = carry_out(launcher, init, identity, recipe(files, program), channel)
        done.wait(_START_SECONDS)
        done.close()
    except OSError as error:
        raise SandboxStartError(f"The program could not be placed in the sandbox: {error}.") from error
    finally:
        channel[0].close()
        channel[1].close()
    return PLACE / program
