"""What a server definition may say, and reading it from a table.

The keys are ours in lower case, or those of the Wolfram documents. Whether the tools and prompts
that it names are there is not asked here: that is `assembly`.
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
_CANONICAL_KEYS = (
    *("schema", "name", "title", "description", "version", "key", "instructions"),
    *("tools", "prompts", "resources", "options", "initialization", "transport", "views"),
)
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
    """What a named server is made of."""

    schema: int = SCHEMA_VERSION
    name: str
    title: str | None = None
    description: str | None = None
    version: str = DEFAULT_VERSION
    key: str | None = None
    """What the server is called in the files of clients; `config_key` has the default."""
    instructions: str | None = None
    tools: list[Any] = []
    """Names, qualified names, references, or tables that define a tool."""
    prompts: list[Any] = []
    resources: list[Any] = []
    options: dict[str, dict[str, Any]] = {}
    """Values for options of tools, by the name of the tool."""
    initialization: Any = None
    """The reference of a function that is called once, when the server starts."""
    transport: str = STDIO_TRANSPORT
    views: bool = False
    """Whether tools of it have a page that clients show."""
    extra: dict[str, Any] = {}
    """Whatever else the definition says; kept, and readable as properties."""
    prebuilt_server: Any = None
    """The `Server` that an extension's Python file has made, if it is defined so. What it is has no
    other form; the rest of this only describes it."""

    @property
    def config_key(self) -> str:
        """What the server is called in the files of clients."""
        return self.key or make_safe_key(self.name)


def make_safe_key(name: str) -> str:
    """The last part of a name, with nothing in it that some client would not take."""
    last = name.rstrip("/").rpartition("/")[2]
    key = "".join(letter if _is_safe_character(letter) else "-" for letter in last).strip("-")
    return key or "server"


def parse_definition(
    mapping: Mapping[str, Any], *, name: str | None = None, place: KeyLocator = str
) -> ServerDefinition:
    """The definition that a table makes.

    Args:
        mapping: The table.
        name: The name of the server, if the table need not say it.
        place: Where a key stands, for the complaint about it.

    Raises:
        ServerDefinitionError: when something cannot be as it is.
        PromptDataError: when it still says `PromptData`.
        ToolsSpecificationError: when `tools` is no list.
        PromptsSpecificationError: when `prompts` is no list.
    """
    unwrapped = _unwrap_mapping(mapping, place)
    reject_prompt_data(unwrapped, place("PromptData"))
    found, extra = _split_known_keys(unwrapped, place)
    if found.get("name") is None:
        found["name"] = name
    for key, read in _PARSERS.items():
        if key in found:
            found[key] = read(found[key], key, place)
    check_name(found["name"])
    if found.get("schema", SCHEMA_VERSION) != SCHEMA_VERSION:
        raise ServerDefinitionError(
            f"has schema {found['schema']!r}, expected {SCHEMA_VERSION}",
            where=place("schema"),
            hint="a newer Paddock may have written it: update this one",
        )
    return ServerDefinition(**found, extra=extra)


def _unwrap_mapping(mapping: Mapping[str, Any], place: KeyLocator) -> dict[str, Any]:
    """The table with what stands inside of `LLMEvaluator` moved out, and without nulls."""
    inner = mapping.get(WRAPPER_KEY) or {}
    if not hasattr(inner, "items"):
        raise _make_type_error("a table", inner, WRAPPER_KEY, place)
    both = {**inner, **{key: value for key, value in mapping.items() if key != WRAPPER_KEY}}
    return {key: value for key, value in both.items() if value is not None}


def _split_known_keys(
    mapping: dict[str, Any], place: KeyLocator
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What we know, by our own keys, and what we do not."""
    found: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, value in mapping.items():
        own = canonical_key(key)
        if own is None:
            _check_unknown_key(key, place)
            extra[key] = value
        elif own in found:
            raise ServerDefinitionError(f"says {own!r} twice", where=place(key))
        else:
            found[own] = value
    return found, extra


def _check_unknown_key(key: str, place: KeyLocator) -> None:
    """Refuse what is probably a slip of the pen, and would be without effect."""
    hint = did_you_mean(
        key, [*_KEY_ALIASES, WRAPPER_KEY, *_CANONICAL_KEYS], most=1, likeness=_MIN_SIMILARITY
    )
    if hint is not None:
        raise ServerDefinitionError(f"unknown property {key!r}", where=place(key), hint=hint)


def canonical_key(key: str) -> str | None:
    """What we call a property; None when it is none that we know."""
    return key if key in _CANONICAL_KEYS else _KEY_ALIASES.get(key)


def _parse_text(value: Any, key: str, place: KeyLocator) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise _make_type_error("a text", value, key, place)


def _parse_instructions(value: Any, key: str, place: KeyLocator) -> str | None:
    """One text; several are joined with a blank line."""
    if isinstance(value, list | tuple):
        return "\n\n".join(_parse_text(one, key, place) or "" for one in value) or None
    return _parse_text(value, key, place)


def _parse_flag(value: Any, key: str, place: KeyLocator) -> bool:
    if isinstance(value, bool):
        return value
    raise _make_type_error("true or false", value, key, place)


def _parse_options(value: Any, key: str, place: KeyLocator) -> dict[str, dict[str, Any]]:
    is_nested = hasattr(value, "items") and all(hasattr(v, "items") for v in value.values())
    if not is_nested:
        raise _make_type_error("a table of options for each tool", value, key, place)
    return {tool: dict(given) for tool, given in value.items()}


def _parse_transport(value: Any, key: str, place: KeyLocator) -> str:
    if value in _TRANSPORTS:
        return _TRANSPORTS[value]
    raise ServerDefinitionError(
        f"transport is {value!r}, expected {STDIO_TRANSPORT!r}",
        where=place(key),
        hint="every server can be served over HTTP too: paddock serve NAME --http",
    )


def _parse_initialization(value: Any, key: str, place: KeyLocator) -> Any:
    if value is None or isinstance(value, str | dict) or callable(value):
        return value
    raise _make_type_error("the reference of a function", value, key, place)


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


def _make_type_error(what: str, value: Any, key: str, place: KeyLocator) -> ServerDefinitionError:
    shown = repr(value)[:80]
    return ServerDefinitionError(f"{key} is {shown}, expected {what}", where=place(key))


def _is_safe_character(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter in "_-")
