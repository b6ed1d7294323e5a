"""Reading a manifest: what an extension declares, as data.

Nothing of the extension is run. Keys that are not known here are kept, not refused: they may be
for a later version, and telling of typing errors is the business of a validator.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal, NamedTuple

from paddock.extensions.errors import ManifestError
from paddock.extensions.keys import normal_key
from paddock.extensions.properties import shown

if TYPE_CHECKING:
    from pathlib import Path

Kind = Literal["tools", "prompts", "resources", "servers"]
KINDS: tuple[Kind, ...] = ("tools", "prompts", "resources", "servers")
SCHEMA = 1
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


def read_manifest(path: Path) -> Manifest:
    """What a manifest says.

    Raises:
        ManifestError: with the file, the key, and what was expected there.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ManifestError(f"cannot be read: {error}", where=str(path)) from None
    found = {_spelled(key): value for key, value in table.items()}
    schema = found.pop("schema", SCHEMA)
    if schema != SCHEMA:
        raise ManifestError(
            f"schema is {shown(schema)}",
            where=str(path),
            hint=f"expected {SCHEMA}; a newer Paddock may know it",
        )
    return Manifest(
        publisher=_publisher(found.pop("publisher", None), path),
        root=_root(found.pop("root", DEFAULT_ROOT), path),
        tools=_items("tools", found.pop("tools", []), path),
        prompts=_items("prompts", found.pop("prompts", []), path),
        resources=_items("resources", found.pop("resources", []), path),
        servers=_items("servers", found.pop("servers", []), path),
        extra=found,
    )


def _spelled(key: str) -> str:
    normal = normal_key(key)
    return _SPELLINGS.get(normal, normal)


def _publisher(value: object, path: Path) -> str | None:
    if value is None or (isinstance(value, str) and _NAME.fullmatch(value)):
        return value
    raise _wrong(path, "publisher", value, "a name without slashes")


def _root(value: object, path: Path) -> str:
    if isinstance(value, str) and value:
        root = PurePosixPath(value)
        if not root.is_absolute() and ".." not in root.parts and "\\" not in value:
            return value
    raise _wrong(path, "root", value, "the name of a directory beside the manifest")


def _items(kind: Kind, value: object, path: Path) -> tuple[Item, ...]:
    if not isinstance(value, list):
        raise _wrong(path, kind, value, "a list")
    found: dict[str, Item] = {}
    for index, one in enumerate(value):
        key = f"{kind}[{index}]"
        item = _item(one, key, path)
        if not _NAME.fullmatch(item.name):
            raise _wrong(path, key, item.name, "a name of letters, digits, '_', '-', '.' and ' '")
        if item.name in found:
            raise ManifestError(f"{key}: {item.name!r} is declared twice", where=str(path))
        found[item.name] = item
    return tuple(found.values())


def _item(value: object, key: str, path: Path) -> Item:
    if isinstance(value, str):
        return Item(value)
    if isinstance(value, list) and len(value) == _PAIR:
        name, description = value
        if isinstance(name, str) and isinstance(description, str):
            return Item(name, description)
    if isinstance(value, Mapping):
        properties = {normal_key(one): given for one, given in value.items()}
        name, description = properties.pop("name", None), properties.pop("description", None)
        if isinstance(name, str) and (description is None or isinstance(description, str)):
            return Item(name, description, properties)
    raise _wrong(path, key, value, _FORMS)


def _wrong(path: Path, key: str, value: object, expected: str) -> ManifestError:
    return ManifestError(f"{key} is {shown(value)}", where=str(path), hint=f"expected {expected}")
