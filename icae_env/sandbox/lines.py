"""Lines of a file as bytes: counting, numbering, joining and finding."""

from __future__ import annotations

BOM = b"\xef\xbb\xbf"
MAX_PLACES = 1000
"""Occurrences of a text that are looked for."""
MAX_SHOWN = 10_000
"""Lines of one view."""
_MAX_HINT = 1024 * 1024


def count_lines(data: bytes, *, partial: bool = False) -> int:
    """Return the number of newlines; with ``partial``, text after the last one counts as a line too."""
    count = data.count(b"\n")
    return count + 1 if partial and data and not data.endswith(b"\n") else count


def describe(data: bytes) -> str:
    """Return what a view hides: size, kind of line ends, byte order mark, missing last newline, bad bytes."""
    lines = count_lines(data, partial=True)
    parts = [f"{lines} line{'' if lines == 1 else 's'}, {len(data)} bytes"]
    crlf, newlines = data.count(b"\r\n"), data.count(b"\n")
    if crlf:
        parts.append("CRLF line ends" if crlf == newlines else f"mixed line ends, {crlf} CRLF")
    if data.startswith(BOM):
        parts.append("with a byte order mark")
    if data and not data.endswith(b"\n"):
        parts.append("no newline at the end")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        parts.append("not valid UTF-8, bad bytes shown as \ufffd")
    return ", ".join(parts)


def numbered(data: bytes, first: int, last: int) -> str:
    """Return lines ``first`` to ``last`` (counted from 1), each with its number and a tab before it.

    Of more than MAX_SHOWN lines, the ones in the middle are left out.
    """
    lines = data.split(b"\n")
    shown = range(first, last + 1)
    parts = [shown]
    if len(shown) > MAX_SHOWN:
        parts = [shown[: MAX_SHOWN // 2], shown[-MAX_SHOWN // 2 :]]
    texts = [
        "\n".join(
            f"{number:6d}\t{lines[number - 1].removesuffix(bytes([13])).decode('utf-8', 'replace')}"
            for number in part
        )
        for part in parts
    ]
    return f"\n[... {len(shown) - MAX_SHOWN} lines left out; give a view_range ...]\n".join(texts)


def occurrences(data: bytes, wanted: bytes) -> list[int]:
    """Return where ``wanted`` starts in ``data``, overlapping places included; at most ``MAX_PLACES``."""
    places: list[int] = []
    place = data.find(wanted)
    while place >= 0 and len(places) < MAX_PLACES:
        places.append(place)
        place = data.find(wanted, place + 1)
    return places


def replace_hint(data: bytes, wanted: bytes) -> str:
    """Return why a text is not found although it seems to be there, or an empty string."""
    if b"\r\n" in data and wanted.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") in data:
        return " It does with CRLF line ends. Mend: write \\r\\n for each line end in old and new."
    # One search in joined lines, for comparing them one by one takes minutes on the worst of files.
    stripped = b"\n".join(line.strip() for line in wanted.strip().split(b"\n"))
    lines = b"\n".join(line.strip() for line in data[:_MAX_HINT].split(b"\n"))
    at = b"\n%s\n" % lines
    found = at.find(b"\n%s\n" % stripped)
    if found >= 0:
        line = at.count(b"\n", 0, found) + 1
        place = f" Text that differs only in white space stands at line {line}."
        return place + " Mend: view it and copy it exactly."
    return " Mend: view the file and copy the text exactly."


def join_lines(data: bytes, line: int, text: bytes) -> tuple[bytes, str]:
    """Put ``text`` after line ``line`` and add a line end only where two lines would run together.

    Args:
        data: The file.
        line: Number of the line before the new ones; 0 is the top (after a byte order mark).
        text: The new lines, kept as they are.

    Returns:
        The new file, and a note for the agent (empty in most cases).
    """
    at = len(BOM) if data.startswith(BOM) else 0
    for _ in range(line):
        end = data.find(b"\n", at)
        at = len(data) if end < 0 else end + 1
    before, after = data[:at], data[at:]
    crlf = _uses_crlf(before, last=True) if b"\n" in before else _uses_crlf(after, last=False)
    ending = b"\r\n" if crlf else b"\n"
    unfinished = line > 0 and not before.endswith(b"\n")
    lead = ending if unfinished else b""
    trail = b"" if text.endswith(b"\n") or unfinished else ending
    mixed = crlf and text.count(b"\n") != text.count(b"\r\n")
    note = " Its line ends are LF although the lines around it end in CRLF." if mixed else ""
    return before + lead + text + trail + after, note


def _uses_crlf(data: bytes, *, last: bool) -> bool:
    place = data.rfind(b"\n") if last else data.find(b"\n")
    return place > 0 and data[place - 1 : place] == b"\r"
