"""The service, spoken to by a client that is written for upstream's API."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from sample_records import CONSTRAINTS, FALLBACK

from icae_env.errors import ConfigError, UserAgentError
from icae_env.user_agent import RecordSet, Routing, UserAgent
from icae_env.user_agent.server import UserAgentServer
from icae_env.user_agent.service import UserAgentService

KEY = "correct-horse"
CLASH = "What if two wishes clash in the same room?"
ANSWERS = {item["constraint_id"]: item["oracle_response"] for item in CONSTRAINTS}


class UpstreamClient:
    """Does what upstream's agents and scripts do: POST / on three ports, look at the JSON, expect status 200."""

    def __init__(self, ports: dict[str, int]) -> None:
        self.ports = ports

    def post(self, action: str, body: object, path: str = "/") -> dict[str, Any]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.ports[action]}{path}",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert answer.status == 200
            found: dict[str, Any] = json.load(answer)
            return found

    def init(self, key: str = KEY, **fields: Any) -> dict[str, Any]:
        body = {"key": key, "model": "some-model", "difficulty": "normal", "open_access": False}
        return self.post("init", body | fields)

    def query(self, append_id: str, question: str, task_id: str = "booking@001") -> dict[str, Any]:
        return self.post("query", {"append_id": append_id, "task_id": task_id, "question": question})

    def stats(self, append_id: str, **fields: Any) -> dict[str, Any]:
        return self.post("stats", {"append_id": append_id, **fields})


class BrokenRouter:
    def route(self, question: str) -> Routing:
        raise UserAgentError("The model at http://10.0.0.7 is gone.")


@pytest.fixture
def service(records: RecordSet) -> UserAgentService:
    def make(task: str, level: str) -> UserAgent:
        if level == "L3":
            return UserAgent(records.model_copy(update={"records": records.records[:1]}))
        return UserAgent(records, BrokenRouter() if task == "broken" else None)

    return UserAgentService(["booking@001", "booking@002", "broken"], make, KEY)


@pytest.fixture
def client(service: UserAgentService) -> Iterator[UpstreamClient]:
    with UserAgentServer(service, port=0) as server:
        yield UpstreamClient(server.ports)


def test_init_sixteen_questions_stats(client: UpstreamClient) -> None:
    begun = client.init()
    append_id = begun["append_id"]
    assert len(append_id) == 32 and int(append_id, 16) >= 0
    questions = [CLASH, "How are time zones handled?", "Which licence shall I use?", "May I use C++?"] * 4
    for number, question in enumerate(questions, 1):
        answer = client.query(append_id, question)
        assert answer["status"] == {
            "ok": True,
            "remaining": 16 - number,
            "internal_log": "",
            "parse_error": False,
        }
        assert answer["data"] in {ANSWERS["R1"], ANSWERS["R2"], FALLBACK}
    over = client.query(append_id, CLASH)
    assert over["error"] == over["status"]["error"] == "max_interactions_reached"
    assert not over["status"]["ok"]
    assert ANSWERS["R1"] not in json.dumps(over)
    figures = client.stats(append_id, task_id="booking@001")
    assert (figures["coverage"], figures["fallback"], figures["budget"]) == (33.3, 50.0, 100.0)
    assert client.stats(append_id)["coverage"] == 33.3


def test_an_agents_token_asks_about_its_task_and_does_nothing_else(client: UpstreamClient) -> None:
    begun = client.init(max_interactions=3)
    host, own = begun["append_id"], begun["tokens"]["booking@001"]
    assert len({host, *begun["tokens"].values()}) == 4
    assert client.query(own, CLASH)["data"] == ANSWERS["R1"]
    assert client.post("query", {"append_id": own, "question": CLASH})["data"] == ANSWERS["R1"]
    assert client.query(own, CLASH, task_id="booking@002")["error"] == "no prd for booking@002"
    assert client.stats(own)["error"] == "invalid append_id"
    assert client.init(key=own)["error"] == "invalid key"
    # One budget, whichever token asks.
    assert client.query(host, CLASH)["status"]["remaining"] == 0
    assert client.query(own, CLASH)["error"] == "max_interactions_reached"
    assert client.stats(host, task_id="booking@001")["turns"] == 3


