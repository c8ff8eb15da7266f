"""``openai/NAME``: models behind OpenAI's interfaces, also those of vLLM, SGLang, llama.cpp and gateways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from icae_env.llm import openai_chat, openai_responses
from icae_env.llm.base import Completion, Message, ToolSpec
from icae_env.llm.openai_common import OpenAIAnswerError
from icae_env.llm.options import OpenAIOptions, parse_options
from icae_env.llm.service import AnswerError, ServiceModel


class OpenAIModel(ServiceModel):
    """A model behind OpenAI's SDK.

    Args:
        model: Its name at the service.
        **options: See ``OpenAIOptions``.

    Raises:
        ConfigError: An option is wrong, or there is no key.
    """

    service = "openai"
    client_class = "OpenAI"
    key_variables = ("OPENAI_API_KEY",)

    def __init__(self, model: str, **options: Any) -> None:
        import openai  # noqa: PLC0415 - on first use

        self._options = parse_options(OpenAIOptions, f"openai/{model}", options)
        super().__init__(model, self._options, openai)
        # Its own service knows only the new name of the limit, and many others only the old one.
        own = urlsplit(str(self._clients.sync.base_url)).hostname == "api.openai.com"
        self._limit = "max_completion_tokens" if own else "max_tokens"

    def _endpoint(self, client: Any) -> Callable[..., Any]:
        part = client.responses if self._options.api == "responses" else client.chat.completions
        call: Callable[..., Any] = part.with_raw_response.create
        return call

    def _request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
        own = self._options
        request: dict[str, Any] = {
            "model": self._model,
            "temperature": own.temperature,
            "top_p": own.top_p,
            "parallel_tool_calls": own.parallel_tool_calls if tools else None,
        }
        if own.api == "responses":
            request |= {
                "input": openai_responses.to_items(messages, self._model),
                "tools": openai_responses.to_tools(tools) or None,
                "max_output_tokens": own.max_tokens,
                "reasoning": {"effort": own.reasoning_effort} if own.reasoning_effort else None,
                "store": False,
                "include": [openai_responses.ENCRYPTED] if own.keep_reasoning else None,
            }
        else:
            request |= {
                "messages": openai_chat.to_messages(messages, self._model),
                "tools": openai_chat.to_tools(tools) or None,
                self._limit: own.max_tokens,
                "reasoning_effort": own.reasoning_effort,
                "seed": own.seed,
            }
        return {name: value for name, value in request.items() if value is not None}

    def _read(self, document: dict[str, Any], asked: int) -> Completion:
        read = openai_responses.read if self._options.api == "responses" else openai_chat.read
        try:
            return read(document, self._model, asked, keep=self._options.keep_reasoning)
        except OpenAIAnswerError as error:
            status = error.status
            failure = self._from_status(status, {"error": error.error}) if status is not None else None
            raise AnswerError(str(error), failure) from error
