"""What episodes print can neither run in the page nor break it, nor make it too large."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hostile import HOSTILE, STORED, TEXT
from page_maker import call, reset_line, step_line, write_page
from playwright.sync_api import Browser, Page, expect
from run_maker import add_files, case, gaps, key, make_run, report, row, use

from icae_env.env.trajectory import ModelLine, ResetLine, StepLine
from icae_env.reports import load_rows, summarise
from icae_env.reports.html import page as html_page
from icae_env.reports.visible import visible

Opener = Callable[[Path], Page]


def hostile_run(folder: Path) -> Path:
    episode = key(f"</script>{TEXT[:80]}", agent=f"x{TEXT}", model=f"openai/{TEXT}", options={"a": TEXT})
    run = make_run(folder, [row(episode, 0.5, model_use=use(), coverage=0.5, error=TEXT, end=TEXT[:30], domain=TEXT,
        gaps=gaps("x", {TEXT: "missed"}))])  # fmt: skip
    actions: list[dict[str, object]] = [
        {"type": "bash", "command": TEXT},
        {"type": "edit", "op": "create", "path": TEXT, "text": TEXT},
        {"type": "edit", "op": "replace", "path": TEXT, "old": HOSTILE[0], "new": HOSTILE[1] + TEXT},
        {"type": "ask_user", "question": TEXT},
        {"type": "invalid", "message": TEXT, "given": TEXT},
        {"type": "terminal", "keys": TEXT},
        {"type": TEXT},
    ]  # fmt: skip
    asked = {
        "question": TEXT,
        "kind": TEXT,
        "revealed": [TEXT],
        "matches": [{"id": TEXT, "score": 1.0}],
        "flagged": TEXT,
        "charged": True,
    }
    lines: list[ResetLine | StepLine | ModelLine] = [reset_line(TEXT)]
    for number, action in enumerate(actions):
        lines += [call(number, TEXT), step_line(number, action, f"{number}\n{TEXT}", user_agent=asked)]
    cases = [case(n, "mismatch", f"{n} {text}", f"{text} {n}") for n, text in enumerate(STORED)]
    add_files(run, episode, lines, report("x", cases))
    return run


def test_hostile_text_neither_runs_nor_breaks_the_page(tmp_path: Path, open_page: Opener) -> None:
    file = write_page(hostile_run(tmp_path / "<script>window.hit=7<"))
    page = open_page(file)
    assert page.locator("#list-body tr").count() == 1
    page.locator("#list-body button").first.click()
    page.wait_for_selector("#viewer .steps")
    page.locator("#viewer button", has_text="open all here").click()
    expect(page.locator("#viewer .inside")).to_have_count(7)
    for text in STORED:
        for line in visible(text).split("\n"):
            assert line in page.locator("#viewer details.step").first.locator("pre.command").text_content(), (
                text
            )
    for name in ("questions", "cases", "gaps", "begin"):
        page.locator(f"#tab-{name}").click()
        assert "onerror" in page.locator("#panel").text_content()
    assert page.evaluate("window.hit") is None
    assert (
        page.evaluate("document.querySelectorAll('script').length") == 3
    )  # the list, one episode, the program
    for name in ("img", "h1:nth-of-type(2)", "svg[onload]", "b"):
        assert page.locator(name).count() == 0, name
    raw = file.read_bytes()
    for sign in ("\x1b", "\x00", "\x07", "\x9b", "\u202e", "\u2066"):
        assert sign.encode() not in raw, sign


def test_the_policy_stops_what_is_not_the_page_itself(tmp_path: Path, browser: Browser) -> None:
    """A script that somehow got into the page does not run, and no text can be made markup."""
    file = write_page(make_run(tmp_path / "run", [row(key(), 0.5)]))
    forged = tmp_path / "forged.html"
    forged.write_text(
        file.read_text().replace(
            "</main>", "</main><script>window.hit = 1</script><img src=x onerror='window.hit = 2'>"
        )
    )
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(forged.as_uri())
    page.wait_for_selector("#list-body tr")
    assert page.evaluate("window.hit") is None
    assert sum("Content Security Policy" in line for line in said) >= 3
    refused = "try { document.body.innerHTML = '<b>x</b>'; 'done' } catch (error) { error.name }"
    assert page.evaluate(refused) == "TypeError"
    page.close()


def test_long_texts_are_cut_and_the_page_says_so(tmp_path: Path, open_page: Opener) -> None:
    run = make_run(tmp_path / "run", [row(key(), 0.5)])
    long = "x" * 50_000
    lines = [
        reset_line(),
        *(step_line(n, {"type": "bash", "command": f"echo {n}"}, f"{n}{long}") for n in range(250)),
    ]
    add_files(run, key(), lines, None)
    page = open_page(write_page(run))
    page.locator("#list-body button").first.click()
    page.wait_for_selector("#viewer .steps")
    assert "250 texts of this episode are cut to 20,000 characters" in page.locator("#viewer").inner_text()
    assert page.locator("#viewer details.step").count() == 100
    page.locator("#viewer .pages button", has_text="›").click()
    line = page.locator("#viewer details.step").first
    line.locator("summary").first.click()
    expect(line).to_contain_text("[... 30,003 characters are left out of this page ...]")
    page.locator("#viewer input[type=search]").fill("echo 249")
    expect(page.locator("#viewer details.step")).to_have_count(1)


def test_what_does_not_fit_is_left_out_and_the_page_says_so(tmp_path: Path, open_page: Opener) -> None:
    run = make_run(tmp_path / "run", [row(key(), 0.5)])
    add_files(run, key(), [reset_line()], None)
    rows = load_rows([run])
    file = run / "small.html"
    file.write_text(html_page(rows, summarise(rows), budget=10))
    page = open_page(file)
    page.locator("#list-body button").first.click()
    page.wait_for_selector("#viewer >> text=too large for the page")
