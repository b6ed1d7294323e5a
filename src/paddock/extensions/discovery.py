"""Finding what is installed. Trust level: discovery, nothing of an extension is imported or run.

One that is broken never hides another: it is told of beside those that work. Each kind of
extension is found by a module of its own: `find_all()`, `find_named(name)` which looks no further
than it has to, and `is_installed(name)`. What they read they keep for as long as the files stay,
or until `forget()`.
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
    """Everything that is installed and says it is an extension, Paddock's own first.

    Trust level: discovery.
    """
    return _merge_discoveries(
        [
            Discovery((get_built_in_extension(),)),
            *(finder.find_all() for finder in _EXTENSION_FINDERS),
        ]
    )


def list_extensions() -> list[Extension]:
    """The installed extensions that can be used, Paddock's own first."""
    return list(discover().extensions)


def discover_extension(name: str) -> Discovery:
    """The extension of a name, `package` or `publisher/package`, or else what is broken of it.

    Others are not looked at.
    """
    if name == get_built_in_extension().name:
        return Discovery((get_built_in_extension(),))
    broken: list[BrokenExtension] = []
    for finder in _EXTENSION_FINDERS:
        found = finder.find_named(name)
        if found.extensions:
            return Discovery(found.extensions[:1])
        broken += found.broken
    return Discovery((), tuple(broken))


def is_package_installed(name: str) -> bool:
    """Whether something of a name is installed, be it an extension or not."""
    return any(finder.is_installed(name) for finder in _EXTENSION_FINDERS)


def clear_extension_caches() -> None:
    """Have everything read anew when it is next asked for."""
    for finder in _EXTENSION_FINDERS:
        finder.clear_cache()


def _merge_discoveries(several: list[Discovery]) -> Discovery:
    """All of them together; of two that have one name the second cannot be used."""
    extensions: dict[str, Extension] = {}
    broken: list[BrokenExtension] = []
    for discovery in several:
        broken += discovery.broken
        for one in discovery.extensions:
            first = extensions.setdefault(one.name, one)
            if first is not one:
                broken.append(_make_duplicate_extension(one, first))
    return Discovery(tuple(extensions.values()), tuple(broken))


def _make_duplicate_extension(one: Extension, first: Extension) -> BrokenExtension:
    problem = ExtensionError(
        f"the name {one.name!r} is taken by the {first.kind} in {first.directory}",
        where=str(one.directory),
        hint="uninstall one of the two",
    )
    return BrokenExtension(
        one.name, one.kind, one.directory, problem, one.version, one.distribution
    )
