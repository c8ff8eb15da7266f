from __future__ import annotations

from pathlib import Path

import pytest
from sample_records import write_records

from icae_env.user_agent import RecordSet, UserAgent, load_records


@pytest.fixture
def records(tmp_path: Path) -> RecordSet:
    return load_records(write_records(tmp_path / "L1.json"))


@pytest.fixture
def user_agent(records: RecordSet) -> UserAgent:
    return UserAgent(records)
