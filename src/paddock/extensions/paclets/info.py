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
from paddock.extensions.manifest import MAX_MANIFEST, is_name, make_manifest
from paddock.extensions.paclets.sources import read_content
from paddock.extensions.paclets.tables import arguments_of, head_of, key_of, plain, table_of
from paddock.extensions.properties import shown
from paddock.wolfram.data import DataError, Rule

if TYPE_CHECKING:
    from paddock.extensions.manifest import Kind, Manifest
    from paddock.extensions.paclets.files import PacletFiles
    from paddock.extensions.paclets.tables import Table

INFO_NAMES = ("PacletInfo.wl", "PacletInfo.m")
EXTENSION = "AgentTools"
DEFAULT_ROOT = "AgentTools"
LISTS: dict[str, Kind] = {"MCPServers": "servers", "Tools": "tools", "MCPPrompts": "prompts"}
"""The lists of a declaration, and what we call what stands in them."""
_HEADS = ("PacletObject", "Paclet")
_PAIR = 2


class Malformed(NamedTuple):
    """Something in a declaration that is no item, and does not count."""

    kind: Kind
    position: int
    """Its place in the list, counted from 1; 0 for what should be the list itself."""
    found: str


class PacletInfo(NamedTuple):
    """What a paclet says about itself."""

    name: str
    """`Paclet`, or `Publisher/Paclet`."""
    version: str | None
    manifest: Manifest | None
    """What it declares; None when it has no "AgentTools" extension."""
    malformed: tuple[Malformed, ...] = ()
    odd_version: str | None = None
    """What it says as its version, if that is no text."""
    further: int = 0
    """How many more "AgentTools" extensions there are, which do not count."""
    problem: ManifestError | None = None
    """Why nothing of it can be used, although everything can be read."""


def read_info(files: PacletFiles) -> PacletInfo:
    """What the `PacletInfo` file among the files of a paclet says.

    Raises:
        ManifestError: when there is none, or it cannot be understood.
        ArchiveError: when the archive cannot be unpacked.
    """
    for name in INFO_NAMES:
        if files.has(name):
            where = str(files.place / name)
            try:
                info = parse_info(files.read(name, MAX_MANIFEST), where)
            except LoadError as error:
                if error.code != LoadError.code:
                    raise
                raise ManifestError(error.message, where=error.where, hint=error.hint) from None
            if info.problem is not None:
                raise info.problem
            return info
    raise ManifestError(
        "is no paclet: there is no PacletInfo.wl",
        where=str(files.place),
        hint="give the directory that holds PacletInfo.wl, or a .paclet archive",
    )


def parse_info(data: bytes, where: str) -> PacletInfo:
    """What the content of a `PacletInfo` file says.

    Raises:
        ManifestError: when it is not what a paclet says about itself.
        LoadError: when it is no Wolfram Language.
    """
    content = read_content(data, ".wl", where)
    try:
        table = _properties(content.value())
    except DataError as error:
        raise ManifestError(error.message, where=content.place) from None
    if table is None:
        raise ManifestError(
            "does not describe a paclet",
            where=content.place,
            hint='expected PacletObject[<| "Name" -> …, "Version" -> …, "Extensions" -> {…} |>]',
        )
    name, publisher = _name(table, content.place)
    version = table.get("Version")
    found = PacletInfo(name, version if isinstance(version, str) else None, None)
    if version is not None and found.version is None:
        found = found._replace(odd_version=shown(plain(version)))
    given = _given(table.get("Extensions", []))
    return _declared(found, given, publisher, content.place) if given else found


def extension_tables(files: PacletFiles, name: str) -> list[Table]:
    """What a paclet says about its extensions of a name, such as "Kernel", in their order.

    Raises:
        ManifestError: when there is no `PacletInfo`, or it cannot be understood.
        LoadError: when it is no Wolfram Language.
    """
    for inner in INFO_NAMES:
        if files.has(inner):
            content = read_content(files.read(inner, MAX_MANIFEST), ".wl", str(files.place / inner))
            table = _properties(content.value()) or {}
            found = (table_of(_flat(given)) for given in _given(table.get("Extensions", []), name))
            return [one for one in found if one is not None]
    return []


