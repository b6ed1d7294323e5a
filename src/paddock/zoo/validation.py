"""Limits and validation for everything that a zoo stores.

All invalid values of an object are reported together, each with its path. Faults that can be fixed
without loss are fixed: names are stripped, and a skill in an unknown category moves to the first
category. Lengths are in characters.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from paddock.zoo.errors import FieldError, InvalidAgentError
from paddock.zoo.model import (
    Agent,
    AgentSkill,
    BrainEntry,
    LibrarySkill,
    Pack,
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
"""JSON size of `extra`: data from file formats that has no counterpart in the zoo."""
MAX_METADATA_BYTES = 20_000

MAX_PAGE_ITEMS = 1_000
"""Maximum number of items on a page."""
DELETED_RETENTION_DAYS = 30
"""Number of days for which deleted agents and entries can be restored."""
MAX_AGENT_VERSIONS = 200
"""Maximum number of stored versions of an agent. Older ones are deleted."""
MAX_EVENTS = 20_000
"""Approximate maximum number of stored events."""

DEFAULT_MEMORY_TOKENS = 2_000
"""Default token budget for injected brain entries."""
MAX_MEMORY_CANDIDATES = 200
"""Maximum number of entries in each group that are considered for injection."""

MAX_IMPORT_FILE_BYTES = 100_000_000
"""Maximum size of a legacy file to import."""


# Field limits by JSON key. Unlisted fields have the default limit, so that new fields are never
# unlimited.
DEFAULT_MAX_CHARACTERS = MAX_DESCRIPTION_CHARACTERS
MAX_CHARACTERS: dict[type[msgspec.Struct], dict[str, int]] = {
    Agent: {
        "name": MAX_NAME_CHARACTERS,
        "systemPrompt": MAX_SYSTEM_PROMPT_CHARACTERS,
        "appearanceSeed": MAX_APPEARANCE_SEED_CHARACTERS,
    },
    SkillCategory: {"id": MAX_ID_CHARACTERS, "name": MAX_NAME_CHARACTERS},
    AgentSkill: {
        "id": MAX_ID_CHARACTERS,
        "name": MAX_NAME_CHARACTERS,
        "description": MAX_SKILL_DESCRIPTION_CHARACTERS,
        "whenToUse": MAX_WHEN_TO_USE_CHARACTERS,
        "libraryId": MAX_ID_CHARACTERS,
    },
    BrainEntry: {"id": MAX_ID_CHARACTERS, "content": MAX_ENTRY_CHARACTERS},
    LibrarySkill: {
        "name": MAX_NAME_CHARACTERS,
        "description": MAX_SKILL_DESCRIPTION_CHARACTERS,
        "whenToUse": MAX_WHEN_TO_USE_CHARACTERS,
    },
    Pack: {"name": MAX_NAME_CHARACTERS},
}
REQUIRED_TEXTS = frozenset({"id", "name", "content"})
"""Text fields that must not be empty."""
MAX_ITEMS = {
    "skillCategories": MAX_CATEGORIES,
    "skills": MAX_SKILLS,
    "contextRefs": MAX_REFERENCES,
    "tags": MAX_TAGS,
    "requires": MAX_REQUIREMENTS,
}
DEFAULT_MAX_ITEMS = MAX_REFERENCES
MAX_ITEM_CHARACTERS = {"tags": MAX_TAG_CHARACTERS, "requires": MAX_ID_CHARACTERS}
DEFAULT_MAX_ITEM_CHARACTERS = MAX_REFERENCE_CHARACTERS
MAX_JSON_BYTES = {"metadata": MAX_METADATA_BYTES}

StructT = TypeVar("StructT", bound=msgspec.Struct)

_READ_ONLY_FIELDS = frozenset({"id", "agentId", "timestamp", "createdAt", "updatedAt", "version"})
_COLOR_PATTERN = re.compile(r"#[0-9a-fA-F]{6}")
_UNSTORABLE_CHARACTERS = re.compile("[\0\ud800-\udfff]")
"""NUL, which PostgreSQL cannot store, and surrogates, which UTF-8 cannot encode."""
# Tags are joined with a control character and shown on one line.
_CONTROL_CHARACTERS = re.compile("[\0-\x1f\x7f]")
_ERROR_LOCATION_PATTERN = re.compile(r"(?P<message>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)


@cache
def list_editable_fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Return the fields of a model class that clients may change, in order.

    They are derived from the model, so new fields are editable everywhere.
    """
    fields = msgspec.structs.fields(kind)
    return tuple(field for field in fields if field.encode_name not in _READ_ONLY_FIELDS)


