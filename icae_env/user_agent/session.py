"""The User Agent of one task, and a session with it: a budget of questions, replies, and a host-side log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict

from icae_env.errors import ConfigError, UserAgentError
from icae_env.user_agent.guard import Guard
from icae_env.user_agent.index import RecordIndex
from icae_env.user_agent.intents import proposes_default
from icae_env.user_agent.records import RecordSet
from icae_env.user_agent.replies import EMPTY, NO_BUDGET, TOO_LONG, compose
from icae_env.user_agent.router import KeywordRouter, Match, Router, Routing, RoutingKind

BUDGET = 16
"""Questions of one session (upstream's default)."""
LONGEST = 2_000
"""Characters of the longest question that is answered."""

MOST_DECLINED = 1_000
"""Declined messages that a session remembers; of more, the oldest are forgotten, for they cost the asker nothing."""

Kind = RoutingKind | Literal["empty", "too_long", "over_budget"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Reply(_Frozen):
    """What the asker gets; it has no diagnostics, so none can leak."""

    text: str
    charged: bool
    """Whether the question used up one of the budget."""
    remaining: int
    """Questions left."""


class Diagnosis(_Frozen):
    """What happened to one question, for the host's eyes."""

    question: str
    """Its first 2,000 characters."""
    kind: Kind
    revealed: tuple[str, ...] = ()
    """Ids of the records in the reply."""
    matches: tuple[Match, ...] = ()
    """All records that the question touched, with scores, best first."""
    pointers: tuple[int, ...] = ()
    """Numbers of the touched context pointers."""
    signature: bool = False
    """Whether the interface was asked for."""
    default_proposed: bool = False
    """Whether the asker proposed a default."""
    charged: bool
    flagged: str | None = None
    """Why the question counts as dumping, if it does."""


class Interaction(_Frozen):
    """How a session used the User Agent (upstream's interaction metrics, as fractions)."""

    questions: int
    """Charged questions."""
    coverage: float | None
    """Share of the constraints that were revealed; 0 without questions, None where there is none to reveal."""
    fallback_rate: float | None
    """Share of the charged questions that got the fallback; None without questions."""
    budget_use: float
    """Share of the budget that was used."""
    flagged: int
    """Questions refused as dumping."""


def interaction(diagnoses: Iterable[Diagnosis], ids: Iterable[str], budget: int) -> Interaction:
    """Return how a session used the User Agent.

    Args:
        diagnoses: What happened to each question.
        ids: Of all records that there are to reveal.
        budget: Questions that the session could ask.
    """
    entries, known = list(diagnoses), set(ids)
    revealed = {name for entry in entries for name in entry.revealed} & known
    used = sum(entry.charged for entry in entries)
    return Interaction(
        questions=used,
        coverage=len(revealed) / len(known) if known else None,
        fallback_rate=sum(entry.kind == "fallback" for entry in entries) / used if used else None,
        budget_use=used / budget if budget else 0.0,
        flagged=sum(entry.flagged is not None for entry in entries),
    )


class UserAgent:
    """Answer questions about one task at one level, from its records alone.

    Args:
        records: All that it knows.
        router: What chooses records for a question; by default a ``KeywordRouter`` over ``records``.
    """

    def __init__(self, records: RecordSet, router: Router | None = None) -> None:
        self.records = records
        self._router = router or KeywordRouter(records)
        index = self._router.index if isinstance(self._router, KeywordRouter) else RecordIndex(records)
        self._guard = Guard(index)

    def session(self, budget: int = BUDGET) -> Session:
        """Return a new session with its own budget.

        Raises:
            ConfigError: The budget is negative.
        """
        if budget < 0:
            raise ConfigError(f"A budget of {budget} questions is negative.", mend="give 0 or more.")
        return Session(self, budget)

    def route(self, question: str) -> tuple[Routing, str | None]:
        """Return where a question leads and, if it is refused as dumping, why.

        Raises:
            UserAgentError: The router failed or chose what does not exist.
        """
        reason = self._guard.reason(question)
        if reason is not None:
            return Routing(kind="refused"), reason
        routing = self._router.route(question)
        unknown = [match.id for match in routing.matches if match.id not in self.records.ids]
        if unknown or any(not 0 <= number < len(self.records.pointers) for number in routing.pointers):
            raise UserAgentError(
                f"The router chose records or pointers that do not exist: {unknown or routing.pointers}."
            )
        if routing.kind == "refused":
            return routing, "refused by the router"
        return routing, None


class Session:
    """One asker's questions to a User Agent; ``UserAgent.session`` makes it."""

    def __init__(self, user_agent: UserAgent, budget: int) -> None:
        self._user_agent = user_agent
        self.budget = budget
        self._diagnostics: list[Diagnosis] = []
        self._used = 0

    @property
    def remaining(self) -> int:
        """Questions left."""
        return self.budget - self._used

    @property
    def diagnostics(self) -> tuple[Diagnosis, ...]:
        """What happened to each question so far; host-side only."""
        return tuple(self._diagnostics)

    def ask(self, question: str) -> Reply:
        """Answer a question. The same question gets the same text, whatever was asked before.

        Empty and over-long questions and those beyond the budget are declined and cost nothing.

        Raises:
            UserAgentError: The router failed; the question is not charged.
        """
        # Half surrogate pairs could not be stored with the log.
        asked = question.encode("utf-8", "replace").decode("utf-8")
        if not any(sign.isprintable() and not sign.isspace() for sign in asked):
            return self._decline(asked, "empty", EMPTY)
        if len(asked) > LONGEST:
            return self._decline(asked, "too_long", TOO_LONG)
        if self.remaining <= 0:
            return self._decline(asked, "over_budget", NO_BUDGET)
        return self._answer(asked)

    def metrics(self) -> Interaction:
        """Return how the session used the User Agent so far."""
        return interaction(self._diagnostics, self._user_agent.records.ids, self.budget)

    def _answer(self, question: str) -> Reply:
        routing, reason = self._user_agent.route(question)
        default_proposed = proposes_default(question)
        composed = compose(self._user_agent.records, routing, default_proposed=default_proposed)
        self._used += 1
        self._diagnostics.append(
            Diagnosis(
                question=question,
                kind=routing.kind,
                revealed=composed.revealed,
                matches=routing.matches,
                pointers=routing.pointers,
                signature=routing.signature,
                default_proposed=default_proposed,
                charged=True,
                flagged=reason,
            )
        )
        return Reply(text=composed.text, charged=True, remaining=self.remaining)

    def _decline(self, question: str, kind: Kind, text: str) -> Reply:
        if len(self._diagnostics) - self._used >= MOST_DECLINED:
            self._diagnostics.remove(next(entry for entry in self._diagnostics if not entry.charged))
        self._diagnostics.append(Diagnosis(question=question[:LONGEST], kind=kind, charged=False))
        return Reply(text=text, charged=False, remaining=max(self.remaining, 0))
