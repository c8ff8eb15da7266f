"""Limits, costs and the log of an episode."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from icae_env.errors import ConfigError, ModelLimitError, ModelRequestError, ModelUnavailableError
from icae_env.llm import ChatModel, Completion, Message, Usage
from icae_env.llm.conformance.turns import fail, say
from icae_env.llm.conformance.wire import WireServer
from icae_env.llm.limits import ModelLimits, ModelUse
from icae_env.llm.meter import Budget, Meter, total
from icae_env.llm.prices import Price, Prices
from icae_env.llm.script_file import Script
from icae_env.llm.scripted import ScriptedModel

ASK = [Message(role="user", text="Go.")]
PRICES = Prices(models={"scripted:given": Price(input=10, output=100)})


def model(*usages: Usage, **fields: Any) -> ChatModel:
    entries = [{"text": "x", "usage": usage.model_dump(), **fields} for usage in usages]
    return ScriptedModel.of(Script.model_validate({"completions": entries, "repeat_last": True}))


SOME = Usage(input_tokens=1000, output_tokens=100)


def test_use_and_the_log(connector: Any) -> None:
    seen: list[tuple[str, int, str, float | None]] = []

    def listener(phase: str, messages: Sequence[Message], completion: Completion, cost: float | None) -> None:
        seen.append((phase, len(messages), completion.message.text, cost))

    with WireServer([fail(500), say("a"), say("b")]) as server:
        prices = Prices(models={"openai/some-model": Price(input=10, output=100)})
        meter = Meter(connector(server, "chat"), prices=prices, listener=listener)
        meter.complete(ASK)
        meter.phase("end")
        asyncio.run(meter.acomplete([*ASK, *ASK]))
    assert [item[:3] for item in seen] == [("", 1, "a"), ("end", 2, "b")]
    assert [item[3] for item in seen] == pytest.approx([0.003, 0.003])
    assert (meter.use.calls, meter.use.retries) == (2, 1) and meter.use.cost == pytest.approx(0.006)
    assert (meter.use.usage.input_tokens, meter.use.usage.output_tokens) == (200, 40)
    assert meter.use.usage.cache_write_tokens is None and meter.use.seconds > 0
    assert {name: use.calls for name, use in meter.use_by_phase.items()} == {"": 1, "end": 1}


def test_the_limit_on_tokens_ends_before_the_next_call() -> None:
    meter = Meter(model(SOME), limits=ModelLimits(tokens=1101))
    meter.complete(ASK)
    meter.complete(ASK)
    with pytest.raises(ModelLimitError, match="2200 of 1101 tokens") as error:
        meter.complete(ASK)
    assert error.value.limit == "tokens" and meter.use.calls == 2
    with pytest.raises(ModelLimitError):
        asyncio.run(meter.acomplete(ASK))


def test_the_limit_on_cost() -> None:
    meter = Meter(model(SOME), limits=ModelLimits(cost=0.03), prices=PRICES)
    meter.complete(ASK)
    meter.complete(ASK)
    with pytest.raises(ModelLimitError, match=r"0\.04 of 0\.03 US dollars") as error:
        meter.complete(ASK)
    assert error.value.limit == "cost"


def test_a_limit_on_cost_needs_a_price() -> None:
    for arguments in ({"limits": ModelLimits(cost=1)}, {"budget": Budget(ModelLimits(cost=1))}):
        with pytest.raises(ConfigError, match="price of 'scripted:given' is not known"):
            Meter(model(SOME), **arguments)


def test_the_limit_on_time_counts_failed_calls_too() -> None:
    failing = model(SOME, error="unavailable", seconds=0.02)
    meter = Meter(failing, limits=ModelLimits(model_seconds=0.01))
    with pytest.raises(ModelUnavailableError):
        meter.complete(ASK)
    with pytest.raises(ModelLimitError) as error:
        meter.complete(ASK)
    assert error.value.limit == "model_seconds" and meter.use.calls == 0


def test_a_limit_that_cannot_be_kept_is_told() -> None:
    meter = Meter(model(Usage(input_tokens=5)), limits=ModelLimits(tokens=100))
    with pytest.raises(ModelRequestError, match="does not tell how many tokens"):
        meter.complete(ASK)
    assert Meter(model(Usage())).complete(ASK).usage == Usage()


def test_a_budget_is_shared_by_many_threads() -> None:
    budget = Budget(ModelLimits(tokens=1100 * 200, cost=100))
    meters = [Meter(model(SOME), budget=budget, prices=PRICES) for _ in range(8)]

    def play(meter: Meter) -> int:
        calls = 0
        while True:
            try:
                meter.complete(ASK)
            except ModelLimitError as error:
                assert "the run" in str(error)
                return calls
            calls += 1

    with ThreadPoolExecutor(8) as pool:
        calls = sum(pool.map(play, meters))
    assert 200 <= calls < 208 and budget.used.calls == calls == sum(meter.use.calls for meter in meters)
    assert budget.used.usage.input_tokens == 1000 * calls
    assert budget.used.cost == pytest.approx(calls * 0.02)


def test_a_run_goes_on_with_what_it_used() -> None:
    used = ModelUse(calls=3, usage=Usage(input_tokens=90, output_tokens=10))
    with pytest.raises(ModelLimitError):
        Meter(model(SOME), budget=Budget(ModelLimits(tokens=100), used)).complete(ASK)


def test_sums_know_what_is_unknown() -> None:
    known = ModelUse(calls=1, usage=Usage(input_tokens=5, output_tokens=1), cost=0.5, seconds=1)
    unknown = ModelUse(calls=1, usage=Usage(input_tokens=5), cost=None, retries=2)
    both = total(known, unknown)
    assert (both.calls, both.usage, both.cost, both.retries) == (2, Usage(input_tokens=10), None, 2)
    assert total(ModelUse(), known) == known and total(known, ModelUse(seconds=2)).cost == 0.5
    assert total(ModelUse(), ModelUse()) == ModelUse()


def test_closing_a_meter_leaves_the_model_open(connector: Any) -> None:
    with WireServer([say("a")]) as server:
        shared = connector(server, "chat")
        Meter(shared).close()
        assert Meter(shared).complete(ASK).message.text == "a"
