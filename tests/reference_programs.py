"""Programs in C for the tests of served references, compiled by the host's compiler: the reference itself, and what attacks it."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

MARK = f"mark-{secrets.token_hex(12)}"
"""In the reference's constant data and nowhere else: whoever has it has read the program."""

REFERENCE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const volatile char mark[] = MARK;
extern char __executable_start, etext;

static int copy(const char *path, long at) {
    char part[65536];
    int file = path ? open(path, O_RDONLY) : 0;
    ssize_t length;
    if (file < 0) return perror(path), 1;
    if (at) lseek(file, at, SEEK_SET);
    while ((length = read(file, part, sizeof part)) > 0)
        if (write(1, part, (size_t)length) != length) return 1;
    return length < 0 ? perror("read"), 1 : 0;
}

static void on_signal(int number) {
    printf("caught %d\n", number);
    fflush(stdout);
    _exit(40 + number);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (argc < 2) return printf("%s %d\n", argv[0], (int)strlen((const char *)mark)), 0;
    if (!strcmp(what, "args")) {
        for (int i = 0; i < argc; i++) printf("[%s]\n", argv[i]);
        return 3;
    }
    if (!strcmp(what, "cat")) return copy(argc > 2 ? argv[2] : NULL, argc > 3 ? strtol(argv[3], NULL, 0) : 0);
    if (!strcmp(what, "exit")) return atoi(argv[2]);
    if (!strcmp(what, "raise")) return raise(atoi(argv[2]));
    if (!strcmp(what, "sh")) {
        int status = system(argv[2]);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
    }
    if (!strcmp(what, "exec")) return execv(argv[2], argv + 2), perror("exec"), 1;
    if (!strcmp(what, "env")) return putenv(argv[2]), execv(argv[3], argv + 3), perror("exec"), 1;
    if (!strcmp(what, "both")) {
        for (int i = 0; i < 50; i++) {
            if (write(1, "out\n", 4) != 4 || write(2, "err\n", 4) != 4) return 1;
        }
        return 0;
    }
    if (!strcmp(what, "forever"))
        for (;;) if (write(1, "line\n", 5) != 5) return 1;
    if (!strcmp(what, "hold")) {
        for (int number = SIGHUP; number <= SIGTERM; number++) signal(number, on_signal);
        printf("%d holding\n", getpid());
        fflush(stdout);
        for (;;) pause();
    }
    if (!strcmp(what, "tty")) {
        struct winsize size = {0};
        ioctl(1, TIOCGWINSZ, &size);
        return printf("%d%d%d %dx%d %s\n", isatty(0), isatty(1), isatty(2), size.ws_row, size.ws_col, getenv("TERM")), 0;
    }
    if (!strcmp(what, "ask")) {
        char line[100];
        printf("name? ");
        fflush(stdout);
        return fgets(line, sizeof line, stdin) ? printf("hello %s", line), 0 : 1;
    }
    if (!strcmp(what, "sum")) { /* of its own code, in memory */
        unsigned long sum = 0;
        for (char *at = &__executable_start; at < &etext; at++) sum = sum * 31 + (unsigned char)*at;
        return printf("%lx\n", sum), 0;
    }
    if (!strcmp(what, "eat")) {
        size_t size = 1 << 20;
        for (;;) {
            char *part = malloc(size);
            if (!part) return 1;
            memset(part, 1, size);
        }
    }
    fprintf(stderr, "%s: unknown option %s\n", argv[0], what);
    return 2;
}
"""

SPY = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, long result) {
    printf("%s %ld\n", what, result);
    fflush(stdout);
}

static void steer(char **argv) {
    pid_t child = fork();
    if (child == 0) {
        say("traceme", ptrace(PTRACE_TRACEME, 0, 0, 0));
        execv(argv[0], argv);
        _exit(1);
    }
    int status;
    waitpid(child, &status, WUNTRACED);
    if (!WIFSTOPPED(status)) return;
    struct user_regs_struct regs;
    say("getregs", ptrace(PTRACE_GETREGS, child, 0, &regs));
    say("peek", ptrace(PTRACE_PEEKDATA, child, 0x400000, 0));
    for (unsigned long at = 0x400000; at < 0x500000; at += 0x10000) { /* write(1, at, 64 KiB), where the program itself begins */
        regs.rax = SYS_write, regs.rdi = 1, regs.rsi = at, regs.rdx = 0x10000;
        if (ptrace(PTRACE_SETREGS, child, 0, &regs) || ptrace(PTRACE_SINGLESTEP, child, 0, 0)) break;
        waitpid(child, &status, 0);
    }
    kill(child, SIGKILL);
}

static void look(pid_t pid, int by_file) {
    char path[100], line[500], part[65536];
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "r");
    unsigned long from = 0x400000, to = 0x500000;
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    int mem = open(path, O_RDONLY);
    say("mem", mem);
    while (!maps || fgets(line, sizeof line, maps)) {
        if (maps) sscanf(line, "%lx-%lx", &from, &to);
        for (unsigned long at = from; at < to; at += sizeof part) {
            struct iovec here = {part, sizeof part}, there = {(void *)at, sizeof part};
            ssize_t length = by_file ? pread(mem, part, sizeof part, (long)at) : process_vm_readv(pid, &here, 1, &there, 1, 0);
            if (length > 0) fwrite(part, 1, (size_t)length, stdout);
        }
        if (!maps) break;
    }
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    if (!strcmp(argv[1], "steer")) steer(argv + 2);
    pid_t pid = atoi(argv[2]);
    if (!strcmp(argv[1], "mem")) look(pid, 1);
    if (!strcmp(argv[1], "vm")) look(pid, 0);
    if (!strcmp(argv[1], "attach")) {
        say("attach", ptrace(PTRACE_ATTACH, pid, 0, 0));
        say("seize", ptrace(PTRACE_SEIZE, pid, 0, 0));
    }
    if (!strcmp(argv[1], "fds")) {
        int process = (int)syscall(SYS_pidfd_open, pid, 0);
        for (int fd = 0; fd < 20; fd++) {
            int taken = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
            if (taken >= 0) say("taken", fd);
        }
    }
    return 0;
}
"""

PRELOAD = r"""
#include <stdio.h>
extern char __executable_start, etext, edata;
__attribute__((constructor)) static void dump(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[500], name[300];
    unsigned long from, to;
    while (maps && fgets(line, sizeof line, maps)) {
        name[0] = 0;
        if (sscanf(line, "%lx-%lx r%*s %*s %*s %*s %299s", &from, &to, name) == 3 && name[0] == '/')
            fwrite((void *)from, 1, to - from, stderr);
    }
}
"""


@cache
def compiled(source: str, *options: str) -> bytes:
    """Return a compiled program; skip where the host has no compiler for it."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no gcc on this machine")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "program"
        subprocess.run(
            [compiler, "-O1", "-w", f'-DMARK="{MARK}"', *options, "-x", "c", "-o", made, "-"],
            input=source.encode(), check=True,
        )  # fmt: skip
        return made.read_bytes()


def reference(*, static: bool = True) -> bytes:
    """Return the reference program."""
    program = compiled(REFERENCE, *(["-static"] if static else []))
    assert MARK.encode() in program
    return program
