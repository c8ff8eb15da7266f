"""CMake's language as commands with their arguments, through its grammar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from icae_env.dependencies.manifest.needed import needed
from icae_env.errors import ManifestError

if TYPE_CHECKING:
    from tree_sitter import Node

_BLOCKS = ("if_condition", "foreach_loop", "while_loop", "function_def", "macro_def", "block_def")
_HEADS = {"foreach_command": "foreach", "function_command": "function", "macro_command": "macro"}


class Argument(NamedTuple):
    """One argument."""

    text: str
    """Without its quotes or brackets; variables are not expanded."""
    kind: str
    """``unquoted``, ``quoted`` or ``bracket``."""
    plain: bool
    """Whether no generator expression stands in it."""


class Command(NamedTuple):
    """One command."""

    name: str
    """In lower case, as CMake compares them."""
    arguments: tuple[Argument, ...]
    line: int
    """From 1."""
    depth: int
    """How many blocks (if, foreach, while, function, macro) it stands in."""


def commands(data: bytes, file: str) -> Iterator[Command]:
    """Yield the commands of a file in their order; comments are none.

    Raises:
        ManifestError: CMake's grammar does not accept it.
    """
    needed("tree_sitter", "tree-sitter")
    needed("tree_sitter_cmake", "tree-sitter-cmake")
    import tree_sitter_cmake  # noqa: PLC0415 - on first use
    from tree_sitter import Language, Parser  # noqa: PLC0415 - on first use

    tree = Parser(Language(tree_sitter_cmake.language())).parse(data)
    if tree.root_node.has_error:
        line = _broken(tree.root_node)
        raise ManifestError("CMake's grammar does not accept it", file=file, line=line)
    yield from _walk(tree.root_node)


def _broken(root: Node) -> int:
    """Return the line of the first place that the grammar does not accept."""
    node, found = root, root
    while node.has_error:
        found = node
        if node.is_error or node.is_missing:
            break
        node = next((item for item in node.children if item.has_error or item.is_missing), node)
        if node is found:
            break
    if found.is_missing and found.parent is not None:
        # What is missing lies at the file's end; the command that lacks it is what helps.
        found = found.parent
    return found.start_point.row + 1


def _walk(root: Node) -> Iterator[Command]:
    # By hand, not by recursion: blocks may lie deeper in one another than Python's own stack.
    waiting: list[tuple[Node, int]] = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if node.type == "normal_command" or node.type in _HEADS:
            yield _command(node, depth)
            continue
        inner = depth + (node.type in _BLOCKS)
        waiting += [(item, inner) for item in reversed(node.named_children)]


def _command(node: Node, depth: int) -> Command:
    name, arguments = _HEADS.get(node.type, ""), list[Argument]()
    for item in node.named_children:
        if item.type == "identifier":
            name = _text(item).lower()
        elif item.type == "argument_list":
            arguments = [_argument(inner) for inner in item.named_children if inner.type == "argument"]
    return Command(name, tuple(arguments), node.start_point.row + 1, depth)


def _argument(node: Node) -> Argument:
    inner = node.named_children[0]
    text = _text(node)
    if inner.type == "bracket_argument":
        content = next((item for item in inner.named_children if item.type.endswith("_content")), None)
        return Argument(_text(content) if content else "", "bracket", plain=True)
    plain = "$<" not in text and text != "$"
    if inner.type == "quoted_argument":
        return Argument(text[1:-1], "quoted", plain)
    return Argument(text, "unquoted", plain)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", errors="replace")
