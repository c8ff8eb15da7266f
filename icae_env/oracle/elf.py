"""What of a compiled program decides how it can be served: its loader, and the variables that would load foreign code into it."""

from __future__ import annotations

import re
import secrets
import struct

_MAGIC = b"\x7fELF"
_PT_INTERP = 3
_NAMES = (
    b"GCONV_PATH", b"LOCPATH", b"LD_LIBRARY_PATH", b"LD_PRELOAD", b"LD_AUDIT", b"LD_ORIGIN_PATH", b"LIBRARY_PATH", b"PRELOAD",
)  # fmt: skip
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"


def is_compiled(content: bytes) -> bool:
    """Return whether a program is machine code, and no script."""
    return content[:4] == _MAGIC and len(content) > 64


def needs_loader(content: bytes) -> bool:
    """Return whether a program is linked dynamically, so that another program loads it and its libraries."""
    wide = content[4] == 2
    order = "<" if content[5] == 1 else ">"
    table, size, count = (
        (struct.unpack_from(order + "Q", content, 32)[0], *struct.unpack_from(order + "HH", content, 54))
        if wide
        else (struct.unpack_from(order + "I", content, 28)[0], *struct.unpack_from(order + "HH", content, 42))
    )
    kinds = (struct.unpack_from(order + "I", content, table + n * size)[0] for n in range(count))
    return _PT_INTERP in kinds


def without_loading(content: bytes) -> bytes:
    """Return a static program in which the names of variables that make the C library load code are others, which nobody knows.

    A static program has a loader too: for character sets and name services, by the variables of an attacker's choosing.
    """
    pattern = re.compile(rb"(?<=\0)(" + b"|".join(_NAMES) + rb")(?=\0)")
    return pattern.sub(lambda found: bytes(secrets.choice(_LETTERS) for _ in found.group()), content)
