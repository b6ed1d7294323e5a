"""Conversion of an agent to a file with front matter, and back, for all such formats.

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

# Fields that files contain, that have remarks of their own, or that matter in the zoo only. A new
# field of an agent is reported as not written.
_HANDLED_FIELDS = frozenset(
    {
        *("name", "description", "systemPrompt", "skills", "skillCategories"),
        *("appearanceSeed", "injectsMemory", "archived", "extra"),
    }
)


@dataclass(frozen=True)
class AgentFileFormat:
    """A format with one Markdown file for each agent, with front matter."""

    name: str
    title: str
    folder: str
    """The folder of new files."""
    suffix: str
    extra_path_patterns: tuple[str, ...] = ()
    """Patterns of further paths that are read but not written."""
    name_style: Literal["safe", "free", "none"] = "none"
    """The kind of name in the front matter: a slug, any text, or none."""
    needs_description: bool = True
    has_description: bool = True
    default_fields: Json = field(default_factory=dict)
    """Further fields of new files."""
    max_characters: int | None = None
    """Maximum length of the body."""
    placeholder_pattern: str | None = None
    """A pattern of placeholders that the program replaces in the body."""
    is_for_user: bool = False
    """Whether the files are in the user's home directory instead of a project."""

    @property
    def known_fields(self) -> frozenset[str]:
        """The keys of the front matter that have a counterpart in the zoo."""
        keys = [("name", self.name_style != "none"), ("description", self.has_description)]
        return frozenset(key for key, is_known in keys if is_known)

    def make_path(self, stem: str) -> str:
        """Return the path of the file of a new agent."""
        return f"{self.folder}/{stem}{self.suffix}"

    def find_stem(self, path: str) -> str | None:
        """Return the name that a path gives its agent, or None for a path of another format.

        This is also how the format of a file is detected.
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
    """The fields of an agent, as a file contains them."""

    id: str
    name: str
    description: str
    persona: Persona
    other_fields: Json
    """Fields of the front matter that have no counterpart in the zoo."""


def parse_agent_file(
    file_format: AgentFileFormat, path: str, document: FrontMatterFile
) -> ParsedAgentFile:
    """Extract the fields of an agent from a file.

    The ID comes from the name in the front matter if the format requires a slug there, and from the
    path otherwise. The display name is the one in the name comment, in the front matter or in the
    path, in this order.
    """
    fields = document.get_fields()
    # A file outside of the format's folders is identified by its name: `notes/ada.md` by `ada`.
    stem = file_format.find_stem(path) or path.rpartition("/")[2].partition(".")[0]
    name = ""
    if file_format.name_style != "none":
        name = collapse_whitespace(front_matter.get_text(fields, "name"))
    is_slug = file_format.name_style == "safe"
    title = name if name and not is_slug else make_title(name or stem)
    title = collapse_whitespace(document.get_name_comment() or title)
    description = front_matter.get_text(fields, "description").strip()
    return ParsedAgentFile(
        id=make_file_slug(name if name and is_slug else stem, "agent"),
        name=title or make_title(make_file_slug(stem, "agent")),
        description=description if file_format.has_description else "",
        persona=parse_persona(document.body),
        other_fields={
            key: value for key, value in fields.items() if key not in file_format.known_fields
        },
    )


def convert_file_to_agent(file_format: AgentFileFormat, file: File) -> tuple[Agent, list[Remark]]:
    """Return the agent that a file describes, and remarks about the rest of the file."""
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
    """Return the data by which the original file can be restored: `{"path": …, "head": …, …}`.

    The agent stores this data in `extra`. It contains the path, the front matter (`head`) and the
    fields without a counterpart in the zoo. The body is included only if formatting the agent does
    not give the same text.
    """
    origin: Json = {
        "path": path,
        "head": document._replace(body="").text,
        "fields": parsed.other_fields,
    }
    text = document.body.strip()
    before, _, after = document.body.partition(text) if text else (document.body, "", "")
    compact = {**origin, "before": before, "after": after}
    # The agent has the text too. Store it a second time only if formatting would change it.
    is_restorable = _restore_document(compact, parsed.persona) == document
    return compact if is_restorable else {**origin, "body": document.body}


def _restore_document(origin: Json, persona: Persona) -> FrontMatterFile | None:
    """Return the original file with the agent's present texts, or None without an original.

    Args:
        origin: The data that `_make_origin` has stored. If it includes the original body, that body
            is used unchanged.
        persona: The agent's soul and skills.
    """
    head, body = origin.get("head"), origin.get("body")
    if not isinstance(head, str):
        return None
    if isinstance(body, str):
        return front_matter.parse_front_matter(head + body)
    before, after = origin.get("before", ""), origin.get("after", "")
    document = front_matter.parse_front_matter(head)
    end = document.line_end if document.closing else "\n"
    text = format_persona(persona).replace("\n", end)
    return document._replace(body=f"{before}{text}{after}")


def _iterate_import_remarks(
    file_format: AgentFileFormat, file: File, document: FrontMatterFile, agent: Agent
) -> Iterator[Remark]:
    """Yield remarks about parts of a file that need the user's attention after an import."""
    if not document.is_yaml:
        text = "the front matter is not valid YAML; read line by line and left unchanged"
        yield Remark("file", text, agent_id=agent.id, path=file.path)
    for key in agent.extra[file_format.name]["fields"]:
        text = f"only {file_format.title} has this field; it is preserved on export"
        yield Remark(key, text, agent_id=agent.id, path=file.path)
    if not agent.system_prompt and not agent.skills:
        yield Remark("file", "the file has no text", agent_id=agent.id, path=file.path)