class FieldErrorCollector:
    """Collects the invalid values of one object."""

    def __init__(self) -> None:
        self.errors: list[FieldError] = []

    def add(self, path: str, message: str) -> None:
        """Record an error."""
        self.errors.append(FieldError(path, message))

    def check_object(self, item: msgspec.Struct, prefix: str = "") -> None:
        """Record the invalid fields of a model object and of the objects in its lists.

        Args:
            item: The object, such as an agent, one of its skills, or a brain entry.
            prefix: A prefix for paths in errors, such as `skills[0].`.
        """
        for field in msgspec.structs.fields(item):
            key, value = field.encode_name, getattr(item, field.name)
            path = f"{prefix}{key}"
            if isinstance(value, str):
                max_characters = MAX_CHARACTERS[type(item)].get(key, DEFAULT_MAX_CHARACTERS)
                self.check_text(path, value, max_characters, is_required=key in REQUIRED_TEXTS)
            elif isinstance(value, list):
                self._check_list(path, key, value)
            elif isinstance(value, dict):
                # This is arbitrary data from other programs, so only its size is limited.
                self._check_json_data(path, value, MAX_JSON_BYTES.get(key, MAX_EXTRA_BYTES))
            if key == "color" and not is_valid_color(value):
                self.add(path, "must be a color like #61988E")

    def check_text(
        self, path: str, value: str, max_characters: int, *, is_required: bool = False
    ) -> None:
        """Record an error if a text is too long, required but empty, or impossible to store."""
        if _UNSTORABLE_CHARACTERS.search(value):
            self.add(
                path, "contains a character that cannot be stored (NUL or an unpaired surrogate)"
            )
        if len(value) > max_characters:
            self.add(path, f"has {len(value)} characters; at most {max_characters} are allowed")
        elif is_required and not value:
            self.add(path, "must not be empty")

    def _check_list(self, path: str, key: str, items: list[Any]) -> None:
        """Record the errors in a list of strings (such as tags) or objects (such as skills).

        Args:
            path: The path of the list in errors, such as `skills`.
            key: The JSON key of the list, which determines its limits.
            items: The strings, or objects with unique IDs.
        """
        max_items = MAX_ITEMS.get(key, DEFAULT_MAX_ITEMS)
        if len(items) > max_items:
            self.add(path, f"has {len(items)} items; at most {max_items} are allowed")
        max_characters = MAX_ITEM_CHARACTERS.get(key, DEFAULT_MAX_ITEM_CHARACTERS)
        ids: set[str] = set()
        for number, item in enumerate(items):
            item_path = f"{path}[{number}]"
            if isinstance(item, str):
                self.check_text(item_path, item, max_characters, is_required=True)
                if key == "tags" and _CONTROL_CHARACTERS.search(item):
                    self.add(item_path, "contains a control character")
                continue
            if item.id in ids:
                self.add(f"{item_path}.id", f"{item.id!r} is used more than once")
            ids.add(item.id)
            self.check_object(item, f"{item_path}.")

    def _check_json_data(self, path: str, value: Any, max_bytes: int) -> None:
        """Record an error if arbitrary JSON data is too large or cannot be stored."""
        try:
            encoded = msgspec.json.encode(value)
        except (TypeError, ValueError, RecursionError) as error:
            self.add(path, f"cannot be encoded as JSON: {error}")
            return
        if len(encoded) > max_bytes:
            self.add(path, f"has {len(encoded)} bytes as JSON; at most {max_bytes} are allowed")
        # JSON escapes NUL, but PostgreSQL still rejects it in text.
        if b"\\u0000" in encoded:
            self.add(path, "contains a character that cannot be stored (NUL)")

    def raise_if_any(self) -> None:
        """Raise all recorded errors as a single exception, if there are any.

        Raises:
            InvalidAgentError: At least one error was recorded.
        """
        if self.errors:
            raise InvalidAgentError(self.errors)


def make_invalid_field_error(path: str, message: str) -> InvalidAgentError:
    """Create an error for a single invalid value."""
    return InvalidAgentError([FieldError(path, message)])


def convert_to_struct(kind: type[StructT], data: Mapping[str, Any]) -> StructT:
    """Convert JSON data to a struct of class `kind`, such as `Agent`.

    Fields are converted one by one so that every wrong type is reported. `msgspec.convert` alone
    would stop at the first one.

    Raises:
        InvalidAgentError: A value has the wrong type, or a required key is missing.
    """
    errors = FieldErrorCollector()
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in data:
            values[field.name] = _convert_value(data[field.encode_name], field, errors)
        elif field.required:
            errors.add(field.encode_name, "is missing")
    errors.raise_if_any()
    return kind(**values)


def apply_changes(original: StructT, changes: Mapping[str, Any]) -> StructT:
    """Return a copy of a model object with new values for its editable fields.

    Args:
        original: The object to change.
        changes: New values by JSON key, such as `{"tags": ["code"]}`. Unknown and non-editable keys
            are ignored.

    Raises:
        InvalidAgentError: A value has the wrong type.
    """
    errors = FieldErrorCollector()
    values = {
        field.name: _convert_value(changes[field.encode_name], field, errors)
        for field in list_editable_fields(type(original))
        if field.encode_name in changes
    }
    errors.raise_if_any()
    return msgspec.structs.replace(original, **values)


