"""One direction of a call: bytes from one descriptor to another, noted on the way. Nothing here ever blocks."""

from __future__ import annotations

import os
import select

_PART = 1 << 16


class Channel:
    """Carry bytes from a source to a sink; both are non-blocking and this object's own.

    Args:
        source: Where they come from.
        sink: Where they go; at the end it is closed too, so that whoever reads there sees the end.
        most: Bytes noted.
        lingers: Whether the sink stays open at the end of the source, for words of the host's own.
    """

    def __init__(self, source: int, sink: int, most: int, *, lingers: bool = False) -> None:
        self._source, self._sink, self._most, self._lingers = source, sink, most, lingers
        self._waiting = memoryview(b"")
        self.noted = bytearray()
        self.cut = False
        """Whether more came than is noted."""

    @property
    def ended(self) -> bool:
        """Whether nothing more will go through."""
        return self._sink < 0 or (self._source < 0 and not self._waiting)

    def wish(self) -> tuple[int, int] | None:
        """Return the descriptor and the event that the next move needs."""
        if self.ended:
            return None
        return (self._sink, select.POLLOUT) if self._waiting else (self._source, select.POLLIN)

    def move(self) -> None:
        """Read once or write once."""
        try:
            if self._waiting:
                self._waiting = self._waiting[os.write(self._sink, self._waiting) :]
                return
            part = os.read(self._source, _PART)
        except BlockingIOError:
            return
        except OSError:  # nobody reads any more, or the other side of a terminal is gone
            self._finish()
            return
        if not part:
            self._finish()
            return
        room = self._most - len(self.noted)
        self.noted += part[:room]
        self.cut |= len(part) > room
        self._waiting = memoryview(part)
        self.move()

    def _finish(self) -> None:
        if self._lingers and not self._waiting and self._source >= 0:
            os.close(self._source)
            self._source = -1
        else:
            self.close()

    def say(self, text: bytes) -> None:
        """Add words of the host's own to what goes to the sink, if that is open."""
        if self._sink >= 0:
            self._waiting = memoryview(bytes(self._waiting) + text)

    def close(self) -> None:
        """End it: the writer finds nobody reading, the reader the end of file."""
        for fd in {self._source, self._sink}:
            if fd >= 0:
                os.close(fd)
        self._source = self._sink = -1
        self._waiting = memoryview(b"")
