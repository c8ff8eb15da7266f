"""The options of the agents that play by a language model."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from icae_env.errors import ConfigError, UnknownNameError

UNKNOWN_WINDOW = 128_000
"""Tokens that a model of an unknown window is taken to have."""


class ReactSettings(BaseModel):
    """What can be set of a ``react`` agent; on the command line as ``--agent-option NAME=VALUE``."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    style: Literal["tools", "text"] = "tools"
    """``tools``: actions are tool calls. ``text``: actions are fenced blocks, for models that know no tools."""
    max_format_errors: int = Field(default=3, ge=1)
    """Messages in a row without any action that can be carried out, after which the agent gives up and submits."""
    context_tokens: int | None = Field(default=None, ge=2000)
    """Tokens that prompt and answer may have together; None: the model's window, or 128000 where that is unknown."""
    answer_tokens: int = Field(default=8192, ge=1)
    """Tokens of the window that are kept free for the answer; at most a half of it."""
    keep_results: int = Field(default=6, ge=1)
    """Newest results that are left out only when there is no other way."""
    reasoning: bool = True
    """Whether a short reasoning text is asked for after each result."""
    prompts: Path | None = None
    """A folder with prompts that take the place of those that ship."""

    @classmethod
    def read(cls, options: dict[str, Any]) -> Self:
        """Return settings from options, whose values may be texts.

        Raises:
            ConfigError: An option is not known, or its value is not valid.
        """
        for name in options:
            if name not in cls.model_fields:
                raise UnknownNameError("agent option", name, cls.model_fields)
        try:
            return cls.model_validate(options)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name = str(first["loc"][0])
            meaning = " ".join((cls.model_fields[name].description or "").split())
            raise ConfigError(
                f"The value {first['input']!r} is not valid: {first['msg']}.",
                field=f"--agent-option {name}",
                mend=f"write {name}=VALUE. {meaning}".strip(),
            ) from error

    def budget(self, window: int | None) -> int:
        """Return how many tokens a prompt may have.

        Args:
            window: The model's, in tokens; None: unknown.
        """
        whole = self.context_tokens or window or UNKNOWN_WINDOW
        return whole - min(self.answer_tokens, whole // 2)
