"""The launcher: one small process beside each Python process that starts what runs in bubblewrap sandboxes.

It exists for four reasons. A sandbox bound to its parent (``PR_SET_PDEATHSIG``) ends with the *thread* that started it, so that
thread must live long; forking a large training process is slow, forking this one is not; orphans need a reaper; and when the
main process is killed, somebody has to clean up. ``server.py``, ``enter.py`` and ``syscalls.py`` run in that process, started
with ``python -I -S`` and nothing but the standard library; ``client.py`` is the other end.
"""
