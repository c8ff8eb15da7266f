"""Agents and backends for the tests of runs; subprocesses find them by the module path of this folder."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from icae_env.errors import ModelLimitError, SandboxStartError
from icae_env.llm.base import Message
from icae_env.sandbox.fake import FakeBackend

SUBMIT = {"type": "submit"}


class Idle:
    """Submit at once."""

    name, privileged = "idle", False

    def begin(self, brief):
        self.brief = brief

    def act(self, observation):
        return SUBMIT


class Raising(Idle):
    """Fail in the call that is named."""

    def __init__(self, where="act"):
        self.where, self.left = where, 2

    def begin(self, brief):
        if self.where == "begin":
            raise SystemExit(3)

    def act(self, observation):
        self.left -= 1
        if self.left:
            return {"type": "bash", "command": "echo"}
        raise LookupError("no idea")


class Giving(Idle):
    """Give up."""

    def act(self, observation):
        self.ended = "format"
        return SUBMIT


class Thinking(Idle):
    """Ask the model until it has no tool call to say."""

    needs_model = True

    def begin(self, brief):
        self.brief = brief
        self.talk = [Message(role="system", text="Go."), Message(role="user", text=brief.task.id)]
        brief.phase("first")

    def act(self, observation):
        completion = self.brief.model.complete(self.talk)
        self.talk = [*self.talk, completion.message, Message(role="user", text=observation["text"])]
        if completion.message.text == "submit":
            return SUBMIT
        return {"type": "bash", "command": completion.message.text}


class Limited(Idle):
    """Run into a limit of the model."""

    def act(self, observation):
        raise ModelLimitError("Enough.", limit="cost")


class Picky(Idle):
    """Play one task only."""

    def plays(self, task):
        return task == "bracex"


class Slow(Idle):
    """Do steps until a file appears, then submit; tell in another file that it has begun."""

    def __init__(self, begun, go):
        self.begun, self.go = Path(begun), Path(go)

    def act(self, observation):
        if self.go.exists():
            return SUBMIT
        with self.begun.open("a") as stream:
            stream.write(f"{self.brief.task.id} {self.brief.seed} {os.getpid()}\n")
        return {"type": "bash", "command": "sleep 0.2"}


class Blocking(Idle):
    """Wait in one long command."""

    def __init__(self, begun):
        self.begun = Path(begun)

    def act(self, observation):
        print("An agent that prints.")
        self.begun.touch()
        return {"type": "bash", "command": "sleep 150"}


class Unsteady(FakeBackend):
    """Fail to start the first sandboxes, as many as ``failures`` says."""

    failures = 0
    lock = threading.Lock()

    def create(self, config):
        with self.lock:
            if type(self).failures > 0:
                type(self).failures -= 1
                raise SandboxStartError("It did not start.")
        return super().create(config)


def waited(condition, seconds=60.0):
    """Wait until something holds, and return what it gave."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")
