"""Sandbox for kernel processes: no network, no access to other processes, no privileges.

The restrictions are inherited by all processes that a kernel starts. Files are not restricted:
code can read and write everything that the user can. On Linux, the sandbox consists of a seccomp
filter, a Landlock domain and dropped capabilities. On macOS, it uses `sandbox-exec`.

Kernel processes import this module while a user is waiting for them, so it imports little, and
nothing outside the standard library.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

if sys.platform != "win32":
    import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_RET_ALLOW = 0x7FFF0000
_RET_ERRNO = 0x00050000
_RET_DENIED = _RET_ERRNO | errno.EACCES
_RET_NOT_IMPLEMENTED = _RET_ERRNO | errno.ENOSYS
_BPF_LOAD, _BPF_JUMP_EQUAL, _BPF_JUMP_AT_LEAST, _BPF_RETURN = 0x20, 0x15, 0x35, 0x06
_SYSCALL_NUMBER_OFFSET, _ARCHITECTURE_OFFSET, _FIRST_ARGUMENT_OFFSET = 0, 4, 16
_AF_UNIX = 1
_X32_SYSCALL_BIT = 0x40000000

BpfInstruction = tuple[int, int, int, int]
INHERITED_VARIABLES = frozenset(
    {
        "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TEMP", "TERM", "TMP", "TMPDIR",
        "TZ", "USER", "USERNAME",
        "APPDATA", "COMSPEC", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "PATHEXT", "PROGRAMDATA",
        "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "USERPROFILE", "WINDIR",
    }
)  # fmt: skip
"""Environment variables that kernels inherit from the server, in addition to `LC_…` variables."""
MAX_OPEN_FILES = 1024
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_PR_SET_DUMPABLE = 4
_PR_CAPBSET_DROP = 24
_CAPABILITY_VERSION = 0x20080522
_DROPPED_CAPABILITIES = (16, 17, 19, 21, 38, 39)
"""CAP_SYS_MODULE, SYS_RAWIO, SYS_PTRACE, SYS_ADMIN, PERFMON and BPF."""
_SYS_LANDLOCK_CREATE_RULESET, _SYS_LANDLOCK_ADD_RULE, _SYS_LANDLOCK_RESTRICT_SELF = 444, 445, 446
"""Landlock's system call numbers, which are the same on all machines."""
_LANDLOCK_CREATE_RULESET_VERSION = 1
_LANDLOCK_RULE_PATH_BENEATH = 1
_LANDLOCK_ACCESS_FS_REFER = 1 << 13
_LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET, _LANDLOCK_SCOPE_SIGNAL = 1, 2
_MIN_LANDLOCK_ABI, _MIN_LANDLOCK_SCOPE_ABI = 2, 6
_MACOS_PROFILE = "(version 1)(allow default)(deny network*)"


_IO_URING_SETUP = 425
"""Its system call number, which is the same on all machines."""


class SyscallTable:
    """Numbers of the Linux system calls that the sandbox denies on one type of machine.

    Attributes:
        architecture: The AUDIT_ARCH_* constant that the kernel uses to identify the machine.
        socket: The number of `socket`.
        socketpair: The number of `socketpair`.
        inspection_calls: The numbers of `ptrace`, `process_vm_readv`, `process_vm_writev` and
            `pidfd_getfd`, which a process can use to inspect others.
    """

    def __init__(
        self, architecture: int, socket: int, socketpair: int, inspection_calls: tuple[int, ...]
    ) -> None:
        self.architecture = architecture
        self.socket = socket
        self.socketpair = socketpair
        self.inspection_calls = inspection_calls


SYSCALL_TABLES = {
    "x86_64": SyscallTable(0xC000003E, 41, 53, (101, 310, 311, 438)),
    "aarch64": SyscallTable(0xC00000B7, 198, 199, (117, 270, 271, 438)),
}


