"""A study as tables: the paper's Tables 4 to 7, 10 and 11, and the numbers of its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from icae_env.dependencies.convergence import Convergence
from icae_env.reports.dependencies.study import Frequency, Line, StudyReport
from icae_env.reports.numbers import NOTHING
from icae_env.reports.sheets import Sheet

T = TypeVar("T")
LANGUAGES = {"python": "Python", "java": "Java", "javascript": "JavaScript", "cpp": "C++"}


def study_tables(report: StudyReport) -> list[Sheet]:
    """Return the tables of a study; those without lines are left out."""
    sheets = [
        _converging(report.convergence, "convergence", "Convergence by language (M1)", "ecosystem"),
        _converging(report.domains, "domains", "Convergence by domain (M1)", "domain"),
        _gaps(report),
        _accuracy(report),
        _agreement(report),
        _stability(report),
        _needless(report),
        _environment(report),
        _correlation(report),
        _frequent(report.phantoms, "phantom", "Most frequent phantom packages (Table 10)"),
        _frequent(report.hiddens, "hidden", "Most frequent hidden packages (Table 11)"),
        _left_out(report),
    ]
    return [sheet for sheet in sheets if sheet.lines]


def decimal(value: float | None, digits: int = 3) -> str:
    """Return a number with so many digits after the point; ``-`` where there is none."""
    return NOTHING if value is None else f"{value:.{digits}f}"


def percent(value: float | None) -> str:
    """Return a share in percent, without the sign; ``-`` where there is none."""
    return NOTHING if value is None else f"{100 * value:.1f}"


def language(ecosystem: str) -> str:
    """Return an ecosystem's name as people write it."""
    return LANGUAGES.get(ecosystem, ecosystem)


def _sheet(
    name: str,
    title: str,
    keys: Sequence[str],
    lines: Iterable[Line[T]],
    columns: dict[str, Callable[[T], str]],
    *,
    note: str = "",
) -> Sheet:
    heads = {"agent": "Agent", "ecosystem": "Language", "domain": "Domain", "agents": "Agents"}
    return Sheet(
        name=name, title=title, columns=(*(heads[key] for key in keys), *columns), names=len(keys), note=note,
        lines=tuple(
            (*(language(line.name[key]) for key in keys), *(said(line.measures) for said in columns.values()))
            for line in lines
        ),
    )  # fmt: skip


def _converging(lines: Sequence[Line[Convergence]], name: str, title: str, key: str) -> Sheet:
    buckets = list(lines[0].measures.buckets) if lines else []
    return _sheet(
        name, title, ("agent", key), lines,
        {
            "n": lambda m: str(m.n), "SR(0) %": lambda m: percent(m.first), "SR(<=k) %": lambda m: percent(m.final),
            "gain %": lambda m: percent(m.gain), "mean repairs": lambda m: decimal(m.depth, 2),
            **{bucket: _bucket(bucket) for bucket in buckets},
        }, note="The last columns count projects by the repairs they took.",
    )  # fmt: skip


def _bucket(name: str) -> Callable[[Convergence], str]:
    return lambda measures: str(measures.buckets[name])


def _gaps(report: StudyReport) -> Sheet:
    return _sheet(
        "gaps", "Gaps and growth (M2, M3)", ("agent", "ecosystem"), report.specification,
        {
            "projects": lambda m: str(m.projects), "phantom": lambda m: decimal(m.phantom.value),
            "hidden": lambda m: decimal(m.hidden.value), "bloat": lambda m: decimal(m.bloat.value),
            "traced": lambda m: str(m.bloat.n), "rho": lambda m: decimal(m.rho.value, 2),
            "median rho": lambda m: decimal(m.rho.median, 2), "with rho": lambda m: str(m.rho.n),
            "transitive": lambda m: decimal(m.transitive.value, 2),
        }, note="Means over the projects that ran; rho leaves out those that declare nothing.",
    )  # fmt: skip


def _accuracy(report: StudyReport) -> Sheet:
    return _sheet(
        "accuracy", "Accuracy of the first manifest (M4, Table 4)", ("agent", "ecosystem"), report.specification,
        {
            "Precision": lambda m: decimal(m.precision.value), "Recall": lambda m: decimal(m.recall.value),
            "F1": lambda m: decimal(m.f1.value), "n": lambda m: str(m.f1.n),
        }, note="F1 is the mean of the projects' F1; projects that declare and read nothing are left out.",
    )  # fmt: skip


def _agreement(report: StudyReport) -> Sheet:
    return _sheet(
        "agreement", "Agreement of agents on declared packages (M5)", ("ecosystem", "agents"), report.agreement,
        {"pairs": lambda m: str(m.pairs), "Jaccard": lambda m: decimal(m.mean), "CDR %": lambda m: percent(m.cdr)},
        note=f"Mean CDR over languages: {percent(report.mean_cdr)} %." if report.agreement else "",
    )  # fmt: skip


def _stability(report: StudyReport) -> Sheet:
    return _sheet(
        "stability", "Repeated trials of an agent (M6, Table 5)", ("agent", "ecosystem"), report.stability,
        {
            "Mean J": lambda m: decimal(m.mean), "Median J": lambda m: decimal(m.median),
            "UCR": lambda m: f"{m.identical}/{m.tasks} ({percent(m.ucr)}%)",
            "Union": lambda m: decimal(m.union, 1), "Core": lambda m: decimal(m.core, 1),
        },
    )  # fmt: skip


def _needless(report: StudyReport) -> Sheet:
    means = ", ".join(
        f"{agent} {percent(value)} %" for agent, value in report.mean_udr.items() if value is not None
    )
    return _sheet(
        "needless", "Packages where the standard library is enough (M7)", ("agent", "ecosystem"), report.needless,
        {"tasks": lambda m: str(m.tasks), "declaring": lambda m: str(m.declaring), "UDR %": lambda m: percent(m.udr)},
        note=f"Mean UDR over languages: {means}." if means else "",
    )  # fmt: skip


def _environment(report: StudyReport) -> Sheet:
    return _sheet(
        "environment", "C++: libraries of the system taken for granted (M8, Table 6)", ("agent",), report.environment_gap,
        {
            "Fail": lambda m: str(m.failures), "SysLib": lambda m: str(m.kinds["SystemLib"]),
            "Fetch": lambda m: str(m.kinds["FetchFail"]), "Other": lambda m: str(m.kinds["Other"]),
            "SLAR %": lambda m: percent(m.slar), "Rec.": lambda m: str(m.repaired), "EGAR %": lambda m: percent(m.egar),
        },
    )  # fmt: skip


def _correlation(report: StudyReport) -> Sheet:
    return _sheet(
        "correlation", "Size of the manifest and success at the first attempt (Table 7)", ("ecosystem",), report.correlation,
        {"n": lambda m: str(m.n), "Spearman": lambda m: decimal(m.rho), "p": lambda m: decimal(m.p, 4)},
    )  # fmt: skip


def _frequent(lines: Sequence[Line[tuple[Frequency, ...]]], name: str, title: str) -> Sheet:
    return _sheet(
        name, title, ("ecosystem",), [line for line in lines if line.measures],
        {"Packages": lambda found: ", ".join(f"{item.package} ({item.projects})" for item in found)},
    )  # fmt: skip


def _left_out(report: StudyReport) -> Sheet:
    return Sheet(
        name="left-out", title="Left out: the host could not measure them", names=4,
        columns=("Agent", "Task", "Language", "Trial", "Reason"),
        lines=tuple(
            (item.agent, item.task, language(item.ecosystem), str(item.trial), item.reason) for item in report.left_out
        ),
    )  # fmt: skip
