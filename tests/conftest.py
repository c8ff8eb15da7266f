"""For all tests: in CI nothing may be skipped, for there a missing backend is a fault of the set-up; shared checks show values."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

# Shown values in failed checks of these modules; here, as it must come before any test's import of them.
pytest.register_assert_rewrite("icae_env.llm.conformance")

CI_VARIABLE = "ICAE_CI"
"""With the value 1, a test or module that would be skipped fails."""


def _no_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if os.environ.get(CI_VARIABLE) != "1" or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"{report.nodeid} may not be skipped with {CI_VARIABLE}=1. {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _no_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _no_skip(report)
    return report
