import json

from fake_env import TASK, script

from icae_env.env.actions import Bash
from icae_env.tasks import load_hidden, load_public

ECHO = {"type": "bash", "command": "echo hello"}
SUBMIT = {"type": "submit"}


def test_a_whole_episode(make, backend):
    env = make()
    obs, info = env.reset(seed=0)
    assert obs in env.observation_space
    assert load_public(TASK, "L1").prd.strip() in obs["text"]
    assert int(obs["exit_code"]) == -1
    assert (int(obs["steps_left"]), int(obs["questions_left"])) == (200, 16)
    assert info == {
        "task": TASK, "level": "L1", "language": "python", "sandbox": "fake", "image": "fake",
        "image_digest": "fake",
    }  # fmt: skip
    assert len(backend.live) == 1

    obs, reward, terminated, truncated, info = env.step(ECHO)
    assert (obs["text"], int(obs["exit_code"]), int(obs["steps_left"])) == ("hello\n", 0, 199)
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert "report" not in info

    obs, *_ = env.step({"type": "edit", "op": "view", "path": "missing"})
    assert int(obs["exit_code"]) == 1
    obs, *_ = env.step(script(3))
    assert int(obs["exit_code"]) == 0

    obs, reward, terminated, truncated, info = env.step(SUBMIT)
    assert terminated
    assert not truncated
    assert reward == 6 / len(load_hidden(TASK).cases)
    assert info["end"] == "submit"
    assert info["report"].overall == reward
    assert "report" not in obs["text"]
    assert not backend.live


def test_the_workspace_opens_with_the_text_of_the_first_observation(make):
    env = make()
    obs, _ = env.reset()
    view, *_ = env.step({"type": "edit", "op": "view", "path": "start.md"})
    lines = [line.partition("\t")[2] for line in view["text"].splitlines()[1:]]
    assert lines == obs["text"].splitlines()
    listing, *_ = env.step({"type": "edit", "op": "view", "path": "."})
    assert listing["text"].splitlines()[1:] == ["start.md"]


def test_equal_seed_and_actions_give_equal_observations_rewards_and_infos(make):
    actions = [
        ECHO, {"type": "ask_user", "question": "What about leading zeros?"}, "nonsense", script(2),
        {"type": "edit", "op": "view", "path": "."}, {"type": "bash", "command": "yes 20000"}, SUBMIT,
    ]  # fmt: skip
    runs = []
    for _ in range(2):
        env = make(task=[TASK], level=["L1", "L2", "L3"])
        run = [env.reset(seed=5)]
        run += [env.step(action) for action in actions]
        runs.append(run)
    assert runs[0] == runs[1]


def test_actions_in_all_three_forms(make):
    env = make()
    env.reset()
    texts = [env.step(action)[0]["text"] for action in (ECHO, json.dumps(ECHO), Bash(command="echo hello"))]
    assert texts == ["hello\n"] * 3


def test_nothing_hidden_is_in_an_observation(make):
    env = make()
    first, _ = env.reset()
    last = env.step(SUBMIT)[0]
    for obs in (first, last):
        assert set(obs) == {"text", "exit_code", "steps_left", "questions_left"}
        for case in load_hidden(TASK).cases:
            assert case.id not in obs["text"]


def test_public_cases_lie_in_the_workspace_only_on_demand(make):
    env = make(public_cases=True)
    obs, _ = env.reset()
    assert "rcb_tests/public" in obs["text"]
    public = load_hidden(TASK).public_cases
    assert public
    found = {}
    listing = env.step({"type": "edit", "op": "view", "path": "rcb_tests/public"})[0]["text"]
    for name in listing.splitlines()[1:]:
        text = env._episode.sandbox.files.read(f"/workspace/rcb_tests/public/{name}")
        found |= {case["id"]: case for case in json.loads(text)["cases"]}
    assert found == {
        case.id: {"id": case.id, "input": case.input, "expected_output": case.expected_output}
        for case in public
    }
    other = make()
    obs, _ = other.reset()
    assert "rcb_tests/public" not in obs["text"]
