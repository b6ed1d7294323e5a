"""JSON request bodies. Unknown keys are errors, so that misspelled ones are noticed.

Bodies that create or change a model object get their fields from the model, so a new agent field
needs no change here. Such a body declares only the fields that differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import NODEFAULT, UNSET, Struct, UnsetType, defstruct, field

from paddock.zoo.model import Agent, AgentSkill, EntryType, LibrarySkill, Pack, SkillCategory
from paddock.zoo.validation import list_editable_fields

if TYPE_CHECKING:
    from collections.abc import Callable

BodyT = TypeVar("BodyT", bound="type[RequestBody]")

IGNORED_FIELDS = frozenset(
    ("id", "agentId", "timestamp", "brainEntries", "createdAt", "updatedAt", "version")
)
"""Read-only fields, which clients may send back with a complete agent or entry."""


class RequestBody(Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """Base class of request bodies."""


def with_creation_fields_of(model: type[Struct]) -> Callable[[BodyT], BodyT]:
    """Return a decorator that adds a model's ID and editable fields to a request body class.

    The body describes a new object. Fields that a request omits get the model's defaults.
    """
    fields = {info.name: _define_field(info) for info in list_editable_fields(model)}
    return lambda body: _add_fields(body, {"id": ("id", str | None, None), **fields})


def with_optional_fields_of(model: type[Struct]) -> Callable[[BodyT], BodyT]:
    """Return a decorator that adds a model's editable fields to a request body class.

    All of them are optional, because the body describes changes to an object. Fields that a request
    omits are UNSET, and `get_changes` leaves them out.
    """
    fields = {
        info.name: (info.name, info.type | UnsetType, UNSET) for info in list_editable_fields(model)
    }
    return lambda body: _add_fields(body, fields)


def _add_fields(body_class: BodyT, fields: dict[str, tuple[Any, ...]]) -> BodyT:
    """Return a copy of a request body class with more fields before its own.

    The class has to be rebuilt, because fields cannot be added to a struct after its definition.

    Args:
        body_class: The class. If it defines one of the fields itself, its definition is used.
        fields: Tuples of name, type and default, by field name.
    """
    own_fields = {info.name: _define_field(info) for info in msgspec.structs.fields(body_class)}
    namespace = {"__doc__": body_class.__doc__, "__qualname__": body_class.__qualname__}
    return defstruct(  # type: ignore[return-value]  # mypy cannot derive the class of the result
        body_class.__name__,
        (fields | own_fields).values(),
        bases=(RequestBody,),
        module=body_class.__module__,
        namespace=namespace,
        rename="camel",
        kw_only=True,
        forbid_unknown_fields=True,
    )


def _define_field(info: msgspec.structs.FieldInfo) -> tuple[Any, ...]:
    """Return a struct field in the form that `defstruct` expects."""
    if info.default_factory is not NODEFAULT:
        return info.name, info.type, field(default_factory=info.default_factory)
    return (info.name, info.type) if info.required else (info.name, info.type, info.default)


@with_creation_fields_of(Agent)
class NewAgentBody(RequestBody, kw_only=True):
    """An agent to create. Read-only fields of a complete agent are accepted and ignored."""

    id: str | None = None
    """Text from which the ID is derived; by default the name."""
    name: str = "Unnamed"
    brain_entries: Any = UNSET
    created_at: Any = UNSET
    updated_at: Any = UNSET
    version: Any = UNSET


@with_optional_fields_of(Agent)
class AgentChanges(RequestBody, kw_only=True):
    """Changes to an agent. Omitted fields stay as they are; the ID cannot be changed."""

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


@with_creation_fields_of(AgentSkill)
class NewSkillBody(RequestBody, kw_only=True):
    """A skill to add."""

    category_id: str | None = None


@with_optional_fields_of(AgentSkill)
class SkillChanges(RequestBody, kw_only=True):
    """Changes to a skill. Omitted fields stay as they are."""


class ToggleBody(RequestBody, kw_only=True):
    """The new state of a skill; by default the opposite of the present one."""

    enabled: bool | None = None


class OrderBody(RequestBody, kw_only=True):
    """The IDs of all skills of an agent in their new order."""

    ids: list[str]


@with_creation_fields_of(SkillCategory)
class NewCategoryBody(RequestBody, kw_only=True):
    """A category to add."""

    color: str | None = None


@with_optional_fields_of(SkillCategory)
class CategoryChanges(RequestBody, kw_only=True):
    """Changes to a category. Omitted fields stay as they are."""


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


@with_creation_fields_of(LibrarySkill)
class NewLibrarySkillBody(RequestBody, kw_only=True):
    """A skill to add to the library."""


@with_optional_fields_of(LibrarySkill)
class LibrarySkillChanges(RequestBody, kw_only=True):
    """Changes to a library skill. Omitted fields stay as they are."""


@with_creation_fields_of(Pack)
class NewPackBody(RequestBody, kw_only=True):
    """A pack to create."""


@with_optional_fields_of(Pack)
class PackChanges(RequestBody, kw_only=True):
    """Changes to a pack. Omitted fields stay as they are."""


class CopyBody(RequestBody, kw_only=True):
    """Library skills to copy to an agent: by ID, or all of a pack."""

    agent_id: str
    skill_ids: list[str] = field(default_factory=list)
    pack_id: str | None = None


class StartersBody(RequestBody, kw_only=True):
    """Starter agents to create; by default all."""

    ids: list[str] | None = None


def get_changes(body: RequestBody) -> dict[str, Any]:
    """Return the changes in a request body as a dictionary with JSON keys: `{"enabled": False}`.

    Fields that the request omits and read-only fields are left out.
    """
    fields: dict[str, Any] = msgspec.to_builtins(body)
    # UNSET fields are not encoded at all.
    return {key: value for key, value in fields.items() if key not in IGNORED_FIELDS}


def get_given_fields(body: RequestBody) -> dict[str, Any]:
    """Return the fields of a new object by JSON key; null counts as omitted."""
    fields: dict[str, Any] = msgspec.to_builtins(body)
    return {key: value for key, value in fields.items() if value is not None}
