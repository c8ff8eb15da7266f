from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from icae_env import registry
from icae_env.errors import ConfigError, UserAgentError
from icae_env.llm.conformance.wire import WireServer, fail, say
from icae_env.user_agent import RecordSet, Router, UserAgent
from icae_env.user_agent.llm_router import LlmRouter

QUESTION = "Who wins when $wishes overlap? </message> {ids}"


class Script:
    """A chat that gives one answer and remembers what it was asked."""

    def __init__(self, answer: object) -> None:
        self.answer = answer if isinstance(answer, str) else json.dumps(answer)
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return self.answer


@pytest.mark.parametrize(
    ("answer", "kind", "ids"),
    [
        ({"records": ["R2", "R1"]}, "records", ["R2", "R1"]),
        ({"records": ["R1", "R1", "R2", "R3", "R4", "R5"]}, "records", ["R1", "R2", "R3"]),
        ({"records": [], "references": [0], "interface": False, "vague": False}, "pointer", []),
        ({"interface": True}, "signature", []),
        ({"vague": True}, "vague", []),
        ({}, "fallback", []),
        ('```json\n{"records": ["R3"]}\n```', "records", ["R3"]),
    ],
)
def test_the_model_chooses_ids(records: RecordSet, answer: object, kind: str, ids: list[str]) -> None:
    routing = LlmRouter(records, Script(answer)).route(QUESTION)
    assert routing.kind == kind and [match.id for match in routing.matches] == ids


@pytest.mark.parametrize(
    "answer",
    [
        "", "R1", "null", "[]", '{"records": "R1"}', '{"records": ["R9"]}', '{"records": [1]}', '{"references": [1]}',
        '{"references": [-1]}', '{"reply": "The earlier one wins."}', 'Sure! {"records": ["R1"]}',
    ],
)  # fmt: skip
def test_anything_else_is_an_error_and_costs_nothing(records: RecordSet, answer: str) -> None:
    session = UserAgent(records, LlmRouter(records, Script(answer))).session()
    with pytest.raises(UserAgentError) as error:
        session.ask(QUESTION)
    assert session.remaining == 16 and session.diagnostics == ()
    assert not answer or answer not in str(error.value)


def test_the_prompt_holds_records_and_question_and_no_trigger(records: RecordSet) -> None:
    chat = Script({})
    router = LlmRouter(records, chat)
    router.route(QUESTION)
    router.route(QUESTION)
    first, second = chat.prompts
    assert first == second and QUESTION in first
    assert all(record.oracle_response in first for record in records.records)
    assert records.pointers[0].vague_reference in first and "daylight saving" not in first
    assert isinstance(router, Router)


def test_a_reply_is_stored_text_whatever_the_model_says(records: RecordSet) -> None:
    user_agent = UserAgent(records, LlmRouter(records, Script({"records": ["R6"]})))
    assert user_agent.session().ask("Anything at all?").text == records.records[5].oracle_response
    # Dumping is refused before the model is asked.
    chat = Script({"records": list(records.ids)})
    assert UserAgent(records, LlmRouter(records, chat)).route("List all requirements.")[0].kind == "refused"
    assert chat.prompts == []


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[WireServer]:
    """A server that speaks as OpenAI's does, and the variables that lead to it."""
    with WireServer() as server:
        for name, value in server.variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("ICAE_ROUTER_MODEL", "openai/some-model")
        monkeypatch.delenv("ICAE_ROUTER_OPTIONS", raising=False)
        yield server


def test_the_registered_router_asks_a_model_over_http(records: RecordSet, service: WireServer) -> None:
    router = registry.resolve("router", "llm")(records)
    service.play(fail(503), say('{"records": ["R5"]}'))
    assert [match.id for match in router.route(QUESTION).matches] == ["R5"]
    asked = service.requests[-1].body
    assert (asked["model"], asked["temperature"]) == ("some-model", 0) and QUESTION in service.requests[
        -1
    ].last
    service.play(say(""))
    with pytest.raises(UserAgentError, match="said nothing"):
        router.route(QUESTION)
    service.play(fail(400))
    with pytest.raises(UserAgentError, match="could not be asked"):
        router.route(QUESTION)


def test_a_model_of_another_kind_routes_too(
    records: RecordSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(
        '{"match": "Who wins", "text": "{\\"records\\": [\\"R2\\"]}", "times": 0}\n{"text": "{}", "times": 0}\n'
    )
    monkeypatch.setenv("ICAE_ROUTER_MODEL", f"scripted:{file}")
    router = LlmRouter(records)
    assert [match.id for match in router.route(QUESTION).matches] == ["R2"]
    assert router.route("Anything?").kind == "fallback"


def test_options_come_from_a_variable(
    records: RecordSet, service: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ICAE_ROUTER_OPTIONS", '{"max_tokens": 77}')
    service.play(say("{}"))
    assert LlmRouter(records).route(QUESTION).kind == "fallback"
    body = service.requests[-1].body
    assert body["max_tokens"] == 77 and "temperature" not in body
    monkeypatch.setenv("ICAE_ROUTER_OPTIONS", "temperature=0")
    with pytest.raises(ConfigError, match="ICAE_ROUTER_OPTIONS"):
        LlmRouter(records)


def test_without_a_model_the_variable_is_named(records: RecordSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ICAE_ROUTER_MODEL", raising=False)
    with pytest.raises(ConfigError, match="ICAE_ROUTER_MODEL"):
        LlmRouter(records)
