"""When each strategy lets its model ask."""

from __future__ import annotations

from typing import Any

import pytest
from talk import Talk, ask, bash, brief, says, sees

from baselines.react import ReactAgent
from baselines.strategies import AskAllAgent, AskFirstAgent, NeverAskAgent
from icae_env.env.actions import AskUser, Bash, InvalidAction


def acts(
    kind: type[ReactAgent], model: Talk, *questions: int, phases: list[str] | None = None, **options: str
) -> list[Any]:
    """Return the actions of an agent that is shown these counts of questions left."""
    agent = kind(**options)
    agent.begin(brief(model, phases))
    return [agent.act(sees(questions=left)) for left in questions]


def refused(action: Any, said: str) -> bool:
    return isinstance(action, InvalidAction) and said in action.message


def test_never_ask_offers_no_question_and_refuses_one() -> None:
    model = Talk(ask("What?"), bash("echo 'a' | ask-user 'What?'"), bash("cat ask-user.txt"))
    calls = acts(NeverAskAgent, model, 16, 16, 16)
    assert refused(calls[0], "no tool 'ask_user'")
    assert refused(calls[1], "cannot be asked")
    assert calls[2] == Bash(command="cat ask-user.txt")
    assert "ask_user" not in [tool.name for tool in model.tools[0]]
    assert "cannot be asked" in model.seen[0][0].text
    assert "questions left" not in model.seen[1][-1].text


def test_never_ask_refuses_in_text_style_as_well() -> None:
    model = Talk(says("```ask_user\nWhat?\n```"))
    calls = acts(NeverAskAgent, model, 16, style="text")
    assert refused(calls[0], "cannot be asked")
    assert "```ask_user" not in model.seen[0][0].text


def test_ask_first_refuses_to_begin_unasked_and_to_ask_late() -> None:
    phases: list[str] = []
    model = Talk(bash("ls"), ask("a"), ask("b"), bash("ls"), ask("c"), bash("ask-user 'c'"), bash("pwd"))
    calls = acts(AskFirstAgent, model, 16, 16, 15, 14, 14, 14, 14, phases=phases)
    assert refused(calls[0], "Questions come first")
    assert [type(call) for call in calls[1:4]] == [AskUser, AskUser, Bash]
    assert refused(calls[4], "time for questions is over")
    assert refused(calls[5], "time for questions is over")
    assert calls[6] == Bash(command="pwd")
    assert phases == ["ask"] * 4 + ["build"] * 3


def test_ask_first_refuses_within_one_message_too() -> None:
    model = Talk(
        says(
            "", ("ask_user", {"question": "a"}), ("bash", {"command": "ls"}), ("ask_user", {"question": "b"})
        )
    )
    first, second, third = acts(AskFirstAgent, model, 16, 15, 15)
    assert (type(first), type(second)) == (AskUser, Bash)
    assert refused(third, "time for questions is over")


@pytest.mark.parametrize("kind", [AskFirstAgent, AskAllAgent])
def test_where_no_question_is_allowed_work_begins_at_once(kind: type[ReactAgent]) -> None:
    assert acts(kind, Talk(bash("ls")), 0) == [Bash(command="ls")]


def test_ask_all_spends_every_question_before_it_acts() -> None:
    model = Talk(ask("a"), bash("ls"), says("", ("submit", {})), ask("b"), bash("ls"))
    calls = acts(AskAllAgent, model, 2, 1, 1, 1, 0)
    assert refused(calls[1], "You still have 1 questions")
    assert refused(calls[2], "You still have 1 questions")
    assert [type(call) for call in (calls[0], calls[3], calls[4])] == [AskUser, AskUser, Bash]


def test_refusals_in_a_row_end_the_episode() -> None:
    agent = AskAllAgent(max_format_errors="2")
    agent.begin(brief(Talk(bash("ls"), bash("ls"))))
    calls = [agent.act(sees(questions=3)) for _ in range(3)]
    assert refused(calls[1], "You still have 3")
    assert calls[2] == {"type": "submit"}
    assert agent.ended == "format"
