"""One agent, one model, no sandbox: what comes of each kind of answer."""

from __future__ import annotations

import pytest
from talk import Talk, ask, bash, brief, says, sees

from baselines.react import ReactAgent
from baselines.react_text import ReactTextAgent
from icae_env.env.actions import ACTION_TYPES, Bash, Edit, InvalidAction, Submit
from icae_env.errors import ConfigError, ContextExceededError, ModelUnavailableError


def begun(model: Talk, kind: type[ReactAgent] = ReactAgent, **options: str) -> ReactAgent:
    agent = kind(**options)
    agent.begin(brief(model))
    return agent


def test_the_first_prompt_has_the_rules_and_the_episodes_text() -> None:
    model = Talk(bash("ls"))
    assert begun(model).act(sees("# Your job: the rules and the PRD", code=None)) == Bash(command="ls")
    system, task = model.seen[0]
    assert (system.role, task.role) == ("system", "user")
    assert "calls at least one tool" in system.text
    assert task.text.startswith("# Your job: the rules and the PRD")
    assert "--cases-dir SUITE" in task.text
    assert [tool.name for tool in model.tools[0]] == list(ACTION_TYPES)
    assert all(tool.parameters["type"] == "object" and tool.description for tool in model.tools[0])


def test_a_result_goes_back_with_what_is_left_and_asks_for_a_reasoning_text() -> None:
    model = Talk(bash("ls"), bash("pwd"))
    agent = begun(model)
    agent.act(sees())
    agent.act(sees("start.md\n", steps=99, questions=15))
    *_, said, result = model.seen[1]
    assert said.tool_calls[0].name == "bash"
    assert (result.role, result.tool_call_id) == ("tool", "0")
    assert result.text.startswith("start.md\n\n[exit code 0, 99 actions left, 15 questions left]")
    assert "(First a few sentences:" in result.text


def test_without_reasoning_nothing_asks_for_it() -> None:
    model = Talk(bash("ls"), bash("pwd"))
    agent = begun(model, reasoning="false")
    agent.act(sees())
    agent.act(sees(code=None))
    assert model.seen[1][-1].text == "ok\n\n[100 actions left, 16 questions left]"
    assert "sentences" not in model.seen[1][0].text


