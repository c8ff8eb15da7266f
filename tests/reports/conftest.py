"""A real headless Chromium, and a run with real episodes in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("no Chromium is installed; mend: apt-get install chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found)
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[[Path], Page]]:
    """Opens a file as a page; at the end nothing may have been said on its console and nothing asked of the network."""
    context = browser.new_context(offline=True)
    trouble: list[str] = []

    def opened(file: Path) -> Page:
        page = context.new_page()
        page.on("console", lambda message: trouble.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on(
            "request", lambda request: None if request.url == file.as_uri() else trouble.append(request.url)
        )
        page.goto(file.as_uri())
        page.wait_for_selector("#list-body tr")
        return page

    yield opened
    context.close()
    assert trouble == []
