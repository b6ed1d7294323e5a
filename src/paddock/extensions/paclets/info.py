"""Reads `PacletInfo` files as manifests.

The "AgentTools" extension of a paclet becomes an `ExtensionManifest`, as for distributions. Items
with an invalid form or name are omitted, and listed separately for validation. A root directory
outside the paclet makes the paclet unusable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import LoadError
from paddock.extensions.errors import ManifestError
from paddock.extensions.manifest import MAX_MANIFEST_BYTES, build_manifest, is_valid_name
from paddock.extensions.paclets.definition_source import parse_content
from paddock.extensions.paclets.property_tables import (
    describe_value,
    get_arguments,
    get_head_name,
    to_key,
    to_plain_data,
    to_table,
)
from paddock.extensions.paclets.search_paths import PACLET_INFO_FILE_NAMES
from paddock.wolfram.literals import DataError, RuleValue

if TYPE_CHECKING:
    from paddock.extensions.manifest import ExtensionManifest, ItemKind
    from paddock.extensions.paclets.files import ExtensionFiles
    from paddock.extensions.paclets.property_tables import PropertyDict

AGENT_TOOLS_EXTENSION = "AgentTools"
DEFAULT_PACLET_ROOT = "AgentTools"
ITEM_LISTS: dict[str, ItemKind] = {
    "MCPServers": "servers",
    "Tools": "tools",
    "MCPPrompts": "prompts",
}
"""The item kind for each list in a declaration."""
_PACLET_HEADS = ("PacletObject", "Paclet")


class MalformedItem(NamedTuple):
    """An invalid element of an item list, which is ignored."""

    kind: ItemKind
    position: int
    """The position in the list, starting at 1; 0 if the value is not a list."""
    value_text: str


class PacletInfo(NamedTuple):
    """The contents of a `PacletInfo` file, which describes a paclet (a Wolfram package)."""

    name: str
    """`Paclet` or `Publisher/Paclet`."""
    version: str | None
    manifest: ExtensionManifest | None
    """The tools, prompts and servers declared in the paclet's "AgentTools" extension. None if it
    does not have that extension."""
    malformed_items: tuple[MalformedItem, ...] = ()
    """Invalid elements of the item lists, for validation."""
    invalid_version: str | None = None
    """The value of the version if it is not a string."""
    extra_declarations: int = 0
    """Number of additional "AgentTools" extensions, which are ignored."""
    problem: ManifestError | None = None
    """The error that makes the paclet unusable even though the file can be read."""


def read_paclet_info(files: ExtensionFiles) -> PacletInfo:
    """Read the `PacletInfo` file of a paclet.

    Raises:
        ManifestError: There is no such file, or it is invalid.
        ArchiveError: The archive cannot be unpacked.
    """
    name = find_info_file(files)
    if name is None:
        raise ManifestError(
            "is not a paclet: there is no PacletInfo.wl",
            where=str(files.path),
            hint="pass the directory that contains PacletInfo.wl, or a .paclet archive",
        )
    try:
        info = parse_paclet_info(files.read_file(name, MAX_MANIFEST_BYTES), str(files.path / name))
    except LoadError as error:
        if error.code != LoadError.code:
            raise
        raise ManifestError(error.message, where=error.where, hint=error.hint) from None
    if info.problem is not None:
        raise info.problem
    return info


def find_info_file(files: ExtensionFiles) -> str | None:
    """Return the name of a paclet's `PacletInfo` file, or None."""
    return next(filter(files.has_file, PACLET_INFO_FILE_NAMES), None)


def parse_paclet_info(data: bytes, where: str) -> PacletInfo:
    """Parse the contents of a `PacletInfo` file without evaluating them.

    Args:
        data: The contents of the file.
        where: The path of the file, for errors.

    Raises:
        ManifestError: The contents do not describe a paclet.
        LoadError: The contents have a syntax error.
    """
    content = parse_content(data, ".wl", where)
    try:
        table = _read_properties(content.to_data())
    except DataError as error:
        raise ManifestError(error.message, where=content.location) from None
    if table is None:
        raise ManifestError(
            "does not describe a paclet",
            where=content.location,
            hint='expected PacletObject[<| "Name" -> …, "Version" -> …, "Extensions" -> {…} |>]',
        )
    name, publisher = _read_name(table, content.location)
    version = table.get("Version")
    info = PacletInfo(name, version if isinstance(version, str) else None, None)
    if version is not None and info.version is None:
        info = info._replace(invalid_version=describe_value(version))
    declarations = _find_declarations(table.get("Extensions", []))
    if not declarations:
        return info
    return _add_manifest(info, declarations, publisher, content.location)


def read_extension_tables(files: ExtensionFiles, name: str) -> list[PropertyDict]:
    """Return the properties of each extension of a given kind, such as "Kernel", in a paclet.

    In the Wolfram Language, an extension is an entry `{"Kernel", "Root" -> "Kernel", …}` in the
    `PacletInfo` file. It becomes `{"Root": "Kernel", …}`.

    Raises:
        ManifestError: The `PacletInfo` file is invalid.
        LoadError: The `PacletInfo` file has a syntax error.
    """
    file_name = find_info_file(files)
    if file_name is None:
        return []
    data = files.read_file(file_name, MAX_MANIFEST_BYTES)
    content = parse_content(data, ".wl", str(files.path / file_name))
    properties = _read_properties(content.to_data()) or {}
    declarations = _find_declarations(properties.get("Extensions", []), name)
    tables = [to_table(_flatten(declaration)) for declaration in declarations]
    return [table for table in tables if table is not None]


