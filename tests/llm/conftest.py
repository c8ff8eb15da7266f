"""For the tests of models: no variables of the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from icae_env.llm import ChatModel, make_model
from icae_env.llm.conformance.wire import WireServer

KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "chat": ("openai/some-model", {}),
    "responses": ("openai/some-model", {"api": "responses"}),
    "messages": ("anthropic/some-model", {}),
}
"""Model and options of each interface."""

Connector = Callable[..., ChatModel]


@pytest.fixture(autouse=True)
def _own_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (
        "OPENAI_BASE_URL",
        "OPENAI_API_KEY",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ICAE_PRICES",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def connector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Connector]:
    """Makes models of an interface that ask a server, and closes them."""
    made: list[ChatModel] = []

    def connect(server: WireServer, interface: str, **options: Any) -> ChatModel:
        monkeypatch.setenv("WIRE_KEY", server.key)
        name, own = KINDS[interface]
        url = server.url if interface == "messages" else server.openai_url
        given = {
            "base_url": url,
            "api_key_env": "WIRE_KEY",
            "retry_wait": 0.02,
            "timeout": 20,
            **own,
            **options,
        }
        made.append(make_model(name, given))
        return made[-1]

    yield connect
    for model in made:
        model.close()
