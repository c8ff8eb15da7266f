"""Prompts are files: those that ship can be filled in, and others can take their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from baselines.prompts import Prompts, names
from baselines.react import ReactAgent
from baselines.react_text import ReactTextAgent
from baselines.strategies import AskAllAgent, AskFirstAgent, NeverAskAgent
from icae_env.errors import ConfigError
from icae_env.tasks import load_public, task_ids

AGENTS = (ReactAgent, ReactTextAgent, AskFirstAgent, NeverAskAgent, AskAllAgent)


@pytest.mark.parametrize("kind", AGENTS)
@pytest.mark.parametrize("style", ["tools", "text"])
def test_prompts_are_filled_in_for_every_task(kind: type[ReactAgent], style: str) -> None:
    agent = kind(style=style)
    for task in task_ids():
        told = agent.prompts(load_public(task, "L1"), "THE START")
        assert "$" not in told["system"] + told["user"]
        assert told["user"].startswith("THE START")
        assert ("--cases-dir" in told["user"]) == (load_public(task, "L1").spec.protocol == "rcb")
    assert "$start" in agent.prompts()["user"]


def test_strategies_differ_in_their_instructions() -> None:
    assert len({kind().prompts()["system"] for kind in AGENTS}) == len(AGENTS)


def test_every_prompt_is_used() -> None:
    sources = "".join(
        file.read_text("utf-8") for file in (Path(__file__).parents[2] / "baselines").glob("*.py")
    )
    for name in names():
        assert name in sources or name.startswith("protocol_"), name


def test_a_users_file_takes_the_place_of_one_that_ships(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "no_call.md").write_text("Use $names, for $$5.\n", "utf-8")
    texts = Prompts(tmp_path)
    assert texts.render("notes/no_call", names="bash") == "Use bash, for $5."
    assert texts.text("task") == Prompts().text("task")
    told = ReactAgent(prompts=str(tmp_path)).prompts()
    assert told["notes/no_call"].startswith("Use")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("task", "For $nobody.", r"no value for \$nobody.*\$start"),
        ("task", "It costs 5$.", r"write \$\$"),
        ("tsak", "Whatever.", "Did you mean 'task'"),
    ],
)
def test_a_wrong_file_of_a_user_is_explained(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / f"{name}.md").write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=said):
        ReactAgent(prompts=str(tmp_path)).prompts()
