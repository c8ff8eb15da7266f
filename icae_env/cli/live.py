"""Show an episode on a terminal while it happens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from icae_env.cli.output import printable
from icae_env.env.actions import AskUser, Bash, Edit, InvalidAction, Submit, Terminal, parse_action
from icae_env.env.observations import Observation
from icae_env.tasks import PublicTask
from icae_env.user_agent import Diagnosis


class Live:
    """A watcher that prints each action and what it showed.

    Args:
        console: Where to.
        prd_lines: Lines of the PRD that are shown; None: all of it.
        lines: Lines of an action or an output that are shown; None: all of them.
    """

    def __init__(self, console: Console, *, prd_lines: int | None = 14, lines: int | None = 8) -> None:
        self._console, self._prd_lines, self._lines = console, prd_lines, lines
        self._steps = 0
        self.transcript: list[dict[str, Any]] = []
        """Every step as JSON values: the action, and what the agent saw of it."""
        self.diagnoses: list[Diagnosis] = []
        """What the User Agent's side noted on each question."""

    def began(self, task: PublicTask, observation: Observation, info: Mapping[str, Any]) -> None:
        """Show the task and its PRD."""
        self._steps = 0
        place = f"{info['sandbox']}, image {info['image']}"
        self._console.print(Rule(f"{task.spec.title}  ({task.id}, {task.level}, {place})", style="cyan"))
        lines = printable(task.prd).rstrip("\n").split("\n")
        show_prd(self._console, "\n".join(lines[: self._prd_lines]))
        if self._prd_lines is not None and len(lines) > self._prd_lines:
            self._console.print(f"    ... {len(lines) - self._prd_lines} more lines", style="dim italic")
        left = f"{int(observation['steps_left'])} actions and {int(observation['questions_left'])} questions"
        self._console.print(f"The agent has {left}.\n", style="dim")

    def acting(self, action: Any) -> None:
        """Show what the agent does."""
        self._steps += 1
        parsed = parse_action(action)
        head, body = _described(parsed)
        self._console.print(
            Text.assemble((f"{self._steps:>3} ", "dim"), (head, f"bold {_COLOURS[parsed.type]}"))
        )
        self._block(body, self._lines, _COLOURS[parsed.type] if isinstance(parsed, AskUser) else "")
        if isinstance(parsed, Submit):
            self._console.print("    Replaying every case in a fresh sandbox ...", style="dim")

    def stepped(self, action: Any, observation: Observation, info: Mapping[str, Any]) -> None:
        """Show what came of it."""
        text, code = observation["text"], int(observation["exit_code"])
        asked = isinstance(parse_action(action), AskUser)
        if asked:
            self._console.print("    the user answers", style="bold green")
        self._block(text, self._lines, "green" if asked else "dim", indent=8)
        if code > 0:
            self._console.print(f"        [exit code {code}]", style="red")
        if isinstance(info.get("user_agent"), Diagnosis):
            self.diagnoses.append(info["user_agent"])
        self.diagnoses += info.get("asked", ())
        given = parse_action(action).model_dump(mode="json", exclude_none=True)
        self.transcript.append({"action": given, "text": text, "exit_code": code})

    def _block(self, text: str, limit: int | None, style: str, indent: int = 4) -> None:
        lines = printable(text).rstrip("\n").split("\n")
        shown = lines if limit is None else lines[:limit]
        if any(shown):
            body = Text("\n".join(shown), style=style, tab_size=4)
            # Wrapped by hand: rich would fill every line up with blanks.
            for line in body.wrap(self._console, max(self._console.width - indent, 20)):
                line.rstrip()
                self._console.print(Text(" " * indent) + line, soft_wrap=True)
        if len(lines) > len(shown):
            self._console.print(f"{' ' * indent}... {len(lines) - len(shown)} more lines", style="dim italic")


def show_prd(console: Console, text: str) -> None:
    """Print requirements, or the beginning of them."""
    console.print(Padding(Markdown(printable(text)), (0, 4, 1, 4)))


_COLOURS = {
    "bash": "yellow", "edit": "blue", "ask_user": "magenta", "terminal": "yellow", "submit": "green", "invalid": "red",
}  # fmt: skip


def _described(action: Bash | Edit | AskUser | Terminal | Submit | InvalidAction) -> tuple[str, str]:
    match action:
        case Bash():
            return "bash", action.command
        case Edit():
            return f"edit: {action.op} {printable(action.path)}", action.text or action.new or ""
        case AskUser():
            return "ask the user", action.question
        case Terminal():
            return "terminal", action.keys + (" <Enter>" if action.enter else "")
        case Submit():
            return "submit", ""
        case InvalidAction():
            return "no valid action", ""
