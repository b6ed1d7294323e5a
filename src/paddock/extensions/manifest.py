"""Reading a manifest: what an extension declares, as data.

Nothing of the extension is run. Keys that are not known here are kept, not refused: they may be
for a later version, and telling of typing errors is the business of a validator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal, NamedTuple

from paddock.extensions.errors import ManifestError
from paddock.extensions.keys import normal_key
from paddock.extensions.plain_data import parse_toml
from paddock.extensions.properties import shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Kind = Literal["tools", "prompts", "resources", "servers"]
KINDS: tuple[Kind, ...] = ("tools", "prompts", "resources", "servers")
SCHEMA = 1
MAX_MANIFEST = 1_000_000
"""More bytes than any manifest has; one that has is not read on."""
DEFAULT_ROOT = "agenttools"

_SPELLINGS = {"mcp_servers": "servers", "mcp_prompts": "prompts", "mcp_resources": "resources"}
_NAME = re.compile(r"[^\W_][\w.\- ]*")
_FORMS = '"Name", ["Name", "Description"] or { name = "Name", … }'
_PAIR = 2


class Item(NamedTuple):
    """One declared tool, prompt, resource or server, as far as the manifest says."""

    name: str
    description: str | None = None
    properties: Mapping[str, object] = {}


class Manifest(NamedTuple):
    """What an extension declares."""

    publisher: str | None = None
    root: str = DEFAULT_ROOT
    tools: tuple[Item, ...] = ()
    prompts: tuple[Item, ...] = ()
    resources: tuple[Item, ...] = ()
    servers: tuple[Item, ...] = ()
    extra: Mapping[str, object] = {}

    def items(self, kind: Kind) -> tuple[Item, ...]:
        """The declared items of a kind, in their order."""
        found: tuple[Item, ...] = getattr(self, kind)
        return found


def is_name(text: str) -> bool:
    """Whether a text can name an extension or an item: it is part of paths and of longer names."""
    return _NAME.fullmatch(text) is not None


def read_manifest(path: Path) -> Manifest:
    """What a manifest says.

    Raises:
        ManifestError: with the file, the key, and what was expected there.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_MANIFEST + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ManifestError(f"cannot be read: {reason}", where=str(path)) from None
    return parse_manifest(data, str(path))


def parse_manifest(data: bytes, where: str) -> Manifest:
    """What the bytes of a manifest say.

    Raises:
        ManifestError: with the key, and what was expected there.
    """
    if len(data) > MAX_MANIFEST:
        raise ManifestError(f"is longer than {MAX_MANIFEST:,} bytes", where=where)
    try:
        table = parse_toml(data)
    except ValueError as error:
        raise ManifestError(f"cannot be read: {error}", where=where) from None
    return make_manifest(table, where)


def make_manifest(table: Mapping[str, object], where: str) -> Manifest:
    """What a table declares, its keys spelled as here or as in a paclet.

    Raises:
        ManifestError: with the key, and what was expected there.
    """
    found = _by_meaning(table, _spelled, where)
    schema = found.pop("schema", SCHEMA)
    if schema != SCHEMA or not isinstance(schema, int) or isinstance(schema, bool):
        raise ManifestError(
            f"schema is {shown(schema)}",
            where=where,
            hint=f"expected {SCHEMA}; a newer Paddock may know it",
        )
    return Manifest(
        publisher=_publisher(found.pop("publisher", None), where),
        root=_root(found.pop("root", DEFAULT_ROOT), where),
        tools=_items("tools", found.pop("tools", []), where),
        prompts=_items("prompts", found.pop("prompts", []), where),
        resources=_items("resources", found.pop("resources", []), where),
        servers=_items("servers", found.pop("servers", []), where),
        extra=found,
    )


def _by_meaning(
    table: Mapping[str, object], meaning: Callable[[str], str], where: str
) -> dict[str, object]:
    """A table by what its keys mean; two that mean the same are refused."""
    spelled: dict[str, str] = {}
    for key in table:
        first = spelled.setdefault(meaning(key), key)
        if first != key:
            raise ManifestError(
                f"{first!r} and {key!r} mean the same", where=where, hint="keep one"
            )
    return {name: table[key] for name, key in spelled.items()}


def _spelled(key: str) -> str:
    normal = normal_key(key)
    return _SPELLINGS.get(normal, normal)


def _publisher(value: object, where: str) -> str | None:
    if value is None or (isinstance(value, str) and is_name(value)):
        return value
    raise _wrong(where, "publisher", value, "a name without slashes")


def _root(value: object, where: str) -> str:
    if isinstance(value, str) and value:
        root = PurePosixPath(value)
        if not root.is_absolute() and ".." not in root.parts and "\\" not in value:
            return value
    raise _wrong(where, "root", value, "the name of a directory beside the manifest")


def _items(kind: Kind, value: object, where: str) -> tuple[Item, ...]:
    if not isinstance(value, list):
        raise _wrong(where, kind, value, "a list")
    found: dict[str, Item] = {}
    for index, one in enumerate(value):
        key = f"{kind}[{index}]"
        item = _item(one, key, where)
        if not is_name(item.name):
            raise _wrong(where, key, item.name, "a name of letters, digits, '_', '-', '.' and ' '")
        if item.name in found:
            raise ManifestError(f"{key}: {item.name!r} is declared twice", where=where)
        found[item.name] = item
    return tuple(found.values())


def _item(value: object, key: str, where: str) -> Item:
    if isinstance(value, str):
        return Item(value)
    if isinstance(value, list) and len(value) == _PAIR:
        name, description = value
        if isinstance(name, str) and isinstance(description, str):
            return Item(name, description)
    if isinstance(value, Mapping):
        properties = _by_meaning(value, normal_key, f"{where}: {key}")
        name, description = properties.pop("name", None), properties.pop("description", None)
        if isinstance(name, str) and (description is None or isinstance(description, str)):
            return Item(name, description, properties)
    raise _wrong(where, key, value, _FORMS)


def _wrong(where: str, key: str, value: object, expected: str) -> ManifestError:
    return ManifestError(f"{key} is {shown(value)}", where=where, hint=f"expected {expected}")
