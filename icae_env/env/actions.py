"""The actions an agent may take, as models; anything else becomes an ``InvalidAction``, no exception."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError, from_json

MAX_TEXT = 4 * 1024 * 1024
"""Characters of one text field of an action."""


class _Action(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    example: ClassVar[dict[str, Any]]


class Bash(_Action):
    """Run a command in a persistent bash: directory, variables and functions stay for the next one."""

    example: ClassVar[dict[str, Any]] = {"type": "bash", "command": "ls -la"}

    type: Literal["bash"] = "bash"
    command: str = Field(max_length=MAX_TEXT, description="Any bash text, of one or many lines.")


class Edit(_Action):
    """View or change one file, byte for byte. Relative paths start at /workspace."""

    example: ClassVar[dict[str, Any]] = {"type": "edit", "op": "create", "path": "run", "text": "#!/bin/sh\n"}

    type: Literal["edit"] = "edit"
    op: Literal["view", "create", "replace", "insert"] = Field(
        description=(
            "view: show a file with line numbers, or list a directory. create: write a whole file; one that "
            "exists is replaced. replace: put new in place of old, which must occur exactly once. "
            "insert: put text after a line."
        )
    )
    path: str = Field(min_length=1, max_length=4096, description="File (for view also a directory).")
    text: str | None = Field(
        None, max_length=MAX_TEXT, description="create: all of the file. insert: the new lines."
    )
    old: str | None = Field(
        None, max_length=MAX_TEXT, description="replace: exact text, white space included."
    )
    new: str | None = Field(None, max_length=MAX_TEXT, description="replace: what stands there afterwards.")
    line: int | None = Field(
        None, ge=0, description="insert: number of the line to insert after; 0 is the top."
    )
    view_range: tuple[int, int] | None = Field(
        None, description="view: first and last line, counted from 1; -1 as last means the end."
    )

    @model_validator(mode="after")
    def _fields_fit_op(self) -> Self:
        needed, allowed = _EDIT_FIELDS[self.op]
        for name in needed:
            if getattr(self, name) is None:
                raise PydanticCustomError("edit_missing", "{field}", {"field": name})
        for name in _EDIT_OPTIONAL:
            # Models that fill in every field of a flat schema send empty text for what they leave out.
            if name not in allowed and getattr(self, name) not in (None, ""):
                raise PydanticCustomError("edit_foreign", "{field}", {"field": name})
        return self


_EDIT_OPTIONAL = ("text", "old", "new", "line", "view_range")
_EDIT_FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "view": ((), ("view_range",)),
    "create": (("text",), ("text",)),
    "replace": (("old", "new"), ("old", "new")),
    "insert": (("line", "text"), ("line", "text")),
}


class AskUser(_Action):
    """Ask the user what the requirements leave open. Questions are limited; specific ones get answers."""

    example: ClassVar[dict[str, Any]] = {"type": "ask_user", "question": "What if the input is empty?"}

    type: Literal["ask_user"] = "ask_user"
    question: str = Field(max_length=MAX_TEXT, description="One question, about one thing.")


class Terminal(_Action):
    """Send keys to a full-screen terminal, apart from bash, for interactive programs; show its screen."""

    example: ClassVar[dict[str, Any]] = {"type": "terminal", "keys": "python3", "enter": True}

    type: Literal["terminal"] = "terminal"
    keys: str = Field(
        "",
        max_length=65_536,
        description="What is typed; <C-c>, <Up>, <Esc>, <F1> and the like press keys; empty only looks.",
    )
    enter: bool = Field(True, description="Whether the Enter key follows.")
    wait: float | None = Field(
        None, ge=0, le=60, description="Seconds until the screen is read; left out, until it is at rest."
    )


class Submit(_Action):
    """Hand in the workspace as it is. This ends the episode."""

    example: ClassVar[dict[str, Any]] = {"type": "submit"}

    type: Literal["submit"] = "submit"


Action = Annotated[Bash | Edit | AskUser | Terminal | Submit, Field(discriminator="type")]
"""One action; ``type`` tells which."""

ACTION_TYPES: dict[str, type[_Action]] = {
    "bash": Bash,
    "edit": Edit,
    "ask_user": AskUser,
    "terminal": Terminal,
    "submit": Submit,
}
_ADAPTER: TypeAdapter[Bash | Edit | AskUser | Terminal | Submit] = TypeAdapter(Action)


class InvalidAction(BaseModel):
    """What was given in place of an action: it costs a step, and its message is the observation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: Literal["invalid"] = "invalid"
    message: str
    """Names the field and the mend."""


def parse_action(action: object) -> Bash | Edit | AskUser | Terminal | Submit | InvalidAction:
    """Return the action meant by a model, a mapping or JSON text; never raise.

    Args:
        action: One of the models, a mapping of its fields, or that mapping's JSON text.
    """
    if isinstance(action, (Bash, Edit, AskUser, Terminal, Submit, InvalidAction)):
        return action
    if isinstance(action, (str, bytes, bytearray)):
        try:
            # As bytes: of text that holds a lone surrogate it could not even say that it is not JSON.
            raw = action.encode("utf-8", "surrogatepass") if isinstance(action, str) else bytes(action)
            action = from_json(raw)
        except ValueError as error:
            return _invalid(f"The action is not JSON ({error}).", Bash.example)
    if not isinstance(action, Mapping):
        return _invalid(f"An action is a JSON object, not {_json_name(action)}.", Bash.example)
    try:
        return _ADAPTER.validate_python(dict(action))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=True, include_input=False)[0]
        return _explain(first, action)


def _explain(error: ErrorDetails, action: Mapping[Any, Any]) -> InvalidAction:
    kind, context = error["type"], error.get("ctx", {})
    names = ", ".join(ACTION_TYPES)
    if kind == "union_tag_not_found":
        return _invalid(f"Field 'type' is missing. Mend: give one of {names}.", Bash.example)
    if kind == "union_tag_invalid":
        tag = _shorten(str(context["tag"]))
        return _invalid(f"Field 'type': there is no action '{tag}'. Mend: give one of {names}.", Bash.example)
    model = ACTION_TYPES.get(str(action.get("type")), Bash)
    field = ".".join(str(part) for part in error["loc"][1:])
    if kind in ("missing", "edit_missing"):
        name = context["field"] if kind == "edit_missing" else field
        return _invalid(f"Field '{name}' is missing{_of_op(action)}. Mend: add it.", model.example)
    if kind == "edit_foreign":
        op = action.get("op")
        return _invalid(
            f"Field '{context['field']}' does not belong to op '{op}'. Mend: leave it out.", model.example
        )
    if kind == "extra_forbidden":
        known = ", ".join(name for name in model.model_fields if name != "type") or "(none)"
        return _invalid(
            f"Field '{_shorten(field)}' is no field of '{action.get('type')}'. Mend: its fields are {known}.",
            model.example,
        )
    return _invalid(f"Field '{_shorten(field)}': {error['msg']}{_of_op(action)}.", model.example)


def _of_op(action: Mapping[Any, Any]) -> str:
    op = action.get("op")
    return f" (op '{op}')" if isinstance(op, str) and op in _EDIT_FIELDS else ""


def _invalid(message: str, example: Mapping[str, Any]) -> InvalidAction:
    text = f"Invalid action, nothing was done. {message} Example: {json.dumps(example)}"
    return InvalidAction(message=text.encode("utf-8", "replace").decode())


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _json_name(value: object) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, (list, tuple)):
        return "a list"
    return "null" if value is None else f"a {type(value).__name__}"
