"""An environment class for mini-swe-agent (version 2), so that its own programs and agents play our tasks.

    mini -c mini_icae.yaml -c environment.task=bracex -y --exit-immediately

with the ``mini_icae.yaml`` that lies beside this file, or with any configuration of one's own that names the class
``icae_env.integrations.mini_swe.ICAEEnvironment`` and tells the model to read ``/workspace/start.md``. Each command is one action
of the episode. It runs in a subshell, as that agent's prompts say: directory and variables do not stay. ``ask-user`` and
``submit`` work in commands; the line by which mini-swe-agent's models hand in does so here, too.
"""

from __future__ import annotations

import atexit
import logging
import platform
import shlex
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from icae_env.errors import EpisodeStateError
from icae_env.integrations.hosted import HostedEpisode
from icae_env.integrations.messages import Setting, Shown
from icae_env.rollout.store import EpisodeKey, EpisodeRow
from icae_env.tasks import find_task

SENTINEL = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
"""What mini-swe-agent's models print, first and with exit code 0, to hand in."""
CONFIG = Path(__file__).with_name("mini_icae.yaml")
"""A configuration of mini-swe-agent whose prompt holds the task's rules and requirements."""


class ICAEEnvironmentConfig(BaseModel):
    """What can be set under ``environment:`` in a configuration of mini-swe-agent."""

    model_config = ConfigDict(extra="forbid")

    task: str = "bracex"
    level: str | None = None
    """None: the task's first."""
    language: str | None = None
    seed: int = 0
    sandbox: str = "auto"
    image: str = "auto"
    steps: int | None = None
    questions: int | None = None
    seconds: float | None = None
    """Limits of the episode; None: the task's."""
    timeout: float | None = None
    """Seconds of one command; None: as the task says."""
    cwd: str = "/workspace"
    """Directory in which commands start."""
    env: dict[str, str] = {}
    """Variables of commands."""
    out: Path | None = None
    """Run directory; None: only mini-swe-agent's own trajectory is kept."""
    name: str = "mini-swe-agent"
    """Name of the agent in the run."""


class ICAEEnvironment:
    """Play one episode; its score is in ``row``, and under ``info.icae`` of the trajectory that mini-swe-agent saves.

    An episode that its agent does not hand in is scored when the process ends.

    Args:
        config_class: Model of the configuration.
        **kwargs: Its fields.

    Raises:
        ConfigError: Something of it is wrong.
        InfraError: The host's side cannot play it.
    """

    def __init__(
        self, *, config_class: type[ICAEEnvironmentConfig] = ICAEEnvironmentConfig, **kwargs: Any
    ) -> None:
        config = self.config = config_class(**kwargs)
        level = config.level or find_task(config.task).spec.levels[0]
        given = {
            "steps": config.steps, "questions": config.questions, "seconds": config.seconds,
            "command_seconds": config.timeout,
        }  # fmt: skip
        key = EpisodeKey(
            task=config.task, level=level, agent=config.name, seed=config.seed, language=config.language
        )
        env = {name: value for name, value in given.items() if value is not None}
        self._episode = HostedEpisode(
            Setting(key=key, sandbox=config.sandbox, image=config.image, env=env, folder=config.out)
        )
        self.row: EpisodeRow | None = None
        """How the episode came out; None while it is not over."""
        atexit.register(self.close)

    def execute(self, action: dict[str, Any], cwd: str = "") -> dict[str, Any]:
        """Run a command.

        Args:
            action: The command is in ``command``.
            cwd: Where it starts.

        Returns:
            ``output``, ``returncode`` and ``exception_info``.

        Raises:
            Submitted: It handed in; of mini-swe-agent, as the next one.
            LimitsExceeded: A limit of the episode is reached, or it was over before.
            InfraError: The host's side failed.
        """
        from minisweagent.exceptions import LimitsExceeded, Submitted  # noqa: PLC0415 - only its users have it

        try:
            shown = self._episode.act(
                {"type": "bash", "command": self._wrapped(action.get("command", ""), cwd)}
            )
            handed_in = _handed_in(shown)
            if shown.end is None and handed_in is not None:
                shown = self._episode.act({"type": "submit"})
        except EpisodeStateError as over:
            raise LimitsExceeded(_exit("LimitsExceeded", str(over))) from over
        if shown.end is None:
            return {"output": shown.text, "returncode": shown.exit_code, "exception_info": ""}
        self.row = self._episode.result()
        if shown.end == "submit":
            raise Submitted(_exit("Submitted", handed_in or ""))
        raise LimitsExceeded(_exit("LimitsExceeded", shown.text))

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        """Return what prompts may hold: the configuration, the system as ``platform.uname`` names it, and the text ``start``."""
        system = {**platform.uname()._asdict(), "node": "sandbox"}
        return {**self.config.model_dump(mode="json"), **system, "start": self._episode.ready.text, **kwargs}

    def serialize(self) -> dict[str, Any]:
        """Return what mini-swe-agent's trajectory keeps: the configuration and, once it is over, the episode's row."""
        kind = f"{type(self).__module__}.{type(self).__name__}"
        settings = {"environment": self.config.model_dump(mode="json"), "environment_type": kind}
        row = self.row.model_dump(mode="json") if self.row is not None else None
        return {"info": {"config": settings, "icae": row}}

    def close(self) -> None:
        """End the episode, wait until it is scored, and release what it holds; a second call does nothing."""
        atexit.unregister(self.close)
        if not self._episode.over and self._episode.begun:
            logging.getLogger("minisweagent.environment").info("The episode is being scored.")
        self._episode.close()
        self.row = self._episode.row

    def _wrapped(self, command: str, cwd: str) -> str:
        """Return a command that runs one in a subshell of its own; ``eval`` takes texts of any length."""
        variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in self.config.env.items())
        export = f"export {variables}; " if variables else ""
        return f"({export}cd {shlex.quote(cwd or self.config.cwd)} && eval {shlex.quote(command)})"


def _handed_in(shown: Shown) -> str | None:
    """Return what follows the line that hands in; None when it is not there."""
    lines = shown.text.lstrip().splitlines(keepends=True)
    if shown.exit_code != 0 or not lines or lines[0].strip() != SENTINEL:
        return None
    return "".join(lines[1:])


def _exit(status: str, text: str) -> dict[str, Any]:
    """Return the message that ends mini-swe-agent's loop."""
    submission = text if status == "Submitted" else ""
    return {"role": "exit", "content": text, "extra": {"exit_status": status, "submission": submission}}
