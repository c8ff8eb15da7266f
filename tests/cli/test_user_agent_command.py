"""icae user-agent serve: a process that answers over HTTP until it is interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import urllib.request
from typing import Any

import pytest
from icae_program import ICAE, icae


def post(port: int, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", data=json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=20) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("key", [None, "of-my-own"])
def test_it_serves_until_it_is_told_to_end(key: str | None, ending: signal.Signals) -> None:
    env = {name: value for name, value in os.environ.items() if name != "ICAE_USER_AGENT_KEY"}
    env |= {"ICAE_USER_AGENT_KEY": key} if key else {}
    process = subprocess.Popen(
        [*ICAE, "user-agent", "serve", "bracex", "--port", "0", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        assert (
            ("key" in told) is (key is None) and told["host"] == "127.0.0.1" and told["tasks"] == ["bracex"]
        )
        begun = post(told["init"], {"key": key or told["key"], "model": "m"})
        question = "What happens to a range whose step is zero?"
        token = begun["tokens"]["bracex"]
        answer = post(told["query"], {"append_id": token, "task_id": "bracex", "question": question})
        assert answer["status"]["remaining"] == 15 and answer["data"]
        assert post(told["stats"], {"append_id": begun["append_id"]})["budget"] == 6.2
        process.send_signal(ending)
        assert process.wait(20) == 0
        assert process.stderr is not None and process.stderr.read() == ""
    finally:
        process.kill()
        process.communicate()


def test_wrong_input_is_named() -> None:
    for arguments, words in (
        (["no-such-task"], "no-such-task"),
        (["--router", "oracle"], "oracle"),
        (["bracex", "--host", "not-an-address.invalid"], "listen"),
    ):
        done = icae("user-agent", "serve", *arguments)
        assert done.exit_code == 2 and words in done.stderr
