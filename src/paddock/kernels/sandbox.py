"""The programs that have Linux refuse some calls of a kernel, for the seccomp machine.

Imported in child processes: standard library only.

What a kernel's processes may not do: use the network, look into others, gain rights, dump cores.

It holds for everything that they start as well. Imported in child processes, which are waited for:
standard library only, and little of it.
Files are not confined: code may read and write what the user may. What the filters of calls are
made of is in `confinement_filter`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

_RET_ALLOW = 0x7FFF0000
_RET_ERRNO = 0x00050000
_RET_DENIED = _RET_ERRNO | errno.EACCES
_RET_NOT_IMPLEMENTED = _RET_ERRNO | errno.ENOSYS
_BPF_LOAD, _BPF_JUMP_EQUAL, _BPF_JUMP_AT_LEAST, _BPF_RETURN = 0x20, 0x15, 0x35, 0x06
_SYSCALL_NUMBER_OFFSET, _ARCHITECTURE_OFFSET, _FIRST_ARGUMENT_OFFSET = 0, 4, 16
_AF_UNIX = 1
_X32_SYSCALL_BIT = 0x40000000

BpfInstruction = tuple[int, int, int, int]


class SyscallTable:
    """The numbers that calls have on a machine.

    `architecture` is as the audit of the system has it; `reaching` are the calls that reach into
    other processes: ptrace, process_vm_readv and _writev, pidfd_getfd; `ring` is io_uring_setup.
    """

    def __init__(
        self,
        architecture: int,
        socket: int,
        socketpair: int,
        reaching: tuple[int, ...],
        ring: int = 425,
    ) -> None:
        self.architecture = architecture
        self.socket = socket
        self.socketpair = socketpair
        self.inspection_calls = reaching
        self.io_uring_setup = ring


SYSCALL_TABLES = {
    "x86_64": SyscallTable(0xC000003E, 41, 53, (101, 310, 311, 438)),
    "aarch64": SyscallTable(0xC00000B7, 198, 199, (117, 270, 271, 438)),
}


def build_seccomp_filter(machine: SyscallTable, *, network: bool) -> bytes:
    """A program that refuses to reach into other processes and, without network, all sockets.

    Pairs of sockets stay: they connect a process with what it starts. Sockets of local files do
    not, because agents and daemons with more rights listen there.
    """
    steps = [
        *_return_unless_equal(_ARCHITECTURE_OFFSET, machine.architecture, _RET_NOT_IMPLEMENTED),
        (_BPF_LOAD, 0, 0, _SYSCALL_NUMBER_OFFSET),
        (_BPF_JUMP_AT_LEAST, 0, 1, _X32_SYSCALL_BIT),  # the same calls under other numbers
        (_BPF_RETURN, 0, 0, _RET_NOT_IMPLEMENTED),
    ]
    for number in machine.inspection_calls:
        steps += _return_if_equal(number, _RET_DENIED)
    if not network:
        # A ring could open sockets without a call of its own.
        steps += [
            *_return_if_equal(machine.io_uring_setup, _RET_NOT_IMPLEMENTED),
            *_return_if_equal(machine.socket, _RET_DENIED),
        ]
        steps += [
            (_BPF_JUMP_EQUAL, 0, 3, machine.socketpair),
            *_return_unless_equal(_FIRST_ARGUMENT_OFFSET, _AF_UNIX, _RET_DENIED),
        ]
    steps.append((_BPF_RETURN, 0, 0, _RET_ALLOW))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _return_if_equal(value: int, end: int) -> list[BpfInstruction]:
    """End the program when what is loaded is a value; jumps count the instructions to skip."""
    return [(_BPF_JUMP_EQUAL, 0, 1, value), (_BPF_RETURN, 0, 0, end)]


def _return_unless_equal(place: int, value: int, end: int) -> list[BpfInstruction]:
    return [(_BPF_LOAD, 0, 0, place), (_BPF_JUMP_EQUAL, 1, 0, value), (_BPF_RETURN, 0, 0, end)]


INHERITED_VARIABLES = frozenset(
    {
        "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TEMP", "TERM", "TMP", "TMPDIR",
        "TZ", "USER", "USERNAME",
        "APPDATA", "COMSPEC", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "PATHEXT", "PROGRAMDATA",
        "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "USERPROFILE", "WINDIR",
    }
)  # fmt: skip
"""Variables that a kernel gets from the server's environment, with all that begin with `LC_`."""

MAX_OPEN_FILES = 1024

_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_PR_SET_DUMPABLE = 4
_PR_CAPBSET_DROP = 24
_CAPABILITY_VERSION = 0x20080522
_DROPPED_CAPABILITIES = (16, 17, 19, 21, 38, 39)
"""CAP_SYS_MODULE, SYS_RAWIO, SYS_PTRACE, SYS_ADMIN, PERFMON and BPF."""
_SYS_LANDLOCK_CREATE_RULESET, _SYS_LANDLOCK_ADD_RULE, _SYS_LANDLOCK_RESTRICT_SELF = 444, 445, 446
"""The numbers of Landlock's calls, on all machines."""
_LANDLOCK_CREATE_RULESET_VERSION = 1
_LANDLOCK_RULE_PATH_BENEATH = 1
_LANDLOCK_ACCESS_FS_REFER = 1 << 13
_LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET, _LANDLOCK_SCOPE_SIGNAL = 1, 2
_MIN_LANDLOCK_ABI, _MIN_LANDLOCK_SCOPE_ABI = 2, 6
_MACOS_PROFILE = "(version 1)(allow default)(deny network*)"


