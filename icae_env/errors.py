"""Every error this package raises on purpose.

    ICAEError
    ├── ConfigError (also ValueError)       what the user wrote is wrong: file, field and mend are named
    │   ├── UnknownNameError (also KeyError) a name that is not registered; the valid ones are listed
    │   └── ManifestError                    a dependency manifest that is broken: file, line and reason
    ├── ModelLimitError                      a limit on tokens, cost or model time is used up; the episode ends and is scored
    ├── MissingDependencyError (ImportError) an optional package is not installed; names the command
    ├── EpisodeStateError                    a call that the episode's state does not allow
    └── InfraError                           the host's side failed: nothing was measured, reward None
        ├── SandboxError
        │   ├── SandboxUnavailableError      this backend cannot work on this machine; names the mend
        │   ├── SandboxStartError            it could not be started
        │   └── SandboxDiedError             it was there and is gone, and not by the agent's doing
        ├── UserAgentError                   the User Agent's router or model failed
        └── ModelError                       a language model could not be asked
            ├── ModelUnavailableError        it could not be reached or failed, also after the retries
            ├── ModelRequestError            it does not accept the request (key, name, parameter)
            └── ContextExceededError         the conversation is too long for it

An agent's own failures (a non-zero exit, a killed shell, a full disk quota) are results, never errors.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class ICAEError(Exception):
    """Base of every error raised by this package on purpose."""


class ConfigError(ICAEError, ValueError):
    """Report input that the user can mend.

    Args:
        message: What is wrong, in one sentence.
        file: The file it stands in, if it came from one.
        field: The field within the file, dotted (``cases.3.input``).
        mend: What to write or run instead.
    """

    def __init__(
        self,
        message: str,
        *,
        file: Path | str | None = None,
        field: str | None = None,
        mend: str | None = None,
    ) -> None:
        self.message, self.file, self.field, self.mend = message, file, field, mend
        where = ": ".join(
            part for part in (str(file) if file else "", f"field '{field}'" if field else "") if part
        )
        super().__init__((f"{where}: " if where else "") + message + (f" Mend: {mend}" if mend else ""))


class UnknownNameError(ConfigError, KeyError):
    """Report a name that is not registered, with the valid names and the nearest one."""

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        names = sorted(valid)
        near = difflib.get_close_matches(name, names, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        listed = ", ".join(names) if names else "(none)"
        super().__init__(f"There is no {kind} '{name}'.{hint} Valid names: {listed}.")
        self.kind, self.name, self.valid = kind, name, names

    def __str__(self) -> str:
        return str(self.args[0])


class ManifestError(ConfigError):
    """Report a dependency manifest that its ecosystem's own tools would not accept either, or that cannot be read here.

    Args:
        reason: What is wrong, in one sentence.
        file: The manifest, relative to the project's folder.
        line: Where, from 1; None where its format's reader does not tell.
        mend: What to write instead.
    """

    def __init__(
        self, reason: str, *, file: Path | str, line: int | None = None, mend: str | None = None
    ) -> None:
        super().__init__(reason, file=file if line is None else f"{file}:{line}", mend=mend)
        self.reason, self.file, self.line = reason, str(file), line


class MissingDependencyError(ICAEError, ImportError):
    """Report an optional package that is not installed."""

    def __init__(self, package: str, *, needed_for: str, install: str) -> None:
        super().__init__(f"{needed_for} needs the package '{package}'. Install it with: {install}")


class EpisodeStateError(ICAEError, RuntimeError):
    """Report a call that does not fit the episode's state, such as a step before the first reset."""


class ModelLimitError(ICAEError, RuntimeError):
    """Report that an episode's limit on tokens, cost or model time is used up; what is there is scored.

    Args:
        message: Which limit, and how much of it was used.
        limit: Its name: ``tokens``, ``cost`` or ``model_seconds``.
    """

    def __init__(self, message: str, *, limit: str) -> None:
        super().__init__(message)
        self.limit = limit


class InfraError(ICAEError, RuntimeError):
    """Report a failure on the host's side; the episode has no reward (None), never 0."""


class SandboxError(InfraError):
    """Base of what goes wrong with a sandbox on the host's side."""


class SandboxUnavailableError(SandboxError):
    """Report that a sandbox backend cannot work on this machine, and the command that mends it."""

    def __init__(self, backend: str, reason: str, *, mend: str | None = None) -> None:
        super().__init__(
            f"Sandbox '{backend}' cannot be used here: {reason}" + (f" Mend: {mend}" if mend else "")
        )
        self.backend, self.reason, self.mend = backend, reason, mend


class SandboxStartError(SandboxError):
    """Report that a sandbox could not be started."""


class SandboxDiedError(SandboxError):
    """Report that a running sandbox is gone and that nothing inside it can be the cause."""


class UserAgentError(InfraError):
    """Report that the User Agent's router or model failed; no budget is charged."""


class ModelError(InfraError):
    """Report that a language model could not be asked."""


class ModelUnavailableError(ModelError):
    """Report that a model's service could not be reached or failed, also after the retries."""


class ModelRequestError(ModelError):
    """Report that a model's service does not accept the request: the key, the model's name or a parameter is wrong."""


class ContextExceededError(ModelError):
    """Report that a conversation is too long for the model."""
