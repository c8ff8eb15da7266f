"""An environment can ask for the program in another language than the golden's."""

from __future__ import annotations

import pytest

from icae_env.errors import ConfigError, UnknownNameError
from icae_env.rollout import make_agent, play


def test_the_opening_text_and_the_image_go_by_the_language(make, monkeypatch):
    env = make(language="Rust", image="auto")
    asked = []
    monkeypatch.setattr(
        "icae_env.wired.choose_image", lambda image, wanted, name: asked.append(wanted) or "host"
    )
    obs, info = env.reset()
    assert "in rust, in the directory `/workspace`" in " ".join(obs["text"].split())
    assert info["language"] == "rust"
    assert asked == ["rust"]


def test_without_a_language_it_is_the_tasks_own(make):
    obs, info = make().reset()
    assert " in python, in " in " ".join(obs["text"].split())
    assert info["language"] == "python"


def test_an_unknown_language_is_refused_at_once(make):
    with pytest.raises(UnknownNameError, match="no language 'dart'"):
        make(language="dart")


def test_the_golden_does_not_play_in_another_language(make):
    with pytest.raises(ConfigError, match="written in python, not in rust"):
        play(make_agent("golden"), make(language="rust"))


def test_the_result_names_the_language(make):
    assert play(make_agent("noop"), make(language="go")).language == "go"