def test_runs_and_tasks_have_sessions_of_their_own(client: UpstreamClient) -> None:
    one, two = client.init(max_interactions=2)["append_id"], client.init(max_interactions=2)["append_id"]
    client.query(one, CLASH)
    assert client.query(one, CLASH, task_id="booking@002")["status"]["remaining"] == 1
    assert client.query(two, CLASH)["status"]["remaining"] == 1
    assert client.stats(one)["tasks"].keys() == {"booking@001", "booking@002"}
    # A task that was named and never asked about counts as 0.
    named = client.init(tasks=["booking@001", "booking@002"])["append_id"]
    client.query(named, CLASH)
    assert client.stats(named)["coverage"] == pytest.approx(100 / 6 / 2, abs=0.06)


def test_the_difficulty_chooses_the_level(client: UpstreamClient) -> None:
    easy = client.init(difficulty="easy")["append_id"]
    assert client.query(easy, "How are time zones handled?")["data"] == FALLBACK
    assert "invalid difficulty" in client.init(difficulty="hard")["error"]


@pytest.mark.parametrize(
    ("action", "body", "error"),
    [
        ("init", {}, "invalid request"),
        ("init", {"key": "wrong"}, "invalid key"),
        ("init", {"key": KEY, "max_interactions": -1}, "invalid request"),
        ("init", {"key": KEY, "tasks": ["realcode@9"]}, "no prd for realcode@9"),
        ("init", [], "invalid request"),
        ("query", {}, "invalid append_id"),
        ("query", {"append_id": "0" * 32, "task_id": "booking@001", "question": "?"}, "invalid append_id"),
        ("query", {"append_id": 7}, "invalid request"),
        ("stats", {}, "invalid append_id"),
        ("stats", {"append_id": None}, "invalid append_id"),
    ],
)
def test_errors_come_with_status_200(client: UpstreamClient, action: str, body: object, error: str) -> None:
    assert client.post(action, body)["error"] == error


def test_what_a_query_lacks_is_said(client: UpstreamClient) -> None:
    append_id = client.init()["append_id"]
    assert client.query(append_id, "")["error"] == "missing task_id/question"
    assert client.query(append_id, CLASH, task_id="")["error"] == "missing task_id/question"
    assert client.query(append_id, CLASH, task_id="booking@003")["error"] == "no prd for booking@003"
    assert client.stats(append_id, task_id="booking@003")["error"] == "no prd for booking@003"


def test_a_failing_router_costs_nothing_and_tells_nothing(client: UpstreamClient) -> None:
    append_id = client.init()["append_id"]
    answer = client.query(append_id, CLASH, task_id="broken")
    assert "failed" in answer["error"] and "10.0.0.7" not in json.dumps(answer)
    assert client.stats(append_id, task_id="broken")["turns"] == 0


def test_every_port_has_every_path(client: UpstreamClient) -> None:
    append_id = client.post("stats", {"key": KEY}, "/init")["append_id"]
    body = {"append_id": append_id, "task_id": "booking@001", "question": CLASH}
    assert client.post("init", body, "/query")["data"] == ANSWERS["R1"]
    assert client.post("query", {"append_id": append_id}, "/stats")["budget"] == 6.2


def test_hostile_requests_do_no_harm(client: UpstreamClient) -> None:
    port = client.ports["query"]
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
    for data in (b"{", b"[" * 60_000, b"\xff\xfe", b"1e999", b""):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("POST", "/", body=data)
        assert json.load(connection.getresponse())["error"] == "invalid request"
        connection.close()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest("POST", "/")
    connection.putheader("Content-Length", "99999999999")
    connection.endheaders()
    assert json.load(connection.getresponse())["error"] == "invalid request"
    connection.close()
    append_id = client.init()["append_id"]
    assert client.query(append_id, CLASH)["data"] == ANSWERS["R1"]
    for item in silent:
        item.close()


def test_many_threads_share_one_budget(client: UpstreamClient) -> None:
    append_id = client.init(max_interactions=10)["append_id"]
    answers: list[dict[str, Any]] = []
    threads = [
        threading.Thread(target=lambda: answers.append(client.query(append_id, CLASH))) for _ in range(25)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(answer["status"]["ok"] for answer in answers) == 10
    assert client.stats(append_id)["budget"] == 100.0


def test_a_server_leaves_no_thread_or_port(service: UserAgentService) -> None:
    before = threading.active_count()
    with UserAgentServer(service, port=0) as server:
        port = server.ports["init"]
        with pytest.raises(ConfigError, match=str(port)):
            UserAgentServer(service, port=port)
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=1)
