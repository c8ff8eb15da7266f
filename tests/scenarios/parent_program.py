"""A process that holds episodes, made by the tests of what its end leaves behind.

``parent_program.py MARK TMP PLACES HOW``: PLACES is JSON, a list of keyword arguments of ``make_env``. Every episode gets a busy
shell, some a terminal; then one line is printed and the process ends as HOW says, or waits to be killed.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import threading
import time

import icae_env
from icae_env.errors import EpisodeStateError

SLEEP = {"type": "bash", "command": "sleep 600"}


def begin(index: int, place: dict[str, str], mark: str) -> icae_env.ICAEEnv:
    env = icae_env.make_env("bracex", command_seconds=600, **place)
    env.reset(seed=index)
    env.step(
        {
            "type": "bash",
            "command": f"sleep {mark} & (setsid nohup sleep {mark} >/dev/null 2>&1 &) ; trap '' TERM HUP INT",
        }
    )
    if index % 3 == 0:
        env.step({"type": "terminal", "keys": f"sleep {mark}", "enter": True, "wait": 0.2})
    return env


def child(envs: list[icae_env.ICAEEnv], queue: multiprocessing.Queue[str]) -> None:
    """Do in a forked child what must not touch the parent's sandboxes, then live on."""
    for env in envs[1:]:
        env._episode.sandbox.close()
        env.close()
    try:
        envs[0].step({"type": "bash", "command": "exit"})
        raise AssertionError("a step in another process's episode")
    except EpisodeStateError:
        envs[0].reset(seed=9)  # an episode of the child's own
        envs[0].close()
    own = icae_env.make_env("bracex", sandbox="bubblewrap", image="host")
    own.reset(seed=0)
    obs, *_ = own.step({"type": "bash", "command": "echo child"})
    own.close()
    queue.put(obs["text"])
    time.sleep(600)


def main() -> None:
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # ignored where the tests run in a script's background
    mark, places, how = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
    envs = [begin(index, place, mark) for index, place in enumerate(places)]
    forked = None
    if how == "fork":
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        forked = context.Process(target=child, args=(envs, queue), daemon=True)
        forked.start()
        assert queue.get(timeout=60) == "child\n"
        for env in envs:
            obs, *_ = env.step({"type": "bash", "command": "jobs | wc -l"})
            assert obs["text"] == "1\n", obs["text"]
            env.step({"type": "terminal", "keys": "", "enter": False})
        print(forked.pid, flush=True)
        signal.pause()
    if how in ("kill", "int", "term"):
        threading.Thread(target=envs[1].step, args=(SLEEP,), daemon=True).start()
        time.sleep(0.3)
    print("ready", flush=True)
    if how == "return":
        return
    if how == "os._exit":
        os._exit(3)
    if how == "raise":
        raise SystemExit(4)
    if how == "thread":
        threading.Thread(target=lambda: 1 / 0).start()
        return
    if how == "int":
        envs[0].step(SLEEP)
    signal.pause()


if __name__ == "__main__":
    main()
