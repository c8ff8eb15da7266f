"""The texts that the agents send to their models: files with variables (``string.Template``), one text each.

``notes/`` holds what an agent answers a model in the course of an episode. A folder of the user's may hold files of the
same names; they take the place of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from string import Template

from icae_env.errors import ConfigError, UnknownNameError

FOLDER = Path(__file__).parent
NOTES = "notes/"


class Prompts:
    """Find and fill in prompts.

    Args:
        folder: Holds files that take the place of those that ship; None: nothing does.

    Raises:
        ConfigError: There is no such folder, or a file in it is none that takes a prompt's place.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._texts: dict[str, Template] = {}
        if folder is None:
            return
        if not folder.is_dir():
            raise ConfigError(
                "There is no such folder of prompts.",
                file=folder,
                field="prompts",
                mend="name one that exists.",
            )
        for file in sorted(folder.rglob("*.md")):
            name = file.relative_to(folder).with_suffix("").as_posix()
            if not _shipped(name).is_file():
                raise UnknownNameError("prompt", name, names())

    def text(self, name: str) -> str:
        """Return a prompt as its file has it, without the last newline.

        Raises:
            ConfigError: The file cannot be read as UTF-8.
        """
        return self._template(name).template

    def render(self, name: str, /, **values: object) -> str:
        """Return a prompt with its variables filled in.

        Raises:
            ConfigError: It has a variable that there is no value for, or a stray dollar sign.
        """
        try:
            return self._template(name).substitute({key: str(value) for key, value in values.items()})
        except KeyError as error:
            known = ", ".join(f"${key}" for key in values) or "(none)"
            raise ConfigError(
                f"There is no value for ${error.args[0]}.",
                file=self._file(name),
                mend=f"its variables are {known}.",
            ) from error
        except ValueError as error:
            raise ConfigError(
                f"It is no template: {error}.", file=self._file(name), mend="write $$ for a dollar sign."
            ) from error

    def _template(self, name: str) -> Template:
        if name not in self._texts:
            file = self._file(name)
            try:
                self._texts[name] = Template(file.read_text("utf-8").removesuffix("\n"))
            except (OSError, UnicodeDecodeError) as error:
                raise ConfigError(f"The prompt cannot be read: {error}.", file=file) from error
        return self._texts[name]

    def _file(self, name: str) -> Path:
        own = self._folder / f"{name}.md" if self._folder is not None else None
        return own if own is not None and own.is_file() else _shipped(name)


def names() -> list[str]:
    """Return the names of all prompts, sorted."""
    return sorted(_names())


def _names() -> Iterator[str]:
    for file in FOLDER.rglob("*.md"):
        yield file.relative_to(FOLDER).with_suffix("").as_posix()


def _shipped(name: str) -> Path:
    return FOLDER / f"{name}.md"
