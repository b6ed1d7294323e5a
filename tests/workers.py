"""What the workers of a test run share: locks, and values that only one of them computes."""

import os
import pickle
from collections.abc import Callable
from typing import TypeVar

import pytest
from filelock import FileLock

from external.environments import ROOT

Value = TypeVar("Value")


def shared_lock(name: str) -> FileLock:
    """A lock that one process at a time can hold, in this checkout."""
    directory = ROOT / ".cache"
    directory.mkdir(exist_ok=True)
    return FileLock(directory / f"{name}.lock")


def compute_once(factory: pytest.TempPathFactory, name: str, compute: Callable[[], Value]) -> Value:
    """Return the value of a name, which the first worker that asks for it in a run computes."""
    directory = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        directory = directory.parent  # each worker has a directory of its own in that of the run
    file = directory / f"{name}.pickle"
    with FileLock(f"{file}.lock"):
        if not file.exists():
            file.write_bytes(pickle.dumps(compute()))
        value: Value = pickle.loads(file.read_bytes())  # noqa: S301 - written by a worker
    return value
