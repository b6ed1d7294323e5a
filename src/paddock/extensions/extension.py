"""What contributes tools, prompts, resources and servers: Paddock itself, distributions, paclets.

An extension is its manifest and the place of its files; none of these has been read or run. How
extensions are found is `discovery`, and what is peculiar to one kind is with that kind.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from paddock.errors import LoadError
from paddock.extensions.definition_files import (
    ModuleDefinition,
    find_definition_file,
    find_module_file,
)
from paddock.extensions.manifest import ExtensionManifest, read_manifest
from paddock.extensions.names import normalize_distribution_name
from paddock.version import __version__

if TYPE_CHECKING:
    from paddock.errors import PaddockError
    from paddock.extensions.definition_files import DefinitionFile
    from paddock.extensions.manifest import ItemKind

BUILT_IN_EXTENSION_NAME = "paddock"
MANIFEST_FILE_NAME = "paddock.toml"

ExtensionKind = Literal["built-in", "distribution", "paclet"]


class Extension(msgspec.Struct, frozen=True):
    """Something installed that has a manifest. Each kind finds its definitions in its own way."""

    name: str
    """`package`, or `publisher/package`."""
    directory: Path
    """Where the manifest is."""
    manifest: ExtensionManifest
    kind: ExtensionKind = "distribution"
    version: str | None = None
    distribution: str | None = None
    """What has been installed to have it: the name of a distribution or a paclet."""

    @property
    def root(self) -> Path:
        """The directory of the definition files."""
        return self.directory / self.manifest.root

    @property
    def is_built_in(self) -> bool:
        """Whether this is Paddock itself, whose items need no qualified name."""
        return self.kind == "built-in"

    @property
    def allows_python(self) -> bool:
        """Whether its definitions may lead to Python; a paclet is read, and never run."""
        return self.kind != "paclet"

    @property
    def is_installed(self) -> bool:
        """Whether its files are here; of one that a catalogue describes they are not."""
        return True

    def is_provided_by(self, distribution: str) -> bool:
        """Whether it is in the distribution or the paclet of a name."""
        brought = normalize_distribution_name(self.distribution or "")
        return bool(brought) and brought == normalize_distribution_name(distribution)

    def definition(self, kind: ItemKind, item: str) -> DefinitionFile:
        """The file with the definition of an item, neither read nor run.

        Raises:
            LoadError: when there is none.
        """
        reference = self.manifest.find_reference(kind, item)
        if reference is not None:
            return self._get_module_definition(kind, item, reference)
        found = find_definition_file(self.root, kind, item)
        if found is None:
            raise make_missing_definition_error(self, kind, item, f"{item}.py, or .toml or .json")
        return found

    def _get_module_definition(self, kind: ItemKind, item: str, reference: str) -> ModuleDefinition:
        path = find_module_file(self.directory, reference.partition(":")[0])
        if path is None:
            raise LoadError(
                f"the definition of '{self.name}/{item}' is {reference!r}, which is not in a module"
                " of this package",
                where=str(self.directory / MANIFEST_FILE_NAME),
                hint=f"expected a module of the package in {self.directory}",
            )
        return ModuleDefinition(path, kind, item, is_combined=True, reference=reference)


def make_missing_definition_error(
    extension: Extension, kind: ItemKind, item: str, expected: str
) -> LoadError:
    """The complaint about an item that is declared and not defined; `expected` names a file."""
    return LoadError(
        f"the {kind.removesuffix('s')} '{extension.name}/{item}' is declared and has no definition",
        where=str(extension.root),
        hint=f"expected {extension.root / kind / expected}",
    )


class BrokenExtension(NamedTuple):
    """Something installed that says it is an extension, and cannot be used as one."""

    name: str
    """Its name as far as it is known: without the publisher when the manifest cannot be read."""
    kind: ExtensionKind
    place: Path
    """The manifest, or where it should be told of."""
    problem: PaddockError
    version: str | None = None
    distribution: str | None = None


class Discovery(NamedTuple):
    """What has been found: each in its order, the first of a name counts."""

    extensions: tuple[Extension, ...] = ()
    broken: tuple[BrokenExtension, ...] = ()


def read_extension(
    directory: Path,
    package: str,
    kind: ExtensionKind = "distribution",
    version: str | None = None,
    distribution: str | None = None,
) -> Extension:
    """The extension whose manifest `paddock.toml` is in a directory.

    Raises:
        ManifestError: when the manifest cannot be used.
    """
    manifest = read_manifest(directory / MANIFEST_FILE_NAME)
    name = format_extension_name(package, manifest.publisher)
    return Extension(name, directory, manifest, kind, version, distribution)


def format_extension_name(package: str, publisher: str | None) -> str:
    """The name of an extension: `publisher/package`, or `package`."""
    return package if publisher is None else f"{publisher}/{package}"


@cache
def get_built_in_extension() -> Extension:
    """Paddock's own extension."""
    return read_extension(
        Path(__file__).parents[1], BUILT_IN_EXTENSION_NAME, "built-in", __version__
    )
