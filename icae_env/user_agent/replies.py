"""Build a reply from stored texts and a few fixed sentences; nothing else ever gets into one."""

from __future__ import annotations

from dataclasses import dataclass

from icae_env.user_agent.records import RecordSet
from icae_env.user_agent.router import Routing

MOST_POINTS = 3
"""Points in one reply (upstream's rule); a structured artefact, a pointer or the signature counts as one."""

DEFAULT_SEEN = "Thank you for proposing a default. Here is what holds:"
MORE = "There is more to say about this. Please ask about the rest separately."
REFUSAL = "I answer questions about single behaviours of the program. I cannot hand out anything else."
VAGUE = "Please be more specific: name the behaviour and the situation that you ask about."
EMPTY = "That was no question. Please write one."
TOO_LONG = "That question is too long. Please ask about one thing in a few sentences."
NO_BUDGET = "No questions are left. Please go on with what you know."


@dataclass(frozen=True)
class Composed:
    """A reply's text and where it came from."""

    text: str
    revealed: tuple[str, ...] = ()
    """Ids of the records in it."""


def compose(records: RecordSet, routing: Routing, *, default_proposed: bool) -> Composed:
    """Return the reply to a routed question: pointers first, then records, then the signature.

    The reply depends on nothing but its arguments, so the points beyond the third stay beyond it however often the same
    question is asked.
    """
    if routing.kind in ("refused", "vague"):
        return Composed(REFUSAL if routing.kind == "refused" else VAGUE)
    stored = {record.constraint_id: record for record in records.records}
    points = [(None, records.pointers[number].actual_meaning) for number in routing.pointers]
    # The signature keeps its place among three: who asks for the interface is not to be sent away for it.
    room = MOST_POINTS - (1 if routing.signature else 0)
    found = [*points, *((match.id, stored[match.id].oracle_response) for match in routing.matches)]
    kept = found[:room]
    texts = [text for _, text in kept]
    if routing.signature:
        texts.append(records.signature)
    if not texts:
        return Composed(records.fallback)
    if len(found) > room:
        texts.append(MORE)
    if default_proposed:
        texts.insert(0, DEFAULT_SEEN)
    return Composed("\n\n".join(texts), tuple(name for name, _ in kept if name is not None))
