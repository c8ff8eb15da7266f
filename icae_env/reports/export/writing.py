"""Exports as files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from icae_env.errors import ConfigError
from icae_env.reports.export.atif_episode import atif
from icae_env.reports.export.openai_messages import conversations, metadata
from icae_env.reports.files import write_whole
from icae_env.reports.rows import Entry

Format = Literal["atif", "openai-messages"]
FORMATS: tuple[Format, ...] = ("atif", "openai-messages")


def write_export(
    entries: Sequence[Entry], style: Format, out: Path, *, version: str, with_metadata: bool = False
) -> int:
    """Write episodes in another format.

    Args:
        entries: The episodes.
        style: Which format.
        out: For ``atif`` a ``.json`` file of one episode, a ``.jsonl`` file with a line for each, or else a folder with a file
            for each; for ``openai-messages`` a file of JSON lines.
        version: Of icae_env when they were played.
        with_metadata: For ``openai-messages``: whether each line says which episode it is.

    Returns:
        How many documents were written.

    Raises:
        ConfigError: Several episodes are to go into one ``.json`` file, or nothing is there to write.
    """
    if style == "openai-messages":
        lines = [
            talk.document(metadata(entry) if with_metadata else None)
            for entry in entries
            for talk in conversations(entry)
        ]
        _some(lines, out)
        write_whole(out, "".join(map(_line, lines)))
        return len(lines)
    documents = dict(_atif(entries, version))
    _some(documents, out)
    if out.suffix == ".json":
        if len(documents) > 1:
            raise ConfigError(
                f"A .json file holds one episode, and these are {len(documents)}.",
                file=out,
                mend="name one with --episode, or give a folder or a .jsonl file.",
            )
        write_whole(out, _text(next(iter(documents.values()))))
    elif out.suffix == ".jsonl":
        write_whole(out, "".join(map(_line, documents.values())))
    else:
        for name, document in documents.items():
            write_whole(out / f"{name}.json", _text(document))
    return len(documents)


def _atif(entries: Sequence[Entry], version: str) -> Iterator[tuple[str, dict[str, Any]]]:
    several = len({entry.run for entry in entries}) > 1
    for entry in entries:
        found = atif(entry, version=version)
        if found is not None:
            yield (f"{Path(entry.run).name}-" if several else "") + entry.key.id, found.document()


def _some(found: object, out: Path) -> None:
    if not found:
        raise ConfigError(
            "There is no episode to write.", file=out, mend="choose others, or wait for one to begin."
        )


def _line(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False) + "\n"


def _text(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
