"""Whether what is given may be kept: types, lengths, and texts that every database can hold.

All that is wrong is told at once, each with the place where it stands. What can be put right
without loss is: blanks around names go, a skill in an unknown category goes to the first one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from paddock.zoo import limits
from paddock.zoo.errors import InvalidAgentError, Issue
from paddock.zoo.model import (
    ENTRY_TYPES,
    Agent,
    BrainEntry,
    LibrarySkill,
    NewAgent,
    Pack,
    general_category,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Kept = TypeVar("Kept", bound=msgspec.Struct)

AGENT_FIELDS = frozenset(
    {
        *("name", "description", "systemPrompt", "skillCategories", "skills", "contextRefs"),
        *("appearanceSeed", "tags", "injectsMemory", "archived", "extra"),
    }
)
"""JSON keys of what may be changed in an agent; others are ignored."""
ENTRY_FIELDS = frozenset({"type", "content", "pinned", "tags", "metadata"})
SKILL_FIELDS = frozenset({"name", "description", "whenToUse", "categoryId", "enabled", "requires"})
CATEGORY_FIELDS = frozenset({"name", "color"})
LIBRARY_FIELDS = frozenset({"name", "description", "whenToUse", "tags", "requires", "packId"})
PACK_FIELDS = frozenset({"name", "description"})

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_NOT_KEPT = re.compile("[\0\ud800-\udfff]")
"""Characters that PostgreSQL, or UTF-8, cannot hold."""
_FOR_TAGS = re.compile("[\0-\x1f\x7f]")
_PLACE = re.compile(r"(?P<message>.*?)(?: - at `\$(?P<path>.*)`)?", re.DOTALL)


class Issues:
    """Collects what is wrong with one thing."""

    def __init__(self) -> None:
        self.found: list[Issue] = []

    def add(self, path: str, message: str) -> None:
        """Note a fault."""
        self.found.append(Issue(path, message))

    def text(self, path: str, value: str, most: int, *, least: int = 0) -> None:
        """Note what is wrong with a text."""
        if _NOT_KEPT.search(value):
            self.add(path, "has a character that cannot be kept (NUL, or half of a pair)")
        if len(value) > most:
            self.add(path, f"has {len(value)} characters; at most {most} are allowed")
        elif len(value) < least:
            self.add(path, "must not be empty" if least == 1 else f"needs {least} characters")

    def many(self, path: str, values: Iterable[str], most: int, longest: int) -> None:
        """Note what is wrong with a list of texts."""
        listed = list(values)
        if len(listed) > most:
            self.add(path, f"has {len(listed)} items; at most {most} are allowed")
        for number, value in enumerate(listed):
            self.text(f"{path}[{number}]", value, longest, least=1)

    def tags(self, path: str, values: list[str]) -> None:
        """Note what is wrong with tags."""
        self.many(path, values, limits.TAGS, limits.TAG)
        for number, value in enumerate(values):
            if _FOR_TAGS.search(value):
                self.add(f"{path}[{number}]", "has a control character")

    def data(self, path: str, value: Any, most_bytes: int) -> None:
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

    def unique(self, path: str, ids: list[str]) -> None:
        """Note ids that stand there twice."""
        for number, one in enumerate(ids):
            if one in ids[:number]:
                self.add(f"{path}[{number}].id", f"{one!r} is there already")

    def tell(self, hint: str | None = None) -> None:
        """Raise what was found, if anything.

        Raises:
            InvalidAgentError: with all of it.
        """
        if self.found:
            raise InvalidAgentError(self.found, hint=hint)


def fail(path: str, message: str) -> InvalidAgentError:
    """The error for a single fault."""
    return InvalidAgentError([Issue(path, message)])


def read(kind: type[Kept], data: Mapping[str, Any]) -> Kept:
    """Make a struct of JSON data, key by key, so that every wrong type is told.

    Raises:
        InvalidAgentError: for wrong types, and required keys that are missing.
    """
    issues = Issues()
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in data:
            value, found = _converted(data[field.encode_name], field.type, field.encode_name)
            values[field.name] = value
            issues.found += found
        elif field.required:
            issues.add(field.encode_name, "is missing")
    issues.tell()
    return kind(**values)


def merged(kept: Kept, changes: Mapping[str, Any], allowed: frozenset[str]) -> Kept:
    """A copy of a struct with the values of some JSON keys; keys that are not allowed are ignored.

    Raises:
        InvalidAgentError: for wrong types.
    """
    issues = Issues()
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(type(kept)):
        name = field.encode_name
        if name in allowed and name in changes:
            value, found = _converted(changes[name], field.type, name)
            values[field.name] = value
            issues.found += found
    issues.tell()
    return msgspec.structs.replace(kept, **values)


def _converted(value: Any, kind: Any, path: str) -> tuple[Any, list[Issue]]:
    try:
        # To plain data first: structs inside are copied, and checked like what comes from outside.
        plain = msgspec.to_builtins(value)
        return msgspec.convert(plain, kind), []
    except msgspec.ValidationError as error:
        found = _PLACE.fullmatch(str(error))
        assert found is not None  # noqa: S101 - every text matches
        return None, [Issue(path + (found["path"] or ""), found["message"])]
    except (TypeError, ValueError, RecursionError) as error:
        return None, [Issue(path, f"is no JSON data: {error}")]


def checked_new_agent(given: NewAgent | Mapping[str, Any]) -> NewAgent:
    """What an agent is to be made from, with the types that it should have.

    Raises:
        InvalidAgentError: for wrong types.
    """
    data = msgspec.to_builtins(given) if isinstance(given, NewAgent) else given
    return read(NewAgent, data)


def checked_agent(agent: Agent) -> Agent:
    """A tidied copy of an agent.

    Raises:
        InvalidAgentError: when it cannot be kept.
    """
    tidy = _tidied(agent)
    issues = Issues()
    issues.text("name", tidy.name, limits.NAME, least=1)
    issues.text("description", tidy.description, limits.DESCRIPTION)
    issues.text("systemPrompt", tidy.system_prompt, limits.SYSTEM_PROMPT)
    issues.text("appearanceSeed", tidy.appearance_seed, limits.APPEARANCE_SEED)
    issues.many("contextRefs", tidy.context_refs, limits.REFERENCES, limits.REFERENCE)
    issues.tags("tags", tidy.tags)
    issues.data("extra", tidy.extra, limits.EXTRA_BYTES)
    _check_categories(tidy, issues)
    _check_skills(tidy, issues)
    issues.tell()
    return tidy


def _tidied(agent: Agent) -> Agent:
    categories = agent.skill_categories or [general_category()]
    known = {category.id for category in categories}
    replaced = msgspec.structs.replace
    return replaced(
        agent,
        name=agent.name.strip(),
        tags=tidy_tags(agent.tags),
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


def tidy_tags(tags: Iterable[str]) -> list[str]:
    """Tags without blanks around them, none twice, none empty."""
    return list(dict.fromkeys(stripped for tag in tags if (stripped := tag.strip())))


def _check_categories(agent: Agent, issues: Issues) -> None:
    categories = agent.skill_categories
    if len(categories) > limits.CATEGORIES:
        issues.add(
            "skillCategories",
            f"has {len(categories)} items; at most {limits.CATEGORIES} are allowed",
        )
    issues.unique("skillCategories", [category.id for category in categories])
    for number, category in enumerate(categories):
        path = f"skillCategories[{number}]"
        issues.text(f"{path}.id", category.id, limits.IDENTIFIER, least=1)
        issues.text(f"{path}.name", category.name, limits.NAME, least=1)
        if not is_color(category.color):
            issues.add(f"{path}.color", "must be a color like #61988E")


def _check_skills(agent: Agent, issues: Issues) -> None:
    if len(agent.skills) > limits.SKILLS:
        issues.add("skills", f"has {len(agent.skills)} items; at most {limits.SKILLS} are allowed")
    issues.unique("skills", [skill.id for skill in agent.skills])
    for number, skill in enumerate(agent.skills):
        path = f"skills[{number}]"
        issues.text(f"{path}.id", skill.id, limits.IDENTIFIER, least=1)
        issues.text(f"{path}.name", skill.name, limits.NAME, least=1)
        issues.text(f"{path}.description", skill.description, limits.SKILL_DESCRIPTION)
        issues.text(f"{path}.whenToUse", skill.when_to_use, limits.WHEN_TO_USE)
        issues.text(f"{path}.libraryId", skill.library_id or "", limits.IDENTIFIER)
        issues.many(f"{path}.requires", skill.requires, limits.REQUIREMENTS, limits.IDENTIFIER)


def checked_entry(entry: BrainEntry) -> BrainEntry:
    """A tidied copy of an entry.

    Raises:
        InvalidAgentError: when it cannot be kept.
    """
    tidy = msgspec.structs.replace(entry, content=entry.content.strip(), tags=tidy_tags(entry.tags))
    issues = Issues()
    if tidy.type not in ENTRY_TYPES:
        issues.add("type", f"must be one of {', '.join(ENTRY_TYPES)}")
    issues.text("id", tidy.id, limits.IDENTIFIER, least=1)
    issues.text("content", tidy.content, limits.ENTRY_CONTENT, least=1)
    issues.tags("tags", tidy.tags)
    issues.data("metadata", tidy.metadata, limits.METADATA_BYTES)
    for key in ("source", "sessionId", "workspaceId"):
        value = tidy.metadata.get(key)
        if value is None:
            continue
        if isinstance(value, str):
            issues.text(f"metadata.{key}", value, limits.REFERENCE)
        else:
            issues.add(f"metadata.{key}", "must be a text")
    issues.tell()
    return tidy


def checked_library_skill(skill: LibrarySkill) -> LibrarySkill:
    """A tidied copy of a skill of the library.

    Raises:
        InvalidAgentError: when it cannot be kept.
    """
    tidy = msgspec.structs.replace(skill, name=skill.name.strip(), tags=tidy_tags(skill.tags))
    issues = Issues()
    issues.text("name", tidy.name, limits.NAME, least=1)
    issues.text("description", tidy.description, limits.SKILL_DESCRIPTION)
    issues.text("whenToUse", tidy.when_to_use, limits.WHEN_TO_USE)
    issues.many("requires", tidy.requires, limits.REQUIREMENTS, limits.IDENTIFIER)
    issues.tags("tags", tidy.tags)
    issues.tell()
    return tidy


def checked_pack(pack: Pack) -> Pack:
    """A tidied copy of a pack.

    Raises:
        InvalidAgentError: when it cannot be kept.
    """
    tidy = msgspec.structs.replace(pack, name=pack.name.strip())
    issues = Issues()
    issues.text("name", tidy.name, limits.NAME, least=1)
    issues.text("description", tidy.description, limits.DESCRIPTION)
    issues.tell()
    return tidy


def is_color(text: str) -> bool:
    """Whether a text is a color as categories have it."""
    return _COLOR.fullmatch(text) is not None


def checked_moment(path: str, text: str | None, moment: Callable[[str], str]) -> str | None:
    """A date or time that somebody gave, as the zoo writes it.

    Raises:
        InvalidAgentError: when it is neither.
    """
    if text is None:
        return None
    try:
        return moment(text.strip())
    except (ValueError, OverflowError):
        raise fail(path, f"{text[:40]!r} is neither a date nor a time like 2026-01-31") from None


def checked_page_size(limit: int | None) -> int | None:
    """How many items a page may have; None is all of them.

    Raises:
        InvalidAgentError: when no page can be that large.
    """
    if limit is not None and not 1 <= limit <= limits.PAGE:
        raise fail("limit", f"must be a number from 1 to {limits.PAGE}")
    return limit
