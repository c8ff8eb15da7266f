"""Checks of how a model is used: from threads, on event loops, to its end."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from icae_env.errors import ModelRequestError
from icae_env.llm.base import ChatModel, Completion, Message
from icae_env.llm.conformance.common import ASK, TOOLS, Connect, playing, raised
from icae_env.llm.conformance.turns import Turn, call, fail, say
from icae_env.llm.conformance.wire import WireRequest, WireServer


def _conversation(number: int) -> list[Message]:
    return [*ASK, Message(role="user", text=f"Question {number}.")]


class UseChecks:
    """One model, many callers."""

    def test_asynchronous_calls_do_the_same(self, connect: Connect) -> None:
        """Answers, attempts and errors."""

        async def calls(model: ChatModel) -> list[Completion | BaseException]:
            first = await asyncio.gather(model.acomplete(ASK, TOOLS))
            return [*first, *await asyncio.gather(model.acomplete(ASK), return_exceptions=True)]

        with playing(connect, fail(429), call("bash", {"command": "ls"}), fail(404), fail(404)) as (_, model):
            completion, error = asyncio.run(calls(model))
            assert isinstance(completion, Completion), completion
            assert completion.message.tool_calls[0].name == "bash" and completion.retries == 1
            other = raised(lambda: model.complete(ASK), ModelRequestError)
            assert (type(error), str(error)) == (type(other), str(other))

    def test_several_event_loops_one_after_the_other(self, connect: Connect) -> None:
        """A model is not bound to the first one."""
        with playing(connect, say("1"), say("2"), say("3")) as (_, model):
            assert asyncio.run(model.acomplete(ASK)).message.text == "1"
            assert model.complete(ASK).message.text == "2"
            assert asyncio.run(model.acomplete(ASK)).message.text == "3"

    def test_many_threads(self, connect: Connect) -> None:
        """Each gets its own answer."""
        with WireServer(answer=_echo) as server:
            model = connect(server)
            try:
                with ThreadPoolExecutor(8) as pool:
                    answers = list(pool.map(lambda number: model.complete(_conversation(number)), range(24)))
            finally:
                model.close()
        assert [f"Question {number}." in found.message.text for number, found in enumerate(answers)] == [
            True
        ] * 24

    def test_many_calls_on_one_event_loop(self, connect: Connect) -> None:
        """They wait side by side: none is answered before all were asked."""
        number = 16
        gate = threading.Barrier(number, timeout=60.0)

        def answer(request: WireRequest) -> Turn:
            gate.wait()
            return _echo(request)

        async def calls(model: ChatModel) -> list[str]:
            found = await asyncio.gather(*(model.acomplete(_conversation(item)) for item in range(number)))
            return [completion.message.text for completion in found]

        with WireServer(answer=answer) as server:
            model = connect(server)
            try:
                answers = asyncio.run(calls(model))
            finally:
                model.close()
        assert [f"Question {item}." in text for item, text in enumerate(answers)] == [True] * number

    def test_closing_twice(self, connect: Connect) -> None:
        """The second time does nothing."""
        with playing(connect, say("x")) as (_, model):
            model.complete(ASK)
            model.close()
            model.close()

    def test_nothing_shows_the_key(self, connect: Connect) -> None:
        """Not the model's ``repr``, and not what came back, although the service repeats it."""
        with WireServer(answer=lambda request: say(f"I know {server.key}.")) as server:
            model = connect(server)
            try:
                completion = model.complete(ASK)
            finally:
                model.close()
            shown = (repr(model), str(model), model.name, completion.model_dump_json())
            assert not any(server.key in text for text in shown)


def _echo(request: WireRequest) -> Turn:
    return say(request.last)
