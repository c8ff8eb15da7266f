"""The page of a report in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_maker import call, reset_line, step_line, write_page
from playwright.sync_api import Page, expect
from run_maker import add_files, case, gaps, key, make_run, report, row, use

from icae_env import Recorder, make_env
from icae_env.env.trajectory import StepLine, read_trajectory
from icae_env.evaluation import EvalReport
from icae_env.rollout import make_agent, play

Opener = Callable[[Path], Page]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with one episode that was really played, one that failed a case, one infra and one unfinished."""
    folder = tmp_path_factory.mktemp("run")
    env = Recorder(make_env("bracex", "L1", "bubblewrap", "host"), folder / "trajectory.jsonl")
    result = play(make_agent("scripted"), env, seed=0)
    env.close()
    scored = result.report
    assert isinstance(scored, EvalReport)
    suites = scored.suites
    assert suites.native and suites.enhanced
    whole = key("bracex", agent="scripted")
    part = key("ssf", agent="react", model="openai/m")
    broken = key("stockholm", agent="react", model="openai/m")
    run = make_run(
        folder / "my run",
        [
            row(whole, result.reward, steps=result.steps, questions=result.questions, native=suites.native.rate,
                enhanced=suites.enhanced.rate, coverage=1.0, gaps=gaps("bracex", {"dollar": "implemented"})),
            row(part, 0.5, model_use=use(), coverage=0.25, gaps=gaps("ssf", {"dates": "missed"})),
            row(broken, None),
        ],
        [key("span-sets")],
    )  # fmt: skip
    add_files(run, whole, read_trajectory(folder / "trajectory.jsonl"), scored)
    cases = [case(1, "pass"), case(2, "mismatch", "first\nsecond\n", "first\nother\n"), case(3, "missing")]
    lines = [
        reset_line(),
        call(0, "I look first."),
        step_line(0, {"type": "bash", "command": "ls\npwd"}, "run.py", 1),
        call(1, "I ask.", (None, 7)),
        step_line(1, {"type": "ask_user", "question": "Which dates?"}, "All dates are UTC.", user_agent={
            "question": "Which dates?", "kind": "answer", "revealed": ["dates"], "matches": [{"id": "dates", "score": 2.5}],
            "pointers": [], "signature": False, "charged": True, "flagged": None}),
        step_line(2, {"type": "submit"}, "Over.", end="submit"),
    ]  # fmt: skip
    add_files(run, part, lines, report("ssf", cases))
    return run


def test_the_page_shows_plots_tables_and_every_episode(played: Path, open_page: Opener) -> None:
    page = open_page(write_page(played))
    assert page.title() == "icae report: my run"
    for plot in ("plot-rates", "plot-coverage", "plot-cost", "plot-outcomes"):
        box = page.locator(f"#{plot} svg[role=img]").bounding_box()
        assert box is not None and box["width"] > 200 and box["height"] > 80, plot
    assert page.locator("#plot-rates circle.overall").count() == 2
    assert page.locator("#plot-coverage circle.mark").count() == 2
    assert page.locator("#plot-cost circle.mark").count() == 1
    assert "infra 1" in page.locator("#plot-rates").text_content()
    tiles = page.locator(".tiles").inner_text()
    assert "75.0 %" in tiles
    assert "1 unfinished" in tiles
    lines = page.locator("#list-body tr")
    assert lines.count() == 4
    assert [line.split("\t")[0] for line in lines.all_inner_texts()] == [
        "bracex",
        "ssf",
        "stockholm",
        "span-sets",
    ]
    assert "missed" in page.locator("#gap-table").inner_text()
    assert (
        page.evaluate(
            "[...document.querySelectorAll('[id]')].map(e => e.id).filter((id, n, all) => all.indexOf(id) < n)"
        )
        == []
    )