def _read_properties(value: object) -> PropertyDict | None:
    """Return the properties of a paclet from the data in its `PacletInfo` file.

    The data is `PacletObject[<|…|>]`, `Paclet[Name -> …, …]` in old files, or `<|…|>`. For any
    other data, return None.
    """
    if isinstance(value, Mapping):
        return to_table(value)
    if get_head_name(value) not in _PACLET_HEADS:
        return None
    arguments = get_arguments(value)
    argument = arguments[0] if len(arguments) == 1 else arguments
    return to_table(argument)


def _read_name(table: PropertyDict, where: str) -> tuple[str, str | None]:
    """Return the paclet's full name, and the publisher if the name contains one.

    For example, `("acme/Charts", "acme")` or `("Charts", None)`.

    Raises:
        ManifestError: The name is missing or invalid.
    """
    name = table.get("Name")
    match name.split("/") if isinstance(name, str) else []:
        case [paclet] if is_valid_name(paclet):
            return paclet, None
        case [publisher, paclet] if is_valid_name(publisher) and is_valid_name(paclet):
            return f"{publisher}/{paclet}", publisher
    problem, hint = f"Name is {describe_value(name)}", "expected Paclet or Publisher/Paclet"
    raise ManifestError(problem, where=where, hint=hint)


def _add_manifest(
    info: PacletInfo, declarations: list[list[object]], publisher: str | None, where: str
) -> PacletInfo:
    """Add the manifest from the "AgentTools" extension to a paclet's description.

    An invalid root directory is stored as the result's `problem` instead of being raised, so that
    validation can report problems with the items too.

    Args:
        info: The description without a manifest.
        declarations: The paclet's "AgentTools" extensions. Only the first one is used.
        publisher: The publisher in the paclet's name.
        where: The location of the `PacletInfo` file, for errors.

    Raises:
        ManifestError: The extension does not consist of rules.
    """
    table = to_table(_flatten(declarations[0]))
    if table is None:
        raise ManifestError(
            f'the "{AGENT_TOOLS_EXTENSION}" extension is {describe_value(declarations[0])}',
            where=where,
            hint=f'expected {{"{AGENT_TOOLS_EXTENSION}", "Root" -> …, "Tools" -> {{…}}, …}}',
        )
    malformed_items: list[MalformedItem] = []
    errors: list[ManifestError | None] = []
    manifest_table: dict[str, object] = {
        "publisher": publisher,
        "root": to_plain_data(table.pop("Root", DEFAULT_PACLET_ROOT)),
    }
    for key, kind in ITEM_LISTS.items():
        manifest_table[kind] = _read_items(kind, table.pop(key, []), malformed_items)
    manifest = build_manifest(
        manifest_table, where, report=lambda problem: errors.append(problem.error)
    )
    return info._replace(
        manifest=manifest._replace(extra=to_plain_data(table)),
        malformed_items=tuple(malformed_items),
        extra_declarations=len(declarations) - 1,
        problem=next((error for error in errors if error is not None), None),
    )


def _find_declarations(extensions: object, name: str = AGENT_TOOLS_EXTENSION) -> list[list[object]]:
    """Return the contents of each extension with a given name in a paclet's `Extensions`.

    An extension is a list `{"AgentTools", "Tools" -> {…}, …}` or a rule `"AgentTools" -> <|…|>`.
    Its contents are the elements after the name.
    """
    if isinstance(extensions, Mapping):
        extensions = [RuleValue(key, value) for key, value in extensions.items()]
    declarations: list[list[object]] = []
    for entry in extensions if isinstance(extensions, list) else ():
        if isinstance(entry, list) and entry and to_key(entry[0]) == name:
            declarations.append(entry[1:])
        elif isinstance(entry, RuleValue) and to_key(entry.key) == name:
            declarations.append([entry.value])
    return declarations


def _flatten(values: list[object]) -> list[object]:
    """Flatten one level of nested lists of rules."""
    return [item for value in values for item in (value if isinstance(value, list) else [value])]


def _read_items(
    kind: ItemKind, value: object, malformed_items: list[MalformedItem]
) -> list[object]:
    """Return the valid items of a list in a paclet, in the form that `build_manifest` accepts.

    Args:
        kind: The kind of the items, such as `"tools"`.
        value: The list as written, such as the value of `"Tools"`.
        malformed_items: A list that receives the invalid items and duplicates.
    """
    if not isinstance(value, list):
        malformed_items.append(MalformedItem(kind, 0, describe_value(value)))
        return []
    items: dict[str, object] = {}
    for position, entry in enumerate(value, 1):
        name, item = _read_item(entry)
        if name is None or not is_valid_name(name) or name in items:
            malformed_items.append(MalformedItem(kind, position, describe_value(entry)))
        else:
            items[name] = item
    return list(items.values())


def _read_item(value: object) -> tuple[str | None, object]:
    """Return a declared item's name, and the item in the form that `build_manifest` accepts.

    An item is a name, a name and description pair, or a table of properties. For anything else,
    return `(None, None)`.
    """
    match value:
        case str():
            return value, value
        case [str(name), str()]:
            return name, value
        case Mapping():
            table = to_table(value) or {}
            name_value, description = table.get("Name"), table.get("Description")
            if isinstance(name_value, str) and isinstance(description, str | None):
                return name_value, to_plain_data(table)
    return None, None
