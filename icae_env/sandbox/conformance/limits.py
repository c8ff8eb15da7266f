"""Checks that what one sandbox uses is bounded, and that it can be used again afterwards."""

from __future__ import annotations

import time

from icae_env.sandbox.base import MIB, Backend, Sandbox
from icae_env.sandbox.conformance.common import Checks, bash, eventually, output

_BOMB = ":(){ :|:& };:; sleep 30"


class LimitChecks(Checks):
    """Processes, memory, space and descriptors."""

    def test_number_of_processes(self, backend: Backend) -> None:
        """A command that starts too many gets an error, and the rest of the machine does not notice."""
        with backend.create(self.config(processes=48)) as sandbox:
            started = "for i in $(seq 200); do sleep 60 & done 2>/dev/null; jobs -p | wc -l"
            bash(sandbox, started, timeout=2.0)
            sandbox.kill_all()
            assert output(sandbox, "echo ok") == "ok"
            result = bash(sandbox, "for i in $(seq 20); do sleep 1 & done; wait; echo all", timeout=30.0)
            assert result.stdout == b"all\n"

    def test_fork_bomb(self, backend: Backend) -> None:
        """It ends with ``kill_all``, and the next command runs."""
        with backend.create(self.config(processes=64)) as sandbox:
            process = sandbox.open_pty(["bash", "-c", _BOMB])
            time.sleep(1.0)
            begun = time.monotonic()
            sandbox.kill_all()
            assert time.monotonic() - begun < 10
            assert bash(sandbox, "echo ok", timeout=20.0).stdout == b"ok\n" and sandbox.alive()
            process.close()

    def test_fork_bomb_meets_the_time_limit(self, backend: Backend) -> None:
        """A command that never ends and multiplies is ended all the same."""
        with backend.create(self.config(processes=64)) as sandbox:
            begun = time.monotonic()
            assert bash(sandbox, _BOMB, timeout=1.5).exit_code != 0
            assert time.monotonic() - begun < 25
            sandbox.kill_all()
            assert bash(sandbox, "echo ok", timeout=20.0).stdout == b"ok\n"

    def test_memory(self, backend: Backend) -> None:
        """One process that takes all ends; the sandbox stays."""
        with backend.create(self.config(memory=256 * MIB)) as sandbox:
            result = bash(sandbox, "head -c 3G /dev/zero | tail | wc -c", timeout=60.0)
            assert int(result.stdout or 0) < 256 * MIB
            assert sandbox.alive() and output(sandbox, "echo ok") == "ok"

    def test_workspace_space(self, backend: Backend) -> None:
        """A full disk is an error inside; after clean-up it works again."""
        with backend.create(self.config(workspace=8 * MIB)) as sandbox:
            self._fill(sandbox, "/workspace", 8 * MIB)

    def test_scratch_and_shared_memory_space(self, backend: Backend) -> None:
        """Every writable place has a bound."""
        with backend.create(self.config(scratch=4 * MIB, shm=2 * MIB)) as sandbox:
            for place, limit in (
                ("/tmp", 4),
                ("/home/agent", 4),
                ("/var/tmp", 4),
                ("/dev/shm", 2),
                ("/run", 400),
            ):
                self._fill(sandbox, place, limit * MIB)

    @staticmethod
    def _fill(sandbox: Sandbox, place: str, limit: int) -> None:
        result = bash(sandbox, f"head -c {limit + MIB} /dev/zero >{place}/big")
        assert result.exit_code != 0 and b"No space left" in result.stderr, (place, result)
        assert int(output(sandbox, f"stat -c %s {place}/big")) <= limit
        assert output(sandbox, f"rm {place}/big; echo back >{place}/f; cat {place}/f") == "back"

    def test_many_small_files(self, backend: Backend) -> None:
        """Empty files do not escape the bound on space for ever, nor end the sandbox."""
        with backend.create(self.config(workspace=MIB, memory=256 * MIB)) as sandbox:
            bash(sandbox, "mkdir d; cd d; touch $(seq 1 20000) 2>/dev/null", timeout=60.0)
            bash(sandbox, "rm -rf d", timeout=60.0)
            assert output(sandbox, "echo x >f; cat f") == "x"

    def test_size_of_one_file(self, backend: Backend) -> None:
        """Larger ones are refused."""
        with backend.create(self.config(file=2 * MIB)) as sandbox:
            assert bash(sandbox, "head -c 3000000 /dev/zero >f").exit_code != 0
            assert int(output(sandbox, "stat -c %s f")) <= 2 * MIB

    def test_open_descriptors(self, backend: Backend) -> None:
        """Of one process."""
        with backend.create(self.config(open_files=64)) as sandbox:
            assert output(sandbox, "ulimit -n; ulimit -Hn") == "64\n64"

    def test_no_core_files(self, sandbox: Sandbox) -> None:
        """A crash leaves nothing behind."""
        bash(sandbox, "kill -SEGV $$")
        assert output(sandbox, "ulimit -c; ls -A | wc -l") == "0\n0"

    def test_output_without_end_is_bounded(self, sandbox: Sandbox) -> None:
        """A command that prints for ever is ended by its time, and only the limit is kept."""
        result = sandbox.run(["yes"], timeout=1.0, output_limit=10_000)
        assert (result.exit_code, len(result.stdout), result.truncated) == (124, 10_000, True)
        assert eventually(lambda: output(sandbox, "echo ok") == "ok")
