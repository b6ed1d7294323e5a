"""Parsing of manifests, which declare the items of an extension. No code is run.

Unknown keys are kept in `extra` rather than rejected, because they may belong to a later version
of the schema. `paddock validate` reports misspelled keys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal, NamedTuple

from paddock.extensions.data_formats import parse_toml
from paddock.extensions.errors import ManifestError
from paddock.extensions.names import normalize_key
from paddock.extensions.properties import shorten_repr

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ItemKind = Literal["tools", "prompts", "resources", "servers"]
ITEM_KINDS: tuple[ItemKind, ...] = ("tools", "prompts", "resources", "servers")
MANIFEST_SCHEMA_VERSION = 1
MAX_MANIFEST_BYTES = 1_000_000
"""Maximum size of a manifest."""
DEFAULT_DEFINITION_ROOT = "agenttools"

_KEY_ALIASES = {"mcp_servers": "servers", "mcp_prompts": "prompts", "mcp_resources": "resources"}
_NAME_PATTERN = re.compile(r"[^\W_][\w.\- ]*")
_ITEM_FORMS = '"Name", ["Name", "Description"] or { name = "Name", … }'
_PAIR_LENGTH = 2
_MODULE_REFERENCE_PATTERN = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


class ManifestItem(NamedTuple):
    """A tool, prompt, resource or server as declared in a manifest."""

    name: str
    description: str | None = None
    properties: Mapping[str, object] = {}
    definition: str | None = None
    """A reference `package.module:name`. Without one, the definition is searched in files."""


class ExtensionManifest(NamedTuple):
    """The content of a manifest."""

    publisher: str | None = None
    root: str = DEFAULT_DEFINITION_ROOT
    tools: tuple[ManifestItem, ...] = ()
    prompts: tuple[ManifestItem, ...] = ()
    resources: tuple[ManifestItem, ...] = ()
    servers: tuple[ManifestItem, ...] = ()
    extra: Mapping[str, object] = {}

    def get_items(self, kind: ItemKind) -> tuple[ManifestItem, ...]:
        """Return the declared items of a kind, in order."""
        items: tuple[ManifestItem, ...] = getattr(self, kind)
        return items

    def find_reference(self, kind: ItemKind, name: str) -> str | None:
        """Return the reference to the definition of an item, or None if it has none."""
        return next((item.definition for item in self.get_items(kind) if item.name == name), None)


def is_valid_name(text: str) -> bool:
    """Return whether a text is a valid name of an extension or item.

    Names are used in paths and qualified names, so they contain no slashes.
    """
    return _NAME_PATTERN.fullmatch(text) is not None


def read_manifest(path: Path) -> ExtensionManifest:
    """Read a manifest file.

    Raises:
        ManifestError: The file cannot be read, or the manifest is invalid.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_MANIFEST_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ManifestError(f"cannot be read: {reason}", where=str(path)) from None
    return parse_manifest(data, str(path))


def parse_manifest(data: bytes, where: str) -> ExtensionManifest:
    """Parse the content of a manifest file.

    Raises:
        ManifestError: The manifest is invalid.
    """
    if len(data) > MAX_MANIFEST_BYTES:
        raise ManifestError(f"is longer than {MAX_MANIFEST_BYTES:,} bytes", where=where)
    try:
        table = parse_toml(data)
    except ValueError as error:
        raise ManifestError(f"cannot be read: {error}", where=where) from None
    return build_manifest(table, where)


