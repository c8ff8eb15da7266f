"""The contract on every service that ships, with the real SDKs over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from icae_env.llm.conformance import Connect, ModelConformance, failures, names
from icae_env.llm.conformance.conversations import ConversationChecks
from icae_env.llm.openai import OpenAIModel


class _OnWire:
    interface = ""
    options: dict[str, Any] = {}  # noqa: RUF012 - replaced whole

    @pytest.fixture
    def connect(self, connector: Any) -> Connect:
        return lambda server: connector(server, self.interface, **self.options)


class TestChat(_OnWire, ModelConformance):
    interface = "chat"


class TestResponses(_OnWire, ModelConformance):
    interface = "responses"


class TestMessages(_OnWire, ModelConformance):
    interface = "messages"


class TestMessagesThinking(_OnWire, ConversationChecks):
    interface = "messages"
    options = {"thinking_budget": 2000, "cache": False}  # noqa: RUF012 - replaced whole


def test_the_suite_finds_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgetful(OpenAIModel):
        """Sends the last message alone, and never tries twice."""

        def complete(self, messages: Any, tools: Any = ()) -> Any:
            return super().complete(messages[-1:], tools)

    monkeypatch.setenv("WIRE_KEY", "sk-wire-0123456789abcdef")

    def connect(server: Any) -> Forgetful:
        return Forgetful("m", base_url=server.openai_url, api_key_env="WIRE_KEY", attempts=1)

    found = dict(failures(connect))
    assert (
        {
            "test_what_is_sent",
            "test_results_of_tools",
            "test_passing_failures_are_tried_again",
        }
        <= set(found)
        < set(names())
    )