def build_seccomp_filter(machine: SyscallTable, *, network: bool) -> bytes:
    """Build a seccomp filter that denies inspecting other processes and, optionally, sockets.

    Seccomp is the Linux facility that lets a process restrict its own system calls. The filter is a
    BPF program that the kernel runs for each system call. Calls for another architecture fail,
    because their numbers have other meanings and would bypass the checks.

    Socket pairs remain available, because they connect a process with its own children. Other Unix
    domain sockets are denied, because agents and daemons with more privileges listen on them.

    Args:
        machine: The system call numbers of this machine.
        network: Allow sockets.
    """
    steps = [
        *_build_return_unless_equal(
            _ARCHITECTURE_OFFSET, machine.architecture, _RET_NOT_IMPLEMENTED
        ),
        (_BPF_LOAD, 0, 0, _SYSCALL_NUMBER_OFFSET),
        # The x32 ABI has the same system calls under other numbers, so it is denied too.
        (_BPF_JUMP_AT_LEAST, 0, 1, _X32_SYSCALL_BIT),
        (_BPF_RETURN, 0, 0, _RET_NOT_IMPLEMENTED),
    ]
    for number in machine.inspection_calls:
        steps += _build_return_if_equal(number, _RET_DENIED)
    if not network:
        # io_uring can open sockets without the socket system call.
        steps += [
            *_build_return_if_equal(_IO_URING_SETUP, _RET_NOT_IMPLEMENTED),
            *_build_return_if_equal(machine.socket, _RET_DENIED),
        ]
        steps += [
            (_BPF_JUMP_EQUAL, 0, 3, machine.socketpair),
            *_build_return_unless_equal(_FIRST_ARGUMENT_OFFSET, _AF_UNIX, _RET_DENIED),
        ]
    steps.append((_BPF_RETURN, 0, 0, _RET_ALLOW))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _build_return_if_equal(value: int, end: int) -> list[BpfInstruction]:
    """Return the instructions that end the filter if the loaded word equals a value.

    Args:
        value: The value.
        end: The filter's result in this case, such as `_RET_DENIED`.
    """
    # The second and third elements of a jump are the numbers of instructions to skip.
    return [(_BPF_JUMP_EQUAL, 0, 1, value), (_BPF_RETURN, 0, 0, end)]


def _build_return_unless_equal(offset: int, value: int, end: int) -> list[BpfInstruction]:
    return [(_BPF_LOAD, 0, 0, offset), (_BPF_JUMP_EQUAL, 1, 0, value), (_BPF_RETURN, 0, 0, end)]


def build_environment() -> dict[str, str]:
    """Return the part of the server's environment that kernels inherit."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in INHERITED_VARIABLES or name.upper().startswith("LC_")
    }


def can_block_network() -> bool:
    """Return whether this system can deny a kernel network access."""
    if sys.platform == "linux":
        return _get_machine() in SYSCALL_TABLES
    return sys.platform == "darwin" and os.access("/usr/bin/sandbox-exec", os.X_OK)


def get_command_prefix(*, network: bool) -> list[str]:
    """Return the command prefix that runs a kernel in the sandbox (macOS)."""
    if network or sys.platform != "darwin" or not can_block_network():
        return []
    return ["/usr/bin/sandbox-exec", "-p", _MACOS_PROFILE]


def block_process_inspection() -> None:
    """Make this process's memory and environment unreadable to other processes.

    The server calls this before it starts a kernel, so that user code cannot read the server's
    secrets. A root process could still read them, so `enter_sandbox` drops the capability to do so.
    This has an effect only on Linux.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def enter_sandbox(*, network: bool) -> list[str]:
    """Restrict this process and its future children, irrevocably.

    Args:
        network: Allow network access.

    Returns:
        The names of the restrictions that took effect, such as `no-tracing`. They depend on the
        operating system.
    """
    restrictions = _set_resource_limits()
    if sys.platform == "linux":
        library = ctypes.CDLL(None, use_errno=True)
        # Landlock and seccomp require "no new privileges" unless the process is privileged.
        if library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
            restrictions.append("no-new-privileges")
            _drop_capabilities(library)
            if _enter_landlock_domain(library):
                restrictions.append("own-domain")
            if _install_seccomp_filter(library, network=network):
                restrictions += ["no-tracing"] if network else ["no-tracing", "no-network"]
    elif not network and can_block_network():
        restrictions.append("no-network")
    return restrictions


