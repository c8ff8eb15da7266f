import pytest
from fake_env import TASK, script

from icae_env.env.rewards import Overall, StepView, make_reward
from icae_env.errors import ConfigError
from icae_env.tasks import load_hidden

SUBMIT = {"type": "submit"}
ECHO = {"type": "bash", "command": "echo hello"}


def play(env, *actions):
    env.reset(seed=0)
    return [env.step(action)[1] for action in actions]


def test_overall_pays_the_pass_rate_at_the_end(make):
    assert play(make(), ECHO, script(3), SUBMIT) == [0.0, 0.0, 6 / len(load_hidden(TASK).cases)]


def test_resolved_pays_only_for_all_cases(make):
    assert play(make(reward="resolved"), script(3), SUBMIT) == [0.0, 0.0]
    assert play(make(reward="resolved"), script(10_000), SUBMIT) == [0.0, 1.0]


def test_public_delta_sums_to_the_last_public_rate(make, backend):
    hidden = load_hidden(TASK)
    native = hidden.suite("native")

    def rate(right):
        return sum(case.public for case in native[:right]) / len(hidden.public_cases)

    half = len(native) // 2
    rewards = play(
        make(reward="public_delta"),
        ECHO,
        script(half),
        {"type": "ask_user", "question": "?"},
        script(1),
        SUBMIT,
    )
    assert rewards[0] == 0.0
    assert rewards[1] == pytest.approx(rate(half))
    assert rewards[1] > 0
    assert rewards[2] == 0.0
    assert rewards[3] == pytest.approx(rate(1) - rate(half))
    assert sum(rewards) == pytest.approx(rate(1))


def test_a_look_at_the_public_cases_kills_nothing(make, backend):
    env = make(reward="public_delta")
    env.reset()
    env.step(script(1))
    assert [sandbox.kills for sandbox in backend.live] == [0]


def test_new_record_pays_once_for_each_record(make):
    question = {"type": "ask_user", "question": "Are numbers padded when there is a leading zero?"}
    first, again, other = play(make(reward="new_record"), question, question, ECHO)
    assert first > 0
    assert again == 0.0
    assert other == 0.0


def test_a_mapping_is_a_weighted_sum(make):
    rewards = play(make(reward={"overall": 2.0, "resolved": -1.0}), script(10_000), SUBMIT)
    assert rewards == [0.0, 1.0]


class Costly:
    def reset(self):
        self.count = 0

    def __call__(self, view: StepView) -> float:
        self.count += 1
        return -0.1 * self.count


def test_a_reward_of_ones_own(make):
    assert play(make(reward=Costly()), ECHO, ECHO) == pytest.approx([-0.1, -0.2])
    assert play(make(reward="test_rewards:Costly"), ECHO, ECHO) == pytest.approx([-0.1, -0.2])


def test_what_is_no_reward_is_named():
    with pytest.raises(ConfigError, match="reset"):
        make_reward("json:JSONDecoder")
    assert isinstance(make_reward(Overall()), Overall)
