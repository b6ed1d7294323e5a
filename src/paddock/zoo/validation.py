"""How much there may be of everything in a zoo. Texts are measured in characters.

Whether what is given may be kept: types, lengths, and texts that every database can hold.

All that is wrong is told at once, each with the place where it stands. What can be put right
without loss is: blanks around names go, a skill in an unknown category goes to the first one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from paddock.zoo.errors import FieldError, InvalidAgentError
from paddock.zoo.model import (
    ENTRY_TYPES,
    Agent,
    BrainEntry,
    LibrarySkill,
    NewAgent,
    Pack,
    Skill,
    SkillCategory,
    make_general_category,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


MAX_NAME_CHARACTERS = 100
MAX_DESCRIPTION_CHARACTERS = 10_000
MAX_SYSTEM_PROMPT_CHARACTERS = 100_000
MAX_SKILL_DESCRIPTION_CHARACTERS = 50_000
MAX_WHEN_TO_USE_CHARACTERS = 2_000
MAX_ENTRY_CHARACTERS = 100_000
MAX_TAG_CHARACTERS = 50
MAX_REFERENCE_CHARACTERS = 2_000
MAX_APPEARANCE_SEED_CHARACTERS = 200
MAX_ID_CHARACTERS = 100
"""Of skills, categories and entries, which clients may give; ids of agents are slugs."""

MAX_SKILLS = 500
MAX_CATEGORIES = 100
MAX_TAGS = 50
MAX_REFERENCES = 200
MAX_REQUIREMENTS = 50

MAX_EXTRA_BYTES = 200_000
"""Of what a file had that the zoo has no place for, as JSON."""
MAX_METADATA_BYTES = 20_000

MAX_PAGE_ITEMS = 1_000
"""How many items a page may have."""
DELETED_RETENTION_DAYS = 30
"""How long what was deleted can be had back."""
MAX_AGENT_VERSIONS = 200
"""How many versions of an agent are kept; the oldest go first."""
MAX_EVENTS = 20_000
"""About how many events are kept for those who were away."""

DEFAULT_MEMORY_TOKENS = 2_000
"""How much of the brain is injected when nothing is said about it."""
MAX_MEMORY_CANDIDATES = 200
"""How many entries of each kind are looked at for that."""

MAX_IMPORT_FILE_BYTES = 100_000_000
"""Of an old file with agents that is to be imported."""


StructT = TypeVar("StructT", bound=msgspec.Struct)


def _list_editable_fields(kind: type[msgspec.Struct], *read_only: str) -> frozenset[str]:
    return frozenset(field.encode_name for field in msgspec.structs.fields(kind)) - {*read_only}


# JSON keys that clients may change. Derived from the model, so that a new field is editable
# unless it is listed here.
EDITABLE_AGENT_FIELDS = _list_editable_fields(Agent, "id", "createdAt", "updatedAt", "version")
EDITABLE_ENTRY_FIELDS = _list_editable_fields(
    BrainEntry, "id", "agentId", "timestamp", "updatedAt", "version"
)
EDITABLE_SKILL_FIELDS = _list_editable_fields(Skill, "id")
EDITABLE_CATEGORY_FIELDS = _list_editable_fields(SkillCategory, "id")
EDITABLE_LIBRARY_FIELDS = _list_editable_fields(LibrarySkill, "id", "version")
EDITABLE_PACK_FIELDS = _list_editable_fields(Pack, "id", "version")

_COLOR_PATTERN = re.compile(r"#[0-9a-fA-F]{6}")
_UNSTORABLE_CHARACTERS = re.compile("[\0\ud800-\udfff]")
"""Characters that PostgreSQL, or UTF-8, cannot hold."""
_CONTROL_CHARACTERS = re.compile("[\0-\x1f\x7f]")
_ERROR_LOCATION_PATTERN = re.compile(r"(?P<message>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)


class FieldErrorCollector:
    """Collects what is wrong with one thing."""

    def __init__(self) -> None:
        self.errors: list[FieldError] = []

    def add(self, path: str, message: str) -> None:
        """Note a fault."""
        self.errors.append(FieldError(path, message))

    def check_text(self, path: str, value: str, most: int, *, least: int = 0) -> None:
        """Note what is wrong with a text."""
        if _UNSTORABLE_CHARACTERS.search(value):
            self.add(path, "has a character that cannot be kept (NUL, or half of a pair)")
        if len(value) > most:
            self.add(path, f"has {len(value)} characters; at most {most} are allowed")
        elif len(value) < least:
            self.add(path, "must not be empty" if least == 1 else f"needs {least} characters")

    def check_texts(self, path: str, values: Iterable[str], most: int, longest: int) -> None:
        """Note what is wrong with a list of texts."""
        listed = list(values)
        if len(listed) > most:
            self.add(path, f"has {len(listed)} items; at most {most} are allowed")
        for number, value in enumerate(listed):
            self.check_text(f"{path}[{number}]", value, longest, least=1)

    def check_tags(self, path: str, values: list[str]) -> None:
        """Note what is wrong with tags."""
        self.check_texts(path, values, MAX_TAGS, MAX_TAG_CHARACTERS)
        for number, value in enumerate(values):
            if _CONTROL_CHARACTERS.search(value):
                self.add(f"{path}[{number}]", "has a control character")

    def check_json_data(self, path: str, value: Any, most_bytes: int) -> None:
        """Note what is wrong with free data."""
        try:
            encoded = msgspec.json.encode(value)
        except (TypeError, ValueError, RecursionError) as error:
            self.add(path, f"cannot be written as JSON: {error}")
            return
        if len(encoded) > most_bytes:
            self.add(path, f"has {len(encoded)} bytes as JSON; at most {most_bytes} are allowed")
        if b"\\u0000" in encoded:
            self.add(path, "has a character that cannot be kept (NUL)")

    def check_unique_ids(self, path: str, ids: list[str]) -> None:
        """Note ids that stand there twice."""
        for number, one in enumerate(ids):
            if one in ids[:number]:
                self.add(f"{path}[{number}].id", f"{one!r} is there already")

    def raise_if_any(self, hint: str | None = None) -> None:
        """Raise what was found, if anything.

        Raises:
            InvalidAgentError: with all of it.
        """
        if self.errors:
            raise InvalidAgentError(self.errors, hint=hint)


def make_invalid_field_error(path: str, message: str) -> InvalidAgentError:
    """The error for a single fault."""
    return InvalidAgentError([FieldError(path, message)])


def convert_to_struct(kind: type[StructT], data: Mapping[str, Any]) -> StructT:
    """Make a struct of JSON data, key by key, so that every wrong type is told.

    Raises:
        InvalidAgentError: for wrong types, and required keys that are missing.
    """
    issues = FieldErrorCollector()
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in data:
            value, found = _convert_value(data[field.encode_name], field.type, field.encode_name)
            values[field.name] = value
            issues.errors += found
        elif field.required:
            issues.add(field.encode_name, "is missing")
    issues.raise_if_any()
    return kind(**values)


def apply_changes(kept: StructT, changes: Mapping[str, Any], allowed: frozenset[str]) -> StructT:
    """A copy of a struct with the values of some JSON keys; keys that are not allowed are ignored.

    Raises:
        InvalidAgentError: for wrong types.
    """
    issues = FieldErrorCollector()
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(type(kept)):
        name = field.encode_name
        if name in allowed and name in changes:
            value, found = _convert_value(changes[name], field.type, name)
            values[field.name] = value
            issues.errors += found
    issues.raise_if_any()
    return msgspec.structs.replace(kept, **values)


def _convert_value(value: Any, kind: Any, path: str) -> tuple[Any, list[FieldError]]:
    try:
        # To plain data first: structs inside are copied, and checked like what comes from outside.
        plain = msgspec.to_builtins(value)
        return msgspec.convert(plain, kind), []
    except msgspec.ValidationError as error:
        found = _ERROR_LOCATION_PATTERN.fullmatch(str(error))
        assert found is not None  # noqa: S101 - every text matches
        return None, [FieldError(path + (found["path"] or ""), found["message"])]
    except (TypeError, ValueError, RecursionError) as error:
        return None, [FieldError(path, f"is no JSON data: {error}")]


def parse_new_agent(given: NewAgent | Mapping[str, Any]) -> NewAgent:
    """What an agent is to be made from, with the types that it should have.

    Raises:
        InvalidAgentError: for wrong types.
    """
    data = msgspec.to_builtins(given) if isinstance(given, NewAgent) else given
    return convert_to_struct(NewAgent, data)


def validate_agent(agent: Agent) -> Agent:
    """A tidied copy of an agent.

    Raises:
        InvalidAgentError: when it cannot be kept.
    """
    tidy = _normalize_agent(agent)
    issues = FieldErrorCollector()
    issues.check_text("name", tidy.name, MAX_NAME_CHARACTERS, least=1)
    issues.check_text("description", tidy.description, MAX_DESCRIPTION_CHARACTERS)
    issues.check_text("systemPrompt", tidy.system_prompt, MAX_SYSTEM_PROMPT_CHARACTERS)
    issues.check_text("appearanceSeed", tidy.appearance_seed, MAX_APPEARANCE_SEED_CHARACTERS)
    issues.check_texts("contextRefs", tidy.context_refs, MAX_REFERENCES, MAX_REFERENCE_CHARACTERS)
    issues.check_tags("tags", tidy.tags)
    issues.check_json_data("extra", tidy.extra, MAX_EXTRA_BYTES)
    _check_categories(tidy, issues)
    _check_skills(tidy, issues)
    issues.raise_if_any()
    return tidy


def _normalize_agent(agent: Agent) -> Agent:
    categories = agent.skill_categories or [make_general_category()]
    known = {category.id for category in categories}
    replaced = msgspec.structs.replace
    return replaced(
        agent,
        name=agent.name.strip(),
        tags=normalize_tags(agent.tags),
        skill_categories=[replaced(c, name=c.name.strip()) for c in categories],
        skills=[
            replaced(
                skill,
                name=skill.name if skill.name.strip() else "",
                category_id=skill.category_id if skill.category_id in known else categories[0].id,
            )
            for skill in agent.skills
        ],
    )


def normalize_tags(tags: Iterable[str]) -> list[str]:
    """Tags without blanks around them, none twice, none empty."""
    return list(dict.fromkeys(stripped for tag in tags if (stripped := tag.strip())))


def _check_categories(agent: Agent, issues: FieldErrorCollector) -> None:
    categories = agent.skill_categories
    if len(categories) > MAX_CATEGORIES:
        issues.add(
            "skillCategories",
            f"has {len(categories)} items; at most {MAX_CATEGORIES} are allowed",
        )
    issues.check_unique_ids("skillCategories", [category.id for category in categories])
    for number, category in enumerate(categories):
        path = f"skillCategories[{number}]"
        issues.check_text(f"{path}.id", category.id, MAX_ID_CHARACTERS, least=1)
        issues.check_text(f"{path}.name", category.name, MAX_NAME_CHARACTERS, least=1)
        if not is_valid_color(category.color):
            issues.add(f"{path}.color", "must be a color like #61988E")


def _check_skills(agent: Agent, issues: FieldErrorCollector) -> None:
    if len(agent.skills) > MAX_SKILLS:
        issues.add("skills", f"has {len(agent.skills)} items; at most {MAX_SKILLS} are allowed")
    issues.check_unique_ids("skills", [skill.id for skill in agent.skills])
    for number, skill in enumerate(agent.skills):
        path = f"skills[{number}]"
        issues.check_text(f"{path}.id", skill.id, MAX_ID_CHARACTERS, least=1)
        issues.check_text(f"{path}.name", skill.name, MAX_NAME_CHARACTERS, least=1)
        issues.check_text(
            f"{path}.description", skill.description, MAX_SKILL_DESCRIPTION_CHARACTERS
        )
        issues.check_text(f"{path}.whenToUse", skill.when_to_use, MAX_WHEN_TO_USE_CHARACTERS)
        issues.check_text(f"{path}.libraryId", skill.library_id or "", MAX_ID_CHARACTERS)
        issues.check_texts(f"{path}.requires", skill.requires, MAX_REQUIREMENTS, MAX_ID_CHARACTERS)


def validate_entry(entry: BrainEntry) -> BrainEntry:
    """A tidied copy of an entry.

    Raises:
        InvalidAgentError: when it cannot be kept.
    """
    tidy = msgspec.structs.replace(
        entry, content=entry.content.strip(), tags=normalize_tags(entry.tags)
    )
    issues = FieldErrorCollector()
    if tidy.type not in ENTRY_TYPES:
        issues.add("type", f"must be one of {', '.join(ENTRY_TYPES)}")
    issues.check_text("id", tidy.id, MAX_ID_CHARACTERS, least=1)
    issues.check_text("content", tidy.content, MAX_ENTRY_CHARACTERS, least=1)
    issues.check_tags("tags", tidy.tags)
    issues.check_json_data("metadata", tidy.metadata, MAX_METADATA_BYTES)
    for key in ("source", "sessionId", "workspaceId"):
        value = tidy.metadata.get(key)
        if value is None:
            continue
        if isinstance(value, str):
            issues.check_text(f"metadata.{key}", value, MAX_REFERENCE_CHARACTERS)
        else:
            issues.add(f"metadata.{key}", "must be a text")
    issues.raise_if_any()
    return tidy


def validate_library_skill(skill: LibrarySkill) -> LibrarySkill:
    """A tidied copy of a skill of the library.

    Raises:
        InvalidAgentError: when it cannot be kept.
    """
    tidy = msgspec.structs.replace(skill, name=skill.name.strip(), tags=normalize_tags(skill.tags))
    issues = FieldErrorCollector()
    issues.check_text("name", tidy.name, MAX_NAME_CHARACTERS, least=1)
    issues.check_text("description", tidy.description, MAX_SKILL_DESCRIPTION_CHARACTERS)
    issues.check_text("whenToUse", tidy.when_to_use, MAX_WHEN_TO_USE_CHARACTERS)
    issues.check_texts("requires", tidy.requires, MAX_REQUIREMENTS, MAX_ID_CHARACTERS)
    issues.check_tags("tags", tidy.tags)
    issues.raise_if_any()
    return tidy


def validate_pack(pack: Pack) -> Pack:
    """A tidied copy of a pack.

    Raises:
        InvalidAgentError: when it cannot be kept.
    """
    tidy = msgspec.structs.replace(pack, name=pack.name.strip())
    issues = FieldErrorCollector()
    issues.check_text("name", tidy.name, MAX_NAME_CHARACTERS, least=1)
    issues.check_text("description", tidy.description, MAX_DESCRIPTION_CHARACTERS)
    issues.raise_if_any()
    return tidy


def is_valid_color(text: str) -> bool:
    """Whether a text is a color as categories have it."""
    return _COLOR_PATTERN.fullmatch(text) is not None


def parse_date_bound(path: str, text: str | None, moment: Callable[[str], str]) -> str | None:
    """A date or time that somebody gave, as the zoo writes it.

    Raises:
        InvalidAgentError: when it is neither.
    """
    if text is None:
        return None
    try:
        return moment(text.strip())
    except (ValueError, OverflowError):
        raise make_invalid_field_error(
            path, f"{text[:40]!r} is neither a date nor a time like 2026-01-31"
        ) from None


def validate_page_size(limit: int | None) -> int | None:
    """How many items a page may have; None is all of them.

    Raises:
        InvalidAgentError: when no page can be that large.
    """
    if limit is not None and not 1 <= limit <= MAX_PAGE_ITEMS:
        raise make_invalid_field_error("limit", f"must be a number from 1 to {MAX_PAGE_ITEMS}")
    return limit
