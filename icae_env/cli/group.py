"""The root of all commands: the one place where an error becomes a message and an exit code."""

from __future__ import annotations

import sys
import traceback
from types import TracebackType
from typing import Any

import typer
from typer.core import TyperGroup

from icae_env.cli.output import BAD_INPUT, INFRA, Output, say_error
from icae_env.errors import ICAEError, InfraError

JSON = "icae.json"
DEBUG = "icae.debug"
"""Keys of the context's ``meta``, which nested commands share."""


class CommandGroup(TyperGroup):
    """Run a command and report what goes wrong, without a traceback unless ``--debug`` is given."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        # A command line that cannot be parsed never comes to the callback of --json.
        wanted = "--json" in (*getattr(ctx, "_protected_args", ()), *ctx.args)
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise  # BrokenPipeError: the reader of stdout went away; the caller ends quietly
        except (ICAEError, OSError) as error:
            if ctx.meta.get(DEBUG):
                traceback.print_exc()
            else:
                say_error(str(error))
            _tell(error, str(error), json=bool(ctx.meta.get(JSON)))
            raise typer.Exit(INFRA if isinstance(error, InfraError) else BAD_INPUT) from None
        except Exception as error:
            # What typer says of a wrong command line it prints itself; the rest is for the hook below.
            said = getattr(error, "format_message", error.__str__)()
            _tell(error, said, json=wanted or bool(ctx.meta.get(JSON)))
            raise


def _tell(error: Exception, message: str, *, json: bool) -> None:
    """Print an error as the JSON document when one is asked for."""
    Output(json=json).document({"error": {"type": type(error).__name__, "message": message}})


def brief_hook(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:  # as sys.excepthook wants it
    """Name an unforeseen error in one line."""
    if issubclass(kind, KeyboardInterrupt):
        say_error("interrupted")
        return
    say_error(
        f"unforeseen {kind.__name__}: {error}. This is a fault of icae_env; run again with --debug to see where."
    )


def note_json(ctx: typer.Context, value: bool) -> bool:
    """Remember that errors, too, are to be told as JSON."""
    ctx.meta[JSON] = bool(ctx.meta.get(JSON)) or value
    return value


def note_debug(ctx: typer.Context, value: bool) -> bool:
    """Remember that tracebacks are wanted."""
    if value:
        ctx.meta[DEBUG] = True
        sys.excepthook = sys.__excepthook__
    return value
