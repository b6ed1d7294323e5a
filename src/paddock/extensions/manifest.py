"""Parses manifests, which declare the items of an extension. No code is run.

Unknown keys are kept in `extra` rather than rejected, because they may belong to a later version
of the schema. `paddock validate` reports misspelled keys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from paddock.extensions.data_formats import parse_toml
from paddock.extensions.errors import ManifestError
from paddock.extensions.names import normalize_key
from paddock.extensions.properties import shorten_repr

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    ManifestProblemReporter = Callable[["ManifestProblem"], object]

ItemKind = Literal["tools", "prompts", "resources", "servers"]
ITEM_KINDS: tuple[ItemKind, ...] = ("tools", "prompts", "resources", "servers")
ListedKind = Literal["tools", "prompts", "resources"]
LISTED_KINDS: tuple[ListedKind, ...] = ("tools", "prompts", "resources")
"""The kinds of items that a server definition lists."""
MANIFEST_SCHEMA_VERSION = 1
MAX_MANIFEST_BYTES = 1_000_000
"""Maximum size of a manifest."""
DEFAULT_DEFINITION_ROOT = "agenttools"

_KEY_ALIASES = {"mcp_servers": "servers", "mcp_prompts": "prompts", "mcp_resources": "resources"}
_NAME_PATTERN = re.compile(r"[^\W_][\w.\- ]*")
_ITEM_FORMS = '"Name", ["Name", "Description"] or { name = "Name", … }'
_PAIR_LENGTH = 2
KNOWN_ITEM_PROPERTIES = ("name", "description", "title", "parameters", "arguments", *ITEM_KINDS)
"""Item properties that Paddock itself uses. Extensions can add others."""
_MODULE_REFERENCE_PATTERN = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


class ManifestItem(NamedTuple):
    """A tool, prompt, resource or server that a manifest declares.

    The manifest contains the name and optionally the properties shown in item lists. The full
    definition is elsewhere.
    """

    name: str
    description: str | None = None
    properties: Mapping[str, object] = {}
    """Other properties in the manifest. Keys are in snake case."""
    definition: str | None = None
    """A reference to the definition, `package.module:name`. If None, the definition is in a file
    such as `tools/NAME.py`."""


class ExtensionManifest(NamedTuple):
    """The manifest of an extension: the tools, prompts, resources and servers that it provides."""

    publisher: str | None = None
    root: str = DEFAULT_DEFINITION_ROOT
    """The directory of the definition files, relative to the manifest."""
    tools: tuple[ManifestItem, ...] = ()
    prompts: tuple[ManifestItem, ...] = ()
    resources: tuple[ManifestItem, ...] = ()
    servers: tuple[ManifestItem, ...] = ()
    extra: Mapping[str, object] = {}
    """Unknown keys, which may belong to a later version of the manifest format."""

    def get_items(self, kind: ItemKind) -> tuple[ManifestItem, ...]:
        """Return the declared items of a kind, such as `"tools"`, in manifest order."""
        items: tuple[ManifestItem, ...] = getattr(self, kind)
        return items

    def find_item(self, kind: ItemKind, name: str) -> ManifestItem | None:
        """Find a declared item by name, or return None."""
        return next((item for item in self.get_items(kind) if item.name == name), None)

    def find_reference(self, kind: ItemKind, name: str) -> str | None:
        """Return an item's `package.module:name` reference, or None if it does not have one."""
        item = self.find_item(kind, name)
        return None if item is None else item.definition


class ManifestProblem(NamedTuple):
    """An invalid or unknown part of a manifest, as `paddock validate` reports it."""

    code: str
    """The code of the finding, or `unknown-property` for an unknown property of an item."""
    key: str
    """The key in the manifest, such as `root`, or `tools[2]` for an element of a list."""
    name: str
    """The key or item name used to find the line in the file."""
    message: str
    """The problem without the key, such as `is 3`, or the name of an unknown key or property."""
    error: ManifestError | None = None
    """The error to raise if the manifest must be valid. None for an unknown key, which is ignored
    because a later version of the schema may define it."""


