"""What the zoo keeps: agents, skills, brain entries, the library, and what is told of changes.

Plain data with the JSON keys that clients, old files and the REST API share. What may be in a field
is checked by `checks`; how it is stored is the business of `store`.
"""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct, field

EntryType = Literal["decision", "milestone", "note", "summary", "handoff"]
ENTRY_TYPES: tuple[EntryType, ...] = ("decision", "milestone", "note", "summary", "handoff")

GENERAL_CATEGORY_ID = "general"
GENERAL_CATEGORY_NAME = "General"
GENERAL_CATEGORY_COLOR = "#61988E"


class SkillCategory(Struct, rename="camel", kw_only=True):
    """A heading under which an agent's skills stand."""

    id: str
    name: str
    color: str = GENERAL_CATEGORY_COLOR


class Skill(Struct, rename="camel", kw_only=True):
    """Something that an agent can do; the description is the text that is injected."""

    id: str
    name: str
    description: str = ""
    when_to_use: str = ""
    category_id: str = GENERAL_CATEGORY_ID
    enabled: bool = True
    requires: list[str] = field(default_factory=list)
    """Ids of skills of the same agent that have to be enabled too."""
    library_id: str | None = None
    """The skill of the library that this one was copied from."""


class BrainEntry(Struct, rename="camel", kw_only=True, omit_defaults=False):
    """One piece of knowledge that an agent has kept."""

    id: str
    agent_id: str
    type: EntryType
    content: str
    timestamp: str
    """When it was made, ISO 8601 in UTC with milliseconds; never changed."""
    updated_at: str = ""
    pinned: bool = False
    tags: list[str] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    """`source` (manual, auto, mcp, import), `sessionId`, `workspaceId`, and what else was given."""
    version: int = 1


def make_general_category() -> SkillCategory:
    """The category that every agent begins with."""
    return SkillCategory(
        id=GENERAL_CATEGORY_ID, name=GENERAL_CATEGORY_NAME, color=GENERAL_CATEGORY_COLOR
    )


class Agent(Struct, rename="camel", kw_only=True):
    """A worker of the zoo. Its brain is kept, and asked for, separately."""

    id: str
    name: str
    description: str = ""
    system_prompt: str = ""
    skill_categories: list[SkillCategory] = field(default_factory=lambda: [make_general_category()])
    skills: list[Skill] = field(default_factory=list)
    """In the order in which they are injected."""
    context_refs: list[str] = field(default_factory=list)
    """Files and addresses that belong to the agent's work."""
    appearance_seed: str = ""
    tags: list[str] = field(default_factory=list)
    injects_memory: bool = True
    """Whether what is in the brain is injected too."""
    archived: bool = False
    extra: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By file format, what a file had that the zoo has no place for; written back on export."""
    created_at: str = ""
    updated_at: str = ""
    version: int = 1
    """Counts the changes; a change of an older version than the current one is a conflict."""


class NewAgent(Struct, rename="camel", kw_only=True):
    """An agent as it is asked for: all but what the zoo itself decides."""

    id: str | None = None
    """What the id is made from; by default the name."""
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


class AgentSummary(Struct, rename="camel", kw_only=True):
    """What a list shows of an agent."""

    id: str
    name: str
    description: str = ""
    tags: list[str] = field(default_factory=list)
    appearance_seed: str = ""
    archived: bool = False
    skill_names: list[str] = field(default_factory=list)
    """Of the enabled skills."""
    entry_count: int = 0
    created_at: str = ""
    updated_at: str = ""
    last_injected_at: str | None = None
    deleted_at: str | None = None
    """When it was put into the bin; only what is in the bin has it."""
    version: int = 1


class SearchHit(Struct, rename="camel", kw_only=True):
    """A brain entry that a search has found."""

    entry: BrainEntry
    agent_name: str
    snippet: str
    """The part of the content that has the words, on one line."""


class LibrarySkill(Struct, rename="camel", kw_only=True):
    """A skill that any agent can have a copy of."""

    id: str
    name: str
    description: str = ""
    when_to_use: str = ""
    tags: list[str] = field(default_factory=list)
    requires: list[str] = field(default_factory=list)
    pack_id: str | None = None
    version: int = 1


class Pack(Struct, rename="camel", kw_only=True):
    """Skills of the library that go together."""

    id: str
    name: str
    description: str = ""
    version: int = 1


class AgentVersion(Struct, rename="camel", kw_only=True):
    """What an agent was before a change, or is after its last one."""

    version: int
    saved_at: str
    source: str
    """Who made the change: `web`, `mcp`, `cli`, `import`, `sync`."""
    summary: str
    """In a few words, what the change was."""
    agent: Agent | None = None
    """Left out of lists."""


class FieldChange(Struct, rename="camel", kw_only=True):
    """A field in which two versions of an agent differ."""

    field: str
    """Its JSON key; for one skill or category, as in `skills.testing.description`."""
    before: Any = None
    after: Any = None
    """None where there is no such skill or category."""


SkillFindingKind = Literal["duplicate", "conflict", "missingRequirement", "disabledRequirement"]


class SkillFinding(Struct, rename="camel", kw_only=True):
    """Something that is odd about the skills of an agent."""

    kind: SkillFindingKind
    skill_ids: list[str]
    message: str


SectionKind = Literal["introduction", "soul", "skills", "memory"]


class Section(Struct, rename="camel", kw_only=True):
    """One part of what is injected."""

    kind: SectionKind
    title: str
    text: str
    characters: int
    tokens: int


class Injection(Struct, rename="camel", kw_only=True):
    """What makes a model take the part of an agent."""

    agent_id: str
    agent_name: str
    prompt: str
    sections: list[Section]
    tokens: int
    """An estimate, as all numbers of tokens are."""
    warnings: list[str] = field(default_factory=list)


class ImportNote(Struct, rename="camel", kw_only=True):
    """Something that was not kept as it stood in the file."""

    field: str
    """Where in the file, as in `agents[0].id`."""
    message: str


class ImportReport(Struct, rename="camel", kw_only=True):
    """What an import has made."""

    created: list[str] = field(default_factory=list)
    """The ids of the agents, in the order of the file."""
    entries: int = 0
    report: list[ImportNote] = field(default_factory=list)


PageItem = TypeVar("PageItem")


class Page(Struct, Generic[PageItem], rename="camel", kw_only=True):
    """A part of a long list."""

    items: list[PageItem]
    next_cursor: str | None = None
    """What to ask for the next part with; None after the last."""


EventKind = Literal[
    "agent:created",
    "agent:updated",
    "agent:deleted",
    "agent:restored",
    "agent:purged",
    "agent:injected",
    "agent:handedOver",
    "brain:written",
    "brain:updated",
    "brain:deleted",
    "brain:restored",
    "library:changed",
    "zoo:restored",
]


class ZooEvent(Struct, rename="camel", kw_only=True):
    """One thing that has happened in the zoo, as every process is told of it."""

    id: int
    """Grows with each event of the zoo, so that one who was away can ask for what it missed."""
    kind: EventKind
    at: str
    source: str
    agent_id: str | None = None
    entry_id: str | None = None
    detail: dict[str, Any] = field(default_factory=dict)
    """Of a hand-over, for instance, `toAgentId`."""
