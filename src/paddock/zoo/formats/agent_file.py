"""An agent as a file of another program, and back: what all formats of one file have in common.

A file that was read is kept with the agent. Writing the agent changes that file where the agent
says something else by now, and leaves the rest of it as its author wrote it.
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
    make_title,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.formats.front_matter import FrontMatterFile

Json = dict[str, Any]


@dataclass(frozen=True)
class AgentFileFormat:
    """How a program has its agents: one Markdown file for each, with front matter."""

    name: str
    title: str
    folder: str
    """Where new files go."""
    suffix: str
    extra_path_patterns: tuple[str, ...] = ()
    """Patterns of further paths that are read."""
    name_style: Literal["safe", "free", "none"] = "none"
    """Whether the front matter has a name, and what it may be."""
    needs_description: bool = True
    has_description: bool = True
    default_fields: Json = field(default_factory=dict)
    """What a new file says besides."""
    max_characters: int | None = None
    """Of the text."""
    placeholder_pattern: str | None = None
    """A pattern of what the program replaces in the text."""
    is_for_user: bool = False
    """Whether the program reads the files in the user's home only, and not in a project."""

    @property
    def known_fields(self) -> frozenset[str]:
        """The keys of the front matter that the zoo has a place for."""
        keys = [("name", self.name_style != "none"), ("description", self.has_description)]
        return frozenset(key for key, is_known in keys if is_known)

    def make_path(self, stem: str) -> str:
        """Where the file of a new agent goes."""
        return f"{self.folder}/{stem}{self.suffix}"

    def parse_stem(self, path: str) -> str | None:
        """The name that a path gives an agent; None of a file that is not in this format."""
        patterns = (
            rf"{re.escape(self.folder)}/([^/]+){re.escape(self.suffix)}",
            *self.extra_path_patterns,
        )
        for pattern in patterns:
            if found := re.fullmatch(pattern, path):
                return found[1]
        return None


class ParsedAgentFile(NamedTuple):
    """What a file says of an agent."""

    id: str
    name: str
    description: str
    persona: Persona
    other_fields: Json
    """What the front matter has that the zoo has no place for."""


def parse_agent_file(
    kind: AgentFileFormat, path: str, document: FrontMatterFile
) -> ParsedAgentFile:
    """What a file says."""
    fields = document.get_fields()
    stem = kind.parse_stem(path) or path.rpartition("/")[2].partition(".")[0]
    given = fields.get("name") if kind.name_style != "none" else None
    called = collapse_whitespace(given) if isinstance(given, str) else ""
    shown = called if kind.name_style == "free" and called else make_title(called or stem)
    shown = document.get_title() or shown
    described = fields.get("description") if kind.has_description else None
    return ParsedAgentFile(
        id=make_file_slug(called if kind.name_style == "safe" and called else stem, "agent"),
        name=collapse_whitespace(shown) or make_title(make_file_slug(stem, "agent")),
        description=described.strip() if isinstance(described, str) else "",
        persona=parse_persona(document.body),
        other_fields={key: value for key, value in fields.items() if key not in kind.known_fields},
    )


def convert_file_to_agent(kind: AgentFileFormat, file: File) -> tuple[Agent, list[Remark]]:
    """The agent that a file describes, and what of the file has no place in the zoo."""
    document = front_matter.parse_front_matter(file.text)
    said = parse_agent_file(kind, file.path, document)
    agent = Agent(
        id=said.id,
        name=said.name,
        description=said.description,
        system_prompt=said.persona.soul,
        skills=make_skills(said.persona),
        extra={kind.name: _make_origin(file.path, document, said)},
    )
    return agent, list(_iterate_import_remarks(kind, file, document, agent))


def _make_origin(path: str, document: FrontMatterFile, said: ParsedAgentFile) -> Json:
    """What is kept of a file: all but the text, where that can be made again as it was."""
    found: Json = {
        "path": path,
        "head": document._replace(body="").text,
        "fields": said.other_fields,
    }
    old = document.body.strip()
    before, _, after = document.body.partition(old) if old else (document.body, "", "")
    around = {**found, "before": before, "after": after}
    again = _restore_document(around, said.persona)
    return around if again == document else {**found, "body": document.body}


def _restore_document(origin: Json, persona: Persona) -> FrontMatterFile | None:
    """The file that an agent was read from, with its text of now where the old one is not kept."""
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
    kind: AgentFileFormat, file: File, document: FrontMatterFile, agent: Agent
) -> Iterator[Remark]:
    if not document.is_yaml:
        text = "the front matter is no YAML, and was read line by line; it stays as it is"
        yield Remark(field="file", message=text, agent_id=agent.id, path=file.path)
    for key in agent.extra[kind.name]["fields"]:
        text = f"{kind.title} alone knows it: it is kept, and written back"
        yield Remark(field=key, message=text, agent_id=agent.id, path=file.path)
    if not agent.system_prompt and not agent.skills:
        yield Remark(field="file", message="there is no text", agent_id=agent.id, path=file.path)


