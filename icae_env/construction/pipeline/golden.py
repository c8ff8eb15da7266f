"""The golden: the pinned package behind an adapter that the model writes, accepted when it really answers every input."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from icae_env.construction.pipeline.behaviours import BEHAVIOURS
from icae_env.construction.pipeline.blocks import inputs_of, key
from icae_env.construction.pipeline.ground import GROUND, Ground
from icae_env.construction.pipeline.inputs import all_cases, runnable
from icae_env.construction.pipeline.models import Facts, Frozen, GoldenFile, Id
from icae_env.construction.pipeline.options import BuildOptions
from icae_env.construction.pipeline.reading import of_kind, shown
from icae_env.construction.pipeline.running import Golden, Printed
from icae_env.construction.pipeline.source import SOURCE
from icae_env.construction.pipeline.stage import Stage, Work
from icae_env.construction.scaffold import install_hint, template_texts
from icae_env.errors import InfraError, SandboxError
from icae_env.rollout.examples import STEM as EXAMPLES
from icae_env.tasks.models import Case

_MOST_CODE = 80_000
_LISTED = 8
_LANGUAGES = {"pypi": "python", "npm": "javascript", "crates": "rust", "go": "go", "maven": "java"}
"""Registry -> the language whose way of installing it is shown."""
_ENTRY = {"rcb": "rcb_tests/test.sh", "stdin": "run"}


class Unanswerable(Frozen):
    """A native case that the package cannot answer."""

    case: Id
    reason: str


class _Written(Frozen):
    files: tuple[GoldenFile, ...]
    unanswerable: tuple[Unanswerable, ...] = ()


class GoldenOutput(Frozen):
    """The golden's files, and what it printed for the native cases and the PRD's examples."""

    files: tuple[GoldenFile, ...]
    printed: dict[str, str]
    """By id of the native case."""
    examples: dict[str, str]
    """By key of the input."""


def _run(work: Work) -> GoldenOutput:
    source, ground, facts = work.output(SOURCE), work.output(GROUND), work.output(BEHAVIOURS).facts
    protocol = work.options.protocol
    values = {
        "package": f"{facts.package} {facts.version} ({facts.registry})",
        "protocol": protocol,
        "rules": work.prompts.fill(f"golden_{protocol}.md", {}),
        "template": _template(protocol, install_hint(_LANGUAGES.get(facts.registry, work.options.language))),
        "prd": ground.prd,
        "signature": ground.signature,
        "inputs": "\n".join(f"{case.id}: {key(case.input)}" for case in all_cases(ground.native)),
        "code": shown(of_kind(source.files, "code"), _MOST_CODE),
    }
    last: list[Printed] = []
    written = work.ask(
        "golden.md", values, _Written, lambda answer: _faults(work, answer, ground, facts, last)
    )
    for item in written.unanswerable:
        work.drop(f"native case {item.case}", item.reason)
    printed = last[-1].outputs
    examples = {key(case.input): printed[case.id] for case in _examples(ground) if case.id in printed}
    names = {case.id for case in all_cases(ground.native)}
    return GoldenOutput(
        files=written.files,
        printed={name: text for name, text in printed.items() if name in names},
        examples=examples,
    )


def _faults(work: Work, written: _Written, ground: Ground, facts: Facts, last: list[Printed]) -> list[str]:
    faults = _faults_of_files(written.files, facts, _ENTRY[work.options.protocol])
    left = {item.case for item in written.unanswerable}
    native = runnable(ground.native, "native")
    faults += [f"There is no case '{name}'." for name in sorted(left - {case.id for case in native})]
    cases = [*(case for case in native if case.id not in left), *_examples(ground)]
    if 2 * len(left) > len(native):
        faults.append("More than half of the cases are called unanswerable.")
    if faults:
        return faults
    work.say("  installing the package and running the golden twice ...")
    golden = Golden(work.options, facts, written.files)
    try:
        submission = golden.install()
    except SandboxError:
        raise
    except InfraError as error:
        return [str(error)]
    if len(submission.files) <= len(written.files):
        return [
            "install.sh put nothing of the package into its own folder, so a replay without network would lack it."
        ]
    printed = golden.print(cases)
    last.append(printed)
    return _told(printed)


def _told(printed: Printed) -> list[str]:
    told = [f"{name}: {reason}" for name, reason in printed.refused.items()]
    return [*told[:_LISTED], *([f"and {len(told) - _LISTED} more such cases"] if len(told) > _LISTED else [])]


def _faults_of_files(files: Sequence[GoldenFile], facts: Facts, entry: str) -> list[str]:
    paths = [file.path for file in files]
    faults = [f"The file '{name}' is missing." for name in ("install.sh", entry) if name not in paths]
    for path in paths:
        place = PurePosixPath(path)
        if (
            place.is_absolute()
            or not place.parts
            or ".." in place.parts
            or str(place) != path
            or "\0" in path
        ):
            faults.append(f"'{path}' is no relative path inside the golden's folder.")
        if paths.count(path) > 1:
            faults.append(f"The file '{path}' is given twice.")
    texts = "\n".join(file.text for file in files)
    if facts.package not in texts or facts.version not in texts:
        faults.append(f"The golden must install {facts.package} at exactly version {facts.version}.")
    return faults


def _template(protocol: str, install: str) -> str:
    texts = template_texts(f"golden_{protocol}", {"install": install})
    return "\n".join(f"=== {name}\n{text}" for name, text in texts.items())


def _examples(ground: Ground) -> list[Case]:
    inputs, _ = inputs_of(ground.prd)
    return [
        Case(
            id=f"{EXAMPLES}-{index:02d}",
            suite="native",
            stem=EXAMPLES,
            index=index,
            input=value,
            expected_output="",
        )
        for index, value in enumerate(inputs)
    ]


def _identity(options: BuildOptions) -> str:
    return f"{options.id} {options.language} {options.protocol} {options.image}"


GOLDEN = Stage(
    name="golden",
    number=4,
    output=GoldenOutput,
    run=_run,
    prompts=("golden.md", "golden_rcb.md", "golden_stdin.md"),
    needs=(SOURCE, BEHAVIOURS, GROUND),
    identity=_identity,
)
