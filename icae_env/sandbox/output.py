"""Read what a command has printed into a file: head and tail, as valid text."""

from __future__ import annotations

import codecs
import contextlib
from pathlib import PurePosixPath
from typing import NamedTuple

from icae_env.sandbox.base import Files


class Output(NamedTuple):
    """The kept text, and what to tell about the rest (empty when nothing was cut)."""

    text: str
    note: str


def decode_head(data: bytes) -> str:
    """Decode UTF-8 with replacement characters, leaving off a character that is cut at the end."""
    return codecs.getincrementaldecoder("utf-8")("replace").decode(data, final=False)


def decode_tail(data: bytes) -> str:
    """Decode UTF-8 with replacement characters, leaving off the rest of a character that is cut at the start."""
    start = 0
    while start < min(3, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:].decode("utf-8", "replace")


def read_output(files: Files, path: PurePosixPath, limit: int) -> Output:
    """Return the output in ``path`` and drop the file.

    Args:
        files: The sandbox's files.
        path: The output file.
        limit: Bytes kept; half from the head, half from the tail.
    """
    try:
        size = files.stat(path).size
        if size <= limit:
            return Output(files.read(path, limit=limit).decode("utf-8", "replace"), "")
        head, tail = limit - limit // 2, limit // 2
        kept_head = files.read(path, limit=head)
        kept_tail = files.read(path, limit=tail, offset=size - tail)
        left_out = size - head - tail
    except OSError:
        return Output("", "The command's output could not be read: its file was removed or replaced.")
    finally:
        with contextlib.suppress(OSError):
            files.discard(path)
    text = f"{decode_head(kept_head)}\n[... {left_out} bytes left out ...]\n{decode_tail(kept_tail)}"
    return Output(text, f"The output had {size} bytes; {left_out} in the middle were left out.")