def test_several_calls_are_carried_out_in_order_and_each_is_answered() -> None:
    edit = {"op": "create", "path": "a", "text": "x"}
    model = Talk(says("Two at once.", ("bash", {"command": "ls"}), ("edit", edit)), says("", ("submit", {})))
    agent = begun(model)
    assert agent.act(sees()) == Bash(command="ls")
    assert agent.act(sees("first")) == Edit(**edit)
    assert len(model.seen) == 1
    assert agent.act(sees("second")) == Submit()
    first, second = model.seen[1][-2:]
    assert (first.tool_call_id, second.tool_call_id) == ("0", "1")
    assert first.text.startswith("first")
    assert second.text.startswith("second")
    assert "sentences" not in first.text
    assert agent.ended is None


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (says("I think that it is a hard problem."), "calls no tool"),
        (says("", ("python", {"code": "1"})), "no tool 'python'"),
        (says("", ("bash", '{"command": "ls')), "not JSON"),
        (says("", ("bash", "[]")), "not a list"),
        (says("", ("bash", {"cmd": "ls"})), "'command' is missing"),
        (says("", ("edit", {"op": "replace", "path": "a"})), "'old' is missing"),
        (says("", ("bash", {"command": "ls"}), finish="length"), "limit of its length"),
        (says("So I", finish="length"), "limit of its length"),
        (says("", finish="filter"), "withheld"),
        (says("  \n"), "calls no tool"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_answer_that_cannot_be_carried_out_is_explained(answer: object, said: str) -> None:
    model = Talk(answer, bash("ls"))  # type: ignore[arg-type]
    agent = begun(model)
    action = agent.act(sees())
    assert isinstance(action, InvalidAction)
    assert said in action.message
    assert agent.act(sees(action.message, code=None)) == Bash(command="ls")
    told = model.seen[1][-1]
    assert said in told.text
    assert told.role == ("tool" if answer.message.tool_calls else "user")  # type: ignore[attr-defined]


def test_an_answer_cut_off_in_its_last_call_keeps_the_calls_before_it() -> None:
    calls = ("bash", {"command": "ls"}), ("edit", {"op": "create", "path": "a", "text": "hal"})
    model = Talk(says("", *calls, finish="length"), bash("pwd"))
    agent = begun(model)
    assert agent.act(sees()) == Bash(command="ls")
    assert isinstance(agent.act(sees()), InvalidAction)
    agent.act(sees())
    assert [message.tool_call_id for message in model.seen[1][-2:]] == ["0", "1"]


def test_an_answer_of_nothing_is_not_sent_back() -> None:
    model = Talk(says(""), bash("ls"))
    agent = begun(model)
    agent.act(sees())
    agent.act(sees("nothing was done", code=None))
    assert [message.role for message in model.seen[1]] == ["system", "user", "user"]


def test_errors_in_a_row_end_the_episode_and_a_valid_action_starts_the_row_anew() -> None:
    nothing = [says("Hm.") for _ in range(4)]
    model = Talk(nothing[0], bash("ls"), *nothing[1:3])
    agent = begun(model, max_format_errors="2")
    acts = [agent.act(sees(code=None)) for _ in range(4)]
    assert [isinstance(act, InvalidAction) for act in acts] == [True, False, True, True]
    assert agent.ended is None
    assert agent.act(sees(code=None)) == {"type": "submit"}
    assert agent.ended == "format"
    assert len(model.seen) == 4


def test_a_conversation_that_is_too_long_is_halved_once() -> None:
    model = Talk(bash("a"), bash("b"), ContextExceededError("too long"), bash("c"))
    agent = begun(model, keep_results="1")
    agent.act(sees())
    agent.act(sees("x" * 40_000))
    assert agent.act(sees("y")) == Bash(command="c")
    before, after = (sum(len(message.text) for message in seen) for seen in model.seen[2:4])
    assert after < before / 2
    assert any("The 401" in message.text and "left out" in message.text for message in model.seen[3])


def test_a_conversation_that_stays_too_long_is_an_error() -> None:
    model = Talk(ContextExceededError("too long"), ContextExceededError("still"))
    with pytest.raises(ContextExceededError, match="still"):
        begun(model).act(sees())


def test_a_model_that_fails_is_an_error() -> None:
    with pytest.raises(ModelUnavailableError):
        begun(Talk(ModelUnavailableError("gone"))).act(sees())


def test_without_a_model_it_says_how_to_name_one() -> None:
    with pytest.raises(ConfigError, match="--model"):
        ReactAgent().begin(brief(None))


def test_the_same_agent_object_begins_anew() -> None:
    agent = begun(Talk(says("", ("bash", {"command": "ls"}), ("bash", {"command": "pwd"}))))
    agent.act(sees())
    other = Talk(bash("id"))
    agent.begin(brief(other))
    assert agent.act(sees("second episode")) == Bash(command="id")
    assert len(other.seen[0]) == 2


def test_text_style_reads_one_block_and_offers_no_tools() -> None:
    model = Talk(
        says("I look.\n```bash\nls\n```"),
        says("```ask_user\nWhat now?\n```"),
        says("Done."),
        says("```submit\n```"),
    )
    agent = begun(model, ReactTextAgent)
    assert agent.act(sees()) == Bash(command="ls")
    assert agent.act(sees("start.md")).question == "What now?"
    action = agent.act(sees("Nothing special."))
    assert "no action blocks" in action.message
    assert agent.act(sees(action.message)) == Submit()
    assert model.tools == [()] * 4
    assert [message.role for message in model.seen[3][2:]] == ["assistant", "user"] * 3
    assert "```ask_user" in model.seen[0][0].text


def test_a_text_that_was_cut_off_in_its_block_is_explained() -> None:
    agent = begun(Talk(says("```bash\ncat > x", finish="length")), ReactAgent, style="text")
    assert "limit of its length" in agent.act(sees()).message


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("max_format_errors", "0", "greater than or equal to 1"),
        ("max_format_errors", "many", "valid integer"),
        ("style", "voice", "'tools' or 'text'"),
        ("reasoning", "perhaps", "valid boolean"),
        ("context_tokens", "12", "2000"),
        ("prompts", "/no/such/folder", "no such folder"),
        ("max_formaterrors", "3", "Did you mean 'max_format_errors'"),
    ],
)
def test_wrong_options_are_explained(option: str, value: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        ReactAgent(**{option: value})


def test_ask_is_counted_as_a_question_only_when_charged() -> None:
    model = Talk(ask("What?"), bash("ls"))
    agent = begun(model)
    agent.act(sees())
    agent.act(sees("An answer.", code=None, questions=15))
    assert model.seen[1][-1].text.startswith("An answer.\n\n[100 actions left, 15 questions left]")
