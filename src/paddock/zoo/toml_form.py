"""Agents as TOML text that users edit, for example with `paddock zoo edit`."""

from __future__ import annotations

import tomllib
from typing import Any

import msgspec

from paddock.zoo.formats.exchange import AgentFilesError
from paddock.zoo.model import Agent
from paddock.zoo.validation import list_editable_fields

Json = dict[str, Any]

# The order of fields in the text. Unlisted fields follow the first ones.
_FIRST_KEYS = ("name", "description", "tags")
_LAST_KEYS = ("systemPrompt", "skillCategories", "skills")
_OMITTED_KEYS = frozenset({"appearanceSeed", "extra"})
"""Editable fields that are not meant to be edited as text."""
_FIELDS = [field for field in list_editable_fields(Agent) if field.encode_name not in _OMITTED_KEYS]
_OTHER_KEYS = [
    field.encode_name for field in _FIELDS if field.encode_name not in (*_FIRST_KEYS, *_LAST_KEYS)
]
AGENT_KEYS = (*_FIRST_KEYS, *_OTHER_KEYS, *_LAST_KEYS)
"""The keys in text order. New agent fields are included automatically."""
_TABLE_KEYS = ("skillCategories", "skills")
"""Fields written as arrays of tables."""
_MULTILINE_KEYS = {"description", "systemPrompt", "whenToUse"}
"""Fields written as multi-line strings."""


class AgentTextError(AgentFilesError):
    """A TOML text does not describe a valid agent."""

    code = "agent-text"


_AgentForm = msgspec.defstruct(
    "_AgentForm",
    [(field.name, field.type | msgspec.UnsetType, msgspec.UNSET) for field in _FIELDS],
    rename="camel",
    kw_only=True,
    forbid_unknown_fields=True,
)
"""The keys that the text may contain, all optional."""


def format_agent(agent: Agent) -> str:
    """Format an agent as TOML text that a user can edit, as in `paddock zoo edit`.

    The text has the fields in `AGENT_KEYS`, in that order, without the agent's brain or data from
    other programs. `parse_changes` reads it back.
    """
    import tomlkit.items  # noqa: PLC0415 - 20 ms, and most commands only parse

    def to_toml(value: object) -> object:
        if not isinstance(value, str) or not _can_be_multiline_literal(value):
            return value
        # TOML ignores a newline after the opening quotes. `parse_changes` strips the final one.
        raw = f"\n{value.strip()}\n"
        literal = tomlkit.items.StringType.MLL
        return tomlkit.items.String(literal, value, raw, tomlkit.items.Trivia())

    data: Json = msgspec.to_builtins(agent)
    document = tomlkit.document()
    for key in AGENT_KEYS:
        if key not in _TABLE_KEYS:
            document[key] = to_toml(data[key])
            continue
        tables = tomlkit.aot()
        for item in data[key]:
            # TOML has no null, and empty lists are noise in a text meant for people.
            table = {
                name: to_toml(value) for name, value in item.items() if value not in (None, [])
            }
            tables.append(tomlkit.item(table))
        if data[key]:
            document.append(key, tables)
    return tomlkit.dumps(document)


def parse_changes(text: str, where: str) -> Json:
    """Return the fields in a TOML text by JSON key, such as `{"name": "Ada", "tags": ["code"]}`.

    Keys missing from the text are omitted, so those fields do not change.

    Args:
        text: The text as edited by the user.
        where: The name of the text, for error messages.

    Raises:
        AgentTextError: The text is not valid TOML, or does not describe an agent.
    """
    try:
        data = tomllib.loads(text)
        form = msgspec.convert(data, _AgentForm)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise AgentTextError(
            f"not the description of an agent: {error}",
            where=where,
            hint=f"expected {', '.join(AGENT_KEYS[:-1])} and {AGENT_KEYS[-1]}",
        ) from None
    changes: Json = {key: value for key, value in msgspec.to_builtins(form).items() if key in data}
    for table in (changes, *changes.get("skills", ())):
        for key in _MULTILINE_KEYS & table.keys():
            table[key] = table[key].strip()
    return changes


def _can_be_multiline_literal(text: str) -> bool:
    """Return whether a text has multiple lines and can be written unescaped between `'''`.

    TOML does not allow `'''` or control characters in such strings.
    """
    has_control_characters = any(
        letter not in "\n\t" and (letter < " " or letter == "\x7f") for letter in text
    )
    return "\n" in text and "'''" not in text and not has_control_characters
