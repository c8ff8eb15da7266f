"""The file system and the user of a companion, and the program that is sealed in it (standard library only).

Everything is done in a process that is not dumpable and that nothing inside can see yet.
"""

import os
import signal
import socket
import struct

import enter
import syscalls

SEALER = 1001
"""The user inside to whom a sealed program belongs."""
_MS_RDONLY, _MS_REMOUNT, _MS_REC_PRIVATE = 1, 32, 0x4000 | 0x40000
_FLAGS = syscalls.MS_NOSUID | syscalls.MS_NODEV
_SIOCSIFFLAGS = 0x8914
_LOOPBACK_UP = struct.pack("16sh14x", b"lo", 1)
_DEVPTS_OPTIONS = b"newinstance,ptmxmode=0666,mode=620"


class Recipe:
    """What a companion is made of."""

    def __init__(self, *, mounts: list[tuple[str, int, str]], workspace: str, place: str, program: str, size: int, uid: int,
                 sealer: int, direct: bool, limits: dict[str, int], files: list[tuple[str, int, int]],
                 contents: bytes) -> None:  # fmt: skip
        self.mounts, self.size = mounts, size
        self.workspace, self.place, self.program = workspace, place, program
        self.inside = uid
        """The user inside, as he sees himself."""
        self.sealer = sealer
        """The host's number of the user to whom the program belongs; 0: there is none."""
        self.direct = direct
        """Whether the program is placed in the sandbox itself, to be executed by everybody there."""
        self.owner = self.keeper = 0
        """The user inside and the program's owner, as the user namespace numbers them in which the mounts are made."""
        self.limits = enter.bounded_limits(limits)
        self.files: list[tuple[str, int, bytes]] = []
        at = 0
        for path, mode, length in files:
            self.files.append((path, mode, contents[at : at + length]))
            at += length
        self.filter = syscalls.seccomp_filter(contents[at:])


def mount(recipe: Recipe) -> None:
    """Cover everything that can be written but the workspace, and bring up the one network interface there is."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        enter.fcntl.ioctl(any_socket, _SIOCSIFFLAGS, _LOOPBACK_UP)
    syscalls.mount(b"none", b"/", _MS_REC_PRIVATE, b"")
    syscalls.mount(b"proc", b"/proc", _FLAGS | syscalls.MS_NOEXEC, b"")
    syscalls.mount(b"devpts", b"/dev/pts", syscalls.MS_NOSUID | syscalls.MS_NOEXEC, _DEVPTS_OPTIONS)
    for path, size, mode in recipe.mounts:
        owner = recipe.owner
        options = f"mode={mode},size={size},uid={owner},gid={owner}"
        syscalls.mount(b"tmpfs", os.fsencode(path), _FLAGS, options.encode())


def seal(recipe: Recipe) -> None:
    """Put the program in its place. Folders can be passed through where there is more than the program."""
    keeper = recipe.keeper
    syscalls.act_as(recipe.owner)  # the folder that it is in may know nobody else
    os.mkdir(recipe.place)
    syscalls.act_as(os.geteuid())
    options = f"mode=0755,size={recipe.size},uid={keeper},gid={keeper}"
    syscalls.mount(b"tmpfs", os.fsencode(recipe.place), _FLAGS, options.encode())
    alone, sealed = len(recipe.files) == 1, recipe.sealer and not recipe.direct
    for path, mode, content in recipe.files:
        whole = f"{recipe.place}/{path}"
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "wb") as file:
            file.write(content)
        os.chown(whole, keeper, keeper)
        os.chmod(whole, (0o100 if sealed else 0o111) if path == recipe.program else mode & 0o555)
    passable = 0o111 if recipe.direct or not alone else 0o100 if sealed else 0
    for folder, _, _ in os.walk(recipe.place, topdown=False):
        os.chown(folder, keeper, keeper)
        os.chmod(folder, passable)
    options = f"mode={passable:o},size={recipe.size}"
    syscalls.mount(b"tmpfs", os.fsencode(recipe.place), _FLAGS | _MS_REMOUNT | _MS_RDONLY, options.encode())


def become(recipe: Recipe) -> None:
    """Be the user inside, in a user namespace of one's own; what is executed from here on has no capability."""
    lines = f"{recipe.inside} {recipe.owner} 1\n" + (f"{SEALER} {recipe.sealer} 1\n" if recipe.sealer else "")
    maps = (("setgroups", "deny"), ("gid_map", lines), ("uid_map", lines))
    if recipe.sealer:
        os.setgroups([])
        mapper, go = _mapper(maps)  # two users take a right that is left behind with the old namespace
        syscalls.unshare(syscalls.CLONE_NEWUSER)
        os.write(go, b"1")
        os.close(go)
        if os.waitstatus_to_exitcode(os.waitpid(mapper, 0)[1]) != 0:
            raise OSError(0, "the users could not be mapped")
        os.setresgid(recipe.inside, recipe.inside, recipe.inside)
        os.setresuid(recipe.inside, recipe.inside, recipe.inside)
    else:
        syscalls.unshare(syscalls.CLONE_NEWUSER)
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 1)
        _write_maps("self", maps)
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)  # a change of identity has cleared it
    for which, bounds in recipe.limits:
        enter.resource.setrlimit(which, bounds)
    syscalls.drop_capabilities()
    syscalls.install_filter(recipe.filter)


def _mapper(maps: tuple[tuple[str, str], ...]) -> tuple[int, int]:
    """Fork a process that maps the users of this one, process 1, once it gets a byte; return its number and the pipe."""
    wait, go = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        try:
            os.close(go)
            if os.read(wait, 1):
                _write_maps("1", maps)
        except BaseException:  # noqa: BLE001
            os._exit(1)
        os._exit(0)
    os.close(wait)
    return pid, go


def _write_maps(process: str, maps: tuple[tuple[str, str], ...]) -> None:
    for name, text in maps:
        with open(f"/proc/{process}/{name}", "w") as file:
            file.write(text)
