"""`PacletInfo` files: what a paclet is called, and what its "AgentTools" extension declares.

They become the same `Manifest` that distributions have. A declared item that has none of the three
forms, or a name that could lead out of the paclet, is left out and told of beside the manifest, for
a validator to report; a root that leads out of it makes the paclet unusable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import LoadError
from paddock.extensions.errors import ManifestError
from paddock.extensions.manifest import MAX_MANIFEST_BYTES, build_manifest, is_valid_name
from paddock.extensions.paclets.definition_source import parse_content
from paddock.extensions.paclets.property_tables import (
    get_arguments,
    get_head_name,
    to_key,
    to_plain_data,
    to_table,
)
from paddock.extensions.properties import shorten_repr
from paddock.wolfram.literals import DataError, RuleValue

if TYPE_CHECKING:
    from paddock.extensions.manifest import ExtensionManifest, ItemKind
    from paddock.extensions.paclets.files import PacletFiles
    from paddock.extensions.paclets.property_tables import PropertyDict

PACLET_INFO_FILE_NAMES = ("PacletInfo.wl", "PacletInfo.m")
AGENT_TOOLS_EXTENSION = "AgentTools"
DEFAULT_PACLET_ROOT = "AgentTools"
ITEM_LISTS: dict[str, ItemKind] = {
    "MCPServers": "servers",
    "Tools": "tools",
    "MCPPrompts": "prompts",
}
"""The lists of a declaration, and what we call what stands in them."""
_PACLET_HEADS = ("PacletObject", "Paclet")
_PAIR_LENGTH = 2


class MalformedItem(NamedTuple):
    """Something in a declaration that is no item, and does not count."""

    kind: ItemKind
    position: int
    """Its place in the list, counted from 1; 0 for what should be the list itself."""
    value_text: str


class PacletInfo(NamedTuple):
    """What a paclet says about itself."""

    name: str
    """`Paclet`, or `Publisher/Paclet`."""
    version: str | None
    manifest: ExtensionManifest | None
    """What it declares; None when it has no "AgentTools" extension."""
    malformed_items: tuple[MalformedItem, ...] = ()
    invalid_version: str | None = None
    """What it says as its version, if that is no text."""
    extra_declarations: int = 0
    """How many more "AgentTools" extensions there are, which do not count."""
    problem: ManifestError | None = None
    """Why nothing of it can be used, although everything can be read."""


def read_paclet_info(files: PacletFiles) -> PacletInfo:
    """What the `PacletInfo` file among the files of a paclet says.

    Raises:
        ManifestError: when there is none, or it cannot be understood.
        ArchiveError: when the archive cannot be unpacked.
    """
    for name in PACLET_INFO_FILE_NAMES:
        if files.has_file(name):
            where = str(files.path / name)
            try:
                info = parse_paclet_info(files.read_file(name, MAX_MANIFEST_BYTES), where)
            except LoadError as error:
                if error.code != LoadError.code:
                    raise
                raise ManifestError(error.message, where=error.where, hint=error.hint) from None
            if info.problem is not None:
                raise info.problem
            return info
    raise ManifestError(
        "is no paclet: there is no PacletInfo.wl",
        where=str(files.path),
        hint="give the directory that holds PacletInfo.wl, or a .paclet archive",
    )


def parse_paclet_info(data: bytes, where: str) -> PacletInfo:
    """What the content of a `PacletInfo` file says.

    Raises:
        ManifestError: when it is not what a paclet says about itself.
        LoadError: when it is no Wolfram Language.
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
    found = PacletInfo(name, version if isinstance(version, str) else None, None)
    if version is not None and found.version is None:
        found = found._replace(invalid_version=shorten_repr(to_plain_data(version)))
    given = _find_declarations(table.get("Extensions", []))
    return _add_declaration(found, given, publisher, content.location) if given else found


def read_extension_tables(files: PacletFiles, name: str) -> list[PropertyDict]:
    """What a paclet says about its extensions of a name, such as "Kernel", in their order.

    Raises:
        ManifestError: when there is no `PacletInfo`, or it cannot be understood.
        LoadError: when it is no Wolfram Language.
    """
    for inner in PACLET_INFO_FILE_NAMES:
        if files.has_file(inner):
            content = parse_content(
                files.read_file(inner, MAX_MANIFEST_BYTES), ".wl", str(files.path / inner)
            )
            table = _read_properties(content.to_data()) or {}
            found = (
                to_table(_flatten(given))
                for given in _find_declarations(table.get("Extensions", []), name)
            )
            return [one for one in found if one is not None]
    return []


