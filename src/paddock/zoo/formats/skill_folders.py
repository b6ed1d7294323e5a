"""Skills as folders with a SKILL.md, and back: one skill of the zoo, one folder.

When a skill is to be used is its description there, and its text is what the file holds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paddock.authoring.frontmatter import MAX_DESCRIPTION
from paddock.zoo.formats import front_matter
from paddock.zoo.formats.exchange import Export, File, LooseSkill, Remark
from paddock.zoo.formats.names import free_name, is_plain_path, one_line, slug, title
from paddock.zoo.formats.sections import tidy
from paddock.zoo.model import GENERAL_ID, LibrarySkill, Skill

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.zoo.formats.front_matter import Document
    from paddock.zoo.model import Agent

Json = dict[str, Any]

FORMAT = "agent-skills"
FOLDER = ".claude/skills"
KNOWN = ("name", "description")
_FILE = re.compile(r"(?:(?:[^/]+/)*([^/]+)/)?SKILL\.md")


def is_skill_file(path: str) -> bool:
    """Whether a path is that of a SKILL.md."""
    return _FILE.fullmatch(path) is not None


def loose_skill(file: File) -> tuple[LooseSkill, list[Remark]]:
    """The skill that a SKILL.md describes, and what of it has no place in the zoo."""
    document = front_matter.parse(file.text)
    skill = _read(file.path, document)
    report = [
        Remark(field=key, path=file.path, message="Agent Skills alone know it; it is kept")
        for key in document.fields()
        if key not in KNOWN
    ]
    if not document.is_yaml:
        text = "the front matter is no YAML, and was read line by line; it stays as it is"
        report.append(Remark(field="file", path=file.path, message=text))
    if not skill.description:
        report.append(Remark(field="file", path=file.path, message="there is no text"))
    return LooseSkill(skill=skill, path=file.path, text=file.text), report


def _read(path: str, document: Document) -> LibrarySkill:
    fields = document.fields()
    found = _FILE.fullmatch(path)
    folder = found[1] if found else None
    given = fields.get("name")
    called = one_line(given) if isinstance(given, str) else ""
    stem = called or folder or "skill"
    described = fields.get("description")
    return LibrarySkill(
        id=slug(stem, "skill"),
        name=one_line(document.title() or title(stem)) or "Skill",
        description=tidy(document.body),
        when_to_use=described.strip() if isinstance(described, str) else "",
    )


def give(agent: Agent, loose: LooseSkill) -> Skill:
    """Add a skill from a file to an agent, which keeps the file as it was."""
    taken = {one.id for one in agent.skills}
    skill = Skill(
        id=free_name(loose.skill.id, taken),
        name=loose.skill.name,
        description=loose.skill.description,
        when_to_use=loose.skill.when_to_use,
        category_id=agent.skill_categories[0].id if agent.skill_categories else GENERAL_ID,
    )
    agent.skills.append(skill)
    agent.extra.setdefault(FORMAT, {})[skill.id] = {"path": loose.path, "text": loose.text}
    return skill


def skill_folders(agents: Iterable[Agent]) -> Export:
    """The enabled skills of agents, each in its folder; what is the same is written once."""
    found = Export()
    texts: dict[str, str] = {}
    for agent in agents:
        disabled = [one.name for one in agent.skills if not one.enabled]
        if disabled:
            text = f"not enabled, and so not written: {', '.join(disabled)}"
            found.report.append(Remark(field="skills", message=text, agent_id=agent.id))
        if agent.system_prompt.strip():
            text = "skills are written without the soul"
            found.report.append(Remark(field="systemPrompt", message=text, agent_id=agent.id))
        for skill in agent.skills:
            if skill.enabled:
                _add(found, texts, agent, skill)
    return found


def _add(found: Export, texts: dict[str, str], agent: Agent, skill: Skill) -> None:
    origin = agent.extra.get(FORMAT, {}).get(skill.id, {})
    origin = origin if isinstance(origin, dict) else {}
    before = origin.get("path")
    path = before if isinstance(before, str) and _is_place(before) else None
    stem = slug(skill.id, "skill")
    document, report = _document(agent, skill, origin, stem)
    path = path or f"{FOLDER}/{stem}/SKILL.md"
    if texts.get(path.lower()) == document.text:
        return
    if path.lower() in texts:
        stems = {one.split("/")[-2] for one in texts}
        stem = free_name(stem, stems)
        path = f"{FOLDER}/{stem}/SKILL.md"
        document = document.changed({"name": stem})
    texts[path.lower()] = document.text
    found.files.append(File(path=path, text=document.text))
    found.report += [
        Remark(field=key, message=text, agent_id=agent.id, path=path) for key, text in report
    ]


def _is_place(path: str) -> bool:
    """Whether a path is one where programs look for skills."""
    return path.split("/")[-3:-2] == ["skills"] and is_skill_file(path) and is_plain_path(path)


def _document(
    agent: Agent, skill: Skill, origin: Json, stem: str
) -> tuple[Document, list[tuple[str, str]]]:
    text = origin.get("text")
    is_new = not isinstance(text, str)
    document = front_matter.parse("" if is_new else str(text))
    said = _read(f"{stem}/SKILL.md", document)
    name = "".join(letter for letter in one_line(skill.name) if letter.isprintable())
    report = []
    when = skill.when_to_use.strip()
    if is_new or when != said.when_to_use:
        told = when or _first_words(skill) or name or stem
        if not when:
            report.append(("skills", f"{skill.name}: nothing says when to use it"))
        if len(told) > MAX_DESCRIPTION:
            told = f"{told[: MAX_DESCRIPTION - 1]}…"
            text = f"{skill.name}: when to use it is cut to {MAX_DESCRIPTION} characters"
            report.append(("skills", text))
        changes = {"name": stem} if is_new else {}
        document = document.changed({**changes, "description": told})
    if is_new or name != said.name:
        document = document.titled(None if title(stem) == name else name)
    if tidy(skill.description) != said.description:
        document = document.with_body(tidy(skill.description))
    if skill.requires:
        report.append(("skills", f"{skill.name}: what it requires is not said"))
    if not skill.description.strip():
        report.append(("skills", f"{skill.name}: there is no text"))
    return document, report


def _first_words(skill: Skill) -> str:
    """What stands in for a text that says when to use a skill."""
    return one_line(skill.description.strip().partition("\n\n")[0])
