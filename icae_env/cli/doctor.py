"""``icae doctor``: what works on this machine."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from typing import Annotated

import typer

from icae_env.cli.options import Debug, Json
from icae_env.cli.output import DONE, INFRA, Output, printable

_REAL = {"sandbox bubblewrap", "sandbox docker"}


def doctor(
    *,
    reap: Annotated[bool, typer.Option("--reap", help="Remove what killed processes left behind.")] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Say what works here, what does not, and the command that mends it.

    Exit code 0 when at least one sandbox works, else 3.
    """
    from rich.table import Table
    from rich.text import Text

    from icae_env.sandbox import doctor as examiner
    from icae_env.sandbox import leftovers

    out = Output(json=json)
    removed = list(leftovers.reap()) if reap else []
    checks = examiner.checks()
    usable = any(check.ok and check.name in _REAL for check in checks)
    out.document(
        {"ok": usable, "checks": [check.model_dump(mode="json") for check in checks], "removed": removed}
    )
    if not json:
        table = Table(title="This machine", title_style="bold")
        for name in ("", "part", "state", "mend"):
            table.add_column(name, overflow="fold")
        for check in checks:
            mark = Text("ok", "green") if check.ok else Text("no", "red")
            table.add_row(mark, check.name, printable(check.detail), check.mend or "")
        out.console.print(table)
        for thing in removed:
            out.console.print(f"removed {thing}")
        if reap and not removed:
            out.console.print("Nothing was left behind.")
        if not usable:
            out.console.print("No sandbox works here yet; each row above names its mend.", style="red")
    raise typer.Exit(DONE if usable else INFRA)