def _read_properties(value: object) -> PropertyDict | None:
    """The properties in `PacletObject[<|…|>]`, `Paclet[Name -> …, …]` or an association alone."""
    if isinstance(value, Mapping):
        return to_table(value)
    if get_head_name(value) not in _PACLET_HEADS:
        return None
    arguments = get_arguments(value)
    only = arguments[0] if len(arguments) == 1 else arguments
    return to_table(only)


def _read_name(table: PropertyDict, where: str) -> tuple[str, str | None]:
    """The name of the paclet, and its publisher if the name has one."""
    name = table.get("Name")
    parts = name.split("/") if isinstance(name, str) else []
    if (
        not isinstance(name, str)
        or not 0 < len(parts) <= _PAIR_LENGTH
        or not all(map(is_valid_name, parts))
    ):
        raise ManifestError(
            f"Name is {shorten_repr(to_plain_data(name))}",
            where=where,
            hint="expected Paclet or Publisher/Paclet",
        )
    return name, parts[0] if len(parts) == _PAIR_LENGTH else None


def _add_declaration(
    info: PacletInfo, given: list[list[object]], publisher: str | None, where: str
) -> PacletInfo:
    """A paclet with what the first of its "AgentTools" extensions declares."""
    table = to_table(_flatten(given[0]))
    if table is None:
        raise ManifestError(
            f'the "{AGENT_TOOLS_EXTENSION}" extension is {shorten_repr(to_plain_data(given[0]))}',
            where=where,
            hint=f'expected {{"{AGENT_TOOLS_EXTENSION}", "Root" -> …, "Tools" -> {{…}}, …}}',
        )
    malformed: list[MalformedItem] = []
    found: dict[str, object] = {"publisher": publisher}
    root = to_plain_data(table.pop("Root", DEFAULT_PACLET_ROOT))
    for key, kind in ITEM_LISTS.items():
        found[kind] = _read_items(kind, table.pop(key, []), malformed)
    manifest = build_manifest({**found, "root": DEFAULT_PACLET_ROOT}, where)
    problem = None
    try:
        manifest = build_manifest({**found, "root": root}, where)
    except ManifestError as error:
        problem = error
    return info._replace(
        manifest=manifest._replace(extra=to_plain_data(table)),
        malformed_items=tuple(malformed),
        extra_declarations=len(given) - 1,
        problem=problem,
    )


def _find_declarations(extensions: object, name: str = AGENT_TOOLS_EXTENSION) -> list[list[object]]:
    """What stands in each extension of a name after it."""
    if isinstance(extensions, Mapping):
        extensions = [RuleValue(key, value) for key, value in extensions.items()]
    found: list[list[object]] = []
    for one in extensions if isinstance(extensions, list) else ():
        if isinstance(one, list) and one and to_key(one[0]) == name:
            found.append(one[1:])
        elif isinstance(one, RuleValue) and to_key(one.key) == name:
            found.append([one.value])
    return found


def _flatten(values: list[object]) -> list[object]:
    """Rules that stand in a list of their own, beside the others."""
    return [inner for one in values for inner in (one if isinstance(one, list) else [one])]


def _read_items(kind: ItemKind, value: object, malformed: list[MalformedItem]) -> list[object]:
    if not isinstance(value, list):
        malformed.append(MalformedItem(kind, 0, shorten_repr(to_plain_data(value))))
        return []
    found: dict[str, object] = {}
    for position, one in enumerate(value, 1):
        name, item = _read_item(one)
        if name is None or not is_valid_name(name) or name in found:
            malformed.append(MalformedItem(kind, position, shorten_repr(to_plain_data(one))))
        else:
            found[name] = item
    return list(found.values())


def _read_item(value: object) -> tuple[str | None, object]:
    """The name of an item, if it has one of the three forms, and the item as a manifest has it."""
    if isinstance(value, str):
        return value, value
    if (
        isinstance(value, list)
        and len(value) == _PAIR_LENGTH
        and all(isinstance(v, str) for v in value)
    ):
        return value[0], value
    table = to_table(value) if isinstance(value, Mapping) else None
    name = None if table is None else table.get("Name")
    description = None if table is None else table.get("Description")
    if isinstance(name, str) and (description is None or isinstance(description, str)):
        return name, to_plain_data(table)
    return None, None
