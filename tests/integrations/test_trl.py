"""What TRL's trainers do with an environment: find its tools, make schemas of them, call them, take the reward."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from typing import Any, get_type_hints

import pytest

from icae_env.env.actions import ACTION_TYPES
from icae_env.errors import SandboxStartError, SandboxUnavailableError, UnknownNameError
from icae_env.integrations.trl import ICAEToolEnv
from icae_env.sandbox.base import Completed
from icae_env.sandbox.fake import FakeBackend

TOOLS = ("ask_user", "bash", "edit", "submit")


def tools(env: Any) -> dict[str, Any]:
    """Return the methods that a trainer offers to the model, found as it finds them."""
    members = inspect.getmembers(type(env), predicate=inspect.isfunction)
    return {
        name: getattr(env, name)
        for name, _ in members
        if name not in ("reset", "get_reward") and not name.startswith("_")
    }


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend(lambda call: Completed(exit_code=1), commands=lambda text: (f"{text}\n", 0))


@pytest.fixture
def fake(backend: FakeBackend) -> ICAEToolEnv:
    return ICAEToolEnv(task="bracex", sandbox=backend, image="host", steps=5)


def test_it_is_imported_without_trl() -> None:
    code = "import sys; import icae_env.integrations.trl; assert not {'trl', 'transformers', 'torch'} & set(sys.modules)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)


def test_the_public_methods_are_the_tools(fake: ICAEToolEnv) -> None:
    assert tuple(tools(fake)) == TOOLS


@pytest.mark.parametrize("name", TOOLS)
def test_each_tool_takes_what_the_action_takes_and_says_so(fake: ICAEToolEnv, name: str) -> None:
    method = tools(fake)[name]
    parameters = inspect.signature(method).parameters
    fields = {field: info for field, info in ACTION_TYPES[name].model_fields.items() if field != "type"}
    assert set(parameters) == set(fields)
    for field, parameter in parameters.items():
        assert (parameter.default is inspect.Parameter.empty) == fields[field].is_required()
        assert field in get_type_hints(method)
    doc = inspect.getdoc(method) or ""
    described = re.search(r"\nArgs:\n(.*?)\n\nReturns:\n", doc, re.DOTALL)
    assert re.findall(r"^    (\w+): \S", described[1] if described else "", re.MULTILINE) == list(parameters)
    assert doc.partition("\n")[0] == " ".join((ACTION_TYPES[name].__doc__ or "").split())
    if find_spec("transformers") is not None:  # what TRL itself calls, where it is there
        from transformers.utils import get_json_schema

        schema = get_json_schema(method)["function"]["parameters"]
        assert set(schema["properties"]) == set(fields)
        assert set(schema.get("required", ())) == {key for key, info in fields.items() if info.is_required()}


@pytest.mark.bubblewrap
def test_a_rollout_earns_what_its_program_does(place: dict[str, str], program: list[dict[str, str]]) -> None:
    factory = partial(ICAEToolEnv, task=["bracex", "stockholm"], level=["L1", "L2"], **place)
    env = factory()
    row = {"prompt": [{"role": "user", "content": "Do the job."}], "task": "bracex", "level": "L1", "seed": 1}
    first = env.reset(**row)
    assert "# Product requirements" in first
    call = tools(env)
    assert call["bash"](command="cd /tmp; false").endswith(
        "[exit code 1; 199 actions left; 16 questions left]"
    )
    assert call["bash"](command="pwd").startswith("/tmp\n")
    assert "questions left]" in call["ask_user"](question="What happens to an unclosed brace?")
    assert env.info["user_agent"].revealed
    for action in program:
        call["edit"](**{key: value for key, value in action.items() if key != "type"})
    assert "1" in call["edit"](op="view", path="solution.py", view_range=[1, 2])
    assert call["submit"]() == "Submitted. The episode is over."
    assert call["bash"](command="ls") == "The episode is over; nothing was done."
    assert env.get_reward() == env.get_reward() == 1.0
    assert env.reset(**row) == first  # used again for the next batch
    assert env.get_reward() == 0.0


def test_what_a_model_gets_wrong_is_told_and_costs_a_step(fake: ICAEToolEnv) -> None:
    fake.reset(prompt=[])
    call = tools(fake)
    assert call["edit"](op="delete", path="a").startswith("Invalid action, nothing was done.")
    assert "Field 'text' is missing" in call["edit"](op="create", path="a")
    assert call["bash"](command=3).startswith("Invalid action")
    assert "1 actions left" in call["bash"](command="x")
    assert "step limit" in call["bash"](command="last")
    assert call["submit"]() == "The episode is over; nothing was done."
    assert fake.info["end"] == "steps"
    assert fake.get_reward() == 0.0


def test_a_rollout_without_submit_is_scored(fake: ICAEToolEnv, backend: FakeBackend) -> None:
    fake.reset()
    assert fake.get_reward() == 0.0
    assert fake.info["end"] == "submit"
    assert not backend.live


def test_rewards_of_steps_are_summed(backend: FakeBackend) -> None:
    env = ICAEToolEnv(
        task="bracex", sandbox=backend, image="host", reward={"new_record": 2.0, "overall": 1.0}
    )
    env.reset(seed=0)
    env.ask_user("What happens to an unclosed brace?")
    revealed = len(env.info["user_agent"].revealed)
    assert revealed
    env.ask_user("What happens to an unclosed brace?")
    assert env.get_reward() == pytest.approx(2.0 * 0.05 * revealed)


def test_failures_of_the_host_are_no_reward(fake: ICAEToolEnv, backend: FakeBackend) -> None:
    fake.reset()
    for sandbox in list(backend.live):
        sandbox.die()
    assert fake.bash("ls") == "The episode failed on the host's side and is over."
    assert fake.get_reward() is None
    backend.start_error = "no memory"
    assert "failed" in fake.reset()
    assert isinstance(fake.infra_error, SandboxStartError)
    assert fake.get_reward() is None
    backend.start_error = None
    fake.reset()
    assert fake.get_reward() == 0.0


def test_what_cannot_work_raises(fake: ICAEToolEnv) -> None:
    with pytest.raises(UnknownNameError, match="level"):
        fake.reset(level="L9")
    with pytest.raises(UnknownNameError, match="task"):
        fake.reset(task="ssf")

    class Nowhere(FakeBackend):
        def create(self, config):  # type: ignore[no-untyped-def]
            raise SandboxUnavailableError("nowhere", "there is none", mend="install one")

    env = ICAEToolEnv(task="bracex", sandbox=Nowhere({}), image="host")
    with pytest.raises(SandboxUnavailableError):
        env.reset()


def test_its_sandbox_goes_with_it(backend: FakeBackend) -> None:
    env = ICAEToolEnv(task="bracex", sandbox=backend, image="host")
    env.reset()
    assert backend.live
    del env
    assert not backend.live
