"""Run a command in a container on the terminal this program was started on (standard library only).

``python -I -S attach.py INIT UID GID CWD N K=V... ARGV...`` with N variables. The command gets a terminal of the container's own;
bytes, window size and exit code are relayed. When this program is killed, the kernel hangs that terminal up.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import tty
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from icae_env.sandbox.docker.spool import Spool, Started, resize
else:  # the package would import too much; last in the list, so that it hides nothing of the standard library
    sys.path.append(str(Path(__file__).parent))
    from spool import Spool, Started, resize

_INPUT, _OUTPUT = 0, 1


def main(words: list[str]) -> int:
    """Start the command, relay until it ends, and return its exit code."""
    init, uid, gid, cwd, count, *rest = words
    env = dict(word.split("=", 1) for word in rest[: int(count)])
    try:
        spool = Spool.open(
            int(init), uid=int(uid), gid=int(gid), drop=os.geteuid() == 0, tag=f"{os.getpid()}-a", wait=1.0
        )
    except OSError as error:
        sys.stderr.write(f"The sandbox is not running: {error}\n")
        return 137
    rows, columns = _size()
    started = spool.start_on_terminal(rest[int(count) :], env, cwd, rows=rows, columns=columns)
    (terminal,) = started.streams
    signal.signal(signal.SIGWINCH, lambda *_: resize(terminal, *_size()))
    before = termios.tcgetattr(_INPUT) if os.isatty(_INPUT) else None
    try:
        if before:
            tty.setraw(_INPUT)
        return _relay(started)
    finally:
        if before:
            termios.tcsetattr(_INPUT, termios.TCSADRAIN, before)
        spool.forget(started.name)


def _relay(started: Started) -> int:
    (terminal,) = started.streams
    poller = select.poll()
    for fd in (_INPUT, terminal, started.status):
        poller.register(fd, select.POLLIN)
    while True:
        ready = dict(poller.poll())
        if terminal in ready and not _copy(terminal, _OUTPUT):
            poller.unregister(terminal)
        if _INPUT in ready and not _copy(_INPUT, terminal):
            poller.unregister(_INPUT)
        if started.status in ready:
            text = os.read(started.status, 16).strip()
            while select.select([terminal], [], [], 0)[0] and _copy(terminal, _OUTPUT):
                pass
            return int(text) if text.isdigit() else 137


def _copy(source: int, target: int) -> bool:
    """Copy what is there; return False at the end of the source."""
    try:
        data = os.read(source, 1 << 16)
        view = memoryview(data)
        while view:
            view = view[os.write(target, view) :]
    except OSError:  # a terminal whose other side is gone
        return False
    return bool(data)


def _size() -> tuple[int, int]:
    try:
        size = os.get_terminal_size(_INPUT)
    except OSError:
        return 24, 80
    return size.lines, size.columns


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
