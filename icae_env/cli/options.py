"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from icae_env.cli.group import note_debug, note_json
from icae_env.errors import ConfigError

Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print one JSON document on stdout; progress goes to stderr.",
        callback=note_json,
        is_eager=True,
    ),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.", callback=note_debug, is_eager=True)]
Level = Annotated[
    str,
    typer.Option("--level", "-l", help="How much the PRD says: L1 (fuzziest), L2, L3, ground, recovered."),
]
Sandbox = Annotated[
    str,
    typer.Option(
        "--sandbox", "-s", help="bubblewrap, docker or module:Class; auto: the first that works here."
    ),
]
Image = Annotated[
    str,
    typer.Option(
        "--image", "-i", help="Name of a built image, or host; auto: the task's own where built, else host."
    ),
]
Language = Annotated[
    str | None,
    typer.Option("--language", help="Language of the program, if not the task's own; image auto goes by it."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of the episode.")]
Workers = Annotated[int, typer.Option("--workers", min=1, help="Sandboxes at the same time while scoring.")]
AgentOptions = Annotated[
    list[str] | None,
    typer.Option("--agent-option", "-o", metavar="KEY=VALUE", help="Of agents, or AGENT.KEY=VALUE of one."),
]


def pairs(given: list[str] | None, field: str = "--agent-option") -> dict[str, str]:
    """Return ``KEY=VALUE`` options as a mapping; a key may name whose it is (``AGENT.KEY``).

    Raises:
        ConfigError: One has no ``=`` or no key.
    """
    found = {}
    for item in given or []:
        key, mark, value = item.partition("=")
        if not mark or not key.rpartition(".")[2].isidentifier():
            raise ConfigError(f"'{item}' is no KEY=VALUE.", field=field, mend="write it as name=value.")
        found[key] = value
    return found
