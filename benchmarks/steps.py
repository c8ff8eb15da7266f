"""One step: a bash command, an edit, a question; beside a persistent bash over pipes."""

from __future__ import annotations

import subprocess
from contextlib import closing
from typing import Any

import icae_env
from benchmarks.timing import compared, median


def bare_bash(rounds: int) -> float:
    """Return the round trip of `echo x` to a persistent bash on the host, over pipes."""
    with subprocess.Popen(["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bash:
        assert bash.stdin is not None and bash.stdout is not None

        def trip() -> None:
            bash.stdin.write(b"echo x\n")
            bash.stdin.flush()
            bash.stdout.readline()

        result = median(trip, rounds)
        bash.stdin.close()
    return result


def bare_write(rounds: int, text: str) -> float:
    """Return the time to write a file of the text on the host."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        return median(lambda: Path(folder, "f").write_text(text), rounds)


def step(sandbox: str, image: str, rounds: int) -> dict[str, Any]:
    """Measure `echo x`."""
    with closing(icae_env.make_env(task="bracex", sandbox=sandbox, image=image, steps=rounds + 10)) as env:
        env.reset(seed=0)
        measured = median(lambda: env.step({"type": "bash", "command": "echo x"}), rounds)
    return {
        "step": compared(
            measured, bare_bash(rounds), "persistent bash over pipes", 1.0 if sandbox == "bubblewrap" else 2.5
        )
    }


def edit(sandbox: str, image: str, rounds: int) -> dict[str, Any]:
    """Measure writing, and replacing a line in, a file of 12 KB."""
    text = "".join(f"line {n:04d} of a file that is twelve kilobytes long\n" for n in range(250))
    replace = [
        {"type": "edit", "op": "replace", "path": "f", "old": a, "new": b}
        for a, b in (("line 0100", "LINE 0100"), ("LINE 0100", "line 0100"))
    ]
    with closing(
        icae_env.make_env(task="bracex", sandbox=sandbox, image=image, steps=3 * rounds + 20)
    ) as env:
        env.reset(seed=0)
        create = median(lambda: env.step({"type": "edit", "op": "create", "path": "f", "text": text}), rounds)
        turn = iter(range(10**9))
        change = median(lambda: env.step(replace[next(turn) % 2]), rounds - rounds % 2, warm=2)
    bare = bare_write(rounds, text)
    return {
        "edit_create_12kb": compared(create, bare, "Path.write_text on the host", 3.0),
        "edit_replace_12kb": compared(change, bare, "Path.write_text on the host", 3.0),
    }


def ask(sandbox: str, image: str, rounds: int) -> dict[str, Any]:
    """Measure a question."""
    rounds = min(rounds, 200)
    with closing(
        icae_env.make_env(
            task="bracex", sandbox=sandbox, image=image, steps=rounds + 10, questions=rounds + 10
        )
    ) as env:
        env.reset(seed=0)
        measured = median(
            lambda: env.step({"type": "ask_user", "question": "What happens to unbalanced braces?"}), rounds
        )
    return {"ask_user": compared(measured, bare_bash(rounds), "persistent bash over pipes", 1.0)}
