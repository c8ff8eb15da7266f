"""The process that hosts one episode for a foreign agent (see ``icae_env.integrations.messages``).

It is started by ``HostedEpisode`` in a session of its own, so that neither Ctrl-C nor the end of the driving process reaches it.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

from icae_env.env.actions import ACTION_TYPES
from icae_env.env.observations import Observation, plain
from icae_env.env.start import start_text
from icae_env.errors import ConfigError, ICAEError, InfraError
from icae_env.factory import make_env
from icae_env.integrations.messages import Failed, Over, Ready, Setting, Shown
from icae_env.integrations.outside import Inbox, OutsideAgent
from icae_env.rollout.job import Job
from icae_env.rollout.plan import versions
from icae_env.rollout.player import Player
from icae_env.rollout.store import RUN_FILE, EpisodeRow, Run, RunConfig
from icae_env.rollout.writer import RunWriter
from icae_env.sandbox.base import Limits
from icae_env.tasks import PublicTask, check_level, find_task
from icae_env.wired import Wired


class Wire:
    """Where the host writes to; a watcher of the episode, which tells what each action showed.

    Args:
        stream: Text, one document a line.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def say(self, said: Ready | Shown | Over | Failed) -> None:
        """Write a line; that nobody reads it any more is no error."""
        try:
            self._stream.write(said.model_dump_json() + "\n")
            self._stream.flush()
        except (BrokenPipeError, ValueError):
            pass

    def began(self, task: PublicTask, observation: Observation, info: Mapping[str, Any]) -> None:
        """See the first observation."""

    def acting(self, action: Any) -> None:
        """See an action before it is carried out."""

    def stepped(self, action: Any, observation: Observation, info: Mapping[str, Any]) -> None:
        """Tell what an action showed."""
        self.say(Shown(**plain(observation), end=info.get("end")))


def host(setting: Setting, inbox: Inbox, wire: Wire) -> EpisodeRow | None:
    """Play the episode of a setting; return how it came out, or None if no action came.

    Raises:
        ConfigError: Something of the setting is wrong, or its run directory holds a scored episode.
        InfraError: The sandbox or the run directory cannot be used.
    """
    with ExitStack() as stack:
        ready = stack.enter_context(_checked(setting))
        folder = setting.folder or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="icae-run-", ignore_cleanup_errors=True))
        )
        writer = stack.enter_context(closing(_writer(setting, folder)))
        wire.say(ready)
        first = inbox.get()
        if first is None:
            return None
        agent = OutsideAgent(first, inbox, setting.idle)
        player = stack.enter_context(closing(Player(watcher=wire, agents=lambda name, options: agent)))
        job = Job(
            key=setting.key, folder=writer.episode(setting.key).folder.absolute(), sandbox=setting.sandbox,
            image=setting.image, env=setting.env, score_workers=setting.score_workers,
        )  # fmt: skip
        return player.play(job).row


@contextmanager
def _checked(setting: Setting) -> Iterator[Ready]:
    """Yield what can be said before the episode begins; its sandbox backend stays open meanwhile."""
    key = setting.key
    spec = find_task(key.task).spec
    level = check_level(key.level)
    if level not in spec.levels:
        raise ConfigError(
            f"A task of kind '{spec.kind}' has no level '{level}'.", field="--level",
            mend=f"choose one of {', '.join(spec.levels)}.",
        )  # fmt: skip
    with closing(
        make_env(key.task, level, setting.sandbox, setting.image, language=key.language, **setting.env)
    ) as env:
        config = env.config
    wired = Wired(
        tasks=(key.task,), levels=(level,), sandbox=setting.sandbox, image=setting.image, resources=Limits(), workers=1,
        language=key.language,
    )  # fmt: skip
    with closing(wired):
        task = wired.load(key.task, level)
        wired.image(task)
        limits = config.limits(task.spec.limits)
        actions = tuple(name for name in ACTION_TYPES if name != "ask_user" or limits.questions)
        yield Ready(text=start_text(task, limits, config), actions=actions)


def _writer(setting: Setting, folder: Path) -> RunWriter:
    """Open the run directory; one whose episode was not scored is gone on with."""
    begun = (folder / RUN_FILE).exists()
    if begun and all(episode.row and episode.row.status == "ok" for episode in Run(folder).episodes()):
        raise ConfigError(
            "This directory holds a scored episode already.",
            file=folder,
            field="--out",
            mend="name another --out.",
        )
    config = RunConfig(
        created=datetime.now(UTC), episodes=(setting.key,), sandbox=setting.sandbox, image=setting.image, env=setting.env,
        versions=versions(),
    )  # fmt: skip
    return RunWriter(folder, config, resume=begun)


def summary(row: EpisodeRow | None, folder: Path | None) -> str:
    """Return one line that says how an episode came out, for the host's people."""
    if row is None:
        return "No action came; nothing was played."
    score = f"reward {row.reward:.3f}" if row.reward is not None else f"not measured ({row.error})"
    kept = f" Kept in {folder}." if folder is not None else ""
    return f"{row.key.task} {row.key.level}: {score}, end {row.end}, {row.steps} steps, {row.questions} questions.{kept}"


def main() -> None:
    """Host the episode that standard input asks for."""
    wire = Wire(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)  # what anything else prints must not come between the lines
    if "" not in sys.path:
        sys.path.append("")  # module:Class may lie in the current directory
    setting = Setting.model_validate_json(sys.stdin.readline())
    inbox: Inbox = Inbox()
    threading.Thread(target=_read, args=(inbox,), name="icae actions", daemon=True).start()

    def leave(number: int, frame: FrameType | None) -> None:
        inbox.put(None)

    signal.signal(signal.SIGTERM, leave)
    try:
        row = host(setting, inbox, wire)
    except ICAEError as error:
        wire.say(Failed(message=str(error), infra=isinstance(error, InfraError)))
        return
    print(f"icae: {summary(row, setting.folder)}", file=sys.stderr, flush=True)
    wire.say(Over(row=row))


def _read(inbox: Inbox) -> None:
    for line in sys.stdin:
        inbox.put(line)
    inbox.put(None)
