"""Conversion of agents to and from files with front matter, for all such formats.

The original file is stored with the agent. Writing the agent changes the file only where the agent
differs from it, and leaves everything else as its author wrote it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from paddock.zoo.formats import front_matter
from paddock.zoo.formats.exchange import File, Remark
from paddock.zoo.formats.soul_markdown import (
    Persona,
    format_persona,
    make_persona,
    make_skills,
    parse_persona,
)
from paddock.zoo.model import GENERAL_CATEGORY_ID, Agent
from paddock.zoo.slugs import (
    collapse_whitespace,
    find_free_slug,
    is_portable_path,
    make_file_slug,
    make_printable,
    make_title,
)
from paddock.zoo.validation import list_editable_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.formats.front_matter import FrontMatterFile

Json = dict[str, Any]

# Fields that files contain, that have their own remarks, or that only matter in the zoo. Any new
# agent field is reported as not written.
_HANDLED_FIELDS = frozenset(
    {
        *("name", "description", "systemPrompt", "skills", "skillCategories"),
        *("appearanceSeed", "injectsMemory", "archived", "extra"),
    }
)


@dataclass(frozen=True)
class AgentFileFormat:
    """A format with one Markdown file per agent, with front matter."""

    name: str
    title: str
    folder: str
    """The folder of new files."""
    suffix: str
    extra_path_patterns: tuple[str, ...] = ()
    """Patterns of other paths that are read but not written."""
    name_style: Literal["slug", "free", "none"] = "none"
    """The kind of name in the front matter: a slug, any text, or none."""
    needs_description: bool = True
    has_description: bool = True
    default_fields: Json = field(default_factory=dict)
    """Additional fields of new files."""
    max_characters: int | None = None
    """Maximum length of the body."""
    placeholder_pattern: str | None = None
    """A pattern for placeholders that the program replaces in the body."""
    is_for_user: bool = False
    """Whether the files are in the user's home directory instead of a project."""

    @property
    def known_fields(self) -> frozenset[str]:
        """The front matter keys that have a counterpart in the zoo."""
        keys = [("name", self.name_style != "none"), ("description", self.has_description)]
        return frozenset(key for key, is_known in keys if is_known)

    def make_path(self, stem: str) -> str:
        """Return the file path for a new agent."""
        return f"{self.folder}/{stem}{self.suffix}"

    def find_stem(self, path: str) -> str | None:
        """Return the stem of a file in this format: `ada` for `.claude/agents/ada.md`.

        Return None for a path of another format. This is also used to detect a file's format.
        """
        patterns = (
            rf"{re.escape(self.folder)}/([^/]+){re.escape(self.suffix)}",
            *self.extra_path_patterns,
        )
        for pattern in patterns:
            if match := re.fullmatch(pattern, path):
                return match[1]
        return None


class ParsedAgentFile(NamedTuple):
    """The content of one agent file."""

    id: str
    name: str
    """The display name."""
    description: str
    persona: Persona
    """The soul (the system prompt) and the skills, which form the body of the file."""
    other_fields: Json
    """Front matter fields that have no counterpart in the zoo."""


def parse_agent_file(
    file_format: AgentFileFormat, path: str, document: FrontMatterFile
) -> ParsedAgentFile:
    """Extract an agent's fields from a file with front matter.

    The ID comes from the field `name` if the format requires a slug there, and otherwise from the
    path. The display name comes from the comment `# zoo-name: …`, from the field `name`, or from
    the path, in this order.
    """
    fields = document.get_fields()
    # A file outside the format's folders is identified by its name: `notes/ada.md` by `ada`.
    stem = file_format.find_stem(path) or path.rpartition("/")[2].partition(".")[0]
    name = ""
    if file_format.name_style != "none":
        name = collapse_whitespace(front_matter.get_text(fields, "name"))
    if file_format.name_style == "slug":
        id_text, default_title = name or stem, make_title(name or stem)
    else:
        id_text, default_title = stem, name or make_title(stem)
    title = collapse_whitespace(document.get_name_comment() or default_title)
    description = front_matter.get_text(fields, "description").strip()
    return ParsedAgentFile(
        id=make_file_slug(id_text, "agent"),
        name=title or make_title(make_file_slug(stem, "agent")),
        description=description if file_format.has_description else "",
        persona=parse_persona(document.body),
        other_fields={
            key: value for key, value in fields.items() if key not in file_format.known_fields
        },
    )


