"""System calls that lead out of a namespace, or to the init, are denied; those that programs need are not."""

from __future__ import annotations

import json
import os
import socket

import pytest

from icae_env.sandbox.base import Backend, SandboxConfig

pytestmark = pytest.mark.bubblewrap

FAMILIES = """
import json, socket
found = set()
for family in range(1, 46):
    for kind in (1, 2, 3, 5):
        try:
            socket.socket(family, kind).close()
            found.add(family)
        except OSError:
            pass
print(json.dumps(sorted(found)))
"""
OWN_LIMITS = """
import os, resource, socket
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
print(resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE) != (0, 0), resource.getrlimit(resource.RLIMIT_NOFILE))
a, b = socket.socketpair()
a.send(b"x")

"""
OTHERS = """
import resource
for pid in (1, -1 & 0x7fffffff):
    try:
        resource.prlimit(pid, resource.RLIMIT_CPU, (0, 0))
        print("set")
    except (PermissionError, ProcessLookupError) as error:
        print(type(error).__name__)
"""


def test_only_families_that_a_network_namespace_bounds(bubblewrap: Backend) -> None:
    with bubblewrap.create(SandboxConfig()) as sandbox:
        families = json.loads(sandbox.run(["python3", "-c", FAMILIES]).stdout)
    assert {1, 2} <= set(families) <= {1, 2, 10, 16}


def test_ones_own_limits_can_be_lowered_and_those_of_others_only_read(bubblewrap: Backend) -> None:
    with bubblewrap.create(SandboxConfig()) as sandbox:
        own = sandbox.run(["python3", "-c", OWN_LIMITS])
        others = sandbox.run(["python3", "-c", OTHERS])
        shell = sandbox.run(["bash", "-c", "ulimit -n 50; ulimit -n"])
        alive = sandbox.alive()
    assert (own.exit_code, own.stdout) == (0, b"True (100, 100)\n"), own
    assert others.stdout.split()[0] == b"PermissionError"
    assert shell.stdout == b"50\n"
    assert alive


def test_the_loopback_and_abstract_sockets_are_the_sandboxs_own(
    attacked: Backend, attacked_image: str
) -> None:
    server = socket.create_server(("127.0.0.1", 0))
    hidden = socket.socket(socket.AF_UNIX)
    name = f"icae-canary-{os.getpid()}-{attacked.name}"
    hidden.bind("\0" + name)
    hidden.listen()
    for listener in (server, hidden):
        listener.setblocking(False)  # a connection would wait in the backlog
    code = (
        (
            "import socket\n"
            "for family, place in ((2, ('127.0.0.1', PORT)), (1, '\\0NAME'), (2, ('1.1.1.1', 53))):\n"
            "    one = socket.socket(family); one.settimeout(2)\n"
            "    try: one.connect(place); print('reached', place)\n"
            "    except OSError as error: print('denied')\n"
        )
        .replace("NAME", name)
        .replace("PORT", str(server.getsockname()[1]))
    )
    with attacked.create(SandboxConfig(image=attacked_image)) as sandbox:
        done = sandbox.run(["python3", "-c", code], timeout=20)
    assert done.stdout == b"denied\n" * 3, done
    for listener in (server, hidden):
        with listener, pytest.raises(BlockingIOError):
            listener.accept()
