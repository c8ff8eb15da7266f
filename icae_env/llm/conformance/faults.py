"""Checks of what goes wrong on the way."""

from __future__ import annotations

import time

from icae_env.errors import ContextExceededError, ModelRequestError, ModelUnavailableError
from icae_env.llm.conformance.common import ASK, Connect, playing, raised
from icae_env.llm.conformance.turns import Turn, fail, say
from icae_env.llm.conformance.wire import WireServer


class FaultChecks:
    """Services that fail."""

    def test_passing_failures_are_tried_again(self, connect: Connect) -> None:
        """Too many requests, trouble at the service, connections that end early, answers that are none."""
        for bad in (
            fail(429),
            fail(500),
            fail(503),
            fail(529),
            fail(408),
            say("cut", cut=True),
            Turn(body="<html>"),
        ):
            with playing(connect, bad, say("Here.")) as (server, model):
                completion = model.complete(ASK)
                assert completion.message.text == "Here." and len(server.requests) == 2, bad
                assert completion.retries == 1, bad

    def test_the_wait_that_the_service_asks_for(self, connect: Connect) -> None:
        """Not earlier than ``Retry-After`` says."""
        with playing(connect, fail(429, retry_after=1.0), say("Here.")) as (_, model):
            begun = time.monotonic()
            model.complete(ASK)
            assert time.monotonic() - begun >= 1.0

    def test_lasting_failures_end(self, connect: Connect) -> None:
        """A service that stays down is told as such."""
        with WireServer(answer=lambda request: fail(500)) as server:
            model = connect(server)
            try:
                raised(lambda: model.complete(ASK), ModelUnavailableError)
            finally:
                model.close()
            assert len(server.requests) > 1

    def test_a_service_that_is_not_there(self, connect: Connect) -> None:
        """As one that stays down."""
        server = WireServer()
        server.close()
        model = connect(server)
        try:
            raised(lambda: model.complete(ASK), ModelUnavailableError)
        finally:
            model.close()

    def test_refused_requests_are_not_tried_again(self, connect: Connect) -> None:
        """Another attempt would only fail again."""
        for status in (400, 403, 404, 422):
            with playing(connect, fail(status, message="Mind the gap.")) as (server, model):
                error = raised(lambda model=model: model.complete(ASK), ModelRequestError)  # type: ignore[misc]
                assert "Mind the gap." in str(error) and len(server.requests) == 1, status

    def test_a_wrong_key(self, connect: Connect) -> None:
        """It is told as such, and not shown, although the service shows it."""
        with WireServer() as server:
            shown, model = server.key, connect(server)
            server.key = "sk-wire-another-0123456789"
            try:
                error = raised(lambda: model.complete(ASK), ModelRequestError)
            finally:
                model.close()
            assert not server.requests[0].authorized and len(server.requests) == 1
            told: BaseException | None = error
            while told is not None:
                assert shown not in str(told) and shown not in repr(told)
                told = told.__context__

    def test_a_conversation_that_is_too_long(self, connect: Connect) -> None:
        """It has an error of its own, so that agents can shorten it."""
        with playing(connect, fail(400, "context_length_exceeded")) as (server, model):
            raised(lambda: model.complete(ASK), ContextExceededError)
            assert len(server.requests) == 1
