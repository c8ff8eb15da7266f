"""Checks of where a command finds itself: variables, folder, user and system."""

from __future__ import annotations

import os
from pathlib import Path

from icae_env.sandbox.base import BASE_ENV, HOME, WORKSPACE, Backend, Sandbox
from icae_env.sandbox.conformance.common import Checks, bash, marker, output

_WRITABLE = ("/workspace", "/home/agent", "/tmp", "/var/tmp", "/dev/shm", "/run")


def _variables(text: bytes) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.decode().split("\0") if line)


class EnvironmentChecks(Checks):
    """What a command sees of itself."""

    def test_variables_are_the_stated_ones(self, sandbox: Sandbox) -> None:
        """BASE_ENV, and nothing of the host's."""
        seen = _variables(sandbox.run(["env", "-0"]).stdout)
        missing = {key: value for key, value in BASE_ENV.items() if key != "PATH" and seen.get(key) != value}
        assert not missing
        strangers = set(seen) & (set(os.environ) - set(BASE_ENV) - {"PWD", "SHLVL", "_"})
        assert not strangers

    def test_variables_of_the_configuration_and_the_call(self, backend: Backend) -> None:
        """Each adds to, and overrides, what came before."""
        config = self.config().model_copy(update={"env": {"LANG": "C", "MINE": "a b\n'\"$x"}})
        with backend.create(config) as sandbox:
            seen = _variables(sandbox.run(["env", "-0"], env={"TZ": "Asia/Tokyo", "odd.name": "1"}).stdout)
            assert (seen["LANG"], seen["MINE"], seen["TZ"], seen["odd.name"]) == (
                "C",
                "a b\n'\"$x",
                "Asia/Tokyo",
                "1",
            )
            assert "odd.name" not in _variables(sandbox.run(["env", "-0"]).stdout)

    def test_host_variables_stay_outside(self, backend: Backend) -> None:
        """A key in the host's environment is found nowhere inside, not even in another process's environment."""
        name, word = f"ICAE_CANARY_{marker()}", marker()
        os.environ[name] = word
        try:
            with backend.create(self.config()) as sandbox:
                seen = bash(sandbox, "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null").stdout
        finally:
            del os.environ[name]
        assert name.encode() not in seen and word.encode() not in seen

    def test_commands_start_in_the_workspace(self, sandbox: Sandbox) -> None:
        """Unless told otherwise."""
        assert sandbox.run(["pwd"]).stdout.decode().strip() == str(WORKSPACE)
        assert sandbox.run(["pwd"], cwd=HOME).stdout.decode().strip() == str(HOME)
        bash(sandbox, "mkdir 'a b' && chmod 700 'a b'")
        assert sandbox.run(["pwd"], cwd="/workspace/a b").stdout == b"/workspace/a b\n"

    def test_missing_folder_is_a_result(self, sandbox: Sandbox) -> None:
        """The command does not run, and a message says why."""
        result = sandbox.run(["echo", "ran"], cwd="/workspace/none")
        assert result.exit_code != 0 and result.stdout == b"" and result.stderr

    def test_user_is_unprivileged_without_capabilities(self, sandbox: Sandbox) -> None:
        """No capability can be had, now or by any program."""
        assert output(sandbox, "id -u; id -g; id -G").split() == [str(self.uid)] * 3
        status = dict(line.split(":\t", 1) for line in output(sandbox, "cat /proc/self/status").splitlines())
        assert {int(status[key], 16) for key in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {0}
        assert status["NoNewPrivs"] == "1"

    def test_writable_places(self, sandbox: Sandbox) -> None:
        """Each is empty, writable and lets programs run."""
        for place in _WRITABLE:
            probe = f"cd {place} && printf '#!/bin/sh\\necho ran' >p && chmod +x p && ./p && rm p"
            if place == "/dev/shm":
                probe = f"cd {place} && echo ran >p && cat p && rm p"
            assert output(sandbox, probe) == "ran", place

    def test_everything_else_is_read_only(self, sandbox: Sandbox) -> None:
        """No file outside the writable places can be made, changed or removed."""
        for place in (
            "/",
            "/etc",
            "/usr/bin",
            "/usr/lib",
            "/var",
            "/home",
            "/opt",
            "/root",
            "/dev",
            "/proc/sys",
            "/sys",
        ):
            assert bash(sandbox, f"echo x >{place}/icae-probe").exit_code != 0, place
        assert bash(sandbox, "echo x >>/etc/passwd").exit_code != 0
        assert bash(sandbox, "rm -f /bin/ls; ls / >/dev/null").exit_code == 0

    def test_devices_work(self, sandbox: Sandbox) -> None:
        """The usual ones are there; no disk is."""
        assert (
            output(sandbox, "echo x >/dev/null; head -c 4 /dev/zero | wc -c; head -c 9 /dev/urandom | wc -c")
            == "4\n9"
        )
        assert output(sandbox, "find /dev -type b | wc -l") == "0"
        assert bash(sandbox, "mknod /tmp/disk b 8 0").exit_code != 0

    def test_host_name_is_not_told(self, sandbox: Sandbox) -> None:
        """Observations are the same on every machine."""
        assert output(sandbox, "uname -n") != Path("/proc/sys/kernel/hostname").read_text().strip()
