"""What a program prints on its screen reaches no other screen, no clipboard and nothing else of the host's tmux."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import pytest

from icae_env.sandbox import terminal as terminal_module
from icae_env.sandbox.base import Backend, Sandbox, SandboxConfig
from icae_env.sandbox.terminal import Terminal

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

CONTROL = (
    r"\033]52;c;Y2FuYXJ5\007"  # put "canary" on the clipboard
    r"\033]2;x\342\220\236y\342\220\236$9\342\220\236@9\342\220\236%%9\007"  # a title that holds libtmux's separator
    r"\033]2;#{run-shell:touch /tmp/canary}#(touch /tmp/canary)\007"  # a title that is a format
    r"\033Ptmux;\033\033]52;c;Y2FuYXJ5\007\033\\"  # passed through to the terminal around
    r"\033Ptmux;\033\033[?1000h\033\\\033k#(touch /tmp/canary)\033\\"  # the window's name
    r"\033P1000p%%begin\n%%exit\n\033\\"  # control mode
    r"\033[21t\033[5n\033[6n\033[c\033[>c\033]11;?\007\033[18t"  # questions whose answers are typed
)


@pytest.fixture
def two(attacked: Backend, attacked_image: str) -> Iterator[tuple[Sandbox, Sandbox]]:
    config = SandboxConfig(image=attacked_image)
    with attacked.create(config) as hostile, attacked.create(config) as other:
        yield hostile, other


def tmux(*words: str) -> str:
    server = next(iter(terminal_module._servers.values()))
    done = subprocess.run(
        ["tmux", "-S", str(server.socket), *words], capture_output=True, text=True, check=False
    )
    return done.stdout


def test_control_sequences_stay_on_their_screen(two: tuple[Sandbox, Sandbox]) -> None:
    screens = [Terminal(sandbox) for sandbox in two]
    hostile, other = screens
    try:
        other.send("echo other-$((1+1))", enter=True)
        hostile.send(f"printf '{CONTROL}'", enter=True, wait=0.5)
        again = Terminal(two[1])
        assert "third-3" in again.send("echo third-$((1+2))", enter=True)
        again.close()
        assert "still-4" in hostile.send("<C-c>", enter=True, wait=0.2) + hostile.send(
            "echo still-$((2+2))", enter=True
        )
        assert "other-2" in other.screen()
        assert "still" not in other.screen()
        assert "third" not in other.screen() + hostile.screen()
        assert "canary" not in tmux("list-buffers") + tmux("show-buffer")
        names = tmux("list-panes", "-a", "-F", "#{window_name}|#{session_name}")
        assert "canary" not in names
        for sandbox in two:
            assert sandbox.run(["ls", "/tmp/canary"]).exit_code != 0
        assert not shutil.os.path.exists("/tmp/canary")
    finally:
        for screen in screens:
            screen.close()


def test_a_screen_survives_the_end_of_its_shell_and_its_host_process(two: tuple[Sandbox, Sandbox]) -> None:
    screen = Terminal(two[0])
    try:
        for end in (
            "exit",
            "kill -9 $$",
            "kill -9 0",
            "kill -9 -1",
            "exec 0<&- 1>&- 2>&-",
            "stty raw -echo; kill -STOP $$",
        ):
            screen.send("echo ready", enter=True)
            screen.send(end, enter=True, wait=0.3)
            assert isinstance(screen.screen(), str)
        screen.close()
        screen = Terminal(two[0])
        assert "on-5" in screen.send("echo on-$((2+3))", enter=True)
    finally:
        screen.close()


def test_no_input_is_forced_on_the_terminal(two: tuple[Sandbox, Sandbox]) -> None:
    code = (
        "import fcntl, os, termios\n"
        "fd = os.open('/dev/tty', os.O_RDWR)\n"
        "try:\n    fcntl.ioctl(fd, termios.TIOCSTI, b'x')\n    print('forced')\n"
        "except OSError as error:\n    print('denied', error.errno)\n"
    )
    two[0].files.write("/workspace/force.py", code.encode())
    screen = Terminal(two[0])
    try:
        shown = screen.send("python3 force.py", enter=True, wait=1.0)
        assert (
            "forced" not in shown or two[0].backend == "docker"
        )  # there, the terminal is the container's own
    finally:
        screen.close()
