"""XML as elements that know their line; no entities, no document types, no files of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.sax import SAXParseException  # only the type: defusedxml does the reading
from xml.sax.handler import ContentHandler

from icae_env.dependencies.manifest.needed import needed
from icae_env.errors import ManifestError

_DEEPEST = 100


class Element:
    """An element: its name without the namespace, its line, its text and its children."""

    def __init__(self, name: str, line: int) -> None:
        self.name, self.line = name, line
        self.children: list[Element] = []
        self.pieces: list[str] = []

    @property
    def text(self) -> str:
        """The element's own text, blanks around it dropped."""
        return "".join(self.pieces).strip()

    def child(self, name: str) -> Element | None:
        """Return the first child of a name."""
        return next((item for item in self.children if item.name == name), None)

    def value(self, name: str) -> str | None:
        """Return a child's text; None where there is no such child."""
        found = self.child(name)
        return None if found is None else found.text

    def below(self, *names: str) -> Iterator[Element]:
        """Yield the elements at the end of a path of names."""
        if not names:
            yield self
            return
        for item in self.children:
            if item.name == names[0]:
                yield from item.below(*names[1:])


class _Builder(ContentHandler):
    def __init__(self) -> None:
        super().__init__()
        self.top = Element("", 0)
        self.open = [self.top]
        self.locator: Any = None

    def setDocumentLocator(self, locator: Any) -> None:  # noqa: N802 - the handler's own name
        self.locator = locator

    @property
    def line(self) -> int:
        return int(self.locator.getLineNumber() or 1) if self.locator is not None else 1

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802 - the handler's own name
        if len(self.open) > _DEEPEST:
            raise SAXParseException("elements lie too deep in one another", None, self.locator)
        item = Element(name.rsplit(":", maxsplit=1)[-1], self.line)
        self.open[-1].children.append(item)
        self.open.append(item)

    def endElement(self, name: str) -> None:  # noqa: N802 - the handler's own name
        self.open.pop()

    def characters(self, content: str) -> None:
        self.open[-1].pieces.append(content)


def read_xml(data: bytes, file: str) -> Element:
    """Return the root element of a document.

    Raises:
        ManifestError: It is not well-formed, or it defines entities.
    """
    needed("defusedxml")
    from defusedxml import DefusedXmlException  # noqa: PLC0415 - on first use
    from defusedxml.sax import parseString  # noqa: PLC0415 - on first use

    builder = _Builder()
    try:
        parseString(data, builder, forbid_dtd=True)
    except SAXParseException as error:
        raise ManifestError(
            f"it is no XML: {error.getMessage()}", file=file, line=error.getLineNumber() or 1
        ) from error
    except DefusedXmlException as error:
        raise ManifestError(
            "it has a document type or entities, which are not read", file=file, line=builder.line
        ) from error
    return builder.top.children[0]
