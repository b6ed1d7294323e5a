"""An agent as TOML for people to read and edit, and back."""

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
"""In the order in which they stand, before categories and skills."""
_MULTILINE_KEYS = {"description", "systemPrompt", "whenToUse"}
"""What may stand on lines of its own between quotes."""


class AgentTextError(AgentFilesError):
    """A text in TOML describes no agent."""

    code = "agent-text"


class _AgentForm(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """What the text may hold."""

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
    """An agent as text; its brain and what other programs alone know are not in it."""
    import tomlkit  # noqa: PLC0415 - only to write

    data: Json = msgspec.to_builtins(agent)
    document = tomlkit.document()
    for key in AGENT_KEYS:
        document[key] = _make_toml_value(data[key])
    for key in ("skillCategories", "skills"):
        tables = tomlkit.aot()
        for one in data[key]:
            table = tomlkit.table()
            for name, value in one.items():
                if value is not None and value != []:
                    table[name] = _make_toml_value(value)
            tables.append(table)
        if data[key]:
            document.append(key, tables)
    return tomlkit.dumps(document)


def parse_changes(text: str, where: str) -> Json:
    """What a text says of an agent, by JSON key; what it leaves out is not among it.

    Raises:
        AgentTextError: when it is no TOML, or describes no agent.
    """
    try:
        data = tomllib.loads(text)
        form = msgspec.convert(data, _AgentForm)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise AgentTextError(
            f"it describes no agent: {error}",
            where=where,
            hint=f"expected {', '.join(AGENT_KEYS)}, skillCategories and skills",
        ) from None
    found: Json = {key: value for key, value in msgspec.to_builtins(form).items() if key in data}
    for table in (found, *found.get("skills", ())):
        for key in _MULTILINE_KEYS & table.keys():
            table[key] = table[key].strip()
    return found


def _make_toml_value(value: object) -> object:
    from tomlkit import items  # noqa: PLC0415 - only to write

    if (
        not isinstance(value, str)
        or "\n" not in value
        or "'''" in value
        or _has_control_characters(value)
    ):
        return value
    # A line end after the opening quotes is none of the text, and the text is stripped when read.
    raw = f"\n{value.strip()}\n"
    return items.String(items.StringType.MLL, value, raw, items.Trivia())


def _has_control_characters(text: str) -> bool:
    """Whether a text has characters that TOML does not take as they are."""
    return any(letter not in "\n\t" and (letter < " " or letter == "\x7f") for letter in text)
