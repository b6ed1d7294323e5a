"""Agents as TOML text that users edit, for example with `paddock zoo edit`."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import msgspec

from paddock.zoo.formats.exchange import AgentFilesError
from paddock.zoo.model import Skill, SkillCategory

if TYPE_CHECKING:
    from paddock.zoo.model import Agent

Json = dict[str, Any]

AGENT_KEYS = (
    "name",
    "description",
    "tags",
    "contextRefs",
    "injectsMemory",
    "archived",
    "systemPrompt",
)
"""In the order of the text, before categories and skills."""
_MULTILINE_KEYS = {"description", "systemPrompt", "whenToUse"}
"""Fields that are written as multi-line strings."""


class AgentTextError(AgentFilesError):
    """A TOML text does not describe an agent."""

    code = "agent-text"


class _AgentForm(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """The keys that the text may have."""

    name: str | msgspec.UnsetType = msgspec.UNSET
    description: str | msgspec.UnsetType = msgspec.UNSET
    tags: list[str] | msgspec.UnsetType = msgspec.UNSET
    context_refs: list[str] | msgspec.UnsetType = msgspec.UNSET
    injects_memory: bool | msgspec.UnsetType = msgspec.UNSET
    archived: bool | msgspec.UnsetType = msgspec.UNSET
    system_prompt: str | msgspec.UnsetType = msgspec.UNSET
    skill_categories: list[SkillCategory] = msgspec.field(default_factory=list)
    skills: list[Skill] = msgspec.field(default_factory=list)


def format_agent(agent: Agent) -> str:
    """Format an agent as TOML for editing, without its brain and the data of other programs."""
    import tomlkit  # noqa: PLC0415 - only for writing

    data: Json = msgspec.to_builtins(agent)
    document = tomlkit.document()
    for key in AGENT_KEYS:
        document[key] = _make_toml_value(data[key])
    for key in ("skillCategories", "skills"):
        tables = tomlkit.aot()
        for item in data[key]:
            table = tomlkit.table()
            for name, value in item.items():
                # TOML has no null, and empty lists are noise in a text for people.
                if value is not None and value != []:
                    table[name] = _make_toml_value(value)
            tables.append(table)
        if data[key]:
            document.append(key, tables)
    return tomlkit.dumps(document)


def parse_changes(text: str, where: str) -> Json:
    """Return the fields in a text by JSON key. Keys that the text leaves out are omitted.

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
            hint=f"expected {', '.join(AGENT_KEYS)}, skillCategories and skills",
        ) from None
    changes: Json = {key: value for key, value in msgspec.to_builtins(form).items() if key in data}
    for table in (changes, *changes.get("skills", ())):
        for key in _MULTILINE_KEYS & table.keys():
            table[key] = table[key].strip()
    return changes


def _make_toml_value(value: object) -> object:
    """Return a text of several lines as a multi-line literal string, other values unchanged."""
    from tomlkit import items  # noqa: PLC0415 - only for writing

    if (
        not isinstance(value, str)
        or "\n" not in value
        # A literal string cannot contain its own delimiter.
        or "'''" in value
        or _has_control_characters(value)
    ):
        return value
    # TOML ignores a line end after the opening quotes. `parse_changes` strips the one at the end.
    raw = f"\n{value.strip()}\n"
    return items.String(items.StringType.MLL, value, raw, items.Trivia())


def _has_control_characters(text: str) -> bool:
    """Return whether a text has characters that TOML does not allow in a literal string."""
    return any(letter not in "\n\t" and (letter < " " or letter == "\x7f") for letter in text)