def build_manifest(table: Mapping[str, object], where: str) -> ExtensionManifest:
    """Create a manifest from a table. Keys can be spelled as in TOML or as in a paclet.

    Raises:
        ManifestError: A value is invalid. The error names the key and the expected value.
    """
    fields = _canonicalize_keys(table, _canonicalize_key, where)
    schema = fields.pop("schema", MANIFEST_SCHEMA_VERSION)
    if schema != MANIFEST_SCHEMA_VERSION or not isinstance(schema, int) or isinstance(schema, bool):
        raise ManifestError(
            f"schema is {shorten_repr(schema)}",
            where=where,
            hint=f"expected {MANIFEST_SCHEMA_VERSION}; a newer version of Paddock may support it",
        )
    return ExtensionManifest(
        publisher=_parse_publisher(fields.pop("publisher", None), where),
        root=_parse_root(fields.pop("root", DEFAULT_DEFINITION_ROOT), where),
        tools=_parse_items("tools", fields.pop("tools", []), where),
        prompts=_parse_items("prompts", fields.pop("prompts", []), where),
        resources=_parse_items("resources", fields.pop("resources", []), where),
        servers=_parse_items("servers", fields.pop("servers", []), where),
        extra=fields,
    )


def _canonicalize_keys(
    table: Mapping[str, object], canonicalize: Callable[[str], str], where: str
) -> dict[str, object]:
    """Return a table with canonical keys.

    Raises:
        ManifestError: Two keys have the same canonical form.
    """
    spellings: dict[str, str] = {}
    for key in table:
        first = spellings.setdefault(canonicalize(key), key)
        if first != key:
            raise ManifestError(
                f"{first!r} and {key!r} mean the same", where=where, hint="keep one"
            )
    return {name: table[key] for name, key in spellings.items()}


def _canonicalize_key(key: str) -> str:
    normal = normalize_key(key)
    return _KEY_ALIASES.get(normal, normal)


def _parse_publisher(value: object, where: str) -> str | None:
    if value is None or (isinstance(value, str) and is_valid_name(value)):
        return value
    raise _make_value_error(where, "publisher", value, "a name without slashes")


def _parse_root(value: object, where: str) -> str:
    if isinstance(value, str) and value:
        root = PurePosixPath(value)
        # Definition files outside the package could be any file of the user.
        if not root.is_absolute() and ".." not in root.parts and "\\" not in value:
            return value
    raise _make_value_error(where, "root", value, "the name of a directory beside the manifest")


def _parse_items(kind: ItemKind, value: object, where: str) -> tuple[ManifestItem, ...]:
    if not isinstance(value, list):
        raise _make_value_error(where, kind, value, "a list")
    items: dict[str, ManifestItem] = {}
    for index, element in enumerate(value):
        key = f"{kind}[{index}]"
        item = _parse_item(element, key, where)
        if not is_valid_name(item.name):
            raise _make_value_error(
                where, key, item.name, "a name of letters, digits, '_', '-', '.' and ' '"
            )
        if item.name in items:
            raise ManifestError(f"{key}: {item.name!r} is declared twice", where=where)
        items[item.name] = item
    return tuple(items.values())


def _parse_item(value: object, key: str, where: str) -> ManifestItem:
    """Parse a declared item: a name, a pair of name and description, or a table."""
    if isinstance(value, str):
        return ManifestItem(value)
    if isinstance(value, list) and len(value) == _PAIR_LENGTH:
        name, description = value
        if isinstance(name, str) and isinstance(description, str):
            return ManifestItem(name, description)
    if isinstance(value, Mapping):
        properties = _canonicalize_keys(value, normalize_key, f"{where}: {key}")
        name, description = properties.pop("name", None), properties.pop("description", None)
        definition = _parse_definition(properties.pop("definition", None), key, where)
        if isinstance(name, str) and (description is None or isinstance(description, str)):
            return ManifestItem(name, description, properties, definition)
    raise _make_value_error(where, key, value, _ITEM_FORMS)


def _parse_definition(value: object, key: str, where: str) -> str | None:
    if value is None or (isinstance(value, str) and _MODULE_REFERENCE_PATTERN.fullmatch(value)):
        return value
    raise _make_value_error(where, f"{key}: definition", value, "package.module:name")


def _make_value_error(where: str, key: str, value: object, expected: str) -> ManifestError:
    return ManifestError(
        f"{key} is {shorten_repr(value)}", where=where, hint=f"expected {expected}"
    )
