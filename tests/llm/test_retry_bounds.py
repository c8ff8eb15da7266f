"""Attempts and their time are bounded."""

from __future__ import annotations

from typing import Any

import pytest

from icae_env.errors import ModelRequestError, ModelUnavailableError
from icae_env.llm import Message
from icae_env.llm.conformance.turns import fail, say
from icae_env.llm.conformance.wire import WireServer
from icae_env.llm.options import ServiceOptions
from icae_env.llm.retry import LONGEST_WAIT, Attempts, Failure

ASK = [Message(role="user", text="Hello?")]
AGAIN = Failure(error=ModelUnavailableError, message="It failed.", again=True)


def test_waits_double_up_to_a_bound_and_are_shortened_by_chance() -> None:
    attempts = Attempts(ServiceOptions(retry_wait=1.0, attempts=12, retry_seconds=1e9))
    waits = [attempts.wait(AGAIN) for _ in range(11)]
    for number, wait in enumerate(waits):
        longest = min(2.0**number, LONGEST_WAIT)
        assert longest / 2 <= wait <= longest
    with pytest.raises(ModelUnavailableError, match="tried 12 times"):
        attempts.wait(AGAIN)


def test_what_will_not_pass_is_raised_at_once() -> None:
    attempts = Attempts(ServiceOptions())
    with pytest.raises(ModelRequestError, match="Wrong"):
        attempts.wait(Failure(error=ModelRequestError, message="Wrong.", again=False))


def test_a_service_that_asks_for_too_long_a_wait(connector: Any) -> None:
    with WireServer([fail(429, retry_after=3600), say("never asked for")]) as server:
        with pytest.raises(ModelUnavailableError, match=r"tried once.*retry_seconds"):
            connector(server, "chat", retry_seconds=30).complete(ASK)
        assert len(server.requests) == 1


def test_attempts_of_one_call(connector: Any) -> None:
    with WireServer([fail(500)] * 5) as server:
        with pytest.raises(ModelUnavailableError, match=r"HTTP 500.*tried 3 times"):
            connector(server, "messages", attempts=3).complete(ASK)
        assert len(server.requests) == 3
        # The SDK's own attempts would come on top.
        assert {request.headers.get("x-stainless-retry-count") for request in server.requests} == {"0"}
