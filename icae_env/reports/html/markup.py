"""HTML and SVG as text; every value that goes in is escaped."""

from __future__ import annotations

from html import escape

from icae_env.reports.visible import visible


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def safe(value: object) -> str:
    """Return a value as text for an element or a quoted attribute."""
    return str(value) if isinstance(value, Markup) else escape(visible(str(value)), quote=True)


def tag(name: str, *content: object, **attributes: object) -> Markup:
    """Return an element.

    Args:
        name: Its name.
        content: What is in it: markup stays, all else is escaped.
        attributes: Its attributes; ``_`` in a name stands for ``-``, a last ``_`` is left out, None leaves the attribute out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{safe(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{written}>{''.join(map(safe, content))}</{name}>")


def join(*parts: object) -> Markup:
    """Return parts one after the other, escaped where they are no markup."""
    return Markup("".join(map(safe, parts)))
