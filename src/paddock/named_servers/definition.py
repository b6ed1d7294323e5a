"""The properties of a server definition, and a parser for definition tables.

Keys are either Paddock's own, in lower case, or those used in Wolfram's documents. Tool and prompt
names are resolved in `server_builder`, not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.extensions.properties import read_item_list, reject_prompt_data
from paddock.named_servers.names import ServerDefinitionError, check_name
from paddock.named_servers.quick_facts import DEFAULT_VERSION
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    KeyLocator = Callable[[str], str]

SCHEMA_VERSION = 1
STDIO_TRANSPORT = "stdio"
_TRANSPORTS = {"stdio": STDIO_TRANSPORT, "StandardInputOutput": STDIO_TRANSPORT}
_KEY_ALIASES = {
    "ObjectVersion": "schema",
    "Name": "name",
    "Title": "title",
    "DisplayName": "title",
    "display_name": "title",
    "displayName": "title",
    "Description": "description",
    "Version": "version",
    "ServerVersion": "version",
    "server_version": "version",
    "Key": "key",
    "MCPServerName": "key",
    "Instructions": "instructions",
    "Prompts": "instructions",
    "Tools": "tools",
    "MCPPrompts": "prompts",
    "mcp_prompts": "prompts",
    "Resources": "resources",
    "Options": "options",
    "ToolOptions": "options",
    "tool_options": "options",
    "Initialization": "initialization",
    "Transport": "transport",
}
WRAPPER_KEY = "LLMEvaluator"
_MIN_SIMILARITY = 0.8


class ServerDefinition(msgspec.Struct, kw_only=True):
    """The definition of a named server."""

    schema: int = SCHEMA_VERSION
    name: str
    title: str | None = None
    description: str | None = None
    version: str = DEFAULT_VERSION
    key: str | None = None
    """The name of the entry in client config files; `config_key` has the default."""
    instructions: str | None = None
    tools: list[Any] = []
    """Names, qualified names, references, or tables that define tools."""
    prompts: list[Any] = []
    resources: list[Any] = []
    options: dict[str, dict[str, Any]] = {}
    """Option values by tool name."""
    initialization: Any = None
    """A reference to a function that is called once, when the server starts."""
    transport: str = STDIO_TRANSPORT
    views: bool = False
    """True if a tool has a page that clients can show."""
    extra: dict[str, Any] = {}
    """Other properties, which are kept and can be read by key."""
    prebuilt_server: Any = None
    """The `Server` object from an extension's Python file. It is served as it is; the other fields
    only describe it."""

    @property
    def config_key(self) -> str:
        """The name of the entry in client config files."""
        return self.key or make_safe_key(self.name)


_INTERNAL_FIELDS = ("extra", "prebuilt_server")
_CANONICAL_KEYS = tuple(
    field for field in ServerDefinition.__struct_fields__ if field not in _INTERNAL_FIELDS
)
"""The keys of a definition file, such as `tools`, in Paddock's spelling."""


def make_safe_key(name: str) -> str:
    """Return a key for a server in config files that every client accepts.

    The key is the last part of the server's name, with `-` for every character other than letters,
    digits, `-` and `_`. For example, the key of `Extension/My Server` is `My-Server`.
    """
    last_part = name.rstrip("/").rpartition("/")[2]
    characters = (character if _is_safe_character(character) else "-" for character in last_part)
    key = "".join(characters).strip("-")
    return key or "server"


def parse_definition(
    mapping: Mapping[str, Any], *, name: str | None = None, place: KeyLocator = str
) -> ServerDefinition:
    """Parse a server definition from a table, such as the contents of a file.

    Accepts both Paddock's keys and those of Wolfram's documents, for example `tools` and `Tools`.
    Tools and prompts are not resolved, so no code is loaded.

    Args:
        mapping: The table.
        name: The name of the server, if the table does not contain one.
        place: Function that returns the location of a key in the file, for error messages.

    Raises:
        ServerDefinitionError: A property is not valid.
        PromptDataError: The table contains the obsolete `PromptData`.
        ToolsSpecificationError: `tools` is not a list.
        PromptsSpecificationError: `prompts` is not a list.
    """
    unwrapped = _unwrap_mapping(mapping, place)
    reject_prompt_data(unwrapped, place("PromptData"))
    properties, extra = _split_known_keys(unwrapped, place)
    if properties.get("name") is None:
        properties["name"] = name
    for key, parse in _PARSERS.items():
        if key in properties:
            properties[key] = parse(properties[key], key, place)
    check_name(properties["name"])
    if properties.get("schema", SCHEMA_VERSION) != SCHEMA_VERSION:
        raise ServerDefinitionError(
            f"the definition has schema {properties['schema']!r}, expected {SCHEMA_VERSION}",
            where=place("schema"),
            hint="if a newer Paddock has written it, update Paddock",
        )
    return ServerDefinition(**properties, extra=extra)


