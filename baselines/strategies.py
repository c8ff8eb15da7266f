"""``react`` agents that ask the user at set times, to measure what asking is worth."""

from __future__ import annotations

from typing import ClassVar

from baselines.asking import AskAll, AskFirst, Asking, AskNever
from baselines.react import ReactAgent


class AskFirstAgent(ReactAgent):
    """Play as react, with all questions before any other action."""

    name: ClassVar[str] = "ask-first"
    asking: ClassVar[Asking] = AskFirst()


class NeverAskAgent(ReactAgent):
    """Play as react, without any question."""

    name: ClassVar[str] = "never-ask"
    asking: ClassVar[Asking] = AskNever()


class AskAllAgent(ReactAgent):
    """Play as react, after the whole budget of questions is spent."""

    name: ClassVar[str] = "ask-all"
    asking: ClassVar[Asking] = AskAll()
