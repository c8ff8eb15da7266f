"""The action file that ships for each task: honest questions, a program of its own, and a right answer to every case."""

from __future__ import annotations

import pytest
from real_sandboxes import works_or_skip

from baselines.scripted import SCRIPTS, ScriptedAgent, read_script
from icae_env.env.actions import InvalidAction, parse_action
from icae_env.factory import make_env
from icae_env.rollout import play
from icae_env.sandbox.images import store
from icae_env.tasks import load_hidden, load_public, task_ids

SCORED_ELSEWHERE = {"bracex", "ssf", "stockholm"}
"""The tests of scenarios play these several times."""


def scripted_ids() -> list[str]:
    return [name for name in task_ids() if ScriptedAgent().plays(name)]


def test_every_task_of_a_fuzzy_prd_has_a_script_and_every_script_its_task() -> None:
    assert {folder.name for folder in SCRIPTS.iterdir() if folder.is_dir()} == set(scripted_ids())
    kinds = {name: getattr(load_public(name, "L1").spec, "kind", "prd") for name in task_ids()}
    assert {name for name, kind in kinds.items() if kind == "prd"} <= set(scripted_ids())


@pytest.mark.parametrize("task", scripted_ids())
def test_a_script_asks_within_its_budget_and_then_hands_in(task: str) -> None:
    actions = [parse_action(action) for action in read_script(SCRIPTS / task)]
    assert not [action for action in actions if isinstance(action, InvalidAction)]
    kinds = [action.type for action in actions]
    questions = [action.question for action in actions if action.type == "ask_user"]
    assert len(questions) == len(set(questions)) <= load_public(task, "L1").spec.limits.questions
    assert kinds[-1] == "submit"
    assert kinds.count("submit") == 1
    assert kinds.index("edit") > max(index for index, kind in enumerate(kinds) if kind == "ask_user")


@pytest.mark.bubblewrap
@pytest.mark.slow
@pytest.mark.parametrize("task", sorted(set(scripted_ids()) - SCORED_ELSEWHERE))
def test_a_script_solves_its_task_on_the_tasks_image(task: str) -> None:
    works_or_skip("bubblewrap")
    image = load_public(task, "L1").spec.image
    if store.find(image) is None:
        pytest.skip(f"the image '{image}' is not built; mend: icae images build {image}")
    env = make_env(task, "L1", "bubblewrap", image)
    try:
        result = play(ScriptedAgent(), env)
    finally:
        env.close()
    assert result.report is not None
    assert (result.reward, result.end) == (1.0, "submit"), result.report
    assert len(result.report.cases) == len(load_hidden(task).cases)
