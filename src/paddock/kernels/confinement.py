"""What a kernel's processes may not do: use the network, gain rights, leave core dumps.

It holds for everything that they start as well. Imported in child processes: standard library only.
Files are not confined: code may read and write what the user may.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import struct
import sys

ENVIRONMENT = frozenset(
    {
        "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TEMP", "TERM", "TMP", "TMPDIR",
        "TZ", "USER", "USERNAME",
        "APPDATA", "COMSPEC", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "PATHEXT", "PROGRAMDATA",
        "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "USERPROFILE", "WINDIR",
    }
)  # fmt: skip
"""Variables that a kernel gets from the server's environment, with all that begin with `LC_`."""

OPEN_FILES = 1024

_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_RET_ALLOW = 0x7FFF0000
_RET_ERRNO = 0x00050000
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
_AF_UNIX = 1
_X32_BIT = 0x40000000
_MACHINES = {
    # machine: architecture for audit, number of socket, socketpair, io_uring_setup
    "x86_64": (0xC000003E, 41, 53, 425),
    "aarch64": (0xC00000B7, 198, 199, 425),
}
_PROFILE = "(version 1)(allow default)(deny network*)"


def environment() -> dict[str, str]:
    """What a kernel sees of the server's environment."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in ENVIRONMENT or name.upper().startswith("LC_")
    }


def can_refuse_network() -> bool:
    """Whether this system can keep a kernel from the network."""
    if sys.platform == "linux":
        return platform.machine() in _MACHINES
    return sys.platform == "darwin" and os.access("/usr/bin/sandbox-exec", os.X_OK)


def command_prefix(*, network: bool) -> list[str]:
    """What stands before the command of a kernel, where the system confines programs that way."""
    if network or sys.platform != "darwin" or not can_refuse_network():
        return []
    return ["/usr/bin/sandbox-exec", "-p", _PROFILE]


def confine(*, network: bool) -> list[str]:
    """Confine this process and all that it starts; say which confinements hold."""
    kept = _set_limits()
    if sys.platform == "linux":
        library = ctypes.CDLL(None, use_errno=True)
        if library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
            kept.append("no-new-privileges")
            if not network and _filter_sockets(library):
                kept.append("no-network")
    elif not network and can_refuse_network():
        kept.append("no-network")
    return kept


def _set_limits() -> list[str]:
    if sys.platform == "win32":
        return []
    import resource  # noqa: PLC0415 - Windows has no such module

    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        most = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        return ["no-core-dumps", "open-files"]
    return []


def _filter_sockets(library: ctypes.CDLL) -> bool:
    """Have the kernel of the system refuse sockets of all families but that of local files."""
    if platform.machine() not in _MACHINES:
        return False
    program = _socket_filter(*_MACHINES[platform.machine()])
    code = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: a count, padding, a pointer.
    description = ctypes.create_string_buffer(
        struct.pack("H6xP", len(program) // 8, ctypes.addressof(code))
    )
    place = ctypes.c_void_p(ctypes.addressof(description))
    result: int = library.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, place, 0, 0)
    return result == 0


def _socket_filter(architecture: int, socket: int, pair: int, ring: int) -> bytes:
    """A program for the seccomp machine; jumps count the instructions to skip."""
    refuse = _RET_ERRNO | errno.EACCES
    missing = _RET_ERRNO | errno.ENOSYS
    steps = (
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_JUMP_EQUAL, 0, 9, architecture),  # calls of other architectures have other numbers
        (_LOAD, 0, 0, _NUMBER_AT),
        (_JUMP_AT_LEAST, 7, 0, _X32_BIT),
        (_JUMP_EQUAL, 6, 0, ring),  # a ring could open sockets without a call of its own
        (_JUMP_EQUAL, 1, 0, socket),
        (_JUMP_EQUAL, 0, 2, pair),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
        (_JUMP_EQUAL, 0, 1, _AF_UNIX),
        (_RETURN, 0, 0, _RET_ALLOW),
        (_RETURN, 0, 0, refuse),
        (_RETURN, 0, 0, missing),
    )
    return b"".join(struct.pack("HBBI", *step) for step in steps)