def _convert_value(
    value: Any, field: msgspec.structs.FieldInfo, errors: FieldErrorCollector
) -> Any:
    """Convert a JSON value to the type of its field, or record an error and return None.

    Errors are not raised, so that the errors of all fields can be reported together.
    """
    path = field.encode_name
    try:
        # Convert the value via plain data, so that nested structs are copied and validated like
        # external input.
        return msgspec.convert(msgspec.to_builtins(value), field.type)
    except msgspec.ValidationError as error:
        match = _ERROR_LOCATION_PATTERN.fullmatch(str(error))
        assert match is not None  # noqa: S101 - the pattern matches every text
        errors.add(path + (match["path"] or ""), match["message"])
    except (TypeError, ValueError, RecursionError) as error:
        errors.add(path, f"is not JSON data: {error}")
    return None


def parse_new_agent(fields: Mapping[str, Any]) -> Agent:
    """Convert the fields of a new agent to an `Agent` that `add_agent` can store.

    Args:
        fields: Editable fields by JSON key, and `id`, from which `add_agent` derives the ID. Other
            keys are ignored.

    Raises:
        InvalidAgentError: A value has the wrong type.
    """
    editable = {field.encode_name for field in list_editable_fields(Agent)}
    values = {key: value for key, value in fields.items() if key in editable}
    requested_id = fields.get("id")
    if requested_id is None:
        requested_id = ""
    return convert_to_struct(Agent, {"name": "Unnamed", **values, "id": requested_id})


def validate_object(item: StructT) -> StructT:
    """Check an agent, entry, library skill or pack, and return a normalized copy.

    Raises:
        InvalidAgentError: At least one value is invalid. The error lists all of them.
    """
    normalized = _normalize_object(item)
    errors = FieldErrorCollector()
    errors.check_object(normalized)
    if isinstance(normalized, BrainEntry):
        _check_metadata(normalized, errors)
    errors.raise_if_any()
    return normalized


def _normalize_object(item: StructT) -> StructT:
    """Return a copy of an object with unique tags and stripped names and contents.

    An agent's skills are normalized too.
    """
    values = {
        name: getattr(item, name).strip() for name in ("name", "content") if hasattr(item, name)
    }
    if hasattr(item, "tags"):
        values["tags"] = normalize_tags(item.tags)
    if isinstance(item, Agent):
        values |= _normalize_skills(item)
    return msgspec.structs.replace(item, **values)


def _normalize_skills(agent: Agent) -> dict[str, Any]:
    """Return normalized values for an agent's `skill_categories` and `skills`.

    There is always at least one category. Skills in unknown categories move to the first one.
    """
    replace = msgspec.structs.replace
    categories = agent.skill_categories or [make_general_category()]
    category_ids = {category.id for category in categories}
    skills = []
    for skill in agent.skills:
        category_id = skill.category_id if skill.category_id in category_ids else categories[0].id
        # Skill names keep their white space, but must not consist only of it.
        name = skill.name if skill.name.strip() else ""
        skills.append(replace(skill, name=name, category_id=category_id))
    stripped_categories = [replace(category, name=category.name.strip()) for category in categories]
    return {"skill_categories": stripped_categories, "skills": skills}


def _check_metadata(entry: BrainEntry, errors: FieldErrorCollector) -> None:
    """Record errors in the documented keys of an entry's metadata. Other keys are not checked."""
    for key in ("source", "sessionId", "workspaceId"):
        value = entry.metadata.get(key)
        if isinstance(value, str):
            errors.check_text(f"metadata.{key}", value, MAX_REFERENCE_CHARACTERS)
        elif value is not None:
            errors.add(f"metadata.{key}", "must be a string")


def normalize_tags(tags: Iterable[str]) -> list[str]:
    """Strip tags, and remove empty and duplicate ones."""
    return list(dict.fromkeys(stripped for tag in tags if (stripped := tag.strip())))


def is_valid_color(text: str) -> bool:
    """Return whether a text is a color of the form `#61988E`."""
    return _COLOR_PATTERN.fullmatch(text) is not None


def parse_date_bound(path: str, text: str | None, parse: Callable[[str], str]) -> str | None:
    """Convert a date or time given by a user to a zoo timestamp.

    Args:
        path: The parameter name, for the error.
        text: The date or time, such as `2026-01-31`, or None for no bound.
        parse: `parse_period_start` or `parse_period_end` from `timestamps`.

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
    """Return `limit` unchanged if it is a valid page size or None, which means no limit.

    Raises:
        InvalidAgentError: The size is out of range.
    """
    if limit is not None and not 1 <= limit <= MAX_PAGE_ITEMS:
        raise make_invalid_field_error("limit", f"must be a number from 1 to {MAX_PAGE_ITEMS}")
    return limit


def parse_cursor_key(digits: str) -> int:
    """Convert the digits in a page cursor to the row key at which the page ended.

    Raises:
        InvalidAgentError: The cursor is not one that a page returned.
    """
    # 18 digits fit into 64 bits, the largest key size that both databases accept.
    if not digits.isascii() or not digits.isdigit() or len(digits) > 18:
        raise make_invalid_field_error(
            "cursor", "invalid cursor; pass the `next_cursor` of the previous page"
        )
    return int(digits)
