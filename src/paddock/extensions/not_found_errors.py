"""Errors for names that do not resolve to an item, with suggestions.

If the name is qualified, the error says which part is missing: the extension is not installed, the
package is not an extension, or the extension declares no such item. Each has its own error code.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from paddock.extensions.errors import (
    ExtensionNotFoundError,
    ExtensionNotInstalledError,
    ItemNotDeclaredError,
)
from paddock.extensions.names import parse_qualified_name
from paddock.suggestions import find_similar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.extensions.errors import ExtensionError
    from paddock.extensions.extension import Extension
    from paddock.extensions.manifest import ItemKind
    from paddock.extensions.names import QualifiedName

MAX_LISTED_NAMES = 12
"""Maximum number of names that an error message lists."""


class MissingItem(NamedTuple):
    """A requested tool, prompt, resource or server that does not exist.

    The functions in this module create the appropriate error for it.
    """

    kind: ItemKind
    name: QualifiedName
    """The requested name, such as `acme/charts/Plot`."""
    where: str | None = None
    """The location of the request, such as the file that lists the name."""

    def make_error(
        self, error_class: type[ExtensionError], extension: str, reason: str, hint: str
    ) -> ExtensionError:
        """Return the error for this item, with a message that begins with its kind and name.

        Args:
            error_class: The class of the error, whose code says which part is missing.
            extension: The name of the extension.
            reason: The reason, such as `no extension "charts" is installed`.
            hint: The suggested remedy.
        """
        item_kind = self.kind.removesuffix("s")
        return error_class(
            f'No {item_kind} named "{self.name}" found: {reason}',
            where=self.where,
            hint=hint,
            extension=extension,
        )


def make_undeclared_item_error(missing: MissingItem, extension: Extension) -> ExtensionError:
    """Return the error for an item that the manifest of its extension does not declare.

    The hint suggests similar names in the extension, or lists all names if no name is similar.
    """
    names = [item.name for item in extension.manifest.get_items(missing.kind)]
    similar_names = [
        f"{extension.name}/{similar}"
        for similar in get_close_matches(missing.name.item, names, n=2)
    ]
    command = "extensions" if extension.is_installed else "extensions search"
    return missing.make_error(
        ItemNotDeclaredError,
        extension.name,
        f'the extension "{extension.name}" declares no such item',
        _format_suggestion(similar_names)
        or f"its {missing.kind} are: {format_name_list(names)}; paddock {command} {extension.name} "
        "shows the extension",
    )


def make_unknown_extension_error(
    missing: MissingItem, known_names: Sequence[str], *, is_installed: bool
) -> ExtensionError:
    """Return the error for an item whose package is not installed or not an extension.

    Args:
        missing: The requested item.
        known_names: The qualified names of all items of its kind, to suggest similar ones.
        is_installed: True if the package is installed but not an extension.
    """
    package = missing.name.extension_name
    suggestion = suggest_names(str(missing.name), known_names)
    hint = f"{suggestion} " if suggestion else ""
    hint += "paddock extensions lists the installed extensions"
    if is_installed:
        reason = f'"{package}" is installed but is not an extension'
        return missing.make_error(ExtensionNotFoundError, package, reason, hint)
    hint += f", paddock extensions search {missing.name.package} those in catalogues"
    reason = f'no extension "{package}" is installed'
    return missing.make_error(ExtensionNotInstalledError, package, reason, hint)


def make_extension_name_error(
    missing: MissingItem, extensions: Sequence[Extension]
) -> ExtensionError:
    """Return the error for a name that begins with a distribution rather than an extension.

    For example, the distribution `acme-charts` can contain the extension `acme/charts`. The hint
    suggests the correct item name, or lists the items of the extensions.

    Args:
        missing: The requested item.
        extensions: The distribution's extensions, at least one.
    """
    extension_names = " and ".join(f'"{extension.name}"' for extension in extensions)
    item_names = [
        f"{extension.name}/{item.name}"
        for extension in extensions
        for item in extension.manifest.get_items(missing.kind)
    ]
    same_items = _select_same_items(missing.name.item, item_names)
    return missing.make_error(
        ExtensionNotFoundError,
        extensions[0].name,
        f'the extension in "{missing.name.extension_name}" is called {extension_names}',
        _format_suggestion(same_items[:1])
        or f"its {missing.kind} are: {format_name_list(item_names)}",
    )


def make_not_installed_error(missing: MissingItem, extension: Extension) -> ExtensionError:
    """Return the error for an item of an extension that can be installed from a catalogue.

    The hint is the command that installs it. If the extension does not declare the item, the error
    says so instead.
    """
    if extension.manifest.find_item(missing.kind, missing.name.item) is None:
        return make_undeclared_item_error(missing, extension)
    return missing.make_error(
        ExtensionNotInstalledError,
        extension.name,
        f'the extension "{extension.name}" {extension.version} is in a catalogue but is not '
        "installed",
        f"install it: {format_install_command(extension.name)}",
    )


def format_install_command(name: str) -> str:
    """Return the command that installs an extension from a catalogue."""
    return f"paddock extensions install {name}"


def suggest_names(name: str, known_names: Sequence[str]) -> str | None:
    """Return the hint "did you mean …?" with up to three known names, or None.

    Items with the same name in other extensions come first, followed by similarly spelled names.

    Args:
        name: The unknown name, such as `charts/Plto`.
        known_names: The qualified names that exist, such as `acme/charts/Plot`.
    """
    qualified = parse_qualified_name(name)
    same_items = _select_same_items(qualified.item if qualified else name, known_names)
    similar_names = find_similar(name, known_names, most=2)
    return _format_suggestion(list(dict.fromkeys([*same_items, *similar_names]))[:3])


def _select_same_items(item: str, known_names: Sequence[str]) -> list[str]:
    """Return the names whose last part matches the item, ignoring case."""
    return [
        known for known in known_names if known.rpartition("/")[2].casefold() == item.casefold()
    ]


def _format_suggestion(names: Sequence[str]) -> str | None:
    return f"did you mean {' or '.join(names)}?" if names else None


def format_name_list(names: Sequence[str]) -> str:
    """Join names for a message, up to `MAX_LISTED_NAMES`."""
    ellipsis = ", …" if len(names) > MAX_LISTED_NAMES else ""
    return ", ".join(names[:MAX_LISTED_NAMES]) + ellipsis if names else "none"
