"""The contract of a language model as checks, and the scripted service (``wire``) that they run against.

For a model that speaks one of the three interfaces of ``WireServer``, in a test module of your own::

    class TestMine(ModelConformance):
        @pytest.fixture
        def connect(self):
            return lambda server: MyModel(base_url=server.openai_url, api_key=server.key)

or without pytest: ``failures(lambda server: MyModel(...))``. The model that ``connect`` returns should try again after a failure,
at least four times in all and without long pauses. pytest shows the values in a failed check after
``pytest.register_assert_rewrite("icae_env.llm.conformance")`` in a conftest.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Iterator

from icae_env.llm.conformance.answers import AnswerChecks
from icae_env.llm.conformance.common import Connect
from icae_env.llm.conformance.conversations import ConversationChecks
from icae_env.llm.conformance.faults import FaultChecks
from icae_env.llm.conformance.use import UseChecks

__all__ = ["Connect", "ModelConformance", "failures", "names"]


class ModelConformance(AnswerChecks, ConversationChecks, FaultChecks, UseChecks):
    """Every check. A check takes ``connect``, which returns a model that asks a given server."""


def names() -> list[str]:
    """Return the names of all checks."""
    found = inspect.getmembers(ModelConformance, inspect.isfunction)
    return [name for name, _ in found if name.startswith("test_")]


def failures(connect: Connect, only: str = "") -> Iterator[tuple[str, str]]:
    """Run the checks without pytest and yield (name, what went wrong) for each that fails.

    Args:
        connect: Makes the model that is checked.
        only: Run only checks whose name holds this.
    """
    checks = ModelConformance()
    for name in names():
        if only not in name:
            continue
        try:
            getattr(checks, name)(connect)
        except (AssertionError, LookupError, TypeError, AttributeError, ValueError, RuntimeError, OSError):
            yield name, traceback.format_exc(limit=-1)
