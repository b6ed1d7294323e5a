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
from paddock.zoo.formats.names import is_plain_path, one_line, slug, title
from paddock.zoo.formats.personas import persona_of, skills_of
from paddock.zoo.formats.sections import Persona, compose, take_apart
from paddock.zoo.model import GENERAL_ID, Agent
from paddock.zoo.slugs import free_slug

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.formats.front_matter import Document

Json = dict[str, Any]


@dataclass(frozen=True)
class FileFormat:
    """How a program has its agents: one Markdown file for each, with front matter."""

    name: str
    title: str
    folder: str
    """Where new files go."""
    ending: str
    also: tuple[str, ...] = ()
    """Patterns of further paths that are read."""
    names: Literal["safe", "free", "none"] = "none"
    """Whether the front matter has a name, and what it may be."""
    needs_description: bool = True
    has_description: bool = True
    first_fields: Json = field(default_factory=dict)
    """What a new file says besides."""
    most_characters: int | None = None
    """Of the text."""
    fills_in: str | None = None
    """A pattern of what the program replaces in the text."""
    is_for_user: bool = False
    """Whether the program reads the files in the user's home only, and not in a project."""

    @property
    def known(self) -> frozenset[str]:
        """The keys of the front matter that the zoo has a place for."""
        keys = [("name", self.names != "none"), ("description", self.has_description)]
        return frozenset(key for key, is_known in keys if is_known)

    def path(self, stem: str) -> str:
        """Where the file of a new agent goes."""
        return f"{self.folder}/{stem}{self.ending}"

    def stem(self, path: str) -> str | None:
        """The name that a path gives an agent; None of a file that is not in this format."""
        patterns = (rf"{re.escape(self.folder)}/([^/]+){re.escape(self.ending)}", *self.also)
        for pattern in patterns:
            if found := re.fullmatch(pattern, path):
                return found[1]
        return None


class Reading(NamedTuple):
    """What a file says of an agent."""

    id: str
    name: str
    description: str
    persona: Persona
    others: Json
    """What the front matter has that the zoo has no place for."""


def read(kind: FileFormat, path: str, document: Document) -> Reading:
    """What a file says."""
    fields = document.fields()
    stem = kind.stem(path) or path.rpartition("/")[2].partition(".")[0]
    given = fields.get("name") if kind.names != "none" else None
    called = one_line(given) if isinstance(given, str) else ""
    shown = called if kind.names == "free" and called else title(called or stem)
    shown = document.title() or shown
    described = fields.get("description") if kind.has_description else None
    return Reading(
        id=slug(called if kind.names == "safe" and called else stem, "agent"),
        name=one_line(shown) or title(slug(stem, "agent")),
        description=described.strip() if isinstance(described, str) else "",
        persona=take_apart(document.body),
        others={key: value for key, value in fields.items() if key not in kind.known},
    )


def agent_of(kind: FileFormat, file: File) -> tuple[Agent, list[Remark]]:
    """The agent that a file describes, and what of the file has no place in the zoo."""
    document = front_matter.parse(file.text)
    said = read(kind, file.path, document)
    agent = Agent(
        id=said.id,
        name=said.name,
        description=said.description,
        system_prompt=said.persona.soul,
        skills=skills_of(said.persona),
        extra={kind.name: _origin(file.path, document, said)},
    )
    return agent, list(_import_remarks(kind, file, document, agent))


def _origin(path: str, document: Document, said: Reading) -> Json:
    """What is kept of a file: all but the text, where that can be made again as it was."""
    found: Json = {
        "path": path,
        "head": document._replace(body="").text,
        "fields": said.others,
    }
    old = document.body.strip()
    before, _, after = document.body.partition(old) if old else (document.body, "", "")
    around = {**found, "before": before, "after": after}
    again = _document_of(around, said.persona)
    return around if again == document else {**found, "body": document.body}


def _document_of(origin: Json, persona: Persona) -> Document | None:
    """The file that an agent was read from, with its text of now where the old one is not kept."""
    head, body = origin.get("head"), origin.get("body")
    if not isinstance(head, str):
        return None
    if isinstance(body, str):
        return front_matter.parse(head + body)
    before, after = origin.get("before", ""), origin.get("after", "")
    document = front_matter.parse(head)
    end = document.line_end if document.closing else "\n"
    text = compose(persona).replace("\n", end)
    return document._replace(body=f"{before}{text}{after}")


def _import_remarks(
    kind: FileFormat, file: File, document: Document, agent: Agent
) -> Iterator[Remark]:
    if not document.is_yaml:
        text = "the front matter is no YAML, and was read line by line; it stays as it is"
        yield Remark(field="file", message=text, agent_id=agent.id, path=file.path)
    for key in agent.extra[kind.name]["fields"]:
        text = f"{kind.title} alone knows it: it is kept, and written back"
        yield Remark(field=key, message=text, agent_id=agent.id, path=file.path)
    if not agent.system_prompt and not agent.skills:
        yield Remark(field="file", message="there is no text", agent_id=agent.id, path=file.path)


