"""Namespaces around an init: how one bubblewrap process is started, and how it goes away."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from icae_env.errors import SandboxDiedError, SandboxStartError
from icae_env.sandbox import bwrap_command, cgroups
from icae_env.sandbox.base import Completed, SandboxConfig
from icae_env.sandbox.launch.client import Child, Launcher
from icae_env.sandbox.pipes import collect
from icae_env.sandbox.rootfiles import RootFiles

_START_SECONDS = 20.0


class Namespaces:
    """A started bubblewrap process and the way into it; the common part of lasting and one-command sandboxes."""

    def __init__(
        self,
        config: SandboxConfig,
        identity: tuple[int, int],
        program: str,
        sources: bwrap_command.Sources,
        *,
        template: bool = False,
    ) -> None:
        self.config, self.identity = config, identity
        self._program, self._sources, self._template = program, sources, template
        self.child: Child | None = None
        self.init = -1
        self.files: RootFiles | None = None
        self.group: cgroups.MemoryGroup | None = None
        self._init_fd = self._hold = self._ready = -1
        self._kills_before: bytes | None = None
        self._process = os.getpid()

    def start(
        self,
        via: Launcher,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        streams: Mapping[int, int],
        lower: int | None = None,
    ) -> None:
        """Start bubblewrap and wait until its mounts are in place.

        Args:
            via: The launcher.
            command: The init, first process inside; it must write a byte to descriptor READY.
            env: Its whole environment.
            streams: Its descriptors 0, 1 and 2; those missing are /dev/null, and standard error is kept for the error text.
            lower: A folder the workspace starts from.

        Raises:
            SandboxStartError: It did not come up; nothing is left.
        """
        try:
            self._start(via, command, env, streams, lower)
        except OSError as error:
            self.close()
            raise SandboxStartError(f"bubblewrap could not be started: {error}.") from error
        except BaseException:
            self.close()
            raise

    def _start(
        self,
        via: Launcher,
        command: Sequence[str],
        env: Mapping[str, str],
        streams: Mapping[int, int],
        lower: int | None,
    ) -> None:
        self.group = cgroups.make(self.config.limits.memory)
        if self.group is None:
            self._kills_before = _kills()
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            info, info_end = pipe(ours, theirs)
            self._ready, ready_end = os.pipe2(os.O_CLOEXEC)
            theirs.callback(os.close, ready_end)
            hold_end, self._hold = os.pipe2(os.O_CLOEXEC)
            theirs.callback(os.close, hold_end)
            null = owned(theirs, os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC))
            complaints = owned(ours, os.memfd_create("icae-stderr", os.MFD_CLOEXEC))
            contents = {n: owned(theirs, fd) for n, fd in self._sources.fresh_contents().items()}
            below = {} if lower is None else {bwrap_command.LOWER: lower}
            own = {
                bwrap_command.INFO: info_end, bwrap_command.READY: ready_end, bwrap_command.HOLD: hold_end,
                bwrap_command.SECCOMP: owned(theirs, bwrap_command.seccomp_file(self.config)),
            }  # fmt: skip
            self.child = via.start(
                self._program,
                [*self._arguments(overlay=lower is not None), "--", *command],
                {0: null, 1: null, 2: complaints, **streams, **own, **below, **self._sources.descriptors, **contents},
                env=env, groups=self.groups,
            )  # fmt: skip
            theirs.close()
            self._await_ready(info, complaints)

    def _arguments(self, *, overlay: bool) -> list[str]:
        return bwrap_command.arguments(self.config, self._sources, overlay=overlay, template=self._template)

    @property
    def groups(self) -> list[str]:
        """The control groups every process of this sandbox joins."""
        return [self.group.procs] if self.group is not None else []

    def _await_ready(self, info: int, complaints: int) -> None:
        poller = select.poll()
        poller.register(self._ready, select.POLLIN)
        if not poller.poll(_START_SECONDS * 1000):
            raise SandboxStartError(f"bubblewrap was not ready after {_START_SECONDS:.0f} s.")
        if not os.read(self._ready, 1):
            text = os.pread(complaints, 4096, 0).decode(errors="replace").strip()
            raise SandboxStartError(f"bubblewrap ended at once: {text or 'no message'}")
        self.init = int(json.loads(os.read(info, 4096))["child-pid"])
        self._init_fd = os.pidfd_open(self.init)
        self.files = RootFiles.open(self.init, *self.identity)

    def protect(self) -> None:
        """Let the init of a lasting sandbox be the last to go when memory runs out: its end would take the workspace along.

        Not for a sandbox of one command, which is the init's child and would inherit the protection.
        """
        if self.group is not None and os.geteuid() == 0:
            with contextlib.suppress(OSError):  # root may be without CAP_SYS_RESOURCE
                Path(f"/proc/{self.init}/oom_score_adj").write_text("-1000")

    def starved(self) -> bool:
        """Return whether memory ran out while it ran, which what runs inside can bring about at will.

        Without a group of its own, the kernel's count for the whole machine has to do.
        """
        if self.group is not None:
            return self.group.killed()
        return self._kills_before is not None and _kills() != self._kills_before

    def release(self) -> None:
        """Let a waiting one-command sandbox run its command, within the control group.

        What enters a lasting sandbox joins by itself. Its init uses next to nothing and stays outside: moving a process costs ten
        milliseconds and more.
        """
        if self.group is not None:
            self.group.join(self.init)
        os.write(self._hold, b"\n")

    def finish(self, stdout: int, stderr: int, *, timeout: float, output_limit: int) -> Completed:
        """Wait for a released one-command sandbox and return what its command did.

        Raises:
            SandboxDiedError: The init was killed from outside: it ended without a report, and not for want of memory.
        """
        assert self.child is not None
        done = collect(self.child, stdout, stderr, timeout=timeout, output_limit=output_limit, kill=self.kill)
        if done.timed_out:
            return done
        report = os.read(self._ready, 16)
        if report:
            return done.model_copy(update={"exit_code": int(report)})
        if self.starved():
            return done.model_copy(update={"exit_code": 137})
        raise SandboxDiedError("The sandbox was killed from outside while its command ran.")

    def terminal(self) -> int:
        """Open the master of a new pseudo-terminal in the sandbox's own /dev/pts.

        Raises:
            OSError: There are no more.
        """
        if self.files is None:
            raise SandboxDiedError("The sandbox is not running.")
        return self.files.open_file("/dev/pts/ptmx", os.O_RDWR | os.O_NOCTTY)

    def give(self, *descriptors: int) -> None:
        """Make pipes, terminals and memory files the sandbox user's own, so that they can be opened by name inside."""
        if os.geteuid() == 0:
            for fd in descriptors:
                os.fchown(fd, *self.identity)

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
        """Kill everything inside and wait until it is gone; in a forked child, to whom it does not belong, do nothing."""
        if self._process != os.getpid():
            return
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
        for fd in (self._hold, self._ready):
            if fd >= 0:
                os.close(fd)
        if self.group is not None:
            self.group.remove()
        self.files = self.child = self.group = None
        self._init_fd = self._hold = self._ready = -1


def _kills() -> bytes | None:
    """Return the kernel's count of processes killed for want of memory, or None where it keeps none."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/vmstat").read_bytes().splitlines():
            if line.startswith(b"oom_kill "):
                return line
    return None


def owned(stack: contextlib.ExitStack, fd: int) -> int:
    """Let a stack close a descriptor, and return it."""
    stack.callback(os.close, fd)
    return fd


def pipe(ours: contextlib.ExitStack, theirs: contextlib.ExitStack) -> tuple[int, int]:
    """Return a pipe: our end to read, to be closed with ours, and theirs to write, to be closed with theirs."""
    read, write = os.pipe2(os.O_CLOEXEC)
    return owned(ours, read), owned(theirs, write)
