"""What can be wrong with a catalogue, and with getting what it lists."""

from __future__ import annotations

from paddock.errors import LoadError, PaddockError
from paddock.extensions.errors import ExtensionError


class CatalogueError(LoadError):
    """A catalogue cannot be read, or cannot be where it is said to be."""

    code = "invalid-catalogue"


class FetchError(PaddockError):
    """A file cannot be had from where it is, or is larger or slower than allowed."""

    code = "cannot-fetch"


class HashMismatchError(FetchError):
    """What was fetched is not what the catalogue describes."""

    code = "hash-mismatch"


class InstallExtensionError(ExtensionError):
    """An extension cannot be installed, or must not be."""

    code = "cannot-install-extension"
