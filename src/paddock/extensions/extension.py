"""What contributes tools, prompts, resources and servers, and how it is found.

Finding an extension reads its manifest and imports nothing of it. For now there is one: Paddock.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from paddock.extensions.manifest import Manifest, read_manifest

BUILT_IN = "paddock"
MANIFEST_NAME = "paddock.toml"


class Extension(NamedTuple):
    """An installed package with a manifest."""

    name: str
    """`package`, or `publisher/package`."""
    directory: Path
    """Where the manifest is."""
    manifest: Manifest

    @property
    def root(self) -> Path:
        """The directory of the definition files."""
        return self.directory / self.manifest.root

    @property
    def is_built_in(self) -> bool:
        """Whether this is Paddock itself, whose items need no qualified name."""
        return self.name == BUILT_IN


def read_extension(directory: Path, package: str) -> Extension:
    """The extension whose manifest is in a directory.

    Raises:
        ManifestError: when the manifest cannot be used.
    """
    manifest = read_manifest(directory / MANIFEST_NAME)
    name = package if manifest.publisher is None else f"{manifest.publisher}/{package}"
    return Extension(name, directory, manifest)


@cache
def built_in() -> Extension:
    """Paddock's own extension."""
    return read_extension(Path(__file__).parents[1], BUILT_IN)


def find_extensions() -> list[Extension]:
    """The installed extensions, Paddock's own first."""
    return [built_in()]
