"""Where a command writes: a person reads the console, a program reads one JSON document on stdout."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

DONE, FAILED, BAD_INPUT, INFRA, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes: done; what was checked does not hold; the input is wrong; the host's side failed; Ctrl-C, as of a shell's."""


class Output:
    """Write for a person or for a program.

    Args:
        json: Whether stdout gets one JSON document; all else then goes to stderr.
    """

    def __init__(self, *, json: bool) -> None:
        self.json = json
        self.console = console(stderr=json)

    def document(self, document: Any) -> None:
        """Print the JSON document when one is asked for.

        Args:
            document: JSON values.
        """
        if self.json:
            # Escaped to ASCII, so that no terminal's or pipe's encoding can spoil it.
            sys.stdout.write(json.dumps(document) + "\n")
            sys.stdout.flush()


def console(*, stderr: bool = False) -> Console:
    """Return a console that takes every text as it is: program output is full of square brackets."""
    from rich.console import Console  # noqa: PLC0415 - not needed for --help or --version

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def say_error(message: str) -> None:
    """Print an error on stderr, in red on a terminal."""
    console(stderr=True).print(f"Error: {printable(message)}", style="red", soft_wrap=True)


def printable(text: str) -> str:
    """Return text without control characters, which could take over a person's terminal."""
    return "".join(sign if sign in "\n\t" or sign.isprintable() else _visible(sign) for sign in text)


def _visible(sign: str) -> str:
    code = ord(sign)
    return "" if sign == "\r" else chr(0x2400 + code) if code < 0x20 else "\N{REPLACEMENT CHARACTER}"
