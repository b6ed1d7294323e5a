"""What is said about a name that leads to no item: why not, and what may be meant instead.

Where a name is qualified, it is the extension that cannot give the item, and each reason has a
code of its own. Only here are all installed extensions looked at, for names that are alike.
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
"""How many names an error lists."""


def make_undeclared_item_error(
    kind: ItemKind, name: QualifiedName, extension: Extension, where: str | None
) -> ExtensionError:
    """The complaint about an item that its extension does not declare, whatever files it has."""
    word = kind.removesuffix("s")
    names = [item.name for item in extension.manifest.get_items(kind)]
    near = get_close_matches(name.item, names, n=2)
    if near:
        hint = f"did you mean {' or '.join(f'{extension.name}/{one}' for one in near)}?"
    else:
        command = "extensions" if extension.is_installed else "extensions search"
        hint = f"its {kind} are: {format_name_list(names)}; paddock {command} {extension.name} shows it"
    return ItemNotDeclaredError(
        f'No {word} named "{name}" found: the extension "{extension.name}" declares no such item',
        where=where,
        hint=hint,
        extension=extension.name,
    )


def make_unknown_extension_error(
    kind: ItemKind,
    name: QualifiedName,
    near: Sequence[str],
    where: str | None,
    *,
    is_installed: bool,
) -> ExtensionError:
    """The complaint about an item of what is no extension, or is not installed.

    Args:
        kind: What was looked for.
        name: Its name.
        near: Names that may have been meant.
        where: Where the name stands.
        is_installed: Whether there is a distribution of that name, which is no extension.
    """
    package, word = name.extension_name, kind.removesuffix("s")
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    if is_installed:
        return ExtensionNotFoundError(
            f'No {word} named "{name}" found: "{package}" is installed and is no extension',
            where=where,
            hint=f"{meant}paddock extensions lists those that are",
            extension=package,
        )
    return ExtensionNotInstalledError(
        f'No {word} named "{name}" found: no extension "{package}" is installed',
        where=where,
        hint=f"{meant}paddock extensions lists what is installed, "
        f"paddock extensions search {name.package} what could be",
        extension=package,
    )


def make_extension_name_error(
    kind: ItemKind, name: QualifiedName, extensions: Sequence[Extension], where: str | None
) -> ExtensionError:
    """The complaint about a name that begins with a distribution, and not with its extension.

    Args:
        kind: What was looked for.
        name: Its name.
        extensions: What the distribution brings.
        where: Where the name stands.
    """
    called = " and ".join(f'"{one.name}"' for one in extensions)
    items = [
        f"{one.name}/{item.name}" for one in extensions for item in one.manifest.get_items(kind)
    ]
    near = [one for one in items if one.rpartition("/")[2].casefold() == name.item.casefold()]
    return ExtensionNotFoundError(
        f'No {kind.removesuffix("s")} named "{name}" found: the extension in "{name.extension_name}" '
        f"is called {called}",
        where=where,
        hint=f"did you mean {near[0]}?" if near else f"its {kind} are: {format_name_list(items)}",
        extension=extensions[0].name,
    )


def make_not_installed_error(
    kind: ItemKind, name: QualifiedName, extension: Extension, where: str | None
) -> ExtensionError:
    """The complaint about an item of an extension that a catalogue lists, and is not installed."""
    if all(item.name != name.item for item in extension.manifest.get_items(kind)):
        return make_undeclared_item_error(kind, name, extension, where)
    return ExtensionNotInstalledError(
        f'No {kind.removesuffix("s")} named "{name}" found: the extension "{extension.name}" '
        f"{extension.version} is in a catalogue and is not installed",
        where=where,
        hint=f"install it: {format_install_command(extension.name)}",
        extension=extension.name,
    )


def format_install_command(name: str) -> str:
    """What a person types to install an extension that a catalogue lists."""
    return f"paddock extensions install {name}"


def find_similar_names(name: str, known: Sequence[str]) -> list[str]:
    """Those of some names that may have been meant: the same item elsewhere, or spelled alike."""
    qualified = parse_qualified_name(name)
    item = (qualified.item if qualified else name).casefold()
    same = [one for one in known if one.rpartition("/")[2].casefold() == item]
    lowered = {one.casefold(): one for one in known}
    near = [lowered[one] for one in get_close_matches(name.casefold(), lowered, n=2, cutoff=0.7)]
    return list(dict.fromkeys([*same, *near]))[:3]


def format_name_list(names: Sequence[str]) -> str:
    """Some names in a row, not too many."""
    more = ", …" if len(names) > MAX_LISTED_NAMES else ""
    return ", ".join(names[:MAX_LISTED_NAMES]) + more if names else "none"