def raise_problem(problem: ManifestProblem) -> None:
    """Raise a problem's error: the reporter to use if the manifest must be valid."""
    if problem.error is not None:
        raise problem.error


def is_valid_name(text: str) -> bool:
    """Return whether a text is a valid extension or item name.

    Names are used in paths and qualified names, so they contain no slashes.
    """
    return _NAME_PATTERN.fullmatch(text) is not None


def read_manifest(path: Path) -> ExtensionManifest:
    """Read the manifest file of an extension, `paddock.toml`.

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


def parse_manifest(
    data: bytes, where: str, report: ManifestProblemReporter = raise_problem
) -> ExtensionManifest:
    """Parse the contents of a manifest file.

    Args:
        data: The contents of the file.
        where: The path of the file, for errors.
        report: Called for each invalid part, as in `build_manifest`. By default, it raises the
            error.

    Raises:
        ManifestError: The data is too long or not TOML, or `report` raised the error.
    """
    if len(data) > MAX_MANIFEST_BYTES:
        raise ManifestError(f"is longer than {MAX_MANIFEST_BYTES:,} bytes", where=where)
    try:
        table = parse_toml(data)
    except ValueError as error:
        raise ManifestError(
            f"cannot be read: {error}", where=where, hint="it must be TOML"
        ) from None
    return build_manifest(table, where, report)


def build_manifest(
    table: Mapping[str, object], where: str, report: ManifestProblemReporter = raise_problem
) -> ExtensionManifest:
    """Create a manifest from the parsed contents of a manifest file.

    Keys can be in any style (`mcp_servers`, `mcpServers` or `MCPServers`), because this function
    also reads the manifests of Wolfram packages.

    Args:
        table: The manifest, such as `{"publisher": "acme", "tools": ["Plot"]}`.
        where: The path of the file, for errors.
        report: Called for each invalid or unknown part. By default, it raises the error of an
            invalid part. If it returns, that part is omitted and the rest is read.

    Raises:
        ManifestError: Raised by `report`. The error names the key and the expected value.
    """
    # Keys are read in file order so that problems are reported in that order.
    fields: dict[str, Any] = {}
    extra: dict[str, object] = {}
    spellings: dict[str, str] = {}
    for key, value in table.items():
        normal_key = normalize_key(key)
        name = _KEY_ALIASES.get(normal_key, normal_key)
        first = spellings.setdefault(name, key)
        if first != key:
            error = ManifestError(
                f"{first!r} and {key!r} mean the same", where=where, hint="keep one"
            )
            report(ManifestProblem("invalid-value", key, key, error.message, error))
        if name in ITEM_KINDS:
            fields[name] = _parse_items(key, value, where, report)
        elif name not in _VALUE_PARSERS:
            extra[name] = value
            report(ManifestProblem("unknown-key", key, key, key))
        else:
            try:
                fields[name] = _VALUE_PARSERS[name](value, where)
            except ManifestError as error:
                code = "unsupported-schema" if name == "schema" else "invalid-value"
                message = f"is {shorten_repr(value)}"
                report(ManifestProblem(code, key, key, message, error))
    fields.pop("schema", None)
    return ExtensionManifest(**fields, extra=extra)


def _check_schema(value: object, where: str) -> None:
    """Check the value of the key `schema`, the version of the manifest format.

    Raises:
        ManifestError: This version of Paddock does not support the format.
    """
    if value != MANIFEST_SCHEMA_VERSION or not isinstance(value, int) or isinstance(value, bool):
        raise ManifestError(
            f"schema is {shorten_repr(value)}",
            where=where,
            hint=f"expected {MANIFEST_SCHEMA_VERSION}; a newer version of Paddock may support it",
        )


def _parse_publisher(value: object, where: str) -> str | None:
    if value is None or (isinstance(value, str) and is_valid_name(value)):
        return value
    raise _make_value_error(where, "publisher", value, "a name without slashes")


def _parse_root(value: object, where: str) -> str:
    """Check the key `root`, the directory of the definition files such as `agenttools`.

    Raises:
        ManifestError: The value is not a path below the directory of the manifest.
    """
    if isinstance(value, str) and value:
        root = PurePosixPath(value)
        # A path outside the package would let an extension read any of the user's files.
        if not root.is_absolute() and ".." not in root.parts and "\\" not in value:
            return value
    raise _make_value_error(where, "root", value, "the name of a directory beside the manifest")


_VALUE_PARSERS: dict[str, Callable[[object, str], str | None]] = {
    "schema": _check_schema,
    "publisher": _parse_publisher,
    "root": _parse_root,
}


def _parse_items(
    key: str, value: object, where: str, report: ManifestProblemReporter
) -> tuple[ManifestItem, ...]:
    """Parse a list of declared items, such as the value of `tools`.

    Invalid elements and duplicates are reported and omitted.

    Args:
        key: The key of the list, as spelled in the manifest.
        value: The value of the key.
        where: The path of the manifest, for errors.
        report: Called for each problem.
    """
    if not isinstance(value, list):
        error = _make_value_error(where, key, value, "a list")
        report(ManifestProblem("invalid-value", key, key, f"is {shorten_repr(value)}", error))
        return ()
    items: dict[str, ManifestItem] = {}
    for index, element in enumerate(value):
        label = f"{key}[{index}]"
        try:
            item = _parse_item(element, label, where)
        except ManifestError as error:
            message = f"is {shorten_repr(element)}"
            report(ManifestProblem("invalid-item", label, key, message, error))
            continue
        if item.name in items:
            message, hint = f"{item.name!r} is declared twice", "keep one of them"
            duplicate_error = ManifestError(f"{label}: {message}", where=where, hint=hint)
            report(ManifestProblem("duplicate-item", label, item.name, message, duplicate_error))
        items.setdefault(item.name, item)
        for name in item.properties:
            if name not in KNOWN_ITEM_PROPERTIES:
                report(ManifestProblem("unknown-property", f"{label}.{name}", item.name, name))
    return tuple(items.values())


def _parse_item(value: object, key: str, where: str) -> ManifestItem:
    """Parse an element of a list of items, such as `tools`.

    An element is a name, a name and description pair, or a table of properties with a `name`.

    Args:
        value: The element.
        key: The element's position for errors, such as `tools[2]`.
        where: The path of the manifest, for errors.

    Raises:
        ManifestError: The element or its name is invalid.
    """
    name, description, properties, definition = value, None, {}, None
    if isinstance(value, list) and len(value) == _PAIR_LENGTH and isinstance(value[1], str):
        name, description = value
    elif isinstance(value, Mapping):
        properties = _normalize_properties(value, f"{where}: {key}")
        name, description = properties.pop("name", None), properties.pop("description", None)
        definition = _parse_definition(properties.pop("definition", None), key, where)
    if not isinstance(name, str) or not (description is None or isinstance(description, str)):
        raise _make_value_error(where, key, value, _ITEM_FORMS)
    if not is_valid_name(name):
        raise _make_value_error(
            where, key, name, "a name of letters, digits, '_', '-', '.' and ' '"
        )
    return ManifestItem(name, description, properties, definition)


def _normalize_properties(table: Mapping[str, object], where: str) -> dict[str, object]:
    """Return an item's properties with keys in snake case.

    Raises:
        ManifestError: Two keys are spellings of the same key, such as `displayName` and
            `display_name`.
    """
    spellings: dict[str, str] = {}
    for key in table:
        first = spellings.setdefault(normalize_key(key), key)
        if first != key:
            raise ManifestError(
                f"{first!r} and {key!r} mean the same", where=where, hint="keep one"
            )
    return {snake_case_key: table[key] for snake_case_key, key in spellings.items()}


def _parse_definition(value: object, key: str, where: str) -> str | None:
    if value is None or (isinstance(value, str) and _MODULE_REFERENCE_PATTERN.fullmatch(value)):
        return value
    raise _make_value_error(where, f"{key}: definition", value, "package.module:name")


def _make_value_error(where: str, key: str, value: object, expected: str) -> ManifestError:
    return ManifestError(
        f"{key} is {shorten_repr(value)}", where=where, hint=f"expected {expected}"
    )
