"""Extensions: Paddock itself, Python distributions and Wolfram paclets.

An `Extension` contains its manifest and the location of its definition files, which are not read.
`discovery` finds the installed extensions.
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
    """A package with a manifest. Subclasses locate definitions differently."""

    name: str
    """`package` or `publisher/package`."""
    directory: Path
    """The directory of the manifest."""
    manifest: ExtensionManifest
    kind: ExtensionKind = "distribution"
    version: str | None = None
    distribution: str | None = None
    """The name of the distribution or paclet that contains the extension."""

    @property
    def root(self) -> Path:
        """The directory of the definition files."""
        return self.directory / self.manifest.root

    @property
    def is_built_in(self) -> bool:
        """True for Paddock itself, whose items have short names."""
        return self.kind == "built-in"

    @property
    def allows_python(self) -> bool:
        """True if definitions may refer to Python code. Paclets are read but never run."""
        return self.kind != "paclet"

    @property
    def is_installed(self) -> bool:
        """True if the files are available, unlike those of an extension in a catalogue."""
        return True

    def definition(self, kind: ItemKind, item: str) -> DefinitionFile:
        """Locate the definition of an item, without reading or running its file.

        The manifest can refer to an object in a module of the package. Otherwise, the item is
        defined in a file such as `tools/Plot.toml`.

        Args:
            kind: The kind of the item, such as `"tools"`.
            item: The name of the item, such as `"Plot"`.

        Raises:
            LoadError: There is no definition.
        """
        reference = self.manifest.find_reference(kind, item)
        if reference is not None:
            return self._get_module_definition(kind, item, reference)
        file = find_definition_file(self.root, kind, item)
        if file is None:
            expected = f"{kind}/{item}.py, or .toml or .json"
            raise self.make_missing_definition_error(kind, item, expected)
        return file

    def make_missing_definition_error(self, kind: ItemKind, item: str, expected: str) -> LoadError:
        """Return the error for an item that the manifest declares but no file defines.

        Args:
            kind: The kind of the item.
            item: The name of the item.
            expected: The files to suggest, such as `tools/Plot.py, or .toml or .json`.
        """
        return LoadError(
            f"the {kind.removesuffix('s')} '{self.name}/{item}' is declared but has no definition",
            where=str(self.root),
            hint=f"expected {self.root / expected}",
        )

    def _get_module_definition(self, kind: ItemKind, item: str, reference: str) -> ModuleDefinition:
        """Return the definition that the manifest refers to, in a form such as `acme.charts:PLOT`.

        The module is located but not imported.

        Raises:
            LoadError: The package has no such module.
        """
        path = find_module_file(self.directory, reference.partition(":")[0])
        if path is None:
            raise LoadError(
                f"the definition of '{self.name}/{item}' is {reference!r}, which is not in a module"
                " of this package",
                where=str(self.directory / MANIFEST_FILE_NAME),
                hint=f"expected a module of the package in {self.directory}",
            )
        return ModuleDefinition(path, kind, item, is_combined=True, reference=reference)


class BrokenExtension(NamedTuple):
    """An installed package that declares an extension but cannot be used as one.

    Discovery returns it alongside the working extensions so that the user can see the reason.
    """

    name: str
    """The name, without the publisher if the manifest cannot be read."""
    kind: ExtensionKind
    place: Path
    """The path to report: the manifest, or the metadata that refers to it."""
    problem: PaddockError
    version: str | None = None
    distribution: str | None = None


def is_from_distribution(extension: Extension | BrokenExtension, name: str) -> bool:
    """Return whether an extension comes from the distribution or paclet with the given name."""
    own_name = normalize_distribution_name(extension.distribution or "")
    return bool(own_name) and own_name == normalize_distribution_name(name)


class Discovery(NamedTuple):
    """The results of discovery, in search order and without duplicate names."""

    extensions: tuple[Extension, ...] = ()
    broken: tuple[BrokenExtension, ...] = ()


def read_extension(
    directory: Path,
    package: str,
    kind: ExtensionKind = "distribution",
    version: str | None = None,
    distribution: str | None = None,
) -> Extension:
    """Load an extension from a directory that contains its manifest, `paddock.toml`.

    Args:
        directory: The directory of the manifest.
        package: The extension's name without the publisher, which is declared in the manifest.
        kind: The kind of package that contains the extension.
        version: The version of the distribution, if known.
        distribution: The name of the distribution.

    Raises:
        ManifestError: The manifest cannot be read or is invalid.
    """
    manifest = read_manifest(directory / MANIFEST_FILE_NAME)
    name = format_extension_name(package, manifest.publisher)
    return Extension(name, directory, manifest, kind, version, distribution)


def format_extension_name(package: str, publisher: str | None) -> str:
    """Return the name of an extension: `publisher/package` or `package`."""
    return package if publisher is None else f"{publisher}/{package}"


@cache
def get_built_in_extension() -> Extension:
    """Return the extension with Paddock's own items."""
    return read_extension(
        Path(__file__).parents[1], BUILT_IN_EXTENSION_NAME, "built-in", __version__
    )
