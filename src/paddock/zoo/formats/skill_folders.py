"""Skills as folders with a SKILL.md, and back: one skill of the zoo, one folder.

When a skill is to be used is its description there, and its text is what the file holds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paddock.authoring.frontmatter import MAX_DESCRIPTION_CHARACTERS
from paddock.zoo.formats import front_matter
from paddock.zoo.formats.exchange import Export, File, Remark, StandaloneSkill
from paddock.zoo.formats.soul_markdown import normalize_text
from paddock.zoo.model import GENERAL_CATEGORY_ID, LibrarySkill, Skill
from paddock.zoo.slugs import (
    collapse_whitespace,
    find_free_name,
    is_portable_path,
    make_file_slug,
    make_title,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.zoo.formats.front_matter import FrontMatterFile
    from paddock.zoo.model import Agent

Json = dict[str, Any]

AGENT_SKILLS_FORMAT = "agent-skills"
SKILLS_FOLDER = ".claude/skills"
KNOWN_FIELDS = ("name", "description")
_SKILL_FILE_PATTERN = re.compile(r"(?:(?:[^/]+/)*([^/]+)/)?SKILL\.md")


def is_skill_file(path: str) -> bool:
    """Whether a path is that of a SKILL.md."""
    return _SKILL_FILE_PATTERN.fullmatch(path) is not None


def parse_standalone_skill(file: File) -> tuple[StandaloneSkill, list[Remark]]:
    """The skill that a SKILL.md describes, and what of it has no place in the zoo."""
    document = front_matter.parse_front_matter(file.text)
    skill = _parse_skill(file.path, document)
    report = [
        Remark(field=key, path=file.path, message="Agent Skills alone know it; it is kept")
        for key in document.get_fields()
        if key not in KNOWN_FIELDS
    ]
    if not document.is_yaml:
        text = "the front matter is no YAML, and was read line by line; it stays as it is"
        report.append(Remark(field="file", path=file.path, message=text))
    if not skill.description:
        report.append(Remark(field="file", path=file.path, message="there is no text"))
    return StandaloneSkill(skill=skill, path=file.path, text=file.text), report


def _parse_skill(path: str, document: FrontMatterFile) -> LibrarySkill:
    fields = document.get_fields()
    found = _SKILL_FILE_PATTERN.fullmatch(path)
    folder = found[1] if found else None
    given = fields.get("name")
    called = collapse_whitespace(given) if isinstance(given, str) else ""
    stem = called or folder or "skill"
    described = fields.get("description")
    return LibrarySkill(
        id=make_file_slug(stem, "skill"),
        name=collapse_whitespace(document.get_title() or make_title(stem)) or "Skill",
        description=normalize_text(document.body),
        when_to_use=described.strip() if isinstance(described, str) else "",
    )


def assign_skill(agent: Agent, loose: StandaloneSkill) -> Skill:
    """Add a skill from a file to an agent, which keeps the file as it was."""
    taken = {one.id for one in agent.skills}
    skill = Skill(
        id=find_free_name(loose.skill.id, taken),
        name=loose.skill.name,
        description=loose.skill.description,
        when_to_use=loose.skill.when_to_use,
        category_id=agent.skill_categories[0].id if agent.skill_categories else GENERAL_CATEGORY_ID,
    )
    agent.skills.append(skill)
    agent.extra.setdefault(AGENT_SKILLS_FORMAT, {})[skill.id] = {
        "path": loose.path,
        "text": loose.text,
    }
    return skill


def make_skill_folders(agents: Iterable[Agent]) -> Export:
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
                _add_skill_file(found, texts, agent, skill)
    return found


def _add_skill_file(found: Export, texts: dict[str, str], agent: Agent, skill: Skill) -> None:
    origin = agent.extra.get(AGENT_SKILLS_FORMAT, {}).get(skill.id, {})
    origin = origin if isinstance(origin, dict) else {}
    before = origin.get("path")
    path = before if isinstance(before, str) and _is_skill_location(before) else None
    stem = make_file_slug(skill.id, "skill")
    document, report = _make_document(agent, skill, origin, stem)
    path = path or f"{SKILLS_FOLDER}/{stem}/SKILL.md"
    if texts.get(path.lower()) == document.text:
        return
    if path.lower() in texts:
        stems = {one.split("/")[-2] for one in texts}
        stem = find_free_name(stem, stems)
        path = f"{SKILLS_FOLDER}/{stem}/SKILL.md"
        document = document.with_fields({"name": stem})
    texts[path.lower()] = document.text
    found.files.append(File(path=path, text=document.text))
    found.report += [
        Remark(field=key, message=text, agent_id=agent.id, path=path) for key, text in report
    ]


def _is_skill_location(path: str) -> bool:
    """Whether a path is one where programs look for skills."""
    return path.split("/")[-3:-2] == ["skills"] and is_skill_file(path) and is_portable_path(path)


def _make_document(
    agent: Agent, skill: Skill, origin: Json, stem: str
) -> tuple[FrontMatterFile, list[tuple[str, str]]]:
    text = origin.get("text")
    is_new = not isinstance(text, str)
    document = front_matter.parse_front_matter("" if is_new else str(text))
    said = _parse_skill(f"{stem}/SKILL.md", document)
    name = "".join(letter for letter in collapse_whitespace(skill.name) if letter.isprintable())
    report = []
    when = skill.when_to_use.strip()
    if is_new or when != said.when_to_use:
        told = when or _get_first_paragraph(skill) or name or stem
        if not when:
            report.append(("skills", f"{skill.name}: nothing says when to use it"))
        if len(told) > MAX_DESCRIPTION_CHARACTERS:
            told = f"{told[: MAX_DESCRIPTION_CHARACTERS - 1]}…"
            text = f"{skill.name}: when to use it is cut to {MAX_DESCRIPTION_CHARACTERS} characters"
            report.append(("skills", text))
        changes = {"name": stem} if is_new else {}
        document = document.with_fields({**changes, "description": told})
    if is_new or name != said.name:
        document = document.with_title(None if make_title(stem) == name else name)
    if normalize_text(skill.description) != said.description:
        document = document.with_body(normalize_text(skill.description))
    if skill.requires:
        report.append(("skills", f"{skill.name}: what it requires is not said"))
    if not skill.description.strip():
        report.append(("skills", f"{skill.name}: there is no text"))
    return document, report


def _get_first_paragraph(skill: Skill) -> str:
    """What stands in for a text that says when to use a skill."""
    return collapse_whitespace(skill.description.strip().partition("\n\n")[0])
