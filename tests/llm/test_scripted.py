"""Models that answer from a file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from icae_env.errors import ConfigError, ContextExceededError, ModelRequestError, ModelUnavailableError
from icae_env.llm import ChatModel, Message, Usage, make_model
from icae_env.llm.meter import Meter
from icae_env.llm.script_file import Script
from icae_env.llm.scripted import ScriptedModel


def ask(model: ChatModel, text: str = "Go.") -> str:
    return model.complete([Message(role="user", text=text)]).message.text


@pytest.fixture
def scripted(tmp_path: Path) -> Any:
    def make(document: Any, options: dict[str, Any] | None = None, name: str = "script.json") -> ChatModel:
        file = tmp_path / name
        file.write_text(document if isinstance(document, str) else json.dumps(document))
        return make_model(f"scripted:{file}", options)

    return make


@pytest.mark.parametrize(
    "document",
    ['[{"text": "a"}, {"text": "b"}]', '{"completions": [{"text": "a"}, {"text": "b"}]}', '{"text": "a"}\n\n{"text": "b"}\n'],
)  # fmt: skip
def test_plain_completions_come_in_order(scripted: Any, document: str) -> None:
    model = scripted(document)
    assert [ask(model), ask(model)] == ["a", "b"]
    with pytest.raises(
        ModelRequestError, match=r"none of the 2 completions is left for call 3.*'What now\?'"
    ):
        ask(model, "What now?")


def test_a_single_line(scripted: Any) -> None:
    assert ask(scripted('{"text": "a"}')) == "a"


def test_calls_usage_and_finish(scripted: Any) -> None:
    calls = [
        {"name": "bash", "arguments": {"command": "é"}},
        {"name": "x", "arguments": "{bad", "id": "mine"},
    ]
    model = scripted(
        [
            {"text": "t", "tool_calls": calls, "usage": {"input_tokens": 5}},
            {"finish": "length", "reasoning": "r"},
        ]
    )
    first, second = (model.complete([Message(role="user", text="x")]) for _ in range(2))
    assert [(call.id, call.name, call.arguments) for call in first.message.tool_calls] == [
        ("call_1_0", "bash", '{"command": "é"}'), ("mine", "x", "{bad"),
    ]  # fmt: skip
    assert (first.finish, first.usage) == ("tool_calls", Usage(input_tokens=5))
    assert (second.finish, second.message.reasoning, second.usage) == ("length", "r", Usage())


def test_a_match_comes_before_the_order_where_it_stands_first(scripted: Any) -> None:
    model = scripted(
        [
            {"match": "(?i)error", "text": "Mend it.", "times": 0},
            {"match": "^Judge", "text": "Good.", "times": 2},
            {"text": "one"},
            {"text": "two"},
        ]
    )
    said = [ask(model, text) for text in ("x", "An Error!", "Judge 1", "Judge 2", "Judge 3", "ERROR")]
    assert said == ["one", "Mend it.", "Good.", "Good.", "two", "Mend it."]


def test_phases(scripted: Any) -> None:
    meter = Meter(scripted([{"phase": "review", "text": "r"}, {"text": "a"}, {"text": "b"}]))
    assert ask(meter) == "a"
    meter.phase("review")
    assert (
        ask(meter) == "r"
        and asyncio.run(meter.acomplete([Message(role="user", text="")])).message.text == "b"
    )
    with pytest.raises(ModelRequestError, match="in the phase 'review'"):
        ask(meter)


def test_each_episode_plays_from_the_beginning(scripted: Any) -> None:
    model = scripted([{"text": "a"}, {"text": "b"}])
    first, second = Meter(model), Meter(model)
    assert [ask(first), ask(second), ask(first), ask(second), ask(model)] == ["a", "a", "b", "b", "a"]
    assert first.name == model.name


def test_repeating_the_last(scripted: Any) -> None:
    for options, document in (
        ({"repeat_last": "true"}, [{"text": "a"}, {"text": "z"}]),
        (None, {"completions": [{"text": "a"}, {"text": "z"}], "repeat_last": True, "context_window": 99}),
    ):
        model = scripted(document, options)
        assert [ask(model) for _ in range(4)] == ["a", "z", "z", "z"]
    assert model.context_window == 99
    with pytest.raises(ConfigError, match="neither true nor false"):
        scripted([{}], {"repeat_last": "perhaps"})


def test_failures_on_purpose(scripted: Any) -> None:
    model = scripted([{"error": "unavailable", "text": "Down."}, {"error": "request"}, {"error": "context"}])
    for kind in (ModelUnavailableError, ModelRequestError, ContextExceededError):
        with pytest.raises(kind, match="fails as its script says"):
            ask(model)


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ('[{"txt": "a"}]', "completions.0.txt"),
        ('[{"match": "("}]', "completions.0.match.*no regular expression"),
        ("[]", "completions"),
        ("", "completions"),
        ('{"text": "a"}\n{"text": ', "line 2"),
        ('[{"text": "a"},', "neither JSON nor JSON lines"),
        ('"text"', "valid dictionary|Script"),
    ],
)
def test_a_wrong_file_is_told_with_its_place(scripted: Any, document: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told) as error:
        scripted(document)
    assert "script.json" in str(error.value)


def test_a_missing_file_and_a_wrong_option(tmp_path: Path, scripted: Any) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        make_model(f"scripted:{tmp_path}/none.json")
    with pytest.raises(ConfigError, match="temperature"):
        scripted([{}], {"temperature": 0})


def test_a_script_without_a_file() -> None:
    model = ScriptedModel.of(Script.model_validate({"completions": [{"text": "a", "seconds": 0.01}]}))
    assert ask(model) == "a" and model.name == "scripted:given"