def convert_agent_to_file(
    file_format: AgentFileFormat, agent: Agent, used_paths: set[str]
) -> tuple[File, list[Remark]]:
    """Convert an agent to a file, with remarks about data that is not written.

    An agent that was imported is written back into its original file, so everything that the zoo
    does not know stays as it was. The path is added to `used_paths`, and is never one that is
    already there.
    """
    origin = agent.extra.get(file_format.name, {})
    path = _choose_path(file_format, agent, origin, used_paths)
    # Paths are compared in lower case, because some file systems ignore case.
    used_paths.add(path.lower())
    persona = make_persona(agent)
    original = _restore_document(origin, persona)
    document = original or front_matter.parse_front_matter("")
    parsed = parse_agent_file(file_format, path, document)
    document = _update_front_matter(
        file_format, agent, document, parsed, origin, is_new=original is None
    )
    if persona != parsed.persona:
        document = document.with_body(format_persona(persona))
    return File(path=path, text=document.text), list(
        _iterate_export_remarks(file_format, agent, persona, path)
    )


def _choose_path(
    file_format: AgentFileFormat, agent: Agent, origin: Json, used_paths: set[str]
) -> str:
    """Return the path that the agent was read from if it may be written, or a new one."""
    original = origin.get("path")
    if (
        isinstance(original, str)
        and file_format.find_stem(original) is not None
        and original.lower() not in used_paths
        and is_portable_path(original)
    ):
        return original
    slug = make_file_slug(agent.id, "agent")
    return file_format.make_path(
        find_free_slug(slug, lambda stem: file_format.make_path(stem) in used_paths)
    )


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

    Only fields that differ are changed. A name that the front matter cannot hold is stored in a
    comment, so that it survives the next import.

    `is_new` is true if the agent has no original file, so that all fields have to be written.
    """
    name = make_printable(agent.name) or make_title(agent.id)
    changes: Json = {}
    # An existing name stays as its author wrote it, also if the zoo's ID differs.
    if file_format.name_style == "safe" and is_new:
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
    # gives another name.
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
    """Yield remarks about data that the format cannot represent, or that its program changes."""

    def make_remark(key: str, message: str) -> Remark:
        return Remark(key, message, agent_id=agent.id, path=path)

    yield from (make_remark(key, text) for key, text in iterate_unsupported_fields(agent))
    if (
        file_format.has_description
        and file_format.needs_description
        and not agent.description.strip()
    ):
        yield make_remark(
            "description", f"{file_format.title} requires a description; the name is used"
        )
    if not file_format.has_description and agent.description:
        yield make_remark("description", f"{file_format.title} has no description")
    length = len(format_persona(persona))
    if file_format.max_characters is not None and length > file_format.max_characters:
        text = f"{length:,} characters with the skills; {file_format.title} allows "
        yield make_remark("systemPrompt", f"{text}{file_format.max_characters:,}")
    if not length:
        yield make_remark("systemPrompt", "the agent has neither a soul nor an enabled skill")
    pattern = file_format.placeholder_pattern
    if pattern and (placeholder := re.search(pattern, format_persona(persona))):
        yield make_remark(
            "systemPrompt", f"{file_format.title} replaces {placeholder[0]} in the text"
        )


def iterate_unsupported_fields(agent: Agent) -> Iterator[tuple[str, str]]:
    """Yield the fields of an agent that no format of other programs has.

    Each field comes with an explanation for the report of an export.
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
