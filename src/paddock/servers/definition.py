"""What a server definition may say, and reading it from a table.

The keys are ours in lower case, or those of the Wolfram documents. Whether the tools and prompts
that it names are there is not asked here: that is `assembly`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.extensions.specifications import refuse_prompt_data, specifications
from paddock.servers.errors import ServerDefinitionError
from paddock.servers.facts import DEFAULT_VERSION
from paddock.servers.file_names import check_name
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Place = Callable[[str], str]

SCHEMA = 1
STDIO = "stdio"
_TRANSPORTS = {"stdio": STDIO, "StandardInputOutput": STDIO}
_OWN = (
    *("schema", "name", "title", "description", "version", "key", "instructions"),
    *("tools", "prompts", "resources", "options", "initialization", "transport", "views"),
)
_FOREIGN = {
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
WRAPPER = "LLMEvaluator"
_NEAR = 0.8


class ServerDefinition(msgspec.Struct, kw_only=True):
    """What a named server is made of."""

    schema: int = SCHEMA
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
    transport: str = STDIO
    views: bool = False
    """Whether tools of it have a page that clients show."""
    extra: dict[str, Any] = {}
    """Whatever else the definition says; kept, and readable as properties."""
    made: Any = None
    """The `Server` that an extension's Python file has made, if it is defined so. What it is has no
    other form; the rest of this only describes it."""

    @property
    def config_key(self) -> str:
        """What the server is called in the files of clients."""
        return self.key or safe_key(self.name)


def safe_key(name: str) -> str:
    """The last part of a name, with nothing in it that some client would not take."""
    last = name.rstrip("/").rpartition("/")[2]
    key = "".join(letter if _is_safe(letter) else "-" for letter in last).strip("-")
    return key or "server"


def from_mapping(
    mapping: Mapping[str, Any], *, name: str | None = None, place: Place = str
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
    unwrapped = _unwrapped(mapping, place)
    refuse_prompt_data(unwrapped, place("PromptData"))
    found, extra = _sorted_out(unwrapped, place)
    if found.get("name") is None:
        found["name"] = name
    for key, read in _READERS.items():
        if key in found:
            found[key] = read(found[key], key, place)
    check_name(found["name"])
    if found.get("schema", SCHEMA) != SCHEMA:
        raise ServerDefinitionError(
            f"has schema {found['schema']!r}, expected {SCHEMA}",
            where=place("schema"),
            hint="a newer Paddock may have written it: update this one",
        )
    return ServerDefinition(**found, extra=extra)


def _unwrapped(mapping: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """The table with what stands inside of `LLMEvaluator` moved out, and without nulls."""
    inner = mapping.get(WRAPPER) or {}
    if not hasattr(inner, "items"):
        raise _expected("a table", inner, WRAPPER, place)
    both = {**inner, **{key: value for key, value in mapping.items() if key != WRAPPER}}
    return {key: value for key, value in both.items() if value is not None}


def _sorted_out(mapping: dict[str, Any], place: Place) -> tuple[dict[str, Any], dict[str, Any]]:
    """What we know, by our own keys, and what we do not."""
    found: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, value in mapping.items():
        own = own_key(key)
        if own is None:
            _check_unknown(key, place)
            extra[key] = value
        elif own in found:
            raise ServerDefinitionError(f"says {own!r} twice", where=place(key))
        else:
            found[own] = value
    return found, extra


def _check_unknown(key: str, place: Place) -> None:
    """Refuse what is probably a slip of the pen, and would be without effect."""
    hint = did_you_mean(key, [*_FOREIGN, WRAPPER, *_OWN], most=1, likeness=_NEAR)
    if hint is not None:
        raise ServerDefinitionError(f"unknown property {key!r}", where=place(key), hint=hint)


def own_key(key: str) -> str | None:
    """What we call a property; None when it is none that we know."""
    return key if key in _OWN else _FOREIGN.get(key)


def _text(value: Any, key: str, place: Place) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise _expected("a text", value, key, place)


def _instructions(value: Any, key: str, place: Place) -> str | None:
    """One text; several are joined with a blank line."""
    if isinstance(value, list | tuple):
        return "\n\n".join(_text(one, key, place) or "" for one in value) or None
    return _text(value, key, place)


def _flag(value: Any, key: str, place: Place) -> bool:
    if isinstance(value, bool):
        return value
    raise _expected("true or false", value, key, place)


def _options(value: Any, key: str, place: Place) -> dict[str, dict[str, Any]]:
    is_nested = hasattr(value, "items") and all(hasattr(v, "items") for v in value.values())
    if not is_nested:
        raise _expected("a table of options for each tool", value, key, place)
    return {tool: dict(given) for tool, given in value.items()}


def _transport(value: Any, key: str, place: Place) -> str:
    if value in _TRANSPORTS:
        return _TRANSPORTS[value]
    raise ServerDefinitionError(
        f"transport is {value!r}, expected {STDIO!r}",
        where=place(key),
        hint="every server can be served over HTTP too: paddock serve NAME --http",
    )


def _initialization(value: Any, key: str, place: Place) -> Any:
    if value is None or isinstance(value, str | dict) or callable(value):
        return value
    raise _expected("the reference of a function", value, key, place)


_READERS = {
    "name": _text,
    "title": _text,
    "description": _text,
    "version": lambda value, key, place: _text(value, key, place) or DEFAULT_VERSION,
    "key": _text,
    "instructions": _instructions,
    "tools": lambda value, _, place: specifications("tools", value, place("tools")),
    "prompts": lambda value, _, place: specifications("prompts", value, place("prompts")),
    "resources": lambda value, _, place: specifications("resources", value, place("resources")),
    "options": _options,
    "initialization": _initialization,
    "transport": _transport,
    "views": _flag,
}


def _expected(what: str, value: Any, key: str, place: Place) -> ServerDefinitionError:
    shown = repr(value)[:80]
    return ServerDefinitionError(f"{key} is {shown}, expected {what}", where=place(key))


def _is_safe(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter in "_-")