def convert_agent_to_file(
    kind: AgentFileFormat, agent: Agent, taken: set[str]
) -> tuple[File, list[Remark]]:
    """An agent as a file, at a path that is not taken, and what of the agent does not fit."""
    origin = agent.extra.get(kind.name, {})
    path = _choose_path(kind, agent, origin, taken)
    taken.add(path.lower())
    wanted = make_persona(agent)
    found = _restore_document(origin, wanted)
    document = front_matter.parse_front_matter("") if found is None else found
    said = parse_agent_file(kind, path, document)
    document = _update_front_matter(kind, agent, document, said, origin, is_new=found is None)
    if wanted != said.persona:
        document = document.with_body(format_persona(wanted))
    return File(path=path, text=document.text), list(
        _iterate_export_remarks(kind, agent, wanted, path)
    )


def _choose_path(kind: AgentFileFormat, agent: Agent, origin: Json, taken: set[str]) -> str:
    """The path that the agent was read from, if that is one that may be written, or a new one."""
    before = origin.get("path")
    if (
        isinstance(before, str)
        and kind.parse_stem(before) is not None
        and before.lower() not in taken
        and is_portable_path(before)
    ):
        return before
    return kind.make_path(
        find_free_slug(
            make_file_slug(agent.id, "agent"), lambda stem: kind.make_path(stem) in taken
        )
    )


def _update_front_matter(
    kind: AgentFileFormat,
    agent: Agent,
    document: FrontMatterFile,
    said: ParsedAgentFile,
    origin: Json,
    *,
    is_new: bool,
) -> FrontMatterFile:
    name = _remove_unprintable(agent.name) or make_title(agent.id)
    changes: Json = {}
    if kind.name_style == "safe" and is_new:
        changes["name"] = make_file_slug(agent.id, "agent")
    if kind.name_style == "free" and (is_new or said.name != name):
        changes["name"] = name
    description = agent.description.strip()
    if kind.has_description and (is_new or description != said.description):
        changes["description"] = description or (name if kind.needs_description else "")
    if is_new:
        changes |= kind.default_fields
    removed: tuple[str, ...] = ()
    others = origin.get("fields")
    if isinstance(others, dict):
        changes |= {key: value for key, value in others.items() if key not in kind.known_fields}
        removed = tuple(key for key in said.other_fields if key not in others)
    document = document.with_fields(changes, removed=removed)
    if kind.name_style == "free":
        return document.with_title(None)
    untitled = parse_agent_file(
        kind, kind.make_path(make_file_slug(agent.id, "agent")), document.with_title(None)
    )
    if not is_new and said.name == name:
        return document
    return document.with_title(None if untitled.name == name else name)


def _remove_unprintable(name: str) -> str:
    return "".join(letter for letter in collapse_whitespace(name) if letter.isprintable())


def _iterate_export_remarks(
    kind: AgentFileFormat, agent: Agent, persona: Persona, path: str
) -> Iterator[Remark]:
    def make_remark(key: str, message: str) -> Remark:
        return Remark(field=key, message=message, agent_id=agent.id, path=path)

    yield from (make_remark(key, text) for key, text in list_unsupported_fields(agent))
    if kind.has_description and kind.needs_description and not agent.description.strip():
        yield make_remark("description", f"{kind.title} needs one, and is given the name")
    if not kind.has_description and agent.description:
        yield make_remark("description", f"{kind.title} has no place for it")
    length = len(format_persona(persona))
    if kind.max_characters is not None and length > kind.max_characters:
        text = f"{length:,} characters with the skills, and {kind.title} takes "
        yield make_remark("systemPrompt", f"{text}{kind.max_characters:,}")
    if not length:
        yield make_remark("systemPrompt", "there is neither a soul nor an enabled skill")
    found = (
        re.search(kind.placeholder_pattern, format_persona(persona))
        if kind.placeholder_pattern
        else None
    )
    if found is not None:
        yield make_remark(
            "systemPrompt", f"{kind.title} puts something else in the place of {found[0]}"
        )


def list_unsupported_fields(agent: Agent) -> Iterator[tuple[str, str]]:
    """What no file for another program has a place for, by the key of an agent."""
    disabled = [one.name for one in agent.skills if not one.enabled]
    if disabled:
        yield "skills", f"not enabled, and so not in the file: {', '.join(disabled)}"
    if any(one.category_id != GENERAL_CATEGORY_ID for one in agent.skills if one.enabled):
        yield "skillCategories", "skills stand one after the other, without their categories"
    if any(one.requires for one in agent.skills if one.enabled):
        yield "skills", "what skills require is not said"
    if any(collapse_whitespace(one.when_to_use) != one.when_to_use.strip() for one in agent.skills):
        yield "skills", "when to use them is said on one line"
    if agent.context_refs:
        yield "contextRefs", f"not written: {', '.join(agent.context_refs)}"
    if agent.tags:
        yield "tags", f"not written: {', '.join(agent.tags)}"