def file_of(kind: FileFormat, agent: Agent, taken: set[str]) -> tuple[File, list[Remark]]:
    """An agent as a file, at a path that is not taken, and what of the agent does not fit."""
    origin = agent.extra.get(kind.name, {})
    path = _path(kind, agent, origin, taken)
    taken.add(path.lower())
    wanted = persona_of(agent)
    found = _document_of(origin, wanted)
    document = front_matter.parse("") if found is None else found
    said = read(kind, path, document)
    document = _with_front_matter(kind, agent, document, said, origin, is_new=found is None)
    if wanted != said.persona:
        document = document.with_body(compose(wanted))
    return File(path=path, text=document.text), list(_export_remarks(kind, agent, wanted, path))


def _path(kind: FileFormat, agent: Agent, origin: Json, taken: set[str]) -> str:
    """The path that the agent was read from, if that is one that may be written, or a new one."""
    before = origin.get("path")
    if (
        isinstance(before, str)
        and kind.stem(before) is not None
        and before.lower() not in taken
        and is_plain_path(before)
    ):
        return before
    return kind.path(free_slug(slug(agent.id, "agent"), lambda stem: kind.path(stem) in taken))


def _with_front_matter(
    kind: FileFormat,
    agent: Agent,
    document: Document,
    said: Reading,
    origin: Json,
    *,
    is_new: bool,
) -> Document:
    name = _printable(agent.name) or title(agent.id)
    changes: Json = {}
    if kind.names == "safe" and is_new:
        changes["name"] = slug(agent.id, "agent")
    if kind.names == "free" and (is_new or said.name != name):
        changes["name"] = name
    description = agent.description.strip()
    if kind.has_description and (is_new or description != said.description):
        changes["description"] = description or (name if kind.needs_description else "")
    if is_new:
        changes |= kind.first_fields
    removed: tuple[str, ...] = ()
    others = origin.get("fields")
    if isinstance(others, dict):
        changes |= {key: value for key, value in others.items() if key not in kind.known}
        removed = tuple(key for key in said.others if key not in others)
    document = document.changed(changes, removed=removed)
    if kind.names == "free":
        return document.titled(None)
    untitled = read(kind, kind.path(slug(agent.id, "agent")), document.titled(None))
    if not is_new and said.name == name:
        return document
    return document.titled(None if untitled.name == name else name)


def _printable(name: str) -> str:
    return "".join(letter for letter in one_line(name) if letter.isprintable())


def _export_remarks(
    kind: FileFormat, agent: Agent, persona: Persona, path: str
) -> Iterator[Remark]:
    def remark(key: str, message: str) -> Remark:
        return Remark(field=key, message=message, agent_id=agent.id, path=path)

    yield from (remark(key, text) for key, text in unfit(agent))
    if kind.has_description and kind.needs_description and not agent.description.strip():
        yield remark("description", f"{kind.title} needs one, and is given the name")
    if not kind.has_description and agent.description:
        yield remark("description", f"{kind.title} has no place for it")
    length = len(compose(persona))
    if kind.most_characters is not None and length > kind.most_characters:
        text = f"{length:,} characters with the skills, and {kind.title} takes "
        yield remark("systemPrompt", f"{text}{kind.most_characters:,}")
    if not length:
        yield remark("systemPrompt", "there is neither a soul nor an enabled skill")
    found = re.search(kind.fills_in, compose(persona)) if kind.fills_in else None
    if found is not None:
        yield remark("systemPrompt", f"{kind.title} puts something else in the place of {found[0]}")


def unfit(agent: Agent) -> Iterator[tuple[str, str]]:
    """What no file for another program has a place for, by the key of an agent."""
    disabled = [one.name for one in agent.skills if not one.enabled]
    if disabled:
        yield "skills", f"not enabled, and so not in the file: {', '.join(disabled)}"
    if any(one.category_id != GENERAL_ID for one in agent.skills if one.enabled):
        yield "skillCategories", "skills stand one after the other, without their categories"
    if any(one.requires for one in agent.skills if one.enabled):
        yield "skills", "what skills require is not said"
    if any(one_line(one.when_to_use) != one.when_to_use.strip() for one in agent.skills):
        yield "skills", "when to use them is said on one line"
    if agent.context_refs:
        yield "contextRefs", f"not written: {', '.join(agent.context_refs)}"
    if agent.tags:
        yield "tags", f"not written: {', '.join(agent.tags)}"
