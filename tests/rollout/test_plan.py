"""What a selection comes to."""

from __future__ import annotations

import pytest

from icae_env.errors import ConfigError, UnknownNameError
from icae_env.rollout.plan import Selection, make_plan
from icae_env.tasks import find_task, task_ids


def keys(**given):
    return make_plan(Selection(**{"tasks": ("bracex",), "agents": ("noop",), **given})).config.episodes


def test_lists_multiply_in_a_fixed_order():
    found = keys(
        tasks=("stockholm,bracex", "bracex"), levels=("L3", "L1"), agents=("noop,golden",), repeats=2, seed=7
    )
    told = [(key.task, key.level, key.agent, key.seed) for key in found]
    assert told == [
        (task, level, agent, seed)
        for task in ("stockholm", "bracex")
        for level in ("L3", "L1")
        for agent in ("noop", "golden")
        for seed in (7, 8)
    ]
    assert [key.id for key in found] == [key.id for key in keys(
        tasks=("stockholm,bracex",), levels=("L3,L1",), agents=("noop", "golden"), repeats=2, seed=7
    )]  # fmt: skip
    assert len({key.id for key in found}) == len(found)


def test_all_and_patterns_choose_tasks_that_are_no_drafts():
    assert [key.task for key in keys(tasks=("all",))] == task_ids()
    chosen = [key.task for key in keys(tasks=("s*", "bracex"))]
    assert chosen == [*(task for task in task_ids() if task.startswith("s")), "bracex"]
    with pytest.raises(UnknownNameError, match="task like 'zz\\*'"):
        keys(tasks=("zz*",))


def test_kinds_and_domains_choose_among_all():
    domain = find_task("bracex").spec.domain
    chosen = [key.task for key in keys(tasks=("all",), domains=(domain,))]
    assert "bracex" in chosen
    assert all(find_task(task).spec.domain == domain for task in chosen)
    assert {find_task(key.task).spec.kind for key in keys(tasks=("all",), kinds=("prd",))} == {"prd"}
    with pytest.raises(ConfigError, match="no task fits"):
        keys(tasks=("all",), domains=("no such domain",))


def test_without_a_level_it_is_the_tasks_first():
    assert [key.level for key in keys()] == ["L1"]
    with pytest.raises(UnknownNameError, match="level 'L9'"):
        keys(levels=("L9",))


def test_what_an_agent_cannot_play_is_left_out_of_all_and_told():
    plan = make_plan(Selection(tasks=("all",), agents=("run_parts:Picky",)))
    assert [key.task for key in plan.config.episodes] == ["bracex"]
    assert [item.task for item in plan.left_out] == [task for task in task_ids() if task != "bracex"]
    assert {item.reason for item in plan.left_out} == {"the agent 'run_parts:Picky' cannot play it"}


def test_a_named_task_that_an_agent_cannot_play_is_an_error():
    with pytest.raises(ConfigError, match=r"'stockholm' cannot be played: .* it plays bracex\."):
        keys(tasks=("all", "stockholm"), agents=("run_parts:Picky",))


def test_agents_without_a_model_play_once_and_others_with_each():
    found = keys(agents=("noop", "run_parts:Thinking"), models=("scripted:a.json", "scripted:b.json"))
    assert [(key.agent, key.model) for key in found] == [
        ("noop", None), ("run_parts:Thinking", "scripted:a.json"), ("run_parts:Thinking", "scripted:b.json"),
    ]  # fmt: skip
    assert len({key.id for key in found}) == 3
    with pytest.raises(ConfigError, match="'run_parts:Thinking' needs a model"):
        keys(agents=("run_parts:Thinking",))
    with pytest.raises(ConfigError, match="uses a model"):
        keys(models=("scripted:a.json",))


def test_options_are_for_all_or_for_one():
    config = make_plan(
        Selection(
            tasks=("bracex",),
            agents=("run_parts:Thinking,run_parts:Raising",),
            models=("openai/m-1.5", "openai/n"),
            agent_options={"run_parts:Raising.where": "begin"},
            model_options={"openai/m-1.5.temperature": "0", "max_tokens": "9", "openai/n.max_tokens": "5"},
        )
    ).config
    assert {key.agent: key.options for key in config.episodes} == {
        "run_parts:Thinking": {}, "run_parts:Raising": {"where": "begin"},
    }  # fmt: skip
    assert config.model_options == {
        "openai/m-1.5": {"temperature": "0", "max_tokens": "9"}, "openai/n": {"max_tokens": "5"},
    }  # fmt: skip
    with pytest.raises(ConfigError, match="is for 'scripted', which is not played"):
        keys(agent_options={"scripted.script": "x"})
    with pytest.raises(ConfigError, match="cannot be made with the options"):
        keys(agent_options={"speed": "3"})
