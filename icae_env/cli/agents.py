"""``icae agents``: what agents there are."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from typing import Any

from icae_env.cli.options import Debug, Json
from icae_env.cli.output import Output


def agents(*, json: Json = False, debug: Debug = False) -> None:
    """List the agents that can play by name."""
    from rich.table import Table

    from icae_env import registry

    out = Output(json=json)
    entries = [_entry(name) for name in registry.names("agent")]
    out.document({"agents": entries})
    if json:
        return
    table = Table(title="Agents", title_style="bold")
    for name in ("agent", "what it does", "class"):
        table.add_column(name)
    for entry in entries:
        table.add_row(
            entry["name"], entry["summary"] + (" (privileged)" if entry["privileged"] else ""), entry["class"]
        )
    out.console.print(table)
    out.console.print("An agent of your own is named as module:Class.", style="dim")


def _entry(name: str) -> dict[str, Any]:
    from icae_env import registry
    from icae_env.errors import ICAEError

    entry: dict[str, Any] = {"name": name, "class": registry.target("agent", name), "privileged": False}
    try:
        found = registry.resolve("agent", name)
    except ICAEError as error:
        # One that needs a package which is not installed is still listed.
        return {**entry, "summary": str(error)}
    summary = (found.__doc__ or "").strip().partition("\n")[0]
    return {**entry, "summary": summary, "privileged": bool(getattr(found, "privileged", False))}
