"""Make a task's two folders of what the stages gave."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from icae_env.construction.pipeline.behaviours import BEHAVIOURS
from icae_env.construction.pipeline.constraints import CONSTRAINTS
from icae_env.construction.pipeline.golden import GOLDEN
from icae_env.construction.pipeline.ground import GROUND
from icae_env.construction.pipeline.leaking import source_of
from icae_env.construction.pipeline.levels import LEVELS
from icae_env.construction.pipeline.models import CaseGroup, Dropped, Hidden
from icae_env.construction.pipeline.questions import AUDIT, EXAMPLES
from icae_env.construction.pipeline.recorded import recorded
from icae_env.construction.pipeline.revision import REVISION
from icae_env.construction.pipeline.running import write_files
from icae_env.construction.pipeline.spec import spec_text
from icae_env.construction.pipeline.stage import Work
from icae_env.construction.pipeline.witnesses import WITNESSES
from icae_env.tasks.models import SUITES
from icae_env.user_agent.checks import STORED

README = """# {id}

The behaviour was taken from {package} {version} ({registry}, {licence}){url}.

Made by `icae task build` with the model `{model}`: it read the package's tests and documents, wrote the requirements, the
inputs, the adapter in `golden/` and the questions. Every expected output was printed by the package itself, twice alike.

The package's tests show {behaviours} behaviours; each native case shows one of them, the enhanced cases go beyond.
{dropped}"""


def assemble(work: Work, root: Path, model: str, dropped: Sequence[Dropped]) -> Path:
    """Write a task into a data root of its own and return its folder; what lay there before is removed.

    Args:
        work: With the outputs of all stages.
        root: Gets ``tasks/<id>`` and ``user_agent_data/<id>``.
        model: Name of the model, for the README.
        dropped: What was dropped, for the README.
    """
    if root.exists():
        shutil.rmtree(root)
    folder, data = root / "tasks" / work.options.id, root / "user_agent_data" / work.options.id
    write_spec(work, folder, draft=False)
    _write(folder / "README.md", _readme(work, model, dropped))
    _write(folder / "prd" / "ground.md", work.output(REVISION).prd)
    levels = work.output(LEVELS)
    for level in STORED:
        _write(folder / "prd" / f"{level}.md", getattr(levels, level))
        _write(data / f"{level}.json", _json(_records(work, level)))
    known = recorded(work)
    for suite, groups in zip(SUITES, (known.native, known.enhanced), strict=True):
        for group in groups:
            _write(folder / "cases" / suite / f"{group.stem}.json", _json(_case_file(group, known.printed)))
    write_files(folder / "golden", work.output(GOLDEN).files)
    audit = work.output(AUDIT)
    _write(data / "audit.json", _json(audit.model_dump(mode="json")))
    return folder


def write_spec(work: Work, folder: Path, *, draft: bool) -> None:
    """Write ``task.toml``."""
    ground, source = work.output(GROUND), source_of(work.output(BEHAVIOURS).facts)
    _write(
        folder / "task.toml",
        spec_text(work.options, source, title=ground.title, domain=ground.domain, draft=draft),
    )


def _records(work: Work, level: Hidden) -> dict[str, Any]:
    chosen = work.output(CONSTRAINTS)
    examples = {item.constraint: item.examples for item in work.output(EXAMPLES).constraints}
    witnesses = {item.constraint: item.witnesses for item in work.output(WITNESSES).constraints}
    hidden = [
        {
            "constraint_id": item.id,
            "trigger_keywords": list(item.triggers),
            "oracle_response": item.response,
            **({"artefact": True} if item.artefact else {}),
            "witnesses": [proof.model_dump(mode="json", exclude_none=True) for proof in witnesses[item.id]],
            "examples": examples[item.id].model_dump(mode="json"),
        }
        for item in chosen.hidden_at(level)
    ]
    pointers = [
        {"vague_reference": item.reference, "actual_meaning": item.meaning} for item in chosen.vague_at(level)
    ]
    oracle = {
        "hidden_constraints": hidden,
        "context_pointers": pointers,
        "golden_api_signature": work.output(GROUND).signature,
        "fallback_response": chosen.fallback,
    }
    return {"oracle_data": oracle}


def _case_file(group: CaseGroup, printed: Mapping[str, str]) -> dict[str, Any]:
    cases = [
        {
            "id": case.id,
            "input": case.input,
            "expected_output": printed[case.id],
            **({"public": True} if case.public else {}),
        }
        for case in group.cases
    ]
    return {"description": group.description, "cases": cases}


def _readme(work: Work, model: str, dropped: Sequence[Dropped]) -> str:
    known = work.output(BEHAVIOURS)
    lines = [f"- {item.what}: {' '.join(item.reason.split())}" for item in dropped]
    told = "\n".join(["\nNot used, of what the model wrote:\n", *lines, ""]) if lines else ""
    facts = known.facts
    return README.format(
        id=work.options.id, model=model, behaviours=len(known.behaviours), dropped=told, package=facts.package,
        version=facts.version, registry=facts.registry, licence=facts.licence, url=f", {facts.url}" if facts.url else "",
    )  # fmt: skip


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8", newline="")
