"""Tell through a pipe what went wrong in a forked child (standard library only)."""

import os
import select


def text(failure: BaseException) -> bytes:
    """Put an exception of a forked child into words for ``error``."""
    if isinstance(failure, OSError) and failure.errno:
        return f"{failure.errno} {failure.strerror}".encode()
    return f"0 {type(failure).__name__}: {failure}".encode()


def error(reported: bytes) -> OSError:
    """Return the exception that ``text`` was made of."""
    number, _, message = reported.decode(errors="replace").partition(" ")
    return (
        OSError(int(number), message) if number.isdigit() else OSError(0, reported.decode(errors="replace"))
    )


def read_soon(fd: int, seconds: float = 10.0) -> bytes:
    """Read once, when there is something within some seconds, and close."""
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    try:
        return os.read(fd, 4096) if poller.poll(seconds * 1000) else b""
    finally:
        os.close(fd)
