"""The User Agent as a service in upstream's shape: what init, query and stats answer, apart from how they are reached.

Upstream: ALEX-nlp/ICAE-EVAL, the service on ports 50001 to 50003. What differs, so that an asker gets answers and nothing
else: init needs the host's key; it returns one token for the host and one for each task, and only the latter go to agents;
statistics are for the host's token; no answer bears an internal log.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from icae_env.errors import ICAEError, UserAgentError
from icae_env.user_agent.session import BUDGET, Interaction, Session, UserAgent

DIFFICULTIES: Mapping[str, str] = {
    "normal": "L1",
    "medium": "L2",
    "easy": "L3",
    "L1": "L1",
    "L2": "L2",
    "L3": "L3",
}
"""Upstream's names of the levels, and ours."""
MOST_RUNS = 10_000
"""Runs that are kept; the oldest goes when another begins."""
Json = dict[str, Any]
Request = TypeVar("Request", bound=BaseModel)


class _Lenient(BaseModel):
    # Upstream's clients may send more than is known here.
    model_config = ConfigDict(frozen=True, extra="ignore")


class InitRequest(_Lenient):
    """What begins a run."""

    key: str
    model: str = ""
    max_interactions: int = Field(BUDGET, ge=0, le=10_000)
    """Questions for each task."""
    difficulty: str = "normal"
    tasks: tuple[str, ...] | None = None
    """Ours: the tasks that the run is about; None: all that are served."""


class QueryRequest(_Lenient):
    """One question."""

    append_id: str = ""
    task_id: str = ""
    question: str = ""


class StatsRequest(_Lenient):
    """Which figures are wanted."""

    append_id: str = ""
    task_id: str | None = None


class _Run:
    """One run: its tokens, and a session for each task that was asked about."""

    def __init__(self, request: InitRequest, level: str, tasks: Sequence[str]) -> None:
        self.token = secrets.token_hex(16)
        self.tokens = {task: secrets.token_hex(16) for task in tasks}
        self.budget, self.level, self.named = request.max_interactions, level, request.tasks is not None
        self.sessions: dict[str, Session] = {}
        self.lock = threading.Lock()


class UserAgentService:
    """Keep the runs of one host and answer its requests; safe to call from several threads.

    Args:
        tasks: Ids of the tasks that are served.
        make: Gives the User Agent of a task at a level.
        key: The host's key, without which no run begins.
    """

    def __init__(self, tasks: Sequence[str], make: Callable[[str, str], UserAgent], key: str) -> None:
        self._tasks, self._make, self._key = tuple(tasks), make, key
        self._user_agents: dict[tuple[str, str], UserAgent] = {}
        self._runs: dict[str, _Run] = {}
        self._by_token: dict[str, tuple[_Run, str]] = {}
        self._lock = threading.Lock()

    def init(self, body: Json) -> Json:
        """Begin a run; the answer has ``append_id``, the host's token, and ``tokens``, one for the agent on each task."""
        request = _parsed(InitRequest, body)
        if request is None or not hmac.compare_digest(request.key.encode(), self._key.encode()):
            return _error("invalid key" if request else "invalid request")
        if request.difficulty not in DIFFICULTIES:
            return _error(f"invalid difficulty, not one of {', '.join(DIFFICULTIES)}")
        tasks = self._tasks if request.tasks is None else request.tasks
        unknown = [task for task in tasks if task not in self._tasks]
        if unknown:
            return _error(f"no prd for {unknown[0]}")
        run = _Run(request, DIFFICULTIES[request.difficulty], tasks)
        with self._lock:
            while len(self._runs) >= MOST_RUNS:
                self._forget(next(iter(self._runs)))
            self._runs[run.token] = run
            self._by_token |= {token: (run, task) for task, token in run.tokens.items()}
        return {"append_id": run.token, "status": "ok", "tokens": dict(run.tokens)}

    def query(self, body: Json) -> Json:
        """Answer a question to a task's User Agent.

        The token is the host's, with any task of the run, or a task's own, with that task only.
        """
        request = _parsed(QueryRequest, body)
        if request is None:
            return _query_error("invalid request")
        run, bound = self._find(request.append_id)
        fault = _fault(request, run, bound)
        if run is None or fault:
            return _query_error(fault)
        task = request.task_id or bound
        try:
            with run.lock:
                session = self._session(run, task)
                reply = session.ask(request.question)
                over = session.diagnostics[-1].kind == "over_budget"
        except UserAgentError:
            # Said without its text, which may tell of the host's side; nothing was charged.
            return _query_error("user agent failed, please ask again")
        if over:
            return _query_error("max_interactions_reached")
        return {"data": reply.text, "status": _status(ok=True, remaining=reply.remaining)}

    def stats(self, body: Json) -> Json:
        """Return the figures of a run, or of one task of it, in percent; for the host's token only."""
        request = _parsed(StatsRequest, body)
        run = self._runs.get(request.append_id) if request else None
        if request is None or run is None:
            return _error("invalid append_id")
        if request.task_id is not None and request.task_id not in run.tokens:
            return _error(f"no prd for {request.task_id}")
        try:
            with run.lock:
                asked = run.tokens if run.named else run.sessions
                wanted = list(asked) if request.task_id is None else [request.task_id]
                found = {task: _figures(self._session(run, task).metrics()) for task in wanted}
        except ICAEError:
            return _error("user agent failed, please ask again")
        if request.task_id is not None:
            return {**found[request.task_id], "status": "ok"}
        names = ("coverage", "fallback", "budget")
        means = {name: _mean([figures[name] for figures in found.values()]) for name in names}
        return {**means, "tasks": found, "status": "ok"}

    def _find(self, token: str) -> tuple[_Run | None, str]:
        """Return a token's run, and the task that it is bound to, if it is."""
        with self._lock:
            if token in self._runs:
                return self._runs[token], ""
            return self._by_token.get(token, (None, ""))

    def _session(self, run: _Run, task: str) -> Session:
        if task not in run.sessions:
            with self._lock:
                known = self._user_agents.get((task, run.level))
            if known is None:
                known = self._make(task, run.level)
                with self._lock:
                    self._user_agents[task, run.level] = known
            run.sessions[task] = known.session(run.budget)
        return run.sessions[task]

    def _forget(self, token: str) -> None:
        run = self._runs.pop(token)
        for own in run.tokens.values():
            del self._by_token[own]


def _parsed(model: type[Request], body: Json) -> Request | None:
    try:
        return model.model_validate(body)
    except ValidationError:
        return None


def _fault(request: QueryRequest, run: _Run | None, bound: str) -> str:
    """Return what is wrong with a query, in upstream's words; empty when nothing is."""
    task = request.task_id or bound
    if run is None:
        return "invalid append_id"
    if not request.question or not task:
        return "missing task_id/question"
    return f"no prd for {task}" if task not in run.tokens or (bound and task != bound) else ""


def _figures(metrics: Interaction) -> Json:
    return {
        "coverage": round(100 * (metrics.coverage or 0.0), 1),
        "fallback": round(100 * (metrics.fallback_rate or 0.0), 1),
        "budget": round(100 * metrics.budget_use, 1),
        "turns": metrics.questions,
    }


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 1) if values else 0.0


def _status(*, ok: bool, remaining: int | None = None) -> Json:
    # Upstream's clients expect the key of the log; it stays empty.
    return {"ok": ok, "remaining": remaining, "internal_log": "", "parse_error": False}


def _error(message: str) -> Json:
    return {"error": message, "status": "error"}


def _query_error(message: str) -> Json:
    return {"error": message, "data": message, "status": {**_status(ok=False, remaining=0), "error": message}}
