"""Tables of texts as Markdown, and a report's groups as comma-separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from icae_env.reports.failures import FAILURE_CLASSES
from icae_env.reports.metrics import METRICS, TOTALS
from icae_env.reports.sheets import Sheet
from icae_env.reports.summary import Group, RunReport
from icae_env.reports.visible import visible


def markdown(sheets: Iterable[Sheet]) -> str:
    """Return tables as GitHub's Markdown."""
    return "\n".join(map(_markdown, sheets))


def _markdown(sheet: Sheet) -> str:
    marks = ["---" if number < sheet.names else "--:" for number in range(len(sheet.columns))]
    lines = [f"### {_cell(sheet.title)}", "", _line(map(_cell, sheet.columns)), _line(marks)]
    lines += [_line(map(_cell, line)) for line in sheet.lines]
    return "\n".join([*lines, "", *([_cell(sheet.note), ""] if sheet.note else [])])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    plain = visible(text).replace("\n", " ").replace("\\", "\\\\").replace("|", "\\|")
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace("`", "\\`")


def sheet_csv(sheets: Iterable[Sheet]) -> str:
    """Return tables as comma-separated values, each with its title above and an empty line below."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for sheet in sheets:
        writer.writerows([[sheet.title], sheet.columns, *sheet.lines, []])
    return stream.getvalue()


def report_csv(report: RunReport) -> str:
    """Return a report's groups as comma-separated values with plain numbers, one line for each; unknown is empty."""
    stream = io.StringIO()
    lines = [_fields(group) for group in report.groups]
    names = list(dict.fromkeys(name for line in lines for name in line))
    writer = csv.DictWriter(stream, names, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(lines)
    return stream.getvalue()


def _fields(group: Group) -> dict[str, object]:
    fields: dict[str, object] = {**group.name, "scored": group.scored, "infra": group.infra}
    fields |= {"unfinished": group.unfinished, "tasks": group.tasks}
    for name in METRICS:
        mean = group.means[name]
        fields |= {
            name: mean.value, f"{name}_low": mean.interval and mean.interval.low,
            f"{name}_high": mean.interval and mean.interval.high, f"{name}_n": mean.n,
        }  # fmt: skip
    for name in TOTALS:
        fields |= {
            f"total_{name}": group.totals[name].value,
            f"total_{name}_unknown": group.totals[name].unknown,
        }
    fields |= {f"class_{name}": group.failures.get(name, 0) for name in FAILURE_CLASSES}
    for share in group.shares:
        fields[f"reached_{share.threshold:g}"] = share.share
    for item in group.passes:
        fields |= {f"pass_at_{item.k}": item.any, f"pass_hat_{item.k}": item.all}
    return {name: "" if value is None else value for name, value in fields.items()}
