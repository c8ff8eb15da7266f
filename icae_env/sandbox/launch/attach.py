"""Run a command inside a sandbox on the terminal this program was started on (standard library only; for tmux panes).

Usage: ``python -I -S attach.py REQUEST`` with REQUEST as JSON, as ``BubblewrapSandbox.attach_argv`` writes it.
"""

import json
import os
import signal
import sys
import warnings  # noqa: F401 - os.execvpe wants it, and inside there is no standard library to take it from

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import enter
import syscalls


def main(request: dict) -> int:
    """Join the sandbox, run the command in the foreground and return its exit code."""
    syscalls.hide_arguments()
    enter.join_groups(request["groups"])
    for fd in range(3, 256):
        try:
            os.set_inheritable(fd, False)
        except OSError:
            continue
    enter.become_user(request["uid"], request["gid"])
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
    enter.join_namespaces(request["pid"])
    child = os.fork()
    if child == 0:
        try:
            syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
            enter.reset_signals()  # a hangup that the host's process ignores must end what runs inside
            enter.set_limits(request["limits"])
            os.chdir(request["cwd"])
            syscalls.drop_capabilities()
            syscalls.install_seccomp(bytes.fromhex(request["seccomp"]))
            os.execvpe(request["argv"][0], request["argv"], request["env"])
        except BaseException as error:  # noqa: BLE001 - a forked child may only report and end
            os.write(2, f"{error}\n".encode())
        finally:
            os._exit(127)
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
