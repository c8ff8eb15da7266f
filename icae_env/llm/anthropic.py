"""``anthropic/NAME``: models behind Anthropic's messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from icae_env.llm import anthropic_messages
from icae_env.llm.base import Completion, Message, ToolSpec
from icae_env.llm.options import AnthropicOptions, parse_options
from icae_env.llm.service import AnswerError, ServiceModel

_STATUS_OF = {
    "rate_limit_error": 429, "overloaded_error": 529, "api_error": 500, "timeout_error": 504, "authentication_error": 401,
    "permission_error": 403, "not_found_error": 404, "request_too_large": 413, "billing_error": 402,
}  # fmt: skip


class AnthropicModel(ServiceModel):
    """A model behind Anthropic's SDK.

    Args:
        model: Its name at the service.
        **options: See ``AnthropicOptions``.

    Raises:
        ConfigError: An option is wrong, or there is no key.
    """

    service = "anthropic"
    client_class = "Anthropic"
    key_variables = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")

    def __init__(self, model: str, **options: Any) -> None:
        import anthropic  # noqa: PLC0415 - on first use

        self._options = parse_options(AnthropicOptions, f"anthropic/{model}", options)
        super().__init__(model, self._options, anthropic)

    def _endpoint(self, client: Any) -> Callable[..., Any]:
        call: Callable[..., Any] = client.messages.with_raw_response.create
        return call

    def _request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
        own = self._options
        thinking: dict[str, Any] | None = {"type": own.thinking} if own.thinking else None
        if own.thinking_budget is not None:
            thinking = {"type": "enabled", "budget_tokens": own.thinking_budget}
        request: dict[str, Any] = {
            "model": self._model,
            "max_tokens": own.max_tokens,
            "system": anthropic_messages.to_system(messages, cache=own.cache) or None,
            "messages": anthropic_messages.to_messages(messages, self._model, cache=own.cache),
            "tools": anthropic_messages.to_tools(tools, cache=own.cache) or None,
            "temperature": own.temperature,
            "top_p": own.top_p,
            "thinking": thinking,
            # Not every version of the SDK knows this field by name.
            "extra_body": {"output_config": {"effort": own.reasoning_effort}}
            if own.reasoning_effort
            else None,
            # Without a time of its own, the SDK refuses to wait for long answers in one piece.
            "timeout": self._clients.timeout,
        }
        return {name: value for name, value in request.items() if value is not None}

    def _read(self, document: dict[str, Any], asked: int) -> Completion:
        if document.get("type") == "error":
            kind = str((document.get("error") or {}).get("type"))
            raise AnswerError("is an error", self._from_status(_STATUS_OF.get(kind, 400), document))
        return anthropic_messages.read(document, self._model, asked, keep=self._options.keep_reasoning)
