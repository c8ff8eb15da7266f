"""The ``react`` agent for models that know no tools."""

from __future__ import annotations

from typing import Any, ClassVar

from baselines.react import ReactAgent


class ReactTextAgent(ReactAgent):
    """Play by a language model that writes each action as a fenced block of its text."""

    name: ClassVar[str] = "react-text"
    defaults: ClassVar[dict[str, Any]] = {"style": "text"}