def build_environment() -> dict[str, str]:
    """What a kernel sees of the server's environment."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in INHERITED_VARIABLES or name.upper().startswith("LC_")
    }


def can_block_network() -> bool:
    """Whether this system can keep a kernel from the network."""
    if sys.platform == "linux":
        return _get_machine() in SYSCALL_TABLES
    return sys.platform == "darwin" and os.access("/usr/bin/sandbox-exec", os.X_OK)


def get_command_prefix(*, network: bool) -> list[str]:
    """What stands before the command of a kernel, where the system confines programs that way."""
    if network or sys.platform != "darwin" or not can_block_network():
        return []
    return ["/usr/bin/sandbox-exec", "-p", _MACOS_PROFILE]


def block_process_inspection() -> None:
    """Keep other processes of this user out of this one's memory and environment (Linux).

    For the process that starts kernels. Root may look into it all the same, unless `confine` has
    taken that right away.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def enter_sandbox(*, network: bool) -> list[str]:
    """Confine this process and all that it starts; say which confinements hold."""
    kept = _set_resource_limits()
    if sys.platform == "linux":
        library = ctypes.CDLL(None, use_errno=True)
        if library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
            kept.append("no-new-privileges")
            _drop_capabilities(library)
            if _enter_landlock_domain(library):
                kept.append("own-domain")
            if _install_seccomp_filter(library, network=network):
                kept += ["no-tracing"] if network else ["no-tracing", "no-network"]
    elif not network and can_block_network():
        kept.append("no-network")
    return kept


def _set_resource_limits() -> list[str]:
    if sys.platform == "win32":
        return []
    import resource  # noqa: PLC0415 - Windows has no such module

    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        most = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    except (OSError, ValueError):
        return []
    return ["no-core-dumps", "open-files"]


def _get_machine() -> str:
    return os.uname().machine if hasattr(os, "uname") else ""


def _drop_capabilities(library: ctypes.CDLL) -> None:
    """Give up, if this is root, the rights to reach into other processes, now and after an exec."""
    header = struct.pack("Ii", _CAPABILITY_VERSION, 0)
    # For two halves of 32 rights each: those that hold, may hold, and may be inherited.
    rights = ctypes.create_string_buffer(24)
    if library.capget(header, rights) != 0:
        return
    words = list(struct.unpack("6I", rights.raw))
    for right in _DROPPED_CAPABILITIES:
        library.prctl(_PR_CAPBSET_DROP, right, 0, 0, 0)
        for kind in range(3):
            words[right // 32 * 3 + kind] &= ~(1 << right % 32)
    library.capset(header, struct.pack("6I", *words))


def _enter_landlock_domain(library: ctypes.CDLL) -> bool:
    """Be in a Landlock domain, whose processes reach into no process outside of it.

    The ruleset itself forbids nothing: without the rule, files could not be moved to other
    directories. Newer systems also refuse signals to processes outside.
    """
    version = library.syscall(
        _SYS_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), _LANDLOCK_CREATE_RULESET_VERSION
    )
    if version < _MIN_LANDLOCK_ABI:
        return False
    scoped = (
        _LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | _LANDLOCK_SCOPE_SIGNAL
        if version >= _MIN_LANDLOCK_SCOPE_ABI
        else 0
    )
    # struct landlock_ruleset_attr: accesses to files, to the network, and what is scoped.
    attributes = struct.pack("QQQ", _LANDLOCK_ACCESS_FS_REFER, 0, scoped)
    ruleset = library.syscall(
        _SYS_LANDLOCK_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0
    )
    if ruleset < 0:
        return False
    root = os.open("/", os.O_PATH | os.O_DIRECTORY)
    try:
        rule = struct.pack(
            "=Qi", _LANDLOCK_ACCESS_FS_REFER, root
        )  # struct landlock_path_beneath_attr
        if (
            library.syscall(_SYS_LANDLOCK_ADD_RULE, ruleset, _LANDLOCK_RULE_PATH_BENEATH, rule, 0)
            != 0
        ):
            return False
        result: int = library.syscall(_SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0)
        return result == 0
    finally:
        os.close(root)
        os.close(ruleset)


def _install_seccomp_filter(library: ctypes.CDLL, *, network: bool) -> bool:
    """Have the kernel of the system refuse calls that reach others."""
    if _get_machine() not in SYSCALL_TABLES:
        return False
    program = build_seccomp_filter(SYSCALL_TABLES[_get_machine()], network=network)
    code = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: a count, padding, a pointer.
    description = ctypes.create_string_buffer(
        struct.pack("H6xP", len(program) // 8, ctypes.addressof(code))
    )
    place = ctypes.c_void_p(ctypes.addressof(description))
    result: int = library.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, place, 0, 0)
    return result == 0
