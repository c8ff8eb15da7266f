"""``icae agents``: what plays by name, and what it says to its model."""

from __future__ import annotations

from pathlib import Path

from icae_program import document, icae

from icae_env.tasks import load_public


def test_agents_that_need_a_model_say_so() -> None:
    agents = {agent["name"]: agent for agent in document(icae("agents", "--json"))["agents"]}
    models = {name for name, agent in agents.items() if agent["needs_model"]}
    assert {"react", "react-text", "ask-first", "never-ask", "ask-all"} <= models
    assert not models & {"golden", "noop", "scripted"}
    assert "(needs a model)" in " ".join(icae("agents").stdout.split())


def test_prompts_are_shown_with_the_names_of_their_variables() -> None:
    shown = icae("agents", "show", "react").stdout
    assert "$start" in shown
    assert "calls at least one tool" in shown
    told = document(icae("agents", "show", "react-text", "--json"))
    assert (told["agent"], told["task"]) == ("react-text", None)
    assert "```bash" in told["prompts"]["system"]


def test_prompts_are_shown_for_a_task() -> None:
    told = document(icae("agents", "show", "ask-first", "--task", "ssf", "--level", "L2", "--json"))[
        "prompts"
    ]
    assert load_public("ssf", "L2").prd.rstrip() in told["user"]
    assert "`./run` is the only thing that is started" in told["user"]
    assert "$" not in told["system"]


def test_an_agents_options_change_what_is_shown(tmp_path: Path) -> None:
    (tmp_path / "reasoning.md").write_text("\nThink aloud.\n", "utf-8")
    assert "Think aloud." in icae("agents", "show", "react", "-o", f"prompts={tmp_path}").stdout
    wrong = icae("agents", "show", "react", "-o", "max_format_errors=none")
    assert wrong.exit_code == 2
    assert "max_format_errors" in wrong.stderr


def test_an_agent_without_prompts_has_none() -> None:
    assert "has no prompts" in icae("agents", "show", "noop").stdout
    assert document(icae("agents", "show", "noop", "--json"))["prompts"] == {}


def test_wrong_names_are_explained() -> None:
    for arguments, said in (
        (("show", "raect"), "Did you mean 'react'"),
        (("show", "react", "--task", "bracks"), "Did you mean 'bracex'"),
        (("show", "react", "--task", "bracex", "--level", "L9"), "L1, L2, L3"),
    ):
        done = icae("agents", *arguments)
        assert done.exit_code == 2
        assert said in done.stderr
