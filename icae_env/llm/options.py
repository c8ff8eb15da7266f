"""Options of the models that are services (``--model-option name=value``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import from_json

from icae_env.errors import ConfigError

_Options = TypeVar("_Options", bound=BaseModel)


class ServiceOptions(BaseModel):
    """What every service takes. What is None is not sent, so that the service's own default holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str | None = None
    """Address of the service; None: what the SDK reads from its environment variable, or its default."""
    api_key_env: str | None = None
    """Environment variable that holds the key; None: the SDK's own."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Tokens of one answer, reasoning among them."""
    temperature: float | None = Field(default=None, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    reasoning_effort: str | None = None
    """How long the model thinks, in the service's own words (``low``, ``medium``, ``high``, ...)."""
    keep_reasoning: bool = True
    """Whether the model gets its own thinking back in later calls, where the service can."""
    context_window: int | None = Field(default=None, ge=1)
    """Tokens that prompt and answer may have together; told to agents."""
    timeout: float = Field(default=600.0, gt=0)
    """Seconds that one attempt may take."""
    attempts: int = Field(default=7, ge=1)
    """How often a call is tried."""
    retry_wait: float = Field(default=0.5, ge=0)
    """Seconds to wait after the first failure; it doubles with each."""
    retry_seconds: float = Field(default=900.0, ge=0)
    """Seconds after the begin of a call within which a further attempt may begin."""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Further fields of the request, as a mapping or as JSON text; for what only one service knows."""

    @field_validator("extra_body", mode="before")
    @classmethod
    def _parse(cls, value: Any) -> Any:
        return from_json(value) if isinstance(value, str) else value


class OpenAIOptions(ServiceOptions):
    """Of ``openai/NAME``."""

    api: Literal["chat", "responses"] = "chat"
    """Which of the two interfaces is spoken."""
    parallel_tool_calls: bool | None = None
    seed: int | None = None
    """Only of chat completions."""


class AnthropicOptions(ServiceOptions):
    """Of ``anthropic/NAME``."""

    max_tokens: int = Field(default=16_000, ge=1)
    """Tokens of one answer, thinking among them; the service wants to be told."""
    thinking: Literal["adaptive", "disabled"] | None = None
    """None: the model's own default, or what follows from ``thinking_budget``."""
    thinking_budget: int | None = Field(default=None, ge=1024)
    """Tokens that the model may think, fewer than ``max_tokens``."""
    cache: bool = True
    """Whether tools, system and the last messages are marked to be cached by the service."""


def parse_options(kind: type[_Options], model: str, options: Mapping[str, Any]) -> _Options:
    """Return the options of a model, from values or their texts.

    Args:
        kind: The options it takes.
        model: The model as the user named it.
        options: What the user gave.

    Raises:
        ConfigError: One of them is unknown or has a wrong value.
    """
    try:
        return kind.model_validate(dict(options))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        unknown = first["type"] == "extra_forbidden"
        raise ConfigError(
            "There is no such option." if unknown else f"{first['msg']}.",
            field=f"{model}: {'.'.join(map(str, first['loc']))}",
            mend=f"the options are {', '.join(sorted(kind.model_fields))}." if unknown else None,
        ) from error