def _properties(value: object) -> Table | None:
    """The properties in `PacletObject[<|…|>]`, `Paclet[Name -> …, …]` or an association alone."""
    if isinstance(value, Mapping):
        return table_of(value)
    if head_of(value) not in _HEADS:
        return None
    arguments = arguments_of(value)
    only = arguments[0] if len(arguments) == 1 else arguments
    return table_of(only)


def _name(table: Table, where: str) -> tuple[str, str | None]:
    """The name of the paclet, and its publisher if the name has one."""
    name = table.get("Name")
    parts = name.split("/") if isinstance(name, str) else []
    if not isinstance(name, str) or not 0 < len(parts) <= _PAIR or not all(map(is_name, parts)):
        raise ManifestError(
            f"Name is {shown(plain(name))}", where=where, hint="expected Paclet or Publisher/Paclet"
        )
    return name, parts[0] if len(parts) == _PAIR else None


def _declared(
    info: PacletInfo, given: list[list[object]], publisher: str | None, where: str
) -> PacletInfo:
    """A paclet with what the first of its "AgentTools" extensions declares."""
    table = table_of(_flat(given[0]))
    if table is None:
        raise ManifestError(
            f'the "{EXTENSION}" extension is {shown(plain(given[0]))}',
            where=where,
            hint=f'expected {{"{EXTENSION}", "Root" -> …, "Tools" -> {{…}}, …}}',
        )
    malformed: list[Malformed] = []
    found: dict[str, object] = {"publisher": publisher}
    root = plain(table.pop("Root", DEFAULT_ROOT))
    for key, kind in LISTS.items():
        found[kind] = _items(kind, table.pop(key, []), malformed)
    manifest = make_manifest({**found, "root": DEFAULT_ROOT}, where)
    problem = None
    try:
        manifest = make_manifest({**found, "root": root}, where)
    except ManifestError as error:
        problem = error
    return info._replace(
        manifest=manifest._replace(extra=plain(table)),
        malformed=tuple(malformed),
        further=len(given) - 1,
        problem=problem,
    )


def _given(extensions: object, name: str = EXTENSION) -> list[list[object]]:
    """What stands in each extension of a name after it."""
    if isinstance(extensions, Mapping):
        extensions = [Rule(key, value) for key, value in extensions.items()]
    found: list[list[object]] = []
    for one in extensions if isinstance(extensions, list) else ():
        if isinstance(one, list) and one and key_of(one[0]) == name:
            found.append(one[1:])
        elif isinstance(one, Rule) and key_of(one.key) == name:
            found.append([one.value])
    return found


def _flat(values: list[object]) -> list[object]:
    """Rules that stand in a list of their own, beside the others."""
    return [inner for one in values for inner in (one if isinstance(one, list) else [one])]


def _items(kind: Kind, value: object, malformed: list[Malformed]) -> list[object]:
    if not isinstance(value, list):
        malformed.append(Malformed(kind, 0, shown(plain(value))))
        return []
    found: dict[str, object] = {}
    for position, one in enumerate(value, 1):
        name, item = _item(one)
        if name is None or not is_name(name) or name in found:
            malformed.append(Malformed(kind, position, shown(plain(one))))
        else:
            found[name] = item
    return list(found.values())


def _item(value: object) -> tuple[str | None, object]:
    """The name of an item, if it has one of the three forms, and the item as a manifest has it."""
    if isinstance(value, str):
        return value, value
    if isinstance(value, list) and len(value) == _PAIR and all(isinstance(v, str) for v in value):
        return value[0], value
    table = table_of(value) if isinstance(value, Mapping) else None
    name = None if table is None else table.get("Name")
    description = None if table is None else table.get("Description")
    if isinstance(name, str) and (description is None or isinstance(description, str)):
        return name, plain(table)
    return None, None