def convert_file_to_agent(file_format: AgentFileFormat, file: File) -> tuple[Agent, list[Remark]]:
    """Return the agent that a file describes, and remarks about anything the user should check.

    The agent's `extra` stores the data needed to write the file back unchanged.
    """
    document = front_matter.parse_front_matter(file.text)
    parsed = parse_agent_file(file_format, file.path, document)
    agent = Agent(
        id=parsed.id,
        name=parsed.name,
        description=parsed.description,
        system_prompt=parsed.persona.soul,
        skills=make_skills(parsed.persona),
        extra={file_format.name: _make_origin(file.path, document, parsed)},
    )
    return agent, list(_iterate_import_remarks(file_format, file, document, agent))


def _make_origin(path: str, document: FrontMatterFile, parsed: ParsedAgentFile) -> Json:
    """Return the data needed to write a file back byte for byte: `{"path": …, "head": …}`.

    The agent stores this data in `extra`. It contains the path, the front matter (`head`), the
    fields without a counterpart in the zoo, and the white space around the body (`before` and
    `after`). The body itself is included only if formatting the agent would not reproduce it.
    """
    origin: Json = {
        "path": path,
        "head": document._replace(body="").text,
        "fields": parsed.other_fields,
    }
    text = document.body.strip()
    leading_space, _, trailing_space = (
        document.body.partition(text) if text else (document.body, "", "")
    )
    origin_without_body = {**origin, "before": leading_space, "after": trailing_space}
    # The agent already has the text. Store it again only if formatting would change it.
    is_restorable = _restore_document(origin_without_body, parsed.persona) == document
    return origin_without_body if is_restorable else {**origin, "body": document.body}


def _restore_document(origin: Json, persona: Persona) -> FrontMatterFile | None:
    """Return the file that an agent was imported from, or None if it was not imported.

    If the original body is stored, the result is the original file. Otherwise, the body is
    formatted from the persona.

    Args:
        origin: The data that `_make_origin` has stored.
        persona: The agent's current soul and skills.
    """
    head, body = origin.get("head"), origin.get("body")
    if not isinstance(head, str):
        return None
    if isinstance(body, str):
        return front_matter.parse_front_matter(head + body)
    leading_space, trailing_space = origin.get("before", ""), origin.get("after", "")
    document = front_matter.parse_front_matter(head)
    line_end = document.line_end if document.closing else "\n"
    text = format_persona(persona).replace("\n", line_end)
    return document._replace(body=f"{leading_space}{text}{trailing_space}")


def _iterate_import_remarks(
    file_format: AgentFileFormat, file: File, document: FrontMatterFile, agent: Agent
) -> Iterator[Remark]:
    """Yield remarks about parts of a file that need the user's attention after an import.

    These parts are damaged front matter, fields without a counterpart in the zoo, and a missing
    body.
    """
    if not document.is_yaml:
        message = "the front matter is not valid YAML; read line by line and left unchanged"
        yield Remark("file", message, agent_id=agent.id, path=file.path)
    for key in agent.extra[file_format.name]["fields"]:
        message = f"only {file_format.title} has this field; it is preserved on export"
        yield Remark(key, message, agent_id=agent.id, path=file.path)
    if not agent.system_prompt and not agent.skills:
        yield Remark("file", "the file has no text", agent_id=agent.id, path=file.path)


def convert_agent_to_file(
    file_format: AgentFileFormat, agent: Agent, used_paths: set[str]
) -> tuple[File, list[Remark]]:
    """Convert an agent to a file, with remarks about data that is not written.

    An imported agent is written back into its original file, so everything unknown to the zoo stays
    unchanged.

    Args:
        file_format: The format of the file.
        agent: The agent.
        used_paths: The paths of the files written so far, in lower case. An unused path is chosen
            and added to the set.
    """
    origin = agent.extra.get(file_format.name, {})
    path = _choose_path(file_format, agent, origin, used_paths)
    used_paths.add(path.lower())
    persona = make_persona(agent)
    # Start from the original file or an empty one, and change only the parts that differ.
    original = _restore_document(origin, persona)
    document = original or front_matter.parse_front_matter("")
    parsed = parse_agent_file(file_format, path, document)
    document = _update_front_matter(
        file_format, agent, document, parsed, origin, is_new=original is None
    )
    if persona != parsed.persona:
        document = document.with_body(format_persona(persona))
    remarks = list(_iterate_export_remarks(file_format, agent, persona, path))
    return File(path=path, text=document.text), remarks


def _choose_path(
    file_format: AgentFileFormat, agent: Agent, origin: Json, used_paths: set[str]
) -> str:
    """Return the path an agent was imported from, or a new one if that is invalid or in use."""

    def is_used(path: str) -> bool:
        # Paths are compared in lower case, because some file systems ignore case.
        return path.lower() in used_paths

    original_path = origin.get("path")
    if (
        isinstance(original_path, str)
        and file_format.find_stem(original_path) is not None
        and not is_used(original_path)
        and is_portable_path(original_path)
    ):
        return original_path
    slug = make_file_slug(agent.id, "agent")
    stem = find_free_slug(slug, lambda candidate: is_used(file_format.make_path(candidate)))
    return file_format.make_path(stem)


