"""What clients send. A key that is not known is an error, so that no misspelt one is lost."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from paddock.zoo.model import EntryType, Skill, SkillCategory, make_general_category


class RequestBody(Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """The base of all of them."""


class NewAgentBody(RequestBody, kw_only=True):
    """An agent to be made. What a whole agent has besides is passed over."""

    id: str | None = None
    """What its id is made from; by default the name."""
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
    """What is to become of an agent; what is left out stays. Its id cannot be changed."""

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
    """Must be the id of the agent."""
    brain_entries: Any = UNSET
    created_at: Any = UNSET
    updated_at: Any = UNSET
    version: Any = UNSET


class DuplicateBody(RequestBody, kw_only=True):
    """How a copy is to be called."""

    name: str | None = None


class InjectBody(RequestBody, kw_only=True):
    """What is to be injected besides the soul and the skills."""

    memory: bool | None = None
    """Whether the brain is; by default what the agent says."""
    budget_tokens: int | None = None
    """How much of it."""
    workspace_id: str | None = None


class NewSkillBody(RequestBody, kw_only=True):
    """A skill to be added."""

    id: str | None = None
    name: str
    description: str = ""
    when_to_use: str = ""
    category_id: str | None = None
    enabled: bool = True
    requires: list[str] = field(default_factory=list)
    library_id: str | None = None


class SkillChanges(RequestBody, kw_only=True):
    """What is to become of a skill; what is left out stays."""

    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    when_to_use: str | UnsetType = UNSET
    category_id: str | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    requires: list[str] | UnsetType = UNSET
    library_id: str | UnsetType | None = UNSET


class ToggleBody(RequestBody, kw_only=True):
    """Whether something is to be on; left out: the other way round."""

    enabled: bool | None = None


class OrderBody(RequestBody, kw_only=True):
    """The ids of all skills of an agent in their new order."""

    ids: list[str]


class NewCategoryBody(RequestBody, kw_only=True):
    """A category to be added."""

    id: str | None = None
    name: str
    color: str | None = None


class CategoryChanges(RequestBody, kw_only=True):
    """What is to become of a category; what is left out stays."""

    name: str | UnsetType = UNSET
    color: str | UnsetType = UNSET


class HandOverBody(RequestBody, kw_only=True):
    """What one agent hands over to another."""

    to_agent_id: str
    summary: str
    entry_ids: list[str] = field(default_factory=list)
    """Entries of the giver's brain that the other one should know."""


class NewEntryBody(RequestBody, kw_only=True):
    """A brain entry to be made; when it was made is not the client's to say."""

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
    """What is to become of a brain entry; what is left out stays."""

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
    """Whether an entry is to be pinned; left out: the other way round."""

    pinned: bool | None = None


class NewLibrarySkillBody(RequestBody, kw_only=True):
    """A skill to be put into the library."""

    id: str | None = None
    name: str
    description: str = ""
    when_to_use: str = ""
    tags: list[str] = field(default_factory=list)
    requires: list[str] = field(default_factory=list)
    pack_id: str | None = None


class LibrarySkillChanges(RequestBody, kw_only=True):
    """What is to become of a skill of the library; what is left out stays."""

    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    when_to_use: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    requires: list[str] | UnsetType = UNSET
    pack_id: str | UnsetType | None = UNSET


class NewPackBody(RequestBody, kw_only=True):
    """A pack to be made."""

    id: str | None = None
    name: str
    description: str = ""


class PackChanges(RequestBody, kw_only=True):
    """What is to become of a pack; what is left out stays."""

    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET


class CopyBody(RequestBody, kw_only=True):
    """Skills of the library that an agent is to have: those named, or those of a pack."""

    agent_id: str
    skill_ids: list[str] = field(default_factory=list)
    pack_id: str | None = None


class StartersBody(RequestBody, kw_only=True):
    """Which starter agents are wanted; left out: all."""

    ids: list[str] | None = None


IGNORED_FIELDS = frozenset(
    ("id", "agentId", "timestamp", "brainEntries", "createdAt", "updatedAt", "version")
)
"""What whole agents and entries have, and clients send back, that is not theirs to change."""


def get_changes(body: RequestBody) -> dict[str, Any]:
    """What is to be changed, by its JSON keys."""
    said: dict[str, Any] = msgspec.to_builtins(body)
    return {key: value for key, value in said.items() if key not in IGNORED_FIELDS}


def get_given_fields(body: RequestBody) -> dict[str, Any]:
    """What a body for something new says, by its JSON keys; what is null is not said."""
    said: dict[str, Any] = msgspec.to_builtins(body)
    return {key: value for key, value in said.items() if value is not None}
