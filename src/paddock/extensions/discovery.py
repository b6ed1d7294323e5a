"""Discovers installed extensions. Trust level: discovery; no extension code is run.

Broken extensions are reported alongside the working ones and never hide them. Each kind of
extension has a finder module with the functions `find_all()`, `find_named(name)`,
`is_installed(name)` and `clear_cache()`. Finders cache what they read until the files change.
"""

from __future__ import annotations

from paddock.extensions import distributions
from paddock.extensions.errors import ExtensionError
from paddock.extensions.extension import (
    BrokenExtension,
    Discovery,
    Extension,
    get_built_in_extension,
)
from paddock.extensions.paclets import discovery as paclets

_EXTENSION_FINDERS = (distributions, paclets)


def discover() -> Discovery:
    """Find all installed extensions, working or broken, without running their code.

    Paddock itself is an extension too, and comes first. Python distributions and Wolfram paclets
    follow.
    """
    return _merge_discoveries(
        [
            Discovery((get_built_in_extension(),)),
            *(finder.find_all() for finder in _EXTENSION_FINDERS),
        ]
    )


def list_extensions() -> list[Extension]:
    """Return the working installed extensions, with Paddock's own first."""
    return list(discover().extensions)


def discover_extension(name: str) -> Discovery:
    """Find an installed extension by name, such as `charts` or `acme/charts`.

    Only manifests that could belong to this extension are read. Servers whose tools come from one
    extension therefore start fast.

    Returns:
        A discovery with the extension, or with the broken packages of this name and the errors that
        make them unusable. Both are empty if no such extension is installed.
    """
    if name == get_built_in_extension().name:
        return Discovery((get_built_in_extension(),))
    broken: list[BrokenExtension] = []
    for finder in _EXTENSION_FINDERS:
        discovery = finder.find_named(name)
        if discovery.extensions:
            return Discovery(discovery.extensions[:1])
        broken += discovery.broken
    return Discovery((), tuple(broken))


def is_package_installed(name: str) -> bool:
    """Return whether a distribution or paclet is installed, even if it is not an extension."""
    return any(finder.is_installed(name) for finder in _EXTENSION_FINDERS)


def clear_extension_caches() -> None:
    """Discard the caches of all finders."""
    for finder in _EXTENSION_FINDERS:
        finder.clear_cache()


def _merge_discoveries(discoveries: list[Discovery]) -> Discovery:
    """Combine the results of multiple finders, without duplicate names.

    If multiple extensions have the same name, the first is used and the others are reported as
    broken.
    """
    extensions: dict[str, Extension] = {}
    broken: list[BrokenExtension] = []
    for discovery in discoveries:
        broken += discovery.broken
        for extension in discovery.extensions:
            first = extensions.setdefault(extension.name, extension)
            if first is not extension:
                broken.append(_make_broken_duplicate(extension, first))
    return Discovery(tuple(extensions.values()), tuple(broken))


def _make_broken_duplicate(extension: Extension, first: Extension) -> BrokenExtension:
    """Return the report for an extension that is not used because its name is already taken.

    Args:
        extension: The extension that is not used.
        first: The extension with the same name that was found first.
    """
    problem = ExtensionError(
        f"the name {extension.name!r} is already used by the {first.kind} in {first.directory}",
        where=str(extension.directory),
        hint="uninstall one of the two",
    )
    return BrokenExtension(
        extension.name,
        extension.kind,
        extension.directory,
        problem,
        extension.version,
        extension.distribution,
    )
