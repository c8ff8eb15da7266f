"""Receive one message with its descriptors, closed on exec from the first moment (standard library only)."""

import array
import socket


def receive(control: socket.socket, size: int) -> tuple[bytes, list[int]]:
    """Return one message of at most ``size`` bytes and the descriptors that came with it.

    ``socket.recv_fds`` drops its flags in Python 3.11, so that received descriptors would leak into every process started.
    """
    room = 250 * array.array("i").itemsize
    message, ancillary, _, _ = control.recvmsg(size, socket.CMSG_LEN(room), socket.MSG_CMSG_CLOEXEC)
    received = array.array("i")
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            received.frombytes(data[: len(data) - len(data) % received.itemsize])
    return message, list(received)
