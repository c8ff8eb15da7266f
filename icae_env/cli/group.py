"""The root of all commands: the one place where an error becomes a message and an exit code."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from types import TracebackType
from typing import Any

import typer
from typer.core import TyperGroup

from icae_env.cli.output import BAD_INPUT, INFRA, Output, say_error
from icae_env.errors import ConfigError, ICAEError, InfraError

JSON = "icae.json"
DEBUG = "icae.debug"
"""Keys of the context's ``meta``, which nested commands share."""


_MENDS = {
    errno.ENOENT: "give a path that exists",
    errno.ENOTDIR: "give a path whose folders are folders; one of these is a file",
    errno.EISDIR: "give a file; this is a folder",
    errno.EEXIST: "give another path, or remove what is there",
    errno.EACCES: "give a path that this user may use, or change its permissions",
    errno.EPERM: "give a path that this user may use, or change its permissions",
    errno.EROFS: "give a path on a file system that can be written",
    errno.ENOSPC: "make room there, or give another path",
    errno.EDQUOT: "make room there, or give another path",
    errno.ELOOP: "give a path without links that lead round in a circle",
    errno.ENAMETOOLONG: "give a shorter path",
}
"""What helps when the system refuses a path."""


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
            said = str(explained(error) if isinstance(error, OSError) else error)
            if ctx.meta.get(DEBUG):
                traceback.print_exc()
            else:
                say_error(said)
            _tell(error, said, json=bool(ctx.meta.get(JSON)))
            raise typer.Exit(INFRA if isinstance(error, InfraError) else BAD_INPUT) from None
        except Exception as error:
            # What typer says of a wrong command line it prints itself; the rest is for the hook below.
            said = getattr(error, "format_message", error.__str__)()
            _tell(error, said, json=wanted or bool(ctx.meta.get(JSON)))
            raise


def explained(error: OSError) -> Exception:
    """Return an error of the system's as one that names the path and the mend, where it is about a path."""
    if error.filename is None or error.errno not in _MENDS:
        return error
    return ConfigError(f"{error.strerror}.", file=os.fsdecode(error.filename), mend=f"{_MENDS[error.errno]}.")


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
