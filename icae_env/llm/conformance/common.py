"""What the groups of checks share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from icae_env.llm.base import ChatModel, Completion, Message, ToolSpec
from icae_env.llm.conformance.turns import Turn
from icae_env.llm.conformance.wire import WireServer

Connect = Callable[[WireServer], ChatModel]
"""Returns a model that asks a server, with the server's key."""

_Error = TypeVar("_Error", bound=BaseException)

ASK = (Message(role="system", text="Be brief."), Message(role="user", text="What is here?"))
TOOLS = (
    ToolSpec(
        name="bash",
        description="Run a command.",
        parameters={"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
    ),
    ToolSpec(name="submit", description="End.", parameters={"type": "object", "properties": {}}),
)


@contextmanager
def playing(connect: Connect, *turns: Turn) -> Iterator[tuple[WireServer, ChatModel]]:
    """Serve a script, and give the server and a model that asks it."""
    with WireServer(turns) as server:
        model = connect(server)
        try:
            yield server, model
        finally:
            model.close()


def answer(connect: Connect, *turns: Turn) -> Completion:
    """Return the first completion of a script."""
    with playing(connect, *turns) as (_, model):
        return model.complete(ASK, TOOLS)


def raised(action: Callable[[], object], *kinds: type[_Error]) -> _Error:
    """Return the error that an action must raise."""
    try:
        result = action()
    except kinds as error:
        return error
    raise AssertionError(f"{' or '.join(kind.__name__ for kind in kinds)} was due, and {result!r} came")