def _unwrap_mapping(mapping: Mapping[str, Any], place: KeyLocator) -> dict[str, Any]:
    """Return the table with the content of `LLMEvaluator` merged into it, and without nulls."""
    inner = mapping.get(WRAPPER_KEY) or {}
    if not hasattr(inner, "items"):
        raise _make_type_error("a table", inner, WRAPPER_KEY, place)
    both = {**inner, **{key: value for key, value in mapping.items() if key != WRAPPER_KEY}}
    return {key: value for key, value in both.items() if value is not None}


def _split_known_keys(
    mapping: dict[str, Any], place: KeyLocator
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split a table into known properties of a server definition and unknown ones.

    The known properties get Paddock's keys.

    Args:
        mapping: The table.
        place: Function that returns the location of a key in the file, for error messages.

    Raises:
        ServerDefinitionError: A property occurs twice, or a key looks like a misspelled one.
    """
    properties: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, value in mapping.items():
        known_key = canonical_key(key)
        if known_key is None:
            _check_unknown_key(key, place)
            extra[key] = value
        elif known_key in properties:
            raise ServerDefinitionError(f"duplicate property {known_key!r}", where=place(key))
        else:
            properties[known_key] = value
    return properties, extra


def _check_unknown_key(key: str, place: KeyLocator) -> None:
    """Reject a key that is probably a misspelt property, which would have no effect."""
    hint = did_you_mean(
        key, [*_KEY_ALIASES, WRAPPER_KEY, *_CANONICAL_KEYS], most=1, likeness=_MIN_SIMILARITY
    )
    if hint is not None:
        raise ServerDefinitionError(f"unknown property {key!r}", where=place(key), hint=hint)


def canonical_key(key: str) -> str | None:
    """Return Paddock's key for a property, or None if the property is unknown."""
    return key if key in _CANONICAL_KEYS else _KEY_ALIASES.get(key)


def _parse_text(value: Any, key: str, place: KeyLocator) -> str | None:
    if isinstance(value, str | None):
        return value
    raise _make_type_error("a string", value, key, place)


def _parse_instructions(value: Any, key: str, place: KeyLocator) -> str | None:
    if isinstance(value, list | tuple):
        return "\n\n".join(_parse_text(paragraph, key, place) or "" for paragraph in value) or None
    return _parse_text(value, key, place)


def _parse_flag(value: Any, key: str, place: KeyLocator) -> bool:
    if isinstance(value, bool):
        return value
    raise _make_type_error("true or false", value, key, place)


def _parse_options(value: Any, key: str, place: KeyLocator) -> dict[str, dict[str, Any]]:
    """Parse tool option values, such as `{"Plot": {"width": 400}}`.

    Raises:
        ServerDefinitionError: The value is not a table of tables.
    """
    is_nested = hasattr(value, "items") and all(
        hasattr(options, "items") for options in value.values()
    )
    if not is_nested:
        raise _make_type_error("a table of options for each tool", value, key, place)
    return {tool: dict(options) for tool, options in value.items()}


def _parse_transport(value: Any, key: str, place: KeyLocator) -> str:
    """Parse the transport: `stdio`, or `StandardInputOutput` as in Wolfram's documents.

    Raises:
        ServerDefinitionError: The transport is unknown.
    """
    if value in _TRANSPORTS:
        return _TRANSPORTS[value]
    raise ServerDefinitionError(
        f"transport is {value!r}, expected {STDIO_TRANSPORT!r}",
        where=place(key),
        hint="any server can also be served over HTTP: paddock serve NAME --http",
    )


def _parse_initialization(value: Any, key: str, place: KeyLocator) -> Any:
    if value is None or isinstance(value, str | dict) or callable(value):
        return value
    raise _make_type_error("a reference to a function", value, key, place)


_PARSERS = {
    "name": _parse_text,
    "title": _parse_text,
    "description": _parse_text,
    "version": lambda value, key, place: _parse_text(value, key, place) or DEFAULT_VERSION,
    "key": _parse_text,
    "instructions": _parse_instructions,
    "tools": lambda value, _, place: read_item_list("tools", value, place("tools")),
    "prompts": lambda value, _, place: read_item_list("prompts", value, place("prompts")),
    "resources": lambda value, _, place: read_item_list("resources", value, place("resources")),
    "options": _parse_options,
    "initialization": _parse_initialization,
    "transport": _parse_transport,
    "views": _parse_flag,
}


def _make_type_error(
    expected: str, value: Any, key: str, place: KeyLocator
) -> ServerDefinitionError:
    return ServerDefinitionError(
        f"{key} is {repr(value)[:80]}, expected {expected}", where=place(key)
    )


def _is_safe_character(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character in "_-")
