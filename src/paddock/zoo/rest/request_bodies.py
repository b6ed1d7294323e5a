"""The JSON bodies of requests. An unknown key is an error, so that a misspelled one is noticed."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from paddock.zoo.model import EntryType, Skill, SkillCategory, make_general_category

IGNORED_FIELDS = frozenset(
    ("id", "agentId", "timestamp", "brainEntries", "createdAt", "updatedAt", "version")
)
"""Read-only fields, which clients may send back with a complete agent or entry."""


class RequestBody(Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """Base class of request bodies."""


class NewAgentBody(RequestBody, kw_only=True):
    """An agent to create. Read-only fields of a complete agent are accepted and ignored."""

    id: str | None = None
    """Text from which the ID is derived; by default the name."""
    name: str = "Unnamed"
    description: str = ""
    system_prompt: str = ""
    skill_categories: list[SkillCategory] = field(default_factory=lambda: [make_general_category()])
    skills: list[Skill] = field(default_factory=list)
    context_refs: list[str] = field(default_factory=list)
    appearance_seed: str = ""
    tags: list[str] = field(default_factory=list)
    injects_memory: bool = True
    archived: bool = False
    extra: dict[str, dict[str, Any]] = field(default_factory=dict)
    brain_entries: Any = UNSET
    created_at: Any = UNSET
    updated_at: Any = UNSET
    version: Any = UNSET


class AgentChanges(RequestBody, kw_only=True):
    """Changes to an agent. Omitted fields stay as they are; the ID cannot be changed."""

    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    system_prompt: str | UnsetType = UNSET
    skill_categories: list[SkillCategory] | UnsetType = UNSET
    skills: list[Skill] | UnsetType = UNSET
    context_refs: list[str] | UnsetType = UNSET
    appearance_seed: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    injects_memory: bool | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    extra: dict[str, dict[str, Any]] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    """Must be the ID of the agent."""
    brain_entries: Any = UNSET
    created_at: Any = UNSET
    updated_at: Any = UNSET
    version: Any = UNSET


class DuplicateBody(RequestBody, kw_only=True):
    """The name of a copy."""

    name: str | None = None


class InjectBody(RequestBody, kw_only=True):
    """The part of the brain to inject."""

    memory: bool | None = None
    """Whether brain entries are included; by default the setting of the agent."""
    budget_tokens: int | None = None
    """Maximum size of the entries in tokens."""
    workspace_id: str | None = None


class NewSkillBody(RequestBody, kw_only=True):
    """A skill to add."""

    id: str | None = None
    name: str
    description: str = ""
    when_to_use: str = ""
    category_id: str | None = None
    enabled: bool = True
    requires: list[str] = field(default_factory=list)
    library_id: str | None = None


class SkillChanges(RequestBody, kw_only=True):
    """Changes to a skill. Omitted fields stay as they are."""

    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    when_to_use: str | UnsetType = UNSET
    category_id: str | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    requires: list[str] | UnsetType = UNSET
    library_id: str | UnsetType | None = UNSET


class ToggleBody(RequestBody, kw_only=True):
    """The new state of a skill; by default the opposite of the present one."""

    enabled: bool | None = None


class OrderBody(RequestBody, kw_only=True):
    """The IDs of all skills of an agent in their new order."""

    ids: list[str]


class NewCategoryBody(RequestBody, kw_only=True):
    """A category to add."""

    id: str | None = None
    name: str
    color: str | None = None


class CategoryChanges(RequestBody, kw_only=True):
    """Changes to a category. Omitted fields stay as they are."""

    name: str | UnsetType = UNSET
    color: str | UnsetType = UNSET


class HandOverBody(RequestBody, kw_only=True):
    """A hand-over to another agent."""

    to_agent_id: str
    summary: str
    entry_ids: list[str] = field(default_factory=list)
    """Entries of the first agent to quote."""


class NewEntryBody(RequestBody, kw_only=True):
    """A brain entry to create. Read-only fields are accepted and ignored."""

    type: EntryType
    content: str
    tags: list[str] = field(default_factory=list)
    pinned: bool = False
    metadata: dict[str, Any] = field(default_factory=dict)
    id: Any = UNSET
    agent_id: Any = UNSET
    timestamp: Any = UNSET
    updated_at: Any = UNSET
    version: Any = UNSET


class EntryChanges(RequestBody, kw_only=True):
    """Changes to a brain entry. Omitted fields stay as they are."""

    type: EntryType | UnsetType = UNSET
    content: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    pinned: bool | UnsetType = UNSET
    metadata: dict[str, Any] | UnsetType = UNSET
    id: Any = UNSET
    agent_id: Any = UNSET
    timestamp: Any = UNSET
    updated_at: Any = UNSET
    version: Any = UNSET


class PinBody(RequestBody, kw_only=True):
    """The new state of an entry; by default the opposite of the present one."""

    pinned: bool | None = None


class NewLibrarySkillBody(RequestBody, kw_only=True):
    """A skill to add to the library."""

    id: str | None = None
    name: str
    description: str = ""
    when_to_use: str = ""
    tags: list[str] = field(default_factory=list)
    requires: list[str] = field(default_factory=list)
    pack_id: str | None = None


class LibrarySkillChanges(RequestBody, kw_only=True):
    """Changes to a library skill. Omitted fields stay as they are."""

    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    when_to_use: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    requires: list[str] | UnsetType = UNSET
    pack_id: str | UnsetType | None = UNSET


class NewPackBody(RequestBody, kw_only=True):
    """A pack to create."""

    id: str | None = None
    name: str
    description: str = ""


class PackChanges(RequestBody, kw_only=True):
    """Changes to a pack. Omitted fields stay as they are."""

    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET


class CopyBody(RequestBody, kw_only=True):
    """Library skills to copy to an agent: by ID, or all of a pack."""

    agent_id: str
    skill_ids: list[str] = field(default_factory=list)
    pack_id: str | None = None


class StartersBody(RequestBody, kw_only=True):
    """Starter agents to create; by default all."""

    ids: list[str] | None = None


def get_changes(body: RequestBody) -> dict[str, Any]:
    """Return the fields that a request changes, by JSON key.

    Fields that the request omits and read-only fields are left out.
    """
    fields: dict[str, Any] = msgspec.to_builtins(body)
    # Fields that are UNSET are not encoded at all.
    return {key: value for key, value in fields.items() if key not in IGNORED_FIELDS}


def get_given_fields(body: RequestBody) -> dict[str, Any]:
    """Return the fields of a new object by JSON key; null counts as omitted."""
    fields: dict[str, Any] = msgspec.to_builtins(body)
    return {key: value for key, value in fields.items() if value is not None}
