"""The User Agent: the user who knows what the PRD leaves out, and says it only when asked.

``load_records`` reads what it knows; ``UserAgent(records).session().ask(question)`` gives a ``Reply``. A router chooses
records; a reply holds stored text only; diagnostics stay with the session, on the host's side.
"""

from icae_env.user_agent.records import RecordSet, load_records, with_inputs, with_records
from icae_env.user_agent.router import KeywordRouter, MakeRouter, Match, Router, Routing
from icae_env.user_agent.session import Diagnosis, Interaction, Reply, Session, UserAgent

__all__ = [
    "Diagnosis",
    "Interaction",
    "KeywordRouter",
    "MakeRouter",
    "Match",
    "RecordSet",
    "Reply",
    "Router",
    "Routing",
    "Session",
    "UserAgent",
    "load_records",
    "with_inputs",
    "with_records",
]
