"""The few files below /etc that every image has alike, and the places a sandbox mounts on."""

from __future__ import annotations

from icae_env.sandbox.base import HOME, SANDBOX_UID

MOUNT_POINTS: tuple[str, ...] = (
    "workspace", HOME.as_posix().lstrip("/"), "tmp", "var/tmp", "run", "proc", "dev", "sys",
)  # fmt: skip
"""Directories of every image, relative to its root, that are empty there and that a sandbox mounts something on."""

AGENT_PASSWD = f"agent:x:{SANDBOX_UID}:{SANDBOX_UID}:agent:{HOME}:/bin/bash\n"
AGENT_GROUP = f"agent:x:{SANDBOX_UID}:\n"

ETC: dict[str, bytes] = {
    "etc/hostname": b"sandbox\n",
    "etc/hosts": b"127.0.0.1\tlocalhost\n127.0.1.1\tsandbox\n::1\tlocalhost ip6-localhost\n",
    # A regular file, so that a sandbox with network can mount the host's own over it.
    "etc/resolv.conf": b"",
    "etc/nsswitch.conf": b"passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n",
}
"""Content of files that are the same in every image, by path relative to the root."""

HOST_ACCOUNTS: dict[str, bytes] = {
    "etc/passwd": (
        "root:x:0:0:root:/root:/bin/bash\n"
        + AGENT_PASSWD
        + "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    ).encode(),
    "etc/group": ("root:x:0:\n" + AGENT_GROUP + "nogroup:x:65534:\n").encode(),
}
"""Accounts of the ``host`` image; a built image keeps Debian's own and gets ``agent`` added."""


def with_agent(text: str, line: str) -> str:
    """Return an account file's text with the agent's line in place of any line of the same name or number.

    Args:
        text: Content of ``/etc/passwd`` or ``/etc/group``.
        line: The line to have, with its newline.
    """
    name, _, number = line.split(":")[:3]
    kept = [
        old for old in text.splitlines(keepends=True)
        if (fields := old.split(":"))[0] != name and fields[2:3] != [number]
    ]  # fmt: skip
    return "".join(kept) + line