def adopt_orphans() -> None:
    """Become the parent of orphaned descendants so that they can be found and killed (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def main() -> NoReturn:
    """Enter the sandbox with network access and run a command in this process.

    Jupyter kernels, which need sockets for their connection, are started this way. The arguments in
    `sys.argv` are the memory limit in bytes (0 for no limit) and the command.
    """
    memory_bytes, *command = sys.argv[1:]
    enter_sandbox(network=True)
    if sys.platform != "win32" and int(memory_bytes):
        # The data size is limited rather than the address space, because some runtimes reserve far
        # more address space than they use.
        resource.setrlimit(resource.RLIMIT_DATA, (int(memory_bytes), int(memory_bytes)))
    os.execv(command[0], command)  # noqa: S606 - the command of a kernel spec


def _set_resource_limits() -> list[str]:
    """Disable core dumps and limit the number of open files of this process.

    Returns:
        The names of the restrictions that took effect.
    """
    if sys.platform == "win32":
        return []
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        is_unlimited = hard_limit == resource.RLIM_INFINITY
        limit = MAX_OPEN_FILES if is_unlimited else min(MAX_OPEN_FILES, hard_limit)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    except (OSError, ValueError):
        return []
    return ["no-core-dumps", "open-files"]


def _get_machine() -> str:
    return os.uname().machine if hasattr(os, "uname") else ""


def _drop_capabilities(library: ctypes.CDLL) -> None:
    """Drop the Linux capabilities that would let a root process access other processes.

    They are also removed from the bounding set, so executing a program cannot restore them.

    Args:
        library: The C library.
    """
    header = struct.pack("Ii", _CAPABILITY_VERSION, 0)
    # The data consists of two sets of three 32-bit words, for effective, permitted and inheritable
    # capabilities.
    capabilities = ctypes.create_string_buffer(24)
    if library.capget(header, capabilities) != 0:
        return
    words = list(struct.unpack("6I", capabilities.raw))
    for capability in _DROPPED_CAPABILITIES:
        library.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
        for word in range(3):
            words[capability // 32 * 3 + word] &= ~(1 << capability % 32)
    library.capset(header, struct.pack("6I", *words))


def _enter_landlock_domain(library: ctypes.CDLL) -> bool:
    """Enter a Landlock domain, so that this process cannot trace processes outside the domain.

    Landlock is a Linux facility that lets a process restrict its own rights. File access is not
    restricted here. The ruleset nevertheless needs a rule that allows "refer", because a domain
    otherwise denies moving files between directories. Newer versions of Landlock also deny sending
    signals to processes outside the domain and connecting to their abstract sockets.

    Args:
        library: The C library.

    Returns:
        Whether the domain was entered. False means that the system does not support Landlock.
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
    # struct landlock_ruleset_attr: file access rights, network access rights, scopes.
    attributes = struct.pack("QQQ", _LANDLOCK_ACCESS_FS_REFER, 0, scoped)
    ruleset = library.syscall(
        _SYS_LANDLOCK_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0
    )
    if ruleset < 0:
        return False
    root = os.open("/", os.O_PATH | os.O_DIRECTORY)
    try:
        # struct landlock_path_beneath_attr
        rule = struct.pack("=Qi", _LANDLOCK_ACCESS_FS_REFER, root)
        add_rule = (_SYS_LANDLOCK_ADD_RULE, ruleset, _LANDLOCK_RULE_PATH_BENEATH, rule, 0)
        if library.syscall(*add_rule) != 0:
            return False
        result: int = library.syscall(_SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0)
        return result == 0
    finally:
        os.close(root)
        os.close(ruleset)


def _install_seccomp_filter(library: ctypes.CDLL, *, network: bool) -> bool:
    """Install the seccomp filter, which denies system calls, for this process and its children.

    Args:
        library: The C library.
        network: Allow sockets.

    Returns:
        Whether the filter was installed. False means that the system does not support it.
    """
    machine = _get_machine()
    if machine not in SYSCALL_TABLES:
        return False
    program = build_seccomp_filter(SYSCALL_TABLES[machine], network=network)
    code = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: instruction count, padding, pointer to the instructions.
    fprog = ctypes.create_string_buffer(
        struct.pack("H6xP", len(program) // 8, ctypes.addressof(code))
    )
    address = ctypes.c_void_p(ctypes.addressof(fprog))
    result: int = library.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, address, 0, 0)
    return result == 0
