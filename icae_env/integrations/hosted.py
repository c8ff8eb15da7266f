"""One episode in a process of its own, for programs that call the environment."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from icae_env.errors import ConfigError, EpisodeStateError, ICAEError, InfraError
from icae_env.integrations.messages import SAID, Failed, Over, Ready, Setting, Shown
from icae_env.rollout.store import EpisodeRow

_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from icae_env.integrations.host import main; main()"
"""The host finds modules where this process finds them."""


class HostedEpisode:
    """An episode that begins with its first action and is scored when it ends, also when this process is killed.

    Args:
        setting: What to play.

    Raises:
        ConfigError: Something of the setting is wrong.
        InfraError: The host's side cannot play it.
    """

    def __init__(self, setting: Setting) -> None:
        self._turn = threading.Lock()
        self._said: queue.SimpleQueue[Ready | Shown | None] = queue.SimpleQueue()
        self._result: Future[EpisodeRow | None] = Future()
        self.begun = False
        """Whether an action was taken."""
        self.end: str | None = None
        """Why it is over; None while it is not."""
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, json.dumps(sys.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, encoding="utf-8", start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=self._listen, name="icae host", daemon=True).start()
        self._write(setting.model_dump_json())
        ready = self._said.get()
        if not isinstance(ready, Ready):
            self.close()
            self.result()
            raise InfraError("The process that hosts the episode ended before it began.")
        self.ready = ready

    def act(self, action: Mapping[str, Any]) -> Shown:
        """Carry out one action; several threads may call, and wait for each other.

        Raises:
            EpisodeStateError: The episode is over.
            InfraError: The host's side failed; nothing was measured.
        """
        with self._turn:
            if self.end is not None:
                raise EpisodeStateError("The episode is over.")
            self.begun = True
            self._write(json.dumps(action))
            shown = self._said.get()
            if not isinstance(shown, Shown):
                self.end = "infra"
                row = self.result()
                if (
                    row is not None and row.end is not None
                ):  # it ended for another reason while this action came
                    self.end = row.end
                    raise EpisodeStateError(f"The episode is over ({row.end}).")
                raise InfraError(f"The episode failed: {row.error if row else 'it was closed'}")
            self.end = shown.end
            return shown

    def leave(self) -> None:
        """Say that no action will come any more: what is there is scored. A second call does nothing."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()

    @property
    def over(self) -> bool:
        """Whether it is scored and written, or has failed."""
        return self._result.done()

    @property
    def row(self) -> EpisodeRow | None:
        """How it came out; None while it is not over, and where nothing came of it."""
        return self._result.result() if self._result.done() and self._result.exception() is None else None

    def result(self, timeout: float | None = None) -> EpisodeRow | None:
        """Wait until the episode is scored and written, and return how it came out; None: nobody played.

        Args:
            timeout: Seconds; None: as long as it takes.

        Raises:
            ConfigError: Something of the setting is wrong.
            InfraError: The host's side failed before anything could be written.
            TimeoutError: It takes longer.
        """
        return self._result.result(timeout)

    def close(self) -> None:
        """End the episode and wait until it is scored; a second call does nothing."""
        self.leave()
        with suppress(ICAEError):
            self.result()
        self._process.wait()

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            self._said.put(None)  # it is over, as its last word says

    def _listen(self) -> None:
        """Take in what the host says, in a thread of its own."""
        assert self._process.stdout is not None
        last: Over | Failed | None = None
        with self._process.stdout as lines:
            for line in lines:
                try:
                    said = SAID.validate_json(line)
                except ValidationError:  # half a line of a host that was killed
                    break
                if isinstance(said, Over | Failed):
                    last = said
                else:
                    self._said.put(said)
        self._process.wait()
        match last:
            case Over():
                self._result.set_result(last.row)
            case Failed():
                self._result.set_exception((InfraError if last.infra else ConfigError)(last.message))
            case None:
                code = self._process.returncode
                self._result.set_exception(
                    InfraError(f"The process that hosts the episode ended with code {code}.")
                )
        self._said.put(None)
