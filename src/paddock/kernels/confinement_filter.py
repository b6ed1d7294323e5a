"""The programs that have Linux refuse some calls of a kernel, for the seccomp machine.

Imported in child processes: standard library only.
"""

from __future__ import annotations

import errno
import struct

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
        steps += [*_return_if_equal(machine.io_uring_setup, _RET_NOT_IMPLEMENTED), *_return_if_equal(machine.socket, _RET_DENIED)]
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
