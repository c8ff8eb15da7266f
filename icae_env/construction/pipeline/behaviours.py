"""What the package says of itself, and what its tests show that it does."""

from __future__ import annotations

from functools import partial
from pathlib import PurePosixPath

from icae_env.construction.pipeline.models import Behaviour, Facts, Frozen
from icae_env.construction.pipeline.reading import of_kind, parts, shown, telling_names
from icae_env.construction.pipeline.source import SOURCE, SourceText
from icae_env.construction.pipeline.stage import Stage, Work

_MOST_METADATA = 30_000
_MOST_PART = 60_000
"""Characters of tests and documents in one conversation."""
_LISTED = 300


class Behaviours(Frozen):
    """What a package is, and what it does."""

    facts: Facts
    behaviours: tuple[Behaviour, ...]


class _Found(Frozen):
    behaviours: tuple[Behaviour, ...]


def _run(work: Work) -> Behaviours:
    source = work.output(SOURCE)
    names = telling_names(of_kind(source.files, "code").values())
    facts = _facts(work, source, names)
    found: dict[str, Behaviour] = {}
    texts = parts(of_kind(source.files, "test", "document"), _MOST_PART)
    for number, text in enumerate(texts, 1):
        values = {
            "package": facts.package,
            "documents": text,
            "part": str(number),
            "parts": str(len(texts)),
            "known": "\n".join(f"- {item.id}: {item.summary}" for item in found.values()) or "(none yet)",
        }
        answer = work.ask(
            "behaviours.md",
            values,
            _Found,
            partial(_faults, source=source, found=dict(found), last=number == len(texts)),
        )
        found |= {item.id: item for item in answer.behaviours}
    return Behaviours(facts=facts, behaviours=tuple(found.values()))


def _facts(work: Work, source: SourceText, names: tuple[str, ...]) -> Facts:
    values = {
        "pin": str(source.pin)
        if source.pin
        else "a checkout; read its name and version from the files below",
        "metadata": shown(of_kind(source.files, "metadata", "document"), _MOST_METADATA),
        "names": ", ".join(names[:_LISTED]) or "(none)",
    }
    facts = work.ask("facts.md", values, Facts, lambda facts: _wrong(facts, source))
    # What cannot stand in a text by chance is banned whether or not the model thought of it.
    banned = dict.fromkeys((facts.package, *facts.identifiers, *names))
    return facts.model_copy(update={"identifiers": tuple(banned)})


def _wrong(facts: Facts, source: SourceText) -> list[str]:
    faults = []
    if source.pin is not None:
        wanted = (source.pin.registry, source.pin.name, source.pin.version)
        if (facts.registry, facts.package, facts.version) != wanted:
            faults.append(f"registry, package and version must be {', '.join(wanted)}.")
    said = "\n".join((*source.files, *source.files.values())).casefold()
    unknown = [name for name in facts.identifiers if name.casefold() not in said]
    if unknown:
        faults.append(f"identifiers: {', '.join(unknown)} does not occur in the source.")
    return faults


def _faults(answer: _Found, source: SourceText, found: dict[str, Behaviour], *, last: bool) -> list[str]:
    faults = []
    if not answer.behaviours and not found and last:
        faults.append("There is no behaviour.")
    ids = [item.id for item in answer.behaviours]
    faults += [
        f"The id '{name}' is used twice."
        for name in dict.fromkeys(ids)
        if ids.count(name) > 1 or name in found
    ]
    for item in answer.behaviours:
        for evidence in item.evidence:
            text = source.files.get(str(PurePosixPath(evidence.file)))
            lines = text.splitlines() if text is not None else []
            place = f"{item.id}: evidence {evidence.file}:{evidence.line}"
            if text is None:
                faults.append(f"{place}: there is no such file.")
            elif evidence.line > len(lines):
                faults.append(f"{place}: the file has {len(lines)} lines.")
            elif not lines[evidence.line - 1].strip():
                faults.append(f"{place}: this line is empty.")
    return faults


BEHAVIOURS = Stage(
    name="behaviours",
    number=2,
    output=Behaviours,
    run=_run,
    prompts=("facts.md", "behaviours.md"),
    needs=(SOURCE,),
)
