"""The data model of a zoo, with the JSON keys that REST, MCP and files share.

`paddock.zoo.validation` has the limits of the fields, `paddock.zoo.store` the tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, get_args

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Callable

StructClass = TypeVar("StructClass", bound=type[Struct])

EntryType = Literal["decision", "milestone", "note", "summary", "handoff"]
ENTRY_TYPES: tuple[EntryType, ...] = get_args(EntryType)

GENERAL_CATEGORY_ID = "general"
GENERAL_CATEGORY_NAME = "General"
GENERAL_CATEGORY_COLOR = "#61988E"


def set_component_name(name: str) -> Callable[[StructClass], StructClass]:
    """Return a decorator that sets the name of a class in the OpenAPI document of the REST API.

    Clients generate code with these names, so they stay when a class is renamed.
    """

    def rename_class(struct_class: StructClass) -> StructClass:
        # Litestar derives the key of a component and its title from these attributes.
        struct_class.__name__ = struct_class.__qualname__ = name
        return struct_class

    return rename_class


class SkillCategory(Struct, rename="camel", kw_only=True):
    """A group of an agent's skills."""

    id: str
    name: str
    color: str = GENERAL_CATEGORY_COLOR


@set_component_name("Skill")
class AgentSkill(Struct, rename="camel", kw_only=True):
    """A skill of an agent. Its description is the text that is injected."""

    id: str
    name: str
    description: str = ""
    when_to_use: str = ""
    category_id: str = GENERAL_CATEGORY_ID
    enabled: bool = True
    requires: list[str] = field(default_factory=list)
    """IDs of skills of the same agent that must be enabled too."""
    library_id: str | None = None
    """The library skill that this one was copied from."""


class BrainEntry(Struct, rename="camel", kw_only=True, omit_defaults=False):
    """A piece of knowledge that an agent has saved."""

    id: str
    agent_id: str
    type: EntryType
    content: str
    timestamp: str
    """Time of creation, ISO 8601 in UTC with milliseconds. Never changes."""
    updated_at: str = ""
    pinned: bool = False
    tags: list[str] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    """`source` (manual, auto, mcp, import), `sessionId`, `workspaceId`, and any other keys."""
    version: int = 1


def make_general_category() -> SkillCategory:
    """Return the category that every new agent has."""
    return SkillCategory(
        id=GENERAL_CATEGORY_ID, name=GENERAL_CATEGORY_NAME, color=GENERAL_CATEGORY_COLOR
    )


class Agent(Struct, rename="camel", kw_only=True):
    """An agent without its brain, which is stored separately."""

    id: str
    name: str
    description: str = ""
    system_prompt: str = ""
    skill_categories: list[SkillCategory] = field(default_factory=lambda: [make_general_category()])
    skills: list[AgentSkill] = field(default_factory=list)
    """In order of injection."""
    context_refs: list[str] = field(default_factory=list)
    """Files and URLs that the agent works with."""
    appearance_seed: str = ""
    """Seed of the generated picture of the agent."""
    tags: list[str] = field(default_factory=list)
    injects_memory: bool = True
    """Whether brain entries are injected too."""
    archived: bool = False
    extra: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Data for which the zoo has no field, by file format. It is written back on export."""
    created_at: str = ""
    updated_at: str = ""
    version: int = 1
    """Incremented by each change; a change based on an older version is a conflict."""


class AgentSummary(Struct, rename="camel", kw_only=True):
    """The fields of an agent that lists show."""

    id: str
    name: str
    description: str = ""
    tags: list[str] = field(default_factory=list)
    appearance_seed: str = ""
    archived: bool = False
    skill_names: list[str] = field(default_factory=list)
    """Names of the enabled skills."""
    entry_count: int = 0
    created_at: str = ""
    updated_at: str = ""
    last_injected_at: str | None = None
    deleted_at: str | None = None
    """Time of deletion; None unless the agent is in the bin."""
    version: int = 1


class SearchHit(Struct, rename="camel", kw_only=True):
    """A brain entry that matches a search."""

    entry: BrainEntry
    agent_name: str
    snippet: str
    """An excerpt around the first match, on one line."""


class LibrarySkill(Struct, rename="camel", kw_only=True):
    """A skill of the library, which agents can get copies of."""

    id: str
    name: str
    description: str = ""
    when_to_use: str = ""
    tags: list[str] = field(default_factory=list)
    requires: list[str] = field(default_factory=list)
    pack_id: str | None = None
    version: int = 1


class Pack(Struct, rename="camel", kw_only=True):
    """A named group of library skills."""

    id: str
    name: str
    description: str = ""
    version: int = 1


class AgentVersion(Struct, rename="camel", kw_only=True):
    """A version in the history of an agent."""

    version: int
    saved_at: str
    source: str
    """Origin of the change: `web`, `mcp`, `cli`, `import` or `sync`."""
    summary: str
    """A short description of the change."""
    agent: Agent | None = None
    """The agent as of this version; None in lists, to keep them small."""


class FieldChange(Struct, rename="camel", kw_only=True):
    """A field in which two versions of an agent differ."""

    field: str
    """JSON key; for one skill or category, a path such as `skills.testing.description`."""
    before: Any = None
    after: Any = None
    """Like `before`, None if the version has no such skill or category."""


SkillFindingKind = Literal["duplicate", "conflict", "missingRequirement", "disabledRequirement"]


class SkillFinding(Struct, rename="camel", kw_only=True):
    """A problem with an agent's skills."""

    kind: SkillFindingKind
    skill_ids: list[str]
    message: str


SectionKind = Literal["introduction", "soul", "skills", "memory"]


@set_component_name("Section")
class PromptSection(Struct, rename="camel", kw_only=True):
    """A part of a compiled prompt."""

    kind: SectionKind
    title: str
    text: str
    characters: int
    tokens: int


class Injection(Struct, rename="camel", kw_only=True):
    """A compiled prompt, with its parts."""

    agent_id: str
    agent_name: str
    prompt: str
    sections: list[PromptSection]
    tokens: int
    """Estimated, like all token counts."""
    warnings: list[str] = field(default_factory=list)


class ImportNote(Struct, rename="camel"):
    """A value that an import has changed or left out."""

    field: str
    """Location in the file, such as `agents[0].id`."""
    message: str


class ImportReport(Struct, rename="camel", kw_only=True):
    """The result of an import."""

    created: list[str] = field(default_factory=list)
    """IDs of the new agents, in the order of the file."""
    entries: int = 0
    report: list[ImportNote] = field(default_factory=list)


PageItem = TypeVar("PageItem")


@set_component_name("Page")
class ResultPage(Struct, Generic[PageItem], rename="camel", kw_only=True):
    """One page of a list."""

    items: list[PageItem]
    next_cursor: str | None = None
    """Cursor of the next page; None on the last page."""


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
    """A change in a zoo, as every process can read it."""

    id: int
    """Increases with each event, so that a client can ask for the events that it missed."""
    kind: EventKind
    at: str
    source: str
    agent_id: str | None = None
    entry_id: str | None = None
    detail: dict[str, Any] = field(default_factory=dict)
    """Further data by kind, for example `toAgentId` of `agent:handedOver`."""
