"""What a container may use and hold: a sandbox configuration as the Engine API wants it."""

from __future__ import annotations

import json
import os
from typing import Any

from icae_env.sandbox.base import MIB, SANDBOX_UID, Limits, SandboxConfig
from icae_env.sandbox.docker.spool import SPOOL
from icae_env.sandbox.mounts import writable
from icae_env.sandbox.seccomp import profile

HIDDEN = (SPOOL, "/dev/mqueue")
"""Folders of a container that its companion must not share."""
_INIT_CAPABILITIES = ("SETUID", "SETGID", "SETPCAP")
"""What the init needs to become the command's user and to drop all the rest on the way."""


def identity() -> tuple[int, int]:
    """Return the uid and gid that commands run as: 1000 when root calls, else the caller's own, whose files it can reach."""
    return (SANDBOX_UID, SANDBOX_UID) if os.geteuid() == 0 else (os.geteuid(), os.getegid())


def writable_places(limits: Limits) -> dict[str, int]:
    """Return the writable folders and their sizes in bytes."""
    return {place: size for place, size, _ in writable(limits)}


def tmpfs_places(limits: Limits) -> list[str]:
    """Return the writable folders that belong to the commands' user; /dev/shm is Docker's own."""
    return [place for place in writable_places(limits) if place != "/dev/shm"]


def host_config(config: SandboxConfig) -> dict[str, Any]:
    """Return the keyword arguments of ``APIClient.create_host_config``."""
    limits, (uid, gid) = config.limits, identity()
    places = writable_places(limits)
    shm = places.pop("/dev/shm")
    as_root = os.geteuid() == 0
    tmpfs = {place: _options(place, size, uid, gid) for place, size in places.items()}
    # Only the host writes here when root calls; standard input passes through it.
    tmpfs[SPOOL] = f"size={256 * MIB},mode=700,uid={0 if as_root else uid},gid={0 if as_root else gid}"
    return {
        "network_mode": "bridge" if config.network else "none",
        "cap_drop": ["ALL"],
        "cap_add": list(_INIT_CAPABILITIES) if as_root else [],
        "security_opt": [
            "no-new-privileges",
            *([] if config.tracing else [f"seccomp={json.dumps(profile())}"]),
        ],
        "read_only": True,
        "tmpfs": tmpfs,
        "shm_size": shm,
        "pids_limit": limits.processes,
        "mem_limit": limits.memory,
        "memswap_limit": limits.memory,
        "ulimits": [
            {"Name": "nofile", "Soft": limits.open_files, "Hard": limits.open_files},
            {"Name": "fsize", "Soft": limits.file, "Hard": limits.file},
            {"Name": "core", "Soft": 0, "Hard": 0},
        ],
        "ipc_mode": "private",
        # The default driver would copy what a terminal shows to the host's disk, without a bound.
        "log_config": {"Type": "none"},
    }


def mode(place: str) -> int:
    """Return the permissions of a writable folder."""
    return 0o1777 if place in ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue") else 0o755


def _options(place: str, size: int, uid: int, gid: int) -> str:
    # runc gives the mount the permissions of the image's folder instead, if there is one; the owner stays.
    return f"exec,size={size},nr_inodes={max(size // 4096, 4096)},uid={uid},gid={gid},mode={mode(place):o}"
