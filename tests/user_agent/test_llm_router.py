from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from icae_env import registry
from icae_env.errors import ConfigError, UserAgentError
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


class _Model(BaseHTTPRequestHandler):
    answer: str | None = None

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        document: dict[str, Any] = {"error": {"message": "overloaded"}}
        if self.answer is not None:
            message = {"role": "assistant", "content": self.answer}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            document = {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": request["model"],
                "choices": [choice],
            }
        data = json.dumps(document).encode()
        self.send_response(200 if self.answer is not None else 400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None: ...


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[_Model]]:
    """A server that speaks as OpenAI's does, and the variables that lead to it."""

    class Handler(_Model): ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "no-secret")
    monkeypatch.setenv("ICAE_ROUTER_MODEL", "some-model")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield Handler
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_registered_router_asks_a_model_over_http(records: RecordSet, model: type[_Model]) -> None:
    router = registry.resolve("router", "llm")(records)
    model.answer = '{"records": ["R5"]}'
    assert [match.id for match in router.route(QUESTION).matches] == ["R5"]
    model.answer = ""
    with pytest.raises(UserAgentError, match="said nothing"):
        router.route(QUESTION)
    model.answer = None
    with pytest.raises(UserAgentError, match="could not be asked"):
        router.route(QUESTION)


def test_without_a_model_the_variable_is_named(records: RecordSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ICAE_ROUTER_MODEL", raising=False)
    with pytest.raises(ConfigError, match="ICAE_ROUTER_MODEL"):
        LlmRouter(records)
