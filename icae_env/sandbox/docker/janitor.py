"""Find and remove containers whose process is gone, over the daemon's socket alone (standard library only).

The launcher runs this file once its Python process has gone, however it went: ``python -I -S janitor.py remove OWNER``.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import sys
import urllib.parse
from typing import Any

LABEL = "icae_env.owner"
DEFAULT_SOCKET = "/var/run/docker.sock"


def socket_path() -> str | None:
    """Return the daemon's socket, or None where DOCKER_HOST names a remote daemon."""
    host = os.environ.get("DOCKER_HOST", "")
    if not host:
        return DEFAULT_SOCKET
    return host.removeprefix("unix://") if host.startswith("unix://") else None


def process_stamp(pid: int) -> str:
    """Return ``<pid>:<start time in ticks>``, which no later process ever has too.

    Raises:
        OSError: There is no such process.
    """
    with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - starts fast without pathlib
        stat = file.read()
    return f"{pid}:{int(stat[stat.rindex(b')') + 2 :].split()[19])}"


def is_running(owner: str) -> bool:
    """Return whether the process of a stamp still exists."""
    pid = owner.partition(":")[0]
    try:
        return pid.isdigit() and process_stamp(int(pid)) == owner
    except OSError:
        return False


def daemon_version(path: str) -> str:
    """Return the version of the daemon's interface.

    Raises:
        OSError: The daemon cannot be reached.
    """
    answer = _call(path, "GET", "/version")
    if not isinstance(answer, dict):
        raise OSError(f"what listens on {path} is no Docker daemon")
    return str(answer["ApiVersion"])


def owned(owner: str | None = None, path: str = DEFAULT_SOCKET) -> dict[str, str]:
    """Return container id -> owner of this package's containers, of one owner or of all.

    Raises:
        OSError: The daemon cannot be reached.
    """
    label = LABEL if owner is None else f"{LABEL}={owner}"
    query = urllib.parse.urlencode({"all": "1", "filters": json.dumps({"label": [label]})})
    return {
        item["Id"]: item["Labels"][LABEL] for item in _call(path, "GET", f"/containers/json?{query}") or []
    }


def remove_owned(owner: str, path: str = DEFAULT_SOCKET) -> int:
    """Remove every container of one owner and return how many there were.

    Raises:
        OSError: The daemon cannot be reached.
    """
    found = owned(owner, path)
    for container in found:
        _call(path, "DELETE", f"/containers/{container}?force=1&v=1")
    return len(found)


def strays(path: str | None = None) -> list[tuple[str, str]]:
    """Return (container id, owner) of each container whose process is gone; empty where no daemon answers."""
    path = path or socket_path()
    if path is None:
        return []
    try:
        return sorted((key, owner) for key, owner in owned(None, path).items() if not is_running(owner))
    except OSError:
        return []


def remove_strays(path: str | None = None) -> int:
    """Remove the containers that ``strays`` finds and return how many there were."""
    path = path or socket_path()
    if path is None:
        return 0
    found = strays(path)
    for container, _ in found:
        _call(path, "DELETE", f"/containers/{container}?force=1&v=1")
    return len(found)


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=60)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _call(path: str, method: str, target: str) -> Any:
    connection = _Connection(path)
    try:
        connection.request(method, target)
        answer = connection.getresponse()
        body = answer.read()
    except http.client.HTTPException as error:
        raise OSError(f"the Docker daemon gave no answer: {error}") from error
    finally:
        connection.close()
    return json.loads(body) if method == "GET" and answer.status == 200 else None


def main(argv: list[str]) -> int:
    """Run ``remove OWNER``; a daemon that is gone has taken its containers along."""
    if len(argv) not in (2, 3) or argv[0] != "remove":
        return 2
    try:
        remove_owned(argv[1], *argv[2:])
    except OSError:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
