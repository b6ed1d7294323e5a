"""Doing without the right of root to write everywhere, so that tests mean the same to root."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

VERSION = 0x20080522
OVERRIDE = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


@contextmanager
def as_others_may() -> Iterator[None]:
    """Have the modes of files count in this thread, as they do for everyone but root."""
    if os.geteuid():
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(VERSION, 0), (_Sets * 2)()
    assert libc.capget(ctypes.byref(header), sets) == 0
    before = sets[0].effective
    sets[0].effective = before & ~OVERRIDE
    assert libc.capset(ctypes.byref(header), sets) == 0
    try:
        yield
    finally:
        sets[0].effective = before
        assert libc.capset(ctypes.byref(header), sets) == 0
