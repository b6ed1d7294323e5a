"""Locks on what the workers of a test run share."""

from filelock import FileLock

from external.environments import ROOT


def shared_lock(name: str) -> FileLock:
    """A lock that one process at a time can hold, in this checkout."""
    directory = ROOT / ".cache"
    directory.mkdir(exist_ok=True)
    return FileLock(directory / f"{name}.lock")