def test_a_click_opens_the_episode_that_was_really_played(played: Path, open_page: Opener) -> None:
    page = open_page(write_page(played))
    page.locator("#list-body button", has_text="bracex").click()
    page.wait_for_selector("#viewer .steps")
    steps = page.locator("#viewer details.step")
    trajectory = [
        line
        for line in read_trajectory(
            played / "episodes" / key("bracex", agent="scripted").id / "trajectory.jsonl"
        )
        if isinstance(line, StepLine)
    ]
    assert steps.count() == len(trajectory)
    asking = page.locator("#viewer details.step.kind-ask_user").first
    asking.locator("summary").first.click()
    asking.locator("pre").first.wait_for()
    first = next(line for line in trajectory if line.action["type"] == "ask_user")
    assert first.action["question"] in asking.inner_text()
    assert first.observation.text.split("\n")[0] in asking.inner_text()
    for name in first.info["user_agent"]["revealed"]:
        assert f"hit {name}" in asking.inner_text() or name in asking.inner_text()
    editing = page.locator("#viewer details.step.kind-edit").first
    editing.locator("summary").first.click()
    editing.locator(".diff").wait_for()
    created = next(line for line in trajectory if line.action["type"] == "edit")
    wanted = [f"+{line}" for line in str(created.action["text"]).split("\n")][:5]
    assert editing.locator(".diff .add").all_text_contents()[:5] == wanted
    page.locator("#tab-cases").click()
    assert "187 cases" in page.locator("#panel").inner_text()
    assert page.locator("#panel .case").count() == 25
    page.locator("#panel .pages button", has_text="»").click()
    assert page.locator("#panel .case").count() == 187 - 7 * 25
    page.locator("#tab-questions").click()
    assert page.locator("#panel .question").count() == sum(
        line.action["type"] == "ask_user" for line in trajectory
    )
    page.keyboard.press("Escape")
    assert not page.locator("#viewer").is_visible()


def test_expected_and_actual_stand_side_by_side(played: Path, open_page: Opener) -> None:
    page = open_page(write_page(played))
    page.locator("#list-body button", has_text="ssf").click()
    page.locator("#tab-cases").click()
    assert page.locator("#panel .case").count() == 2  # the failed ones first
    sides = page.locator("#panel .case").first.locator(".sides > div")
    boxes = [sides.nth(number).bounding_box() for number in (0, 1)]
    assert boxes[0] and boxes[1]
    assert boxes[0]["y"] == boxes[1]["y"] and boxes[0]["x"] + boxes[0]["width"] < boxes[1]["x"]
    assert sides.all_inner_texts() == ["expected\nfirst\nsecond", "actual\nfirst\nother"]
    assert page.locator("#panel .off").all_inner_texts() == ["second", "other"]
    assert "no output" in page.locator("#panel .case").nth(1).inner_text()
    page.locator("#panel select").select_option("pass")
    assert "case-001" in page.locator("#panel").inner_text()


def test_model_messages_tokens_and_records_are_told(played: Path, open_page: Opener) -> None:
    page = open_page(write_page(played))
    page.locator("#list-body button", has_text="ssf").click()
    line = page.locator("#viewer details.step").nth(1)
    assert "hit dates" in line.inner_text()
    page.locator("#viewer button", has_text="open all here").click()
    expect(page.locator("#viewer .inside")).to_have_count(3)
    said = line.inner_text()
    for part in ("I ask.", "tokens in\nunknown", "out\n7", "dates (2.50)", "All dates are UTC.", "$0.01"):
        assert part in said, part
    assert "exit 1" in page.locator("#viewer details.step").first.inner_text()
    assert "The episode ended: submit." in page.locator("#viewer details.step").nth(2).inner_text()


def test_the_keyboard_is_enough(played: Path, open_page: Opener) -> None:
    page = open_page(write_page(played))
    page.locator("#list-body button").nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#viewer .steps")
    page.locator("#tab-steps").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#tab-questions").get_attribute("aria-selected") == "true"
    assert "Which dates?" in page.locator("#panel").inner_text()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.open") == "1"
    page.locator("#list-head button", has_text="pass rate").focus()
    page.keyboard.press("Enter")
    assert page.locator("#list-head th[aria-sort=descending]").count() == 1
    assert [text.split("\t")[0] for text in page.locator("#list-body tr").all_inner_texts()][:2] == [
        "bracex",
        "ssf",
    ]


def test_a_link_to_an_episode_opens_it(played: Path, open_page: Opener) -> None:
    page = open_page(write_page(played))
    page.locator("#plot-coverage circle.mark[data-episode='1']").click()
    page.wait_for_selector("#viewer .steps")
    assert page.evaluate("location.hash") == "#episode-1"
    assert "ssf" in page.locator("#viewer-title").inner_text()
    page.reload()
    page.wait_for_selector("#viewer .steps")
    assert "ssf" in page.locator("#viewer-title").inner_text()


def test_a_run_of_nothing_has_a_page(tmp_path: Path, open_page: Opener) -> None:
    page = open_page(write_page(make_run(tmp_path / "run", [], [key()])))
    assert "No episode hides constraints." in page.locator("#plots").inner_text()
    assert page.locator("#list-body tr").count() == 1
    page.locator("#list-body button").first.click()
    page.wait_for_selector("#viewer .steps")
