"""The programs that have Linux refuse some calls of a kernel, for the seccomp machine.

Imported in child processes: standard library only.
"""

from __future__ import annotations

import errno
import struct

_RET_ALLOW = 0x7FFF0000
_RET_ERRNO = 0x00050000
_REFUSE = _RET_ERRNO | errno.EACCES
_MISSING = _RET_ERRNO | errno.ENOSYS
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
_AF_UNIX = 1
_X32_BIT = 0x40000000

Step = tuple[int, int, int, int]


class Machine:
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
        self.reaching = reaching
        self.ring = ring


MACHINES = {
    "x86_64": Machine(0xC000003E, 41, 53, (101, 310, 311, 438)),
    "aarch64": Machine(0xC00000B7, 198, 199, (117, 270, 271, 438)),
}


def filter_program(machine: Machine, *, network: bool) -> bytes:
    """A program that refuses to reach into other processes and, without network, all sockets.

    Pairs of sockets stay: they connect a process with what it starts. Sockets of local files do
    not, because agents and daemons with more rights listen there.
    """
    steps = [
        *_unless_equal(_ARCHITECTURE_AT, machine.architecture, _MISSING),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_JUMP_AT_LEAST, 0, 1, _X32_BIT),  # the same calls under other numbers
        (_RETURN, 0, 0, _MISSING),
    ]
    for number in machine.reaching:
        steps += _if_equal(number, _REFUSE)
    if not network:
        # A ring could open sockets without a call of its own.
        steps += [*_if_equal(machine.ring, _MISSING), *_if_equal(machine.socket, _REFUSE)]
        steps += [
            (_JUMP_EQUAL, 0, 3, machine.socketpair),
            *_unless_equal(_FIRST_ARGUMENT_AT, _AF_UNIX, _REFUSE),
        ]
    steps.append((_RETURN, 0, 0, _RET_ALLOW))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _if_equal(value: int, end: int) -> list[Step]:
    """End the program when what is loaded is a value; jumps count the instructions to skip."""
    return [(_JUMP_EQUAL, 0, 1, value), (_RETURN, 0, 0, end)]


def _unless_equal(place: int, value: int, end: int) -> list[Step]:
    return [(_LOAD, 0, 0, place), (_JUMP_EQUAL, 1, 0, value), (_RETURN, 0, 0, end)]
