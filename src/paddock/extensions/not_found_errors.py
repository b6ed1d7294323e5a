"""Errors for names that resolve to no item, with suggestions.

If the name is qualified, the error says which part is missing: the extension is not installed, the
package is not an extension, or the extension declares no such item. Each has its own error code.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from paddock.extensions.errors import (
    ExtensionNotFoundError,
    ExtensionNotInstalledError,
    ItemNotDeclaredError,
)
from paddock.extensions.names import parse_qualified_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.extensions.errors import ExtensionError
    from paddock.extensions.extension import Extension
    from paddock.extensions.manifest import ItemKind
    from paddock.extensions.names import QualifiedName

MAX_LISTED_NAMES = 12
"""Names that an error message lists."""


def make_undeclared_item_error(
    kind: ItemKind, name: QualifiedName, extension: Extension, where: str | None
) -> ExtensionError:
    """Return the error for an item that its extension does not declare."""
    names = [item.name for item in extension.manifest.get_items(kind)]
    similar_names = [
        f"{extension.name}/{similar}" for similar in get_close_matches(name.item, names, n=2)
    ]
    if similar_names:
        hint = f"did you mean {' or '.join(similar_names)}?"
    else:
        command = "extensions" if extension.is_installed else "extensions search"
        hint = (
            f"its {kind} are: {format_name_list(names)}; paddock {command} {extension.name} "
            "shows the extension"
        )
    return ItemNotDeclaredError(
        f"{_format_not_found(kind, name)}: the extension {_quote(extension.name)} declares no "
        "such item",
        where=where,
        hint=hint,
        extension=extension.name,
    )


def make_unknown_extension_error(
    kind: ItemKind,
    name: QualifiedName,
    similar_names: Sequence[str],
    where: str | None,
    *,
    is_installed: bool,
) -> ExtensionError:
    """Return the error for a name whose package is not an extension, or is not installed.

    Args:
        kind: The kind of the requested item.
        name: The requested name.
        similar_names: Names to suggest.
        where: The location of the name.
        is_installed: True if the package is installed but is not an extension.
    """
    package = name.extension_name
    suggestion = f"did you mean {' or '.join(similar_names)}? " if similar_names else ""
    if is_installed:
        return ExtensionNotFoundError(
            f"{_format_not_found(kind, name)}: {_quote(package)} is installed but is not an "
            "extension",
            where=where,
            hint=f"{suggestion}paddock extensions lists the installed extensions",
            extension=package,
        )
    return ExtensionNotInstalledError(
        f"{_format_not_found(kind, name)}: no extension {_quote(package)} is installed",
        where=where,
        hint=f"{suggestion}paddock extensions lists the installed extensions, "
        f"paddock extensions search {name.package} those in catalogues",
        extension=package,
    )


def make_extension_name_error(
    kind: ItemKind, name: QualifiedName, extensions: Sequence[Extension], where: str | None
) -> ExtensionError:
    """Return the error for a name that begins with a distribution instead of its extension.

    Args:
        kind: The kind of the requested item.
        name: The requested name.
        extensions: The extensions in the distribution.
        where: The location of the name.
    """
    extension_names = " and ".join(_quote(extension.name) for extension in extensions)
    item_names = [
        f"{extension.name}/{item.name}"
        for extension in extensions
        for item in extension.manifest.get_items(kind)
    ]
    same_items = [
        item_name
        for item_name in item_names
        if item_name.rpartition("/")[2].casefold() == name.item.casefold()
    ]
    return ExtensionNotFoundError(
        f"{_format_not_found(kind, name)}: the extension in {_quote(name.extension_name)} is "
        f"called {extension_names}",
        where=where,
        hint=f"did you mean {same_items[0]}?"
        if same_items
        else f"its {kind} are: {format_name_list(item_names)}",
        extension=extensions[0].name,
    )


def make_not_installed_error(
    kind: ItemKind, name: QualifiedName, extension: Extension, where: str | None
) -> ExtensionError:
    """Return the error for an item of an extension that a catalogue lists.

    The command that installs it is only suggested if the extension declares the item.
    """
    if all(item.name != name.item for item in extension.manifest.get_items(kind)):
        return make_undeclared_item_error(kind, name, extension, where)
    return ExtensionNotInstalledError(
        f"{_format_not_found(kind, name)}: the extension {_quote(extension.name)} "
        f"{extension.version} is in a catalogue but is not installed",
        where=where,
        hint=f"install it: {format_install_command(extension.name)}",
        extension=extension.name,
    )


def format_install_command(name: str) -> str:
    """Return the command that installs an extension from a catalogue."""
    return f"paddock extensions install {name}"


def find_similar_names(name: str, known_names: Sequence[str]) -> list[str]:
    """Return up to three known names to suggest for a name.

    Items with the same name in other extensions come before names with a similar spelling.
    """
    qualified = parse_qualified_name(name)
    item = (qualified.item if qualified else name).casefold()
    same_items = [known for known in known_names if known.rpartition("/")[2].casefold() == item]
    by_casefold = {known.casefold(): known for known in known_names}
    matches = get_close_matches(name.casefold(), by_casefold, n=2, cutoff=0.7)
    return list(dict.fromkeys([*same_items, *(by_casefold[match] for match in matches)]))[:3]


def format_name_list(names: Sequence[str]) -> str:
    """Join names for a message, up to `MAX_LISTED_NAMES`."""
    ellipsis = ", …" if len(names) > MAX_LISTED_NAMES else ""
    return ", ".join(names[:MAX_LISTED_NAMES]) + ellipsis if names else "none"


def _format_not_found(kind: ItemKind, name: QualifiedName) -> str:
    return f"No {kind.removesuffix('s')} named {_quote(str(name))} found"


def _quote(name: str) -> str:
    return f'"{name}"'
