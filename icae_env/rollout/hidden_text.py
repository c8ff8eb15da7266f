"""Search a running episode's sandbox for texts that only the host may hold.

The search runs inside, as the agent would: every file that can be read, every name, and what /proc tells of processes and
mounts. A control text that is planted on purpose proves that it finds what is there.
"""

from __future__ import annotations

import json
import secrets

from pydantic import BaseModel, ConfigDict

from icae_env.env.env import ICAEEnv
from icae_env.sandbox.base import MIB, WORKSPACE
from icae_env.tasks import TaskFolder, find_task, load_hidden
from icae_env.user_agent import load_records

LEAST = 30
"""Characters of a canary: shorter texts occur by chance."""
_FOLDER = ".search"
_SCRIPT = """\
export LC_ALL=C
here={here}
# /dev is left out: its devices never end, and where they are mounted over files, find takes them for files.
find / /dev/shm \\( -path /proc -o -path /sys -o -path /dev -o -path $here/texts -o -path $here/names \\) -prune \
  -o -type f -size -{kib}k -print0 2>/dev/null | xargs -0 -r -n 1000 grep -lsaFf $here/texts -D skip --
grep -lsaFf $here/texts -- /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/mountinfo
grep -lsFf $here/names -- /proc/self/mountinfo
find / \\( -path /proc -o -path /sys \\) -prune -o -print 2>/dev/null | grep -Ff $here/names
true
"""


class Search(BaseModel):
    """What was looked for and where it was found."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    texts: int
    """Canaries."""
    works: bool
    """Whether the control text was found."""
    found: tuple[str, ...]
    """Paths inside the sandbox that hold or name hidden text; empty when all is well."""


def hidden_texts(task: TaskFolder, public: str) -> tuple[str, ...]:
    """Return texts whose presence in a sandbox would be a leak, each on one line.

    Args:
        task: The task.
        public: What the agent is shown; an expected output that stands there is no secret.
    """
    outputs = [case.expected_output for case in load_hidden(task).cases]
    shown = {line for output in outputs for line in output.split("\n") if line in public}
    texts = [line for output in outputs for line in output.split("\n") if line not in shown]
    texts += [json.dumps(output)[1:-1] for output in outputs]
    for level in ("L1", "L2", "L3"):
        records = load_records(task.user_agent / f"{level}.json")
        said = [record.oracle_response for record in records.records]
        said += [pointer.actual_meaning for pointer in records.pointers]
        # As the User Agent says them, and as JSON writes them.
        texts += [max(form.split("\n"), key=len) for text in said for form in (text, json.dumps(text)[1:-1])]
    return tuple(
        dict.fromkeys(text for text in texts if len(text) >= LEAST and "\0" not in text and "\r" not in text)
    )


def search_episode(env: ICAEEnv, task: str) -> Search:
    """Begin an episode and search all that is visible in its sandbox.

    Args:
        env: An environment of that task; its time for one command should be ample.
        task: The task's id.

    Raises:
        InfraError: The host's side failed.
    """
    found = find_task(task)
    observation, _ = env.reset(seed=0)
    texts = hidden_texts(found, observation["text"])
    control = f"control {secrets.token_hex(16)}"
    names = (str(found.folder), str(found.user_agent), f"tasks/{found.id}", f"user_agent_data/{found.id}")
    files = {"texts": (*texts, control), "names": names, "control": (control,)}
    env.place(
        {f"{_FOLDER}/{name}": ("\n".join(lines).encode() + b"\n", 0o644) for name, lines in files.items()}
    )
    here = WORKSPACE / _FOLDER
    largest = max(
        file.stat().st_size for root in (found.folder, found.user_agent) for file in root.rglob("*.json")
    )
    script = _SCRIPT.format(here=here, kib=2 * max(largest, MIB) // 1024)
    observation, *_ = env.step({"type": "bash", "command": script})
    lines = [line for line in observation["text"].splitlines() if line]
    expected = str(here / "control")
    return Search(
        texts=len(texts), works=expected in lines, found=tuple(line for line in lines if line != expected)
    )
