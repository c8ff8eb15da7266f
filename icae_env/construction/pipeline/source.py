"""Get the package that a task is made from: a directory, or a pinned package fetched inside a sandbox."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from icae_env.construction.pipeline.models import Frozen
from icae_env.construction.pipeline.options import BuildOptions, Pin
from icae_env.construction.pipeline.reading import MOST_BYTES, kind_of, of_kind
from icae_env.construction.pipeline.stage import Stage, Work
from icae_env.errors import ConfigError, InfraError
from icae_env.evaluation import take_snapshot
from icae_env.sandbox.base import SandboxConfig
from icae_env.sandbox.images.mirror import load_mirror
from icae_env.selection import choose_image, open_backend

MOST_IN_ALL = 4_000_000
"""Bytes of all files that are read."""
_SECONDS = 300.0
_FETCH = {
    # An sdist, not a wheel: tests are what behaviours are read from. What it is built with may come as a wheel.
    "pypi": 'python3 -m pip download --quiet --no-deps --no-binary "$1" --dest /tmp/got "$1==$2"',
    "npm": 'mkdir -p /tmp/got && cd /tmp/got && npm pack --silent "$1@$2"',
}
_UNPACK = (
    "set -e; cd /workspace; file=$(ls /tmp/got/*.tar.gz /tmp/got/*.tgz /tmp/got/*.zip 2>/dev/null | head -n 1); "
    'case "$file" in *.zip) python3 -m zipfile -e "$file" . ;; '
    '*) tar -xzf "$file" --strip-components=1 --no-same-owner ;; esac'
)


class SourceText(Frozen):
    """The files of a package that tell what it does."""

    pin: Pin | None
    files: dict[str, str]
    """Path -> text, sorted by path."""

    @property
    def digest(self) -> str:
        """SHA-256 over all of it."""
        return hashlib.sha256(json.dumps(self.files, sort_keys=True).encode()).hexdigest()


def _identity(options: BuildOptions) -> str:
    """Return what changes when the source does."""
    return str(options.pin) if options.pin else _of_folder(options).digest


def _run(work: Work) -> SourceText:
    source = _fetched(work) if work.options.pin else _of_folder(work.options)
    if not of_kind(source.files, "test"):
        raise ConfigError(
            "No tests were found in the source, and behaviours are read from tests.",
            field="source",
            mend="give a directory with a checkout that has its tests.",
        )
    return source


def _of_folder(options: BuildOptions) -> SourceText:
    folder = Path(options.source)
    if not folder.is_dir():
        raise ConfigError(
            f"'{options.source}' is neither a directory nor a pinned package.",
            field="source",
            mend="give a directory, NAME==VERSION of PyPI or NAME@VERSION of npm.",
        )
    files = {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if not path.is_symlink() and path.is_file() and path.resolve().is_relative_to(folder.resolve())
    }
    wanted = {
        name: path for name, path in files.items() if kind_of(name) and path.stat().st_size <= MOST_BYTES
    }
    return SourceText(pin=None, files=_texts({name: path.read_bytes() for name, path in wanted.items()}))


def _fetched(work: Work) -> SourceText:
    """Fetch a pinned package in a sandbox with network: its build files may run code of their own."""
    pin, mirror = work.options.pin, load_mirror()
    assert pin is not None
    work.say(f"fetching {pin} ...")
    with closing(open_backend(work.options.sandbox)) as backend:
        image = choose_image(work.options.image, work.options.task_image, backend.name)
        with backend.create(SandboxConfig(image=image, network=True)) as box:
            for path, content in mirror.files().items():
                box.files.write(path, content, mode=0o600)
            command = f"{_FETCH[pin.registry]} && {{ {_UNPACK}; }}"
            done = box.run(
                ["/bin/bash", "-c", command, "fetch", pin.name, pin.version],
                env=mirror.env(),
                timeout=_SECONDS,
            )
            if done.exit_code != 0:
                said = mirror.redact((done.stdout + done.stderr).decode("utf-8", "replace"))[-2000:]
                raise InfraError(f"{pin} could not be fetched (exit {done.exit_code}):\n{said}")
            snapshot = take_snapshot(box)
    contents = {name: data for name, (data, _) in snapshot.files.items() if kind_of(name)}
    return SourceText(pin=pin, files=_texts({n: d for n, d in contents.items() if len(d) <= MOST_BYTES}))


def _texts(contents: Mapping[str, bytes]) -> dict[str, str]:
    found: dict[str, str] = {}
    room = MOST_IN_ALL
    for name, data in sorted(contents.items()):
        try:
            text = data.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError:
            continue  # a fixture in another encoding cannot be shown
        if text.strip() and len(data) <= room:
            found[name] = text
            room -= len(data)
    return found


SOURCE = Stage(name="source", number=1, output=SourceText, run=_run, identity=_identity)