def _update_front_matter(
    file_format: AgentFileFormat,
    agent: Agent,
    document: FrontMatterFile,
    parsed: ParsedAgentFile,
    origin: Json,
    *,
    is_new: bool,
) -> FrontMatterFile:
    """Return the file with the agent's name, description and other fields.

    Only fields that differ are changed. A name that the front matter cannot represent is stored in
    a comment, so it survives the next import.

    `is_new` is true if the agent has no original file, which means that all fields must be written.
    """
    name = make_printable(agent.name) or make_title(agent.id)
    changes: Json = {}
    # An existing name stays as its author wrote it, even if the zoo's ID differs.
    if file_format.name_style == "slug" and is_new:
        changes["name"] = make_file_slug(agent.id, "agent")
    if file_format.name_style == "free" and (is_new or parsed.name != name):
        changes["name"] = name
    description = agent.description.strip()
    if file_format.has_description and (is_new or description != parsed.description):
        changes["description"] = description or (name if file_format.needs_description else "")
    if is_new:
        changes |= file_format.default_fields
    # Fields that only the other program knows come from the stored file.
    removed: tuple[str, ...] = ()
    stored_fields = origin.get("fields")
    if isinstance(stored_fields, dict):
        changes |= {
            key: value
            for key, value in stored_fields.items()
            if key not in file_format.known_fields
        }
        removed = tuple(key for key in parsed.other_fields if key not in stored_fields)
    document = document.with_fields(changes, removed=removed)
    if file_format.name_style == "free":
        return document.with_name_comment(None)
    # Without the comment, the name is derived from the file. The comment is needed only if that
    # gives a different name.
    untitled = parse_agent_file(
        file_format,
        file_format.make_path(make_file_slug(agent.id, "agent")),
        document.with_name_comment(None),
    )
    if not is_new and parsed.name == name:
        return document
    return document.with_name_comment(None if untitled.name == name else name)


def _iterate_export_remarks(
    file_format: AgentFileFormat, agent: Agent, persona: Persona, path: str
) -> Iterator[Remark]:
    """Yield remarks about data that the format cannot represent, or that its program will alter.

    Args:
        file_format: The format of the file.
        agent: The exported agent.
        persona: The agent's soul and skills, which form the body of the file.
        path: The path of the file, for the remarks.
    """

    def make_remark(key: str, message: str) -> Remark:
        return Remark(key, message, agent_id=agent.id, path=path)

    program, max_characters = file_format.title, file_format.max_characters
    for key, message in iterate_unsupported_fields(agent):
        yield make_remark(key, message)
    if file_format.has_description:
        if file_format.needs_description and not agent.description.strip():
            yield make_remark("description", f"{program} requires a description; the name is used")
    elif agent.description:
        yield make_remark("description", f"{program} has no description")
    body = format_persona(persona)
    if max_characters is not None and len(body) > max_characters:
        message = f"{len(body):,} characters with the skills; {program} allows {max_characters:,}"
        yield make_remark("systemPrompt", message)
    if not body:
        yield make_remark("systemPrompt", "the agent has neither a soul nor an enabled skill")
    pattern = file_format.placeholder_pattern
    if pattern and (placeholder := re.search(pattern, body)):
        yield make_remark("systemPrompt", f"{program} replaces {placeholder[0]} in the text")


def iterate_unsupported_fields(agent: Agent) -> Iterator[tuple[str, str]]:
    """Yield the parts of an agent that no other program's file format can represent.

    Each pair has the JSON key of a field and an explanation for the user, such as `("skills",
    "requirements of skills are not written")`.
    """
    enabled = [skill for skill in agent.skills if skill.enabled]
    disabled = [skill.name for skill in agent.skills if not skill.enabled]
    if disabled:
        yield "skills", f"disabled skills are not written: {', '.join(disabled)}"
    if any(skill.category_id != GENERAL_CATEGORY_ID for skill in enabled):
        yield "skillCategories", "skills are written without their categories"
    if any(skill.requires for skill in enabled):
        yield "skills", "requirements of skills are not written"
    if any(
        collapse_whitespace(skill.when_to_use) != skill.when_to_use.strip()
        for skill in agent.skills
    ):
        yield "skills", "when to use a skill is written on one line"
    for info in list_editable_fields(Agent):
        value = getattr(agent, info.name)
        if value and info.encode_name not in _HANDLED_FIELDS:
            text = ", ".join(value) if isinstance(value, list) else value
            yield info.encode_name, f"not written: {text}"
