"""Actions from a language model's prose: the one fenced block of the message says what to do.

    ```bash        a command (also ``sh``)
    ```json        any action as a JSON object (also ``action``)
    ```ask_user    a question
    ```submit      hands in; the block is empty

Blocks in other languages are prose. A fence of more backticks may hold shorter ones, as in Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from icae_env.env.actions import AskUser, Bash, Edit, InvalidAction, Submit, Terminal, parse_action

_OPEN = re.compile(r" {0,3}(`{3,}|~{3,})\s*([A-Za-z_+-]*)[^`]*")
_KINDS = {
    "bash": "bash",
    "sh": "bash",
    "json": "json",
    "action": "json",
    "ask_user": "ask_user",
    "submit": "submit",
}
_HELP = (
    "Invalid action, nothing was done. {} Mend: write exactly one fenced block: ```bash with a command, "
    '```json with an action such as {{"type": "edit", "op": "view", "path": "start.md"}}, ```ask_user with a '
    "question, or ```submit."
)


def parse_text(text: str) -> Bash | Edit | AskUser | Terminal | Submit | InvalidAction:
    """Return the action that a message means; never raise.

    Args:
        text: The message, in Markdown.
    """
    found = [(kind, body) for kind, body in _blocks(text) if kind is not None]
    if len(found) != 1:
        count = "no" if not found else str(len(found))
        return InvalidAction(message=_HELP.format(f"The message has {count} action blocks."))
    kind, body = found[0]
    if body is None:  # cut off, so what it says may be half of what was meant
        return InvalidAction(message=_HELP.format("The action block has no closing fence."))
    match kind:
        case "json":
            return parse_action(body)
        case "ask_user":
            return parse_action({"type": kind, "question": body.strip()})
        case "submit":
            return Submit()
        case _:
            return parse_action({"type": kind, "command": body})


def _blocks(text: str) -> Iterator[tuple[str | None, str | None]]:
    """Yield (kind, content) of each fenced block: no kind if it is no action, no content if it never ends."""
    lines = iter(text.split("\n"))
    for line in lines:
        opened = _OPEN.fullmatch(line.rstrip("\r"))
        if opened is None:
            continue
        fence = opened[1]
        body: list[str] = []
        closed = False
        for inner in lines:
            stripped = inner.strip()
            closed = len(stripped) >= len(fence) and not stripped.strip(fence[0])
            if closed:
                break
            body.append(inner)
        yield _KINDS.get(opened[2].lower()), "\n".join(body) if closed else None
