"""What sandboxes in memory answer in the tests of the environment: everything is real but the processes."""

import json

from icae_env.sandbox.base import WORKSPACE, Completed
from icae_env.sandbox.fake import FakeCall
from icae_env.tasks import load_hidden

TASK = "bracex"


def commands(command: str) -> tuple[str, int]:
    """Answer what the tests type into a fake shell."""
    word, _, rest = command.partition(" ")
    if word == "echo":
        return rest + "\n", 0
    if word == "yes":
        return "y\n" * int(rest), 0
    if word == "false":
        return "", 1
    return f"{word}: command not found\n", 127


def replay(call: FakeCall) -> Completed:
    """Stand in for a submission's test.sh: its text ``pass N`` gives N right answers in each suite."""
    if call.argv[:2] != ("bash", "rcb_tests/test.sh"):
        return Completed(exit_code=127)
    script = call.sandbox.files.read(WORKSPACE / "rcb_tests/test.sh").decode()
    right, suite = int(script.split()[1]), call.argv[-1]
    cases = {case.id: case for case in load_hidden(TASK).suite(suite)}
    order = {case_id: position for position, case_id in enumerate(cases)}
    for name in call.sandbox.files.list(WORKSPACE / "rcb_tests" / suite):
        given = json.loads(call.sandbox.files.read(WORKSPACE / "rcb_tests" / suite / name))["cases"]
        for index, entry in enumerate(given):
            assert set(entry) == {"id", "input"}
            text = cases[entry["id"]].expected_output if order[entry["id"]] < right else "wrong\n"
            path = WORKSPACE / f"rcb_tests/stdout/{suite}/{name.removesuffix('.json')}@{index:03d}.txt"
            call.sandbox.files.write(path, text.encode())
    return Completed(exit_code=0)


def script(right: int) -> dict[str, str]:
    """Return the action that writes a test.sh with so many right answers in each suite."""
    return {"type": "edit", "op": "create", "path": "rcb_tests/test.sh", "text": f"pass {right}\n"}
