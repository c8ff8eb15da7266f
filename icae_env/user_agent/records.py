"""The User Agent's records: everything it may say, in upstream's schema plus three fields of our own.

Upstream: ALEX-nlp/ICAE-EVAL, ``prd_json*/<task>.json``. Ours, all optional: ``witnesses``, ``examples``, ``artefact``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from icae_env.errors import ConfigError
from icae_env.tasks.documents import read_json_object, validated
from icae_env.tasks.models import Case, PublicTask

Entry = TypeVar("Entry", bound=BaseModel)
MOST_INPUT = 500
"""Characters of a witness's input that are looked at."""
MAX_RECORDS = 1000
"""More records than this in one file are taken for a mistake."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Witness(_Frozen):
    """A case whose expected output changes when the constraint is ignored."""

    case: str
    """Id of the case."""
    naive_output: str | None = None
    """What a plausible program prints that read only the fuzzy PRD."""


class Examples(_Frozen):
    """Questions that the record answers, in three manners."""

    precise: tuple[str, ...] = ()
    wordy: tuple[str, ...] = ()
    colloquial: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Every example, manner by manner."""
        return (*self.precise, *self.wordy, *self.colloquial)


class Record(_Frozen):
    """One hidden constraint."""

    constraint_id: str = Field(min_length=1)
    trigger_keywords: tuple[str, ...] = ()
    oracle_response: str = Field(min_length=1)
    """What the User Agent says, word for word."""
    witnesses: tuple[Witness, ...] = ()
    examples: Examples = Examples()
    artefact: bool = False
    """Whether the response is a structured whole (a table, a grammar) that is revealed as one."""


class Pointer(_Frozen):
    """What a vague phrase of the fuzzy PRD stands for."""

    vague_reference: str = Field(min_length=1)
    actual_meaning: str = Field(min_length=1)


class Ignored(_Frozen):
    """A key that the import does not know; kept, but without effect."""

    field: str
    """Dotted place in the file."""
    value: Any


class RecordSet(_Frozen):
    """All that the User Agent of one task knows at one level."""

    file: Path | None = None
    """Where it was read from."""
    records: tuple[Record, ...] = ()
    pointers: tuple[Pointer, ...] = ()
    signature: str = ""
    """The golden's interface; empty when none is recorded."""
    fallback: str = Field("The requirements say nothing about that.", min_length=1)
    """The reply to what no record answers, word for word."""
    fuzzy_prd: str | None = None
    """The PRD, in files of upstream's that carry it."""
    ignored: tuple[Ignored, ...] = ()
    inputs: dict[str, tuple[str, ...]] = {}
    """By constraint id, what stands in the inputs of its witnesses; never said, but askers' examples look like them."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The constraints' ids, in file order."""
        return tuple(record.constraint_id for record in self.records)


_ORACLE = {"hidden_constraints", "context_pointers", "golden_api_signature", "fallback_response"}


def load_records(file: Path) -> RecordSet:
    """Read a record file; unknown keys are kept aside and reported in ``ignored``.

    Raises:
        ConfigError: The file is missing, not JSON or not a record file; file, field and mend are named.
    """
    data = read_json_object(file, within=file.parent)
    ignored: list[Ignored] = []
    top = _known(data, {"fuzzy_prd", "oracle_data"}, "", ignored)
    if not isinstance(top.get("oracle_data"), dict):
        raise ConfigError(
            "This must be an object.", file=file, field="oracle_data", mend="put the records into it."
        )
    oracle = _known(top["oracle_data"], _ORACLE, "oracle_data", ignored)
    fields: dict[str, Any] = {
        "records": _entries(oracle, "hidden_constraints", Record, file=file, ignored=ignored),
        "pointers": _entries(oracle, "context_pointers", Pointer, file=file, ignored=ignored),
    }
    for key, name in (("golden_api_signature", "signature"), ("fallback_response", "fallback")):
        fields |= {name: _text(oracle[key], file, f"oracle_data.{key}")} if key in oracle else {}
    if "fuzzy_prd" in top:
        fields["fuzzy_prd"] = _text(top["fuzzy_prd"], file, "fuzzy_prd")
    if not fields.get("fallback", "default").strip():
        raise ConfigError(
            "This is empty.", file=file, field="oracle_data.fallback_response", mend="write a sentence."
        )
    records = RecordSet(file=file, ignored=tuple(ignored), **fields)
    _check_ids(records, file)
    return records


def with_records(public: PublicTask, records: RecordSet) -> PublicTask:
    """Return the task with all that the records say appended to its PRD, as the level ``recovered`` shows it."""
    lines = [public.prd.rstrip("\n"), "", "## Further requirements", ""]
    lines += [f"- {_one_item(record.oracle_response)}" for record in records.records]
    if records.pointers:
        lines += ["", "## What the vague references mean", ""]
        lines += [
            f'- "{item.vague_reference}": {_one_item(item.actual_meaning)}' for item in records.pointers
        ]
    if records.signature:
        lines += ["", "## Interface", "", records.signature]
    return public.model_copy(update={"prd": "\n".join(lines) + "\n"})


def with_inputs(records: RecordSet, cases: Iterable[Case]) -> RecordSet:
    """Return the records with the texts and numbers that stand in the inputs of their witnesses."""
    known = {case.id: case for case in cases}
    inputs = {
        record.constraint_id: tuple(
            " ".join(_leaves(known[witness.case].input))[:MOST_INPUT]
            for witness in record.witnesses
            if witness.case in known
        )
        for record in records.records
    }
    return records.model_copy(update={"inputs": inputs})


def _leaves(value: Any) -> Iterator[str]:
    """Yield the values of a JSON document as text, without the keys."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
    else:
        yield value if isinstance(value, str) else json.dumps(value)


def _one_item(text: str) -> str:
    # Continuation lines are indented, so that a table or a list stays within its item.
    return text.strip().replace("\n", "\n  ")


def _known(data: dict[str, Any], names: set[str], prefix: str, ignored: list[Ignored]) -> dict[str, Any]:
    for key, value in data.items():
        if key not in names:
            ignored.append(Ignored(field=f"{prefix}.{key}" if prefix else key, value=value))
    return {key: value for key, value in data.items() if key in names}


def _entries(
    oracle: dict[str, Any], key: str, model: type[Entry], *, file: Path, ignored: list[Ignored]
) -> tuple[Entry, ...]:
    entries = oracle.get(key, [])
    place = f"oracle_data.{key}"
    if not isinstance(entries, list) or len(entries) > MAX_RECORDS:
        raise ConfigError(
            f"This must be a list of at most {MAX_RECORDS} objects.",
            file=file,
            field=place,
            mend="write such a list.",
        )
    found = []
    for index, entry in enumerate(entries):
        prefix = f"{place}.{index}"
        if not isinstance(entry, dict):
            raise ConfigError("This must be an object.", file=file, field=prefix, mend="write an object.")
        found.append(
            validated(
                model, _known(entry, set(model.model_fields), prefix, ignored), file=file, prefix=prefix
            )
        )
    return tuple(found)


def _text(value: Any, file: Path, field: str) -> str:
    if not isinstance(value, str):
        raise ConfigError("This must be text.", file=file, field=field, mend="write a string.")
    return value


def _check_ids(records: RecordSet, file: Path) -> None:
    seen: set[str] = set()
    for index, record in enumerate(records.records):
        if record.constraint_id in seen:
            raise ConfigError(
                f"The id '{record.constraint_id}' occurs twice.",
                file=file,
                field=f"oracle_data.hidden_constraints.{index}.constraint_id",
                mend="give each constraint its own id.",
            )
        seen.add(record.constraint_id)
