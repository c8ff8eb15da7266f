"""Namespaces around an init: how one bubblewrap process is started, and how it goes away."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
from collections.abc import Mapping, Sequence

from icae_env.errors import SandboxStartError
from icae_env.sandbox import bwrap_command, cgroups
from icae_env.sandbox.base import SandboxConfig
from icae_env.sandbox.launch.client import Child, Launcher
from icae_env.sandbox.rootfiles import RootFiles

_START_SECONDS = 20.0


class Namespaces:
    """A started bubblewrap process and the way into it; the common part of lasting and one-command sandboxes."""

    def __init__(self, config: SandboxConfig, identity: tuple[int, int], program: int, sources: bwrap_command.Sources) -> None:
        self.config, self.identity = config, identity
        self._program, self._sources = program, sources
        self.child: Child | None = None
        self.init = -1
        self.files: RootFiles | None = None
        self.group: cgroups.MemoryGroup | None = None
        self._init_fd = -1
        self._hold = -1

    def start(
        self, via: Launcher, command: Sequence[str], *, init: bool, env: Mapping[str, str], streams: Mapping[int, int]
    ) -> None:
        """Start bubblewrap and wait until its mounts are in place.

        Args:
            via: The launcher.
            command: What runs inside.
            init: Whether the command is the init itself.
            env: Its whole environment.
            streams: Its descriptors 0, 1 and 2; those missing are /dev/null, and standard error is kept for the error text.

        Raises:
            SandboxStartError: It did not come up; nothing is left.
        """
        try:
            self._start(via, command, init=init, env=env, streams=streams)
        except OSError as error:
            self.close()
            raise SandboxStartError(f"bubblewrap could not be started: {error}.") from error
        except BaseException:
            self.close()
            raise

    def _start(
        self, via: Launcher, command: Sequence[str], *, init: bool, env: Mapping[str, str], streams: Mapping[int, int]
    ) -> None:
        self.group = cgroups.make(self.config.limits.memory)
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            info, info_end = _pipe(ours, theirs)
            ready, ready_end = _pipe(ours, theirs)
            hold_end, self._hold = os.pipe2(os.O_CLOEXEC)
            theirs.callback(os.close, hold_end)
            null = _owned(theirs, os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC))
            complaints = _owned(ours, os.memfd_create("icae-stderr", os.MFD_CLOEXEC))
            contents = {n: _owned(theirs, fd) for n, fd in self._sources.fresh_contents().items()}
            own = {
                bwrap_command.INFO: info_end, bwrap_command.READY: ready_end, bwrap_command.HOLD: hold_end,
                bwrap_command.SECCOMP: _owned(theirs, bwrap_command.seccomp_file()),
            }  # fmt: skip
            self.child = via.start(
                self._program,
                [*bwrap_command.arguments(self.config, self._sources, init=init), "--", *command],
                {0: null, 1: null, 2: complaints, **streams, **own, **self._sources.descriptors, **contents},
                uid=self.identity[0], gid=self.identity[1], env=dict(env), groups=self.groups,
                limits=bwrap_command.resource_limits(self.config, memory_group=self.group is not None, processes=False),
            )  # fmt: skip
            theirs.close()
            self._await_ready(info, ready, complaints)

    @property
    def groups(self) -> list[str]:
        """The control groups every process of this sandbox joins."""
        return [self.group.procs] if self.group is not None else []

    def _await_ready(self, info: int, ready: int, complaints: int) -> None:
        poller = select.poll()
        poller.register(ready, select.POLLIN)
        if not poller.poll(_START_SECONDS * 1000):
            raise SandboxStartError(f"bubblewrap was not ready after {_START_SECONDS:.0f} s.")
        if not os.read(ready, 1):
            text = os.pread(complaints, 4096, 0).decode(errors="replace").strip()
            raise SandboxStartError(f"bubblewrap ended at once: {text or 'no message'}")
        self.init = int(json.loads(os.read(info, 4096))["child-pid"])
        self._init_fd = os.pidfd_open(self.init)
        self.files = RootFiles.open(self.init, *self.identity)

    def release(self) -> None:
        """Let a waiting one-command sandbox run its command."""
        os.write(self._hold, b"\n")

    def alive(self) -> bool:
        """Return whether the init still runs."""
        if self._init_fd < 0:
            return False
        poller = select.poll()
        poller.register(self._init_fd, select.POLLIN)
        return not poller.poll(0)

    def kill(self) -> None:
        """Kill everything inside."""
        if self._init_fd >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init_fd, signal.SIGKILL)

    def close(self) -> None:
        """Kill everything inside and wait until it is gone."""
        if self.files is not None:
            self.files.close()
        if self._init_fd >= 0:
            self.kill()
            poller = select.poll()
            poller.register(self._init_fd, select.POLLIN)
            poller.poll(10_000)  # readable once the init is gone, which it is after everything else inside
            os.close(self._init_fd)
        if self.child is not None:
            self.child.kill()
            self.child.wait(10.0)
            self.child.close()
        if self._hold >= 0:
            os.close(self._hold)
        if self.group is not None:
            self.group.remove()
        self.files, self.child, self.group, self._init_fd, self._hold = None, None, None, -1, -1


def _owned(stack: contextlib.ExitStack, fd: int) -> int:
    stack.callback(os.close, fd)
    return fd


def _pipe(ours: contextlib.ExitStack, theirs: contextlib.ExitStack) -> tuple[int, int]:
    read, write = os.pipe2(os.O_CLOEXEC)
    return _owned(ours, read), _owned(theirs, write)
