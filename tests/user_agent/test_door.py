"""ask-user inside real sandboxes: answered while a command runs, by the one session, and harmless to the host."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from real_sandboxes import EACH, image_or_skip, open_or_skip
from sample_records import CONSTRAINTS, FALLBACK

from icae_env.errors import UserAgentError
from icae_env.sandbox.base import Sandbox, SandboxConfig
from icae_env.sandbox.fakefiles import FakeFiles
from icae_env.sandbox.shell import Shell
from icae_env.user_agent import UserAgent, door, replies
from icae_env.user_agent.asking import AskingShell
from icae_env.user_agent.door import AskUserDoor
from icae_env.user_agent.session import Session

CLASH, ZONE = "What if two wishes clash in the same room?", "How are time zones handled?"
ANSWERS = {item["constraint_id"]: item["oracle_response"] for item in CONSTRAINTS}


@pytest.fixture(params=EACH)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with (
        closing(open_or_skip(request.param)) as backend,
        backend.create(SandboxConfig(image=image_or_skip(request.param))) as made,
    ):
        yield made


@pytest.fixture
def session(user_agent: UserAgent) -> Session:
    return user_agent.session(budget=4)


@pytest.fixture
def shell(sandbox: Sandbox, session: Session) -> Iterator[AskingShell]:
    made = AskUserDoor(sandbox.files, session)
    made.install()
    shell = AskingShell(Shell(sandbox), made)
    yield shell
    shell.close()


def run(shell: AskingShell, command: str, timeout: float = 20.0) -> str:
    return shell.run(command, timeout=timeout, output_limit=100_000).text


def test_a_command_asks_and_gets_the_answer(shell: AskingShell, session: Session) -> None:
    assert run(shell, f'ask-user "{CLASH}" 2>/dev/null') == ANSWERS["R1"] + "\n"
    assert run(shell, f"echo '{ZONE}' | ask-user 2>&1").splitlines() == [ANSWERS["R2"], "[2 questions left]"]
    # The same session: its budget and its log are shared with all other ways to ask.
    assert session.remaining == 2
    assert [entry.revealed for entry in session.diagnostics] == [("R1",), ("R2",)]
    assert session.ask(CLASH).remaining == 1


def test_questions_of_many_processes_are_answered_one_by_one(shell: AskingShell, session: Session) -> None:
    text = run(shell, f'for i in 1 2 3; do ask-user "{CLASH}" >o$i 2>&1 & done; wait; cat o?')
    assert text.count(ANSWERS["R1"]) == 3
    assert sorted(line for line in text.splitlines() if "left]" in line) == [
        "[1 question left]",
        "[2 questions left]",
        "[3 questions left]",
    ]
    assert session.remaining == 1


def test_odd_questions_are_carried_whole(shell: AskingShell, session: Session) -> None:
    question = "Is \"$HOME\" `x` \\n kept?\nAnd 日本 'too'?"
    run(shell, f"cat > q <<'END'\n{question}\nEND\nask-user < q")
    assert session.diagnostics[0].question == question
    assert replies.EMPTY in run(shell, "ask-user ''")
    assert replies.TOO_LONG in run(shell, "head -c 7000 /dev/zero | tr '\\0' a | ask-user")
    run(shell, "printf '\\377\\376?' | ask-user")
    assert session.remaining == 2
    assert "usage" in run(shell, "ask-user --help")


def test_the_budget_ends_for_it_too(shell: AskingShell, session: Session) -> None:
    text = run(shell, f'for i in 1 2 3 4 5; do ask-user "{CLASH}" 2>&1; done')
    assert text.count(ANSWERS["R1"]) == 4 and replies.NO_BUDGET in text


def test_submit_hands_in_and_asks_nothing(shell: AskingShell, session: Session) -> None:
    assert not shell._door.handed_in
    assert "usage" in run(shell, "submit --now; ask-user '' >/dev/null")
    assert not shell._door.handed_in
    assert run(shell, "submit && echo after") == door.HANDED_IN + "\nafter\n"
    assert shell._door.handed_in and session.remaining == 4


def test_traps_in_the_box_neither_block_nor_crash(shell: AskingShell, session: Session) -> None:
    box = "/run/ask-user"
    for trap in (
        f"rm -rf {box}; mkdir {box}; mkfifo {box}/question",
        f"rm -rf {box}; mkdir -p {box}/question/deep",
        f"rm -rf {box}; mkdir {box}; ln -s /dev/zero {box}/question",
        f"rm -rf {box}; mkdir {box}; head -c 50000000 /dev/zero > {box}/question",
        f"rm -rf {box}; echo not-a-directory > {box}",
        f"rm -rf {box}; mkdir {box}; printf 'x\\nhello' > {box}/question; mkfifo {box}/answer",
        f"rm -rf {box}; ln -s /etc {box}",
    ):
        begun = time.monotonic()
        run(shell, f"{trap}; sleep 0.1; echo done")
        assert time.monotonic() - begun < 5, trap
    assert ANSWERS["R1"] in run(shell, f'rm -rf {box}; ask-user "{CLASH}"')


def test_nobody_answers_between_commands(shell: AskingShell, session: Session) -> None:
    run(shell, f'(sleep 0.3; ask-user "{CLASH}" > late 2>&1) & disown')
    time.sleep(0.8)
    assert session.diagnostics == ()
    assert ANSWERS["R1"] in run(shell, "sleep 0.3; cat late")


def test_no_loop_can_fill_the_log(user_agent: UserAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "MOST_MESSAGES", 10)
    box, session = FakeFiles(), user_agent.session()
    made = AskUserDoor(box, session)
    made.install()
    for number in range(30):
        box.write(door.BOX / "question", f"{number}\n".encode())
        made.answer_one()
    assert len(session.diagnostics) == 10


def test_a_failing_router_is_told_after_the_command_and_costs_nothing(
    user_agent: UserAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    box, session = FakeFiles(), user_agent.session()
    made = AskUserDoor(box, session)

    def fail(question: str) -> None:
        raise UserAgentError("The model is gone.")

    monkeypatch.setattr(session, "ask", fail)
    box.write(door.BOX / "question", b"1\nHello?")
    made.open()
    deadline = time.monotonic() + 5
    while not made._failure and time.monotonic() < deadline:
        time.sleep(0.01)
    with pytest.raises(UserAgentError, match="gone"):
        made.shut()
    made.shut()
    made.close()
    assert session.remaining == 16


def test_a_closed_door_leaves_no_thread(user_agent: UserAgent) -> None:
    before = threading.active_count()
    doors = [AskUserDoor(FakeFiles(), user_agent.session()) for _ in range(5)]
    for made in doors:
        made.open()
        made.shut()
    for made in doors:
        made.close()
        made.close()
    assert threading.active_count() == before


def test_the_fallback_is_told_word_for_word(user_agent: UserAgent) -> None:
    box = FakeFiles()
    made = AskUserDoor(box, user_agent.session())
    box.write(door.BOX / "question", b"77\nWhich licence?")
    assert made.answer_one() and not made.answer_one()
    assert box.read(door.BOX / "answer") == b"77\n15 questions left\n" + FALLBACK.encode()


def test_the_script_is_part_of_the_package() -> None:
    assert (Path(door.__file__).parent / "ask_user.sh").read_text().startswith("#!/bin/bash\n")
