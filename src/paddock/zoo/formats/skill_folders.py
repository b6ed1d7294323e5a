"""Conversion of skills to folders with a SKILL.md (Agent Skills), and back.

`when_to_use` of a skill is the description of the file, and its description is the body.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paddock.authoring.frontmatter import MAX_DESCRIPTION_CHARACTERS
from paddock.zoo.formats import front_matter
from paddock.zoo.formats.exchange import AgentExport, File, Remark, StandaloneSkill
from paddock.zoo.formats.soul_markdown import normalize_text
from paddock.zoo.model import GENERAL_CATEGORY_ID, AgentSkill, LibrarySkill
from paddock.zoo.slugs import (
    collapse_whitespace,
    find_free_name,
    is_portable_path,
    make_file_slug,
    make_printable,
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
    """Return whether a path is that of a SKILL.md."""
    return _SKILL_FILE_PATTERN.fullmatch(path) is not None


def parse_standalone_skill(file: File) -> tuple[StandaloneSkill, list[Remark]]:
    """Return the skill in a SKILL.md, and remarks about fields that the zoo does not have."""
    document = front_matter.parse_front_matter(file.text)
    skill = _parse_skill(file.path, document)
    report = [
        Remark(key, "only Agent Skills has this field; it is preserved", path=file.path)
        for key in document.get_fields()
        if key not in KNOWN_FIELDS
    ]
    if not document.is_yaml:
        text = "the front matter is not valid YAML; read line by line and left unchanged"
        report.append(Remark("file", text, path=file.path))
    if not skill.description:
        report.append(Remark("file", "the file has no text", path=file.path))
    return StandaloneSkill(skill=skill, path=file.path, text=file.text), report


def _parse_skill(path: str, document: FrontMatterFile) -> LibrarySkill:
    """Extract a skill from a SKILL.md.

    Agent Skills stores the time to use a skill as `description` and the instructions as the body.
    In the zoo the instructions are the description.
    """
    fields = document.get_fields()
    match = _SKILL_FILE_PATTERN.fullmatch(path)
    folder = match[1] if match else None
    stem = collapse_whitespace(front_matter.get_text(fields, "name")) or folder or "skill"
    return LibrarySkill(
        id=make_file_slug(stem, "skill"),
        name=collapse_whitespace(document.get_name_comment() or make_title(stem)) or "Skill",
        description=normalize_text(document.body),
        when_to_use=front_matter.get_text(fields, "description").strip(),
    )


def add_standalone_skill(agent: Agent, standalone: StandaloneSkill) -> AgentSkill:
    """Append a skill from a file to an agent, and store the original file with the agent."""
    used_ids = {skill.id for skill in agent.skills}
    skill = AgentSkill(
        id=find_free_name(standalone.skill.id, used_ids),
        name=standalone.skill.name,
        description=standalone.skill.description,
        when_to_use=standalone.skill.when_to_use,
        category_id=agent.skill_categories[0].id if agent.skill_categories else GENERAL_CATEGORY_ID,
    )
    agent.skills.append(skill)
    agent.extra.setdefault(AGENT_SKILLS_FORMAT, {})[skill.id] = {
        "path": standalone.path,
        "text": standalone.text,
    }
    return skill


def make_skill_folders(agents: Iterable[Agent]) -> AgentExport:
    """Convert the enabled skills of agents. Identical skills are written once."""
    export = AgentExport()
    texts: dict[str, str] = {}
    for agent in agents:
        disabled = [skill.name for skill in agent.skills if not skill.enabled]
        if disabled:
            text = f"disabled skills are not written: {', '.join(disabled)}"
            export.report.append(Remark("skills", text, agent_id=agent.id))
        # The format has no place for a soul, so the user has to know that it is missing.
        if agent.system_prompt.strip():
            text = "the soul is not written, only skills"
            export.report.append(Remark("systemPrompt", text, agent_id=agent.id))
        for skill in agent.skills:
            if skill.enabled:
                _add_skill_file(export, texts, agent, skill)
    return export


def _add_skill_file(
    export: AgentExport, texts: dict[str, str], agent: Agent, skill: AgentSkill
) -> None:
    """Add the SKILL.md of one skill to an export, unless the same file is already there.

    Args:
        export: The export.
        texts: The texts of the files in the export, by path in lower case.
        agent: The agent that has the skill.
        skill: The skill.
    """
    origin = agent.extra.get(AGENT_SKILLS_FORMAT, {}).get(skill.id, {})
    # Other programs may have written data of another shape.
    origin = origin if isinstance(origin, dict) else {}
    stem = make_file_slug(skill.id, "skill")
    document, report = _make_document(agent, skill, origin, stem)
    path = front_matter.get_text(origin, "path")
    if not _is_skill_location(path):
        path = f"{SKILLS_FOLDER}/{stem}/SKILL.md"
    # Agents may share a skill, which is written once. Paths are compared in lower case, because
    # some file systems ignore case.
    if texts.get(path.lower()) == document.text:
        return
    if path.lower() in texts:
        stem = find_free_name(stem, {other.split("/")[-2] for other in texts})
        path = f"{SKILLS_FOLDER}/{stem}/SKILL.md"
        document = document.with_fields({"name": stem})
    texts[path.lower()] = document.text
    export.files.append(File(path=path, text=document.text))
    export.report += [Remark(key, text, agent_id=agent.id, path=path) for key, text in report]


def _is_skill_location(path: str) -> bool:
    """Return whether programs look for skills at a path."""
    return path.split("/")[-3:-2] == ["skills"] and is_skill_file(path) and is_portable_path(path)


def _make_document(
    agent: Agent, skill: AgentSkill, origin: Json, stem: str
) -> tuple[FrontMatterFile, list[tuple[str, str]]]:
    """Return the SKILL.md of a skill, and remarks about data that is not written.

    An imported skill is written back into its original text. Only parts that differ are changed.
    """
    text = origin.get("text")
    is_new = not isinstance(text, str)
    document = front_matter.parse_front_matter("" if is_new else str(text))
    parsed = _parse_skill(f"{stem}/SKILL.md", document)
    name = make_printable(skill.name)
    report = []
    when_to_use = skill.when_to_use.strip()
    # Agent Skills requires a description, so a skill without a time to use it gets its first
    # paragraph or its name.
    if is_new or when_to_use != parsed.when_to_use:
        description = when_to_use or _get_first_paragraph(skill) or name or stem
        if not when_to_use:
            report.append(("skills", f"{skill.name}: when to use the skill is not set"))
        if len(description) > MAX_DESCRIPTION_CHARACTERS:
            description = f"{description[: MAX_DESCRIPTION_CHARACTERS - 1]}…"
            text = (
                f"{skill.name}: when to use the skill is shortened to "
                f"{MAX_DESCRIPTION_CHARACTERS} characters"
            )
            report.append(("skills", text))
        changes = {"name": stem} if is_new else {}
        document = document.with_fields({**changes, "description": description})
    # The name in the front matter is a slug. Another name is stored in a comment.
    if is_new or name != parsed.name:
        document = document.with_name_comment(None if make_title(stem) == name else name)
    if normalize_text(skill.description) != parsed.description:
        document = document.with_body(normalize_text(skill.description))
    if skill.requires:
        report.append(("skills", f"{skill.name}: requirements are not written"))
    if not skill.description.strip():
        report.append(("skills", f"{skill.name}: the skill has no text"))
    return document, report


def _get_first_paragraph(skill: AgentSkill) -> str:
    """Return the first paragraph of the skill's instructions on one line."""
    return collapse_whitespace(skill.description.strip().partition("\n\n")[0])
