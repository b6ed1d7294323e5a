"""Limits and validation of everything that a zoo stores.

All invalid values of an object are reported at once, each with its path. Faults that can be fixed
without loss are fixed: names are stripped, and a skill in an unknown category moves to the first.
Lengths are in characters.
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
"""For skills, categories and entries, whose IDs clients can choose. Agent IDs are slugs."""

MAX_SKILLS = 500
MAX_CATEGORIES = 100
MAX_TAGS = 50
MAX_REFERENCES = 200
MAX_REQUIREMENTS = 50

MAX_EXTRA_BYTES = 200_000
"""Size as JSON of `extra`: data of file formats that has no counterpart in the zoo."""
MAX_METADATA_BYTES = 20_000

MAX_PAGE_ITEMS = 1_000
"""Maximum number of items on a page."""
DELETED_RETENTION_DAYS = 30
"""How long deleted agents and entries can be restored."""
MAX_AGENT_VERSIONS = 200
"""Stored versions of an agent. Older ones are deleted."""
MAX_EVENTS = 20_000
"""Approximate number of stored events."""

DEFAULT_MEMORY_TOKENS = 2_000
"""Default budget for injected brain entries."""
MAX_MEMORY_CANDIDATES = 200
"""Maximum number of entries of each group that are considered for injection."""

MAX_IMPORT_FILE_BYTES = 100_000_000
"""Maximum size of a legacy file to import."""


StructT = TypeVar("StructT", bound=msgspec.Struct)

_COLOR_PATTERN = re.compile(r"#[0-9a-fA-F]{6}")
_UNSTORABLE_CHARACTERS = re.compile("[\0\ud800-\udfff]")
"""NUL, which PostgreSQL cannot store, and surrogates, which UTF-8 cannot encode."""
# Tags are joined with a control character, and shown on one line.
_CONTROL_CHARACTERS = re.compile("[\0-\x1f\x7f]")
_ERROR_LOCATION_PATTERN = re.compile(r"(?P<message>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)


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


class FieldErrorCollector:
    """Collects the invalid values of one object."""

    def __init__(self) -> None:
        self.errors: list[FieldError] = []

    def add(self, path: str, message: str) -> None:
        """Record an error."""
        self.errors.append(FieldError(path, message))

    def check_text(
        self, path: str, value: str, max_characters: int, *, min_characters: int = 0
    ) -> None:
        """Check the length and the characters of a string."""
        if _UNSTORABLE_CHARACTERS.search(value):
            self.add(
                path, "contains a character that cannot be stored (NUL or an unpaired surrogate)"
            )
        if len(value) > max_characters:
            self.add(path, f"has {len(value)} characters; at most {max_characters} are allowed")
        elif len(value) < min_characters:
            self.add(
                path,
                "must not be empty"
                if min_characters == 1
                else f"needs at least {min_characters} characters",
            )

    def check_texts(
        self, path: str, values: Iterable[str], max_items: int, max_characters: int
    ) -> None:
        """Check a list of strings."""
        items = list(values)
        if len(items) > max_items:
            self.add(path, f"has {len(items)} items; at most {max_items} are allowed")
        for number, value in enumerate(items):
            self.check_text(f"{path}[{number}]", value, max_characters, min_characters=1)

    def check_tags(self, path: str, values: list[str]) -> None:
        """Check a list of tags."""
        self.check_texts(path, values, MAX_TAGS, MAX_TAG_CHARACTERS)
        for number, value in enumerate(values):
            if _CONTROL_CHARACTERS.search(value):
                self.add(f"{path}[{number}]", "contains a control character")

    def check_json_data(self, path: str, value: Any, max_bytes: int) -> None:
        """Check the size and the characters of arbitrary JSON data."""
        try:
            encoded = msgspec.json.encode(value)
        except (TypeError, ValueError, RecursionError) as error:
            self.add(path, f"cannot be encoded as JSON: {error}")
            return
        if len(encoded) > max_bytes:
            self.add(path, f"has {len(encoded)} bytes as JSON; at most {max_bytes} are allowed")
        # JSON escapes NUL, but PostgreSQL rejects it in text all the same.
        if b"\\u0000" in encoded:
            self.add(path, "contains a character that cannot be stored (NUL)")

    def check_unique_ids(self, path: str, ids: list[str]) -> None:
        """Check that no ID is used twice."""
        for number, item_id in enumerate(ids):
            if item_id in ids[:number]:
                self.add(f"{path}[{number}].id", f"{item_id!r} is used more than once")

    def raise_if_any(self, hint: str | None = None) -> None:
        """Raise an error if any was recorded.

        Raises:
            InvalidAgentError: With all recorded errors.
        """
        if self.errors:
            raise InvalidAgentError(self.errors, hint=hint)


def make_invalid_field_error(path: str, message: str) -> InvalidAgentError:
    """Return the error for a single invalid value."""
    return InvalidAgentError([FieldError(path, message)])


def convert_to_struct(kind: type[StructT], data: Mapping[str, Any]) -> StructT:
    """Convert JSON data to a struct field by field, so that every wrong type is reported.

    Raises:
        InvalidAgentError: A value has the wrong type, or a required key is missing.
    """
    issues = FieldErrorCollector()
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in data:
            value, errors = _convert_value(data[field.encode_name], field.type, field.encode_name)
            values[field.name] = value
            issues.errors += errors
        elif field.required:
            issues.add(field.encode_name, "is missing")
    issues.raise_if_any()
    return kind(**values)


def apply_changes(
    original: StructT, changes: Mapping[str, Any], allowed: frozenset[str]
) -> StructT:
    """Return a copy of a struct with new values for the allowed JSON keys.

    Keys that are unknown or not allowed are ignored.

    Raises:
        InvalidAgentError: A value has the wrong type.
    """
    issues = FieldErrorCollector()
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(type(original)):
        name = field.encode_name
        if name in allowed and name in changes:
            value, errors = _convert_value(changes[name], field.type, name)
            values[field.name] = value
            issues.errors += errors
    issues.raise_if_any()
    return msgspec.structs.replace(original, **values)


def _convert_value(value: Any, kind: Any, path: str) -> tuple[Any, list[FieldError]]:
    """Convert one JSON value to the type of its field.

    Errors are returned instead of raised, so that the caller can collect those of all fields.

    The caller collects the errors of all fields.
    """
    try:
        # The value is converted through plain data, so that nested structs are copied and validated
        # like external input.
        plain = msgspec.to_builtins(value)
        return msgspec.convert(plain, kind), []
    except msgspec.ValidationError as error:
        match = _ERROR_LOCATION_PATTERN.fullmatch(str(error))
        assert match is not None  # noqa: S101 - the pattern matches every text
        return None, [FieldError(path + (match["path"] or ""), match["message"])]
    except (TypeError, ValueError, RecursionError) as error:
        return None, [FieldError(path, f"is not JSON data: {error}")]


def parse_new_agent(new: NewAgent | Mapping[str, Any]) -> NewAgent:
    """Convert JSON data to the fields of a new agent.

    Raises:
        InvalidAgentError: A value has the wrong type.
    """
    data = msgspec.to_builtins(new) if isinstance(new, NewAgent) else new
    return convert_to_struct(NewAgent, data)


def validate_agent(agent: Agent) -> Agent:
    """Return a normalized copy of an agent.

    Raises:
        InvalidAgentError: A value is invalid.
    """
    normalized = _normalize_agent(agent)
    issues = FieldErrorCollector()
    issues.check_text("name", normalized.name, MAX_NAME_CHARACTERS, min_characters=1)
    issues.check_text("description", normalized.description, MAX_DESCRIPTION_CHARACTERS)
    issues.check_text("systemPrompt", normalized.system_prompt, MAX_SYSTEM_PROMPT_CHARACTERS)
    issues.check_text("appearanceSeed", normalized.appearance_seed, MAX_APPEARANCE_SEED_CHARACTERS)
    issues.check_texts(
        "contextRefs", normalized.context_refs, MAX_REFERENCES, MAX_REFERENCE_CHARACTERS
    )
    issues.check_tags("tags", normalized.tags)
    # Arbitrary data of other programs, so only its size is limited.
    issues.check_json_data("extra", normalized.extra, MAX_EXTRA_BYTES)
    _check_categories(normalized, issues)
    _check_skills(normalized, issues)
    issues.raise_if_any()
    return normalized


def _normalize_agent(agent: Agent) -> Agent:
    """Return a copy with stripped texts, unique tags and at least one category.

    A skill of an unknown category moves to the first one.
    """
    categories = agent.skill_categories or [make_general_category()]
    category_ids = {category.id for category in categories}
    replace = msgspec.structs.replace
    return replace(
        agent,
        name=agent.name.strip(),
        tags=normalize_tags(agent.tags),
        skill_categories=[replace(category, name=category.name.strip()) for category in categories],
        skills=[
            replace(
                skill,
                # Names of skills keep their white space, but must not consist of it.
                name=skill.name if skill.name.strip() else "",
                category_id=skill.category_id
                if skill.category_id in category_ids
                else categories[0].id,
            )
            for skill in agent.skills
        ],
    )


def normalize_tags(tags: Iterable[str]) -> list[str]:
    """Strip tags, and remove empty and duplicate ones."""
    return list(dict.fromkeys(stripped for tag in tags if (stripped := tag.strip())))


def _check_categories(agent: Agent, issues: FieldErrorCollector) -> None:
    """Record the errors in the categories of an agent."""
    categories = agent.skill_categories
    if len(categories) > MAX_CATEGORIES:
        issues.add(
            "skillCategories",
            f"has {len(categories)} items; at most {MAX_CATEGORIES} are allowed",
        )
    issues.check_unique_ids("skillCategories", [category.id for category in categories])
    for number, category in enumerate(categories):
        path = f"skillCategories[{number}]"
        issues.check_text(f"{path}.id", category.id, MAX_ID_CHARACTERS, min_characters=1)
        issues.check_text(f"{path}.name", category.name, MAX_NAME_CHARACTERS, min_characters=1)
        if not is_valid_color(category.color):
            issues.add(f"{path}.color", "must be a color like #61988E")


def _check_skills(agent: Agent, issues: FieldErrorCollector) -> None:
    """Record the errors in the skills of an agent."""
    if len(agent.skills) > MAX_SKILLS:
        issues.add("skills", f"has {len(agent.skills)} items; at most {MAX_SKILLS} are allowed")
    issues.check_unique_ids("skills", [skill.id for skill in agent.skills])
    for number, skill in enumerate(agent.skills):
        path = f"skills[{number}]"
        issues.check_text(f"{path}.id", skill.id, MAX_ID_CHARACTERS, min_characters=1)
        issues.check_text(f"{path}.name", skill.name, MAX_NAME_CHARACTERS, min_characters=1)
        issues.check_text(
            f"{path}.description", skill.description, MAX_SKILL_DESCRIPTION_CHARACTERS
        )
        issues.check_text(f"{path}.whenToUse", skill.when_to_use, MAX_WHEN_TO_USE_CHARACTERS)
        issues.check_text(f"{path}.libraryId", skill.library_id or "", MAX_ID_CHARACTERS)
        issues.check_texts(f"{path}.requires", skill.requires, MAX_REQUIREMENTS, MAX_ID_CHARACTERS)


def validate_entry(entry: BrainEntry) -> BrainEntry:
    """Return a normalized copy of an entry.

    Raises:
        InvalidAgentError: A value is invalid.
    """
    normalized = msgspec.structs.replace(
        entry, content=entry.content.strip(), tags=normalize_tags(entry.tags)
    )
    issues = FieldErrorCollector()
    if normalized.type not in ENTRY_TYPES:
        issues.add("type", f"must be one of {', '.join(ENTRY_TYPES)}")
    issues.check_text("id", normalized.id, MAX_ID_CHARACTERS, min_characters=1)
    issues.check_text("content", normalized.content, MAX_ENTRY_CHARACTERS, min_characters=1)
    issues.check_tags("tags", normalized.tags)
    issues.check_json_data("metadata", normalized.metadata, MAX_METADATA_BYTES)
    # The documented keys have a fixed type. All others are opaque.
    for key in ("source", "sessionId", "workspaceId"):
        value = normalized.metadata.get(key)
        if value is None:
            continue
        if isinstance(value, str):
            issues.check_text(f"metadata.{key}", value, MAX_REFERENCE_CHARACTERS)
        else:
            issues.add(f"metadata.{key}", "must be a string")
    issues.raise_if_any()
    return normalized


def validate_library_skill(skill: LibrarySkill) -> LibrarySkill:
    """Return a normalized copy of a library skill.

    Raises:
        InvalidAgentError: A value is invalid.
    """
    normalized = msgspec.structs.replace(
        skill, name=skill.name.strip(), tags=normalize_tags(skill.tags)
    )
    issues = FieldErrorCollector()
    issues.check_text("name", normalized.name, MAX_NAME_CHARACTERS, min_characters=1)
    issues.check_text("description", normalized.description, MAX_SKILL_DESCRIPTION_CHARACTERS)
    issues.check_text("whenToUse", normalized.when_to_use, MAX_WHEN_TO_USE_CHARACTERS)
    issues.check_texts("requires", normalized.requires, MAX_REQUIREMENTS, MAX_ID_CHARACTERS)
    issues.check_tags("tags", normalized.tags)
    issues.raise_if_any()
    return normalized


def validate_pack(pack: Pack) -> Pack:
    """Return a normalized copy of a pack.

    Raises:
        InvalidAgentError: A value is invalid.
    """
    normalized = msgspec.structs.replace(pack, name=pack.name.strip())
    issues = FieldErrorCollector()
    issues.check_text("name", normalized.name, MAX_NAME_CHARACTERS, min_characters=1)
    issues.check_text("description", normalized.description, MAX_DESCRIPTION_CHARACTERS)
    issues.raise_if_any()
    return normalized


def is_valid_color(text: str) -> bool:
    """Return whether a text is a color in the form `#61988E`."""
    return _COLOR_PATTERN.fullmatch(text) is not None


def parse_date_bound(path: str, text: str | None, parse: Callable[[str], str]) -> str | None:
    """Convert a date or time to a timestamp with one of the functions of `timestamps`.

    Raises:
        InvalidAgentError: The text is neither a date nor a time.
    """
    if text is None:
        return None
    try:
        return parse(text.strip())
    except (ValueError, OverflowError):
        raise make_invalid_field_error(
            path, f"{text[:40]!r} is neither a date nor a time like 2026-01-31"
        ) from None


def validate_page_size(limit: int | None) -> int | None:
    """Check the size of a page, and return it.

    None means no limit.

    Raises:
        InvalidAgentError: The size is out of range.
    """
    if limit is not None and not 1 <= limit <= MAX_PAGE_ITEMS:
        raise make_invalid_field_error("limit", f"must be a number from 1 to {MAX_PAGE_ITEMS}")
    return limit
