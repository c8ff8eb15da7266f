"""Route by a language model, which chooses ids and can do no more: what it says never becomes part of a reply."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from icae_env.errors import ConfigError, ModelError, UserAgentError
from icae_env.llm import Message, make_model
from icae_env.user_agent.records import RecordSet
from icae_env.user_agent.router import Match, Routing, RoutingKind

MODEL_VARIABLE = "ICAE_ROUTER_MODEL"
"""Name of the model that the default chat asks: ``openai/NAME`` or another form of ``icae_env.llm``."""
OPTIONS_VARIABLE = "ICAE_ROUTER_OPTIONS"
"""Its options, as a JSON object."""
MOST_RECORDS = 3
PATIENCE = 60.0
"""Seconds that an answer is waited for."""


class Chat(Protocol):
    """Ask a language model."""

    def __call__(self, prompt: str) -> str:
        """Return the model's answer to a prompt.

        Raises:
            UserAgentError: It gave none.
        """
        ...


class _Choice(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    records: tuple[str, ...] = ()
    references: tuple[int, ...] = ()
    interface: bool = False
    vague: bool = False


class LlmRouter:
    """Let a language model choose among the records; anything but known ids is an error, and costs no question.

    Args:
        records: The records to choose from.
        chat: What asks the model; by default ``ModelChat``.
    """

    def __init__(self, records: RecordSet, chat: Chat | None = None) -> None:
        self._records = records
        self._chat = chat or ModelChat()
        self._template = Template(
            (files("icae_env.user_agent") / "route_prompt.md").read_text(encoding="utf-8")
        )
        self._listed = "\n".join(
            f"{record.constraint_id}: {_line(record.oracle_response)}" for record in records.records
        )
        self._references = "\n".join(
            f'{number}: "{_line(item.vague_reference)}": {_line(item.actual_meaning)}'
            for number, item in enumerate(records.pointers)
        )

    def route(self, question: str) -> Routing:
        """Return what the model chose.

        Raises:
            UserAgentError: The model gave no answer, or one that is malformed or names what does not exist.
        """
        choice = self._parsed(self._chat(self.prompt(question)))
        matches = tuple(
            Match(id=name, score=1.0 / number) for number, name in enumerate(dict.fromkeys(choice.records), 1)
        )[:MOST_RECORDS]
        pointers = tuple(dict.fromkeys(choice.references))
        signature = choice.interface and bool(self._records.signature)
        kind: RoutingKind = "vague" if choice.vague else "fallback"
        if matches:
            kind = "records"
        elif pointers:
            kind = "pointer"
        elif signature:
            kind = "signature"
        return Routing(kind=kind, matches=matches, pointers=pointers, signature=signature)

    def prompt(self, question: str) -> str:
        """Return what the model is asked."""
        # A mark that the message cannot hold, since it depends on all of it.
        mark = hashlib.sha256(question.encode("utf-8", "replace")).hexdigest()[:16]
        return self._template.substitute(
            records=self._listed or "none",
            references=self._references or "none",
            mark=f"<{mark}>",
            question=question,
        )

    def _parsed(self, answer: str) -> _Choice:
        text = answer.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
        try:
            choice = _Choice.model_validate_json(text)
        except ValidationError as error:
            # Without the answer, which may hold records.
            raise UserAgentError(
                "The router's model did not answer with the JSON object asked for."
            ) from error
        unknown = [name for name in choice.records if name not in self._records.ids]
        if unknown or any(not 0 <= number < len(self._records.pointers) for number in choice.references):
            raise UserAgentError("The router's model chose records or references that do not exist.")
        return choice


class ModelChat:
    """Ask a model of ``icae_env.llm``.

    Args:
        model: Its name, such as ``openai/NAME``; by default that in ``ICAE_ROUTER_MODEL``.
        options: Its options; by default those in ``ICAE_ROUTER_OPTIONS``, a JSON object, or for a service temperature 0.

    Raises:
        ConfigError: No model is named, or it cannot be made.
    """

    def __init__(self, model: str | None = None, options: Mapping[str, Any] | None = None) -> None:
        name = model or os.environ.get(MODEL_VARIABLE, "")
        if not name:
            raise ConfigError(
                "The router 'llm' has no model.",
                field="router",
                mend=f"set {MODEL_VARIABLE} to its name, such as openai/NAME.",
            )
        self._model = make_model(name, _options(name) if options is None else options)

    def __call__(self, prompt: str) -> str:
        """Return the model's answer.

        Raises:
            UserAgentError: It could not be reached or said nothing.
        """
        try:
            answer = self._model.complete([Message(role="user", text=prompt)])
        except ModelError as error:
            raise UserAgentError(f"The router's model could not be asked: {error}") from error
        if not answer.message.text or answer.finish == "filter":
            raise UserAgentError(f"The router's model '{self._model.name}' said nothing.")
        return answer.message.text


def _options(name: str) -> Mapping[str, Any]:
    text = os.environ.get(OPTIONS_VARIABLE, "")
    if not text:
        # A question waits for the answer, so that fewer and shorter attempts than an agent's are made.
        of_service = {"temperature": 0, "timeout": PATIENCE, "attempts": 3, "retry_seconds": PATIENCE}
        return of_service if name.startswith(("openai/", "anthropic/")) else {}
    try:
        options = json.loads(text)
    except ValueError:
        options = None
    if not isinstance(options, dict):
        raise ConfigError(
            f"{OPTIONS_VARIABLE} is not a JSON object.",
            field="router",
            mend='write it as {"temperature": 0}.',
        )
    return options


def _line(text: str) -> str:
    return " ".join(text.split())
