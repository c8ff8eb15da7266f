"""Shell and terminal with an open door: what is asked in them meanwhile is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from icae_env.user_agent.door import AskUserDoor

if TYPE_CHECKING:
    from icae_env.sandbox.shell import ShellResult


class Runs(Protocol):
    """A shell that runs one command after the other."""

    def run(self, command: str, *, timeout: float, output_limit: int) -> ShellResult:
        """Run a command."""
        ...

    def close(self) -> None:
        """End the shell."""
        ...


class Shows(Protocol):
    """A terminal that takes keys and shows a screen."""

    def send(self, keys: str, *, enter: bool, wait: float | None) -> str:
        """Type keys and return the screen."""
        ...

    def close(self) -> None:
        """End the terminal."""
        ...


class AskingShell:
    """A shell in whose commands ``ask-user`` and ``submit`` work.

    Args:
        shell: The shell itself.
        door: What answers while a command runs; it is closed with the shell.
    """

    def __init__(self, shell: Runs, door: AskUserDoor) -> None:
        self._shell, self._door = shell, door

    def run(self, command: str, *, timeout: float, output_limit: int) -> ShellResult:
        """Run a command, as the shell does.

        Raises:
            UserAgentError: The User Agent failed on a question asked meanwhile.
        """
        self._door.open()
        try:
            result = self._shell.run(command, timeout=timeout, output_limit=output_limit)
        finally:
            self._door.shut()
        return result

    def close(self) -> None:
        """End shell and door."""
        try:
            self._door.close()
        finally:
            self._shell.close()


class AskingScreen:
    """A terminal on which ``ask-user`` and ``submit`` work.

    Args:
        screen: The terminal itself.
        door: What answers while an action on it is carried out; it is closed with the terminal.
    """

    def __init__(self, screen: Shows, door: AskUserDoor) -> None:
        self._screen, self._door = screen, door

    def send(self, keys: str, *, enter: bool, wait: float | None) -> str:
        """Type keys and return the screen, as the terminal does; the answer to a question just asked is on it.

        Raises:
            UserAgentError: The User Agent failed on a question asked meanwhile.
        """
        before = self._door.messages
        self._door.open()
        try:
            screen = self._screen.send(keys, enter=enter, wait=wait)
            if wait is None and self._door.messages != before:
                # It came to rest while the answer was on its way.
                screen = self._screen.send("", enter=False, wait=None)
        finally:
            self._door.shut()
        return screen

    def close(self) -> None:
        """End terminal and door."""
        try:
            self._door.close()
        finally:
            self._screen.close()
