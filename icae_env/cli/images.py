"""``icae images``: build, list and remove the root file systems that sandboxes run on."""
# ruff: noqa: PLC0415 - heavy parts are imported when the command runs, so that --help is quick

from __future__ import annotations

from typing import Annotated, Any, cast

import typer

from icae_env.cli.options import Debug, Json
from icae_env.cli.output import Output, printable
from icae_env.errors import ConfigError, UnknownNameError

app = typer.Typer(help="Build, list and remove the images that sandboxes run on.", no_args_is_help=True)
_BUILDERS = ("auto", "mmdebstrap", "docker")


@app.command("list")
def list_images(*, json: Json = False, debug: Debug = False) -> None:
    """List the defined images and which of them are built."""
    from icae_env.sandbox.images import definition, store

    out = Output(json=json)
    built = {name: found for name in _names() if (found := store.find(name))}
    entries: list[dict[str, Any]] = [
        {
            "name": "host",
            "built": True,
            "digest": "host",
            "description": "This machine's own toolchain; needs no build.",
        }
    ]
    for name in _names():
        found = built.get(name)
        entries.append(
            {
                "name": name,
                "built": found is not None,
                "digest": found.digest if found else None,
                "current": found is not None and found.record.definition == definition.load(name).digest,
                "builder": found.record.builder if found else None,
                "size": found.record.size if found else None,
                "rootfs": str(found.rootfs) if found else None,
                "description": definition.load(name).description,
            }
        )
    out.document({"images": entries})
    if not json:
        _table(out, entries)


def _names() -> list[str]:
    from icae_env.sandbox.images import definition

    return definition.names()


def _table(out: Output, entries: list[dict[str, Any]]) -> None:
    from rich.table import Table

    table = Table(title="Images", title_style="bold")
    for name in ("image", "built", "size", "digest", "for"):
        table.add_column(name)
    for entry in entries:
        state = (
            "yes" if entry.get("current", True) and entry["built"] else "outdated" if entry["built"] else "no"
        )
        size = f"{entry['size'] / 1e6:.0f} MB" if entry.get("size") else ""
        table.add_row(entry["name"], state, size, (entry["digest"] or "")[:19], entry["description"])
    out.console.print(table)


@app.command("build")
def build_images(
    *,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="IMAGE...", help="Names of definitions.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Build every defined image.")] = False,
    builder: Annotated[str, typer.Option("--builder", help="auto, mmdebstrap or docker.")] = "auto",
    missing: Annotated[
        bool, typer.Option("--missing", help="Leave alone what is built and current.")
    ] = False,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Build images from their definitions."""
    from icae_env.sandbox.images import build as building
    from icae_env.sandbox.images import definition, store

    out = Output(json=json)
    if builder not in _BUILDERS:
        raise UnknownNameError("image builder", builder, _BUILDERS)
    wanted = definition.names() if every else list(dict.fromkeys(names or []))
    if not wanted:
        raise ConfigError(
            "No image is named.", mend=f"give one of {', '.join(definition.names())}, or --all."
        )
    definitions = [definition.load(name) for name in wanted]  # all names are checked before the first build
    built = []
    for item in definitions:
        found = store.find(item.name)
        if not (missing and found and found.record.definition == item.digest):
            out.console.print(f"building {item.name} ...", style="bold")
            found = building.build(
                item.name,
                builder=cast(building.Builder, builder),
                progress=lambda line: out.console.print(printable(line), style="dim", soft_wrap=True),
            )
        assert found is not None
        out.console.print(f"{item.name}: {found.digest}, {found.record.size / 1e6:.0f} MB", style="green")
        built.append({**found.record.model_dump(mode="json"), "rootfs": str(found.rootfs)})
    out.document({"built": built})


@app.command("remove")
def remove_images(
    *,
    names: Annotated[list[str], typer.Argument(metavar="IMAGE...", help="Names of images.")],
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Remove built images from this user's store."""
    from icae_env.sandbox.images.store import ImageStore

    out = Output(json=json)
    store = ImageStore()
    known = {image.name for image in store.list()}
    for name in names:
        if name not in known:
            raise UnknownNameError("built image", name, known)
    removed = {name: store.remove(name) for name in names}
    out.document({"removed": removed})
    for name, digests in removed.items():
        out.console.print(f"removed {name}: {', '.join(digests)}")
