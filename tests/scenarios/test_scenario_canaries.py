"""Planted secrets of the host cannot be found from inside: files, environments, process tables, mounts, network."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
from real_sandboxes import place_or_skip
from scenario_tools import TASK, Play, eventually

import icae_env
from icae_env.rollout.hidden_text import search_episode
from icae_env.sandbox.base import WORKSPACE
from icae_env.tasks import load_hidden

PLACES = [
    pytest.param(("bubblewrap", "host"), marks=pytest.mark.bubblewrap),  # shows the most of the machine
    pytest.param(("bubblewrap", "python"), marks=pytest.mark.bubblewrap),
    pytest.param(("docker", "python"), marks=pytest.mark.docker),
]
SEARCH = r"""
export LC_ALL=C
seen() {{ grep -alsF -- "$word" "$@"; }}
word='{first}''{second}'
find / \( -path /proc -o -path /sys -o -path '/dev/[^s]*' \) -prune -o -type f -size -4096k -print0 2>/dev/null | xargs -0 -r -n 500 grep -alsF -- "$word" 2>/dev/null
seen /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/comm /proc/[0-9]*/task/*/environ /proc/self/mountinfo /proc/mounts /proc/net/unix /proc/keys /proc/cmdline
for p in /proc/[0-9]*; do for l in $p/cwd $p/root $p/exe $p/fd/*; do readlink $l; done; done 2>/dev/null | grep -F -- "$word"
for p in /proc/[0-9]*; do for f in $p/fd/* $p/root/root/* $p/cwd/*; do [ -f "$f" ] && timeout 1 head -c 1M "$f"; done; done 2>/dev/null </dev/null | grep -acF -- "$word" | grep -v '^0$'
find / -name "*$word*" 2>/dev/null
find /sys -type f -size -64k 2>/dev/null | head -3000 | timeout 20 xargs -r grep -alsF -- "$word" 2>/dev/null
env | grep -F -- "$word"
echo searched
"""


@pytest.fixture(scope="session", params=PLACES, ids="-".join)
def where(request):
    return place_or_skip(*request.param)


def search(play: Play, word: str) -> str:
    """Search everything visible inside; the word is divided so that the search does not find itself."""
    return play.bash(SEARCH.format(first=word[:9], second=word[9:]))


@pytest.fixture
def word():
    return "canary" + secrets.token_hex(12)


def test_files_environments_and_processes_of_the_host_are_nowhere(begin, word, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", word)
    monkeypatch.setenv("ICAE_NOTE", word)
    planted = [
        Path(folder) / f"icae-{word}.txt"
        for folder in {Path.home(), Path(tempfile.gettempdir()), tmp_path, "/var/tmp", "/dev/shm", Path.cwd()}
    ]
    with (
        subprocess.Popen(["sleep", "300", word], stderr=subprocess.DEVNULL) as sleeper,
        # its own group, for what the shell started outlives the shell
        subprocess.Popen(["bash", "-c", "sleep 300; true", word], start_new_session=True) as other,
    ):
        try:
            for file in planted:
                file.write_text(word)
                file.chmod(0o644)
            play = begin(command_seconds=120)
            play.bash("true")
            assert search(play, word) == "searched\n"
            control = "control" + secrets.token_hex(12)
            play.files.write(WORKSPACE / "control", control.encode())
            found = search(play, control).splitlines()
            assert found[0] == "/workspace/control" and found[-1] == "searched"
        finally:
            for file in planted:
                file.unlink(missing_ok=True)
            sleeper.kill()
            os.killpg(other.pid, signal.SIGKILL)
    text = play.bash(
        "ls /root /work /home /mnt /media /opt/venv /var/lib/icae_env /etc/shadow 2>&1; cat /etc/shadow 2>&1"
    )
    assert "root:*" not in text and "root:$" not in text and "root:!" not in text


def test_hidden_cases_and_records_are_nowhere(where):
    env = icae_env.make_env(TASK, command_seconds=300, seconds=600, **where)
    try:
        found = search_episode(env, TASK)
        assert found.works and found.texts > 50
        assert found.found == ()
        play = Play(env)
        for case in load_hidden(TASK).cases[:3]:
            assert case.id not in play.bash(
                f"grep -rl '{case.id}' /workspace /home /tmp /run /usr/lib/python3 /opt 2>/dev/null; true"
            )
    finally:
        env.close()


def test_only_the_chosen_public_cases_are_shown(begin):
    play = begin(public_cases=True)
    shown = play.bash("cat rcb_tests/public/*.json")
    cases = load_hidden(TASK).cases
    assert all((f'"{case.id}"' in shown) == case.public for case in cases)


def test_no_network_and_nothing_of_the_hosts_loopback(begin, word):
    seen = []

    def serve(listener: socket.socket) -> None:
        try:
            while True:
                connection, _ = listener.accept()
                seen.append(1)
                connection.sendall(word.encode())
                connection.close()
        except OSError:
            return

    with socket.create_server(("0.0.0.0", 0)) as listener, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0{word}")
        abstract.listen()
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            pass
        assert eventually(lambda: seen)
        seen.clear()
        play = begin(command_seconds=30)
        addresses = [
            "127.0.0.1",
            "localhost",
            "0.0.0.0",
            "172.17.0.1",
            "host.docker.internal",
            "10.0.2.2",
            socket.gethostname(),
            _own_address(),
        ]
        for address in addresses:
            text = play.bash(f"(exec 5<>/dev/tcp/{address}/{port} && cat <&5) 2>&1 | tail -c 200")
            assert word not in text
        text = play.bash(
            'cat /proc/net/dev /proc/net/unix; python3 -c "import socket; s = socket.socket(socket.AF_UNIX); '
            f"s.connect('\\0{word}')\" 2>&1"
        )
        assert "refused" in text.lower() or "denied" in text.lower() or "not permitted" in text.lower(), text
        play.bash("python3 -c \"import socket; socket.getaddrinfo('deb.debian.org', 80)\"")
        assert play.code != 0
        for socket_file in (
            "/var/run/docker.sock",
            "/run/containerd/containerd.sock",
            "/tmp/.X11-unix",
            "/run/dbus/system_bus_socket",
        ):
            assert play.bash(f"test -e {socket_file} && echo there; true") == ""
        assert not seen


def _own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def test_the_host_is_not_changed_from_inside(begin, word):
    play = begin(command_seconds=30)
    play.bash(
        f"for d in / /tmp /var/tmp /dev/shm /run /root /home /etc /usr/local/bin /var/lib /opt /proc/sys/kernel /sys/kernel; do touch $d/{word}; done 2>/dev/null"
    )
    play.bash(
        "hostname changed; date -s 2001-01-01; sysctl -w kernel.panic=9; mount -t tmpfs x /mnt; umount -l /; swapoff -a; mknod n c 1 3; chroot / true; nsenter -t 1 -a true"
    )
    play.bash(
        "unshare -Urm true; unshare -n true; dmesg; insmod x; reboot -f; kill -9 1; renice -20 $$; ionice -c1 true; chown 0 start.md; chmod u+s /bin/bash; echo c > /proc/sysrq-trigger"
    )
    for folder in (
        "/",
        "/tmp",
        "/var/tmp",
        "/dev/shm",
        "/run",
        "/root",
        "/home",
        "/etc",
        "/usr/local/bin",
        "/var/lib",
        "/opt",
    ):
        if os.access(folder, os.X_OK):
            assert not (Path(folder) / word).exists()
    assert os.uname().nodename != "changed"
    play.answers()
    assert play.bash(
        "grep -E '^Cap(Eff|Prm|Bnd|Amb)|NoNewPrivs|Seccomp:' /proc/self/status | tr -d '\\t ' | sort"
    ).splitlines()[:4] in (
        [
            "CapAmb:0000000000000000",
            "CapBnd:0000000000000000",
            "CapEff:0000000000000000",
            "CapPrm:0000000000000000",
        ],
    )
