"""Conversion of skills to and from folders with a SKILL.md (Agent Skills).

A skill's `when_to_use` is the description in the file, and its description is the body.
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
    """Return whether a path is a SKILL.md path."""
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
        message = "the front matter is not valid YAML; read line by line and left unchanged"
        report.append(Remark("file", message, path=file.path))
    # A skill's description is the body of its file.
    if not skill.description:
        report.append(Remark("file", "the file has no text", path=file.path))
    return StandaloneSkill(skill=skill, path=file.path, text=file.text), report


def _parse_skill(path: str, document: FrontMatterFile) -> LibrarySkill:
    """Extract a skill from a SKILL.md, the skill file of the Agent Skills format.

    In this file, the `description` field states when to use the skill, and the body has the
    instructions. The zoo keeps them as `when_to_use` and `description`.
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
    """Append a skill from a SKILL.md to an agent.

    The agent also stores the original file, so an export can write it back unchanged.
    """
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
    """Convert the enabled skills of agents to SKILL.md files. Identical skills are written once."""
    export = AgentExport()
    texts_by_path: dict[str, str] = {}
    for agent in agents:
        disabled = [skill.name for skill in agent.skills if not skill.enabled]
        if disabled:
            message = f"disabled skills are not written: {', '.join(disabled)}"
            export.report.append(Remark("skills", message, agent_id=agent.id))
        # The format has no place for the soul (the system prompt), so the user must be warned that
        # it is missing.
        if agent.system_prompt.strip():
            message = "the soul is not written, only skills"
            export.report.append(Remark("systemPrompt", message, agent_id=agent.id))
        for skill in agent.skills:
            if skill.enabled:
                _add_skill_file(export, texts_by_path, agent, skill)
    return export


def _add_skill_file(
    export: AgentExport, texts_by_path: dict[str, str], agent: Agent, skill: AgentSkill
) -> None:
    """Add a skill's SKILL.md to an export, unless the export already has the same file.

    Args:
        export: The export to add the file to.
        texts_by_path: The texts of the files in the export, by path in lower case, because some
            file systems ignore case.
        agent: The agent that has the skill.
        skill: The skill.
    """
    origin = agent.extra.get(AGENT_SKILLS_FORMAT, {}).get(skill.id, {})
    # Other programs may have written data in a different shape.
    origin = origin if isinstance(origin, dict) else {}
    stem = make_file_slug(skill.id, "skill")
    document, losses = _make_document(skill, origin, stem)
    path = front_matter.get_text(origin, "path")
    if not _is_skill_location(path):
        path = f"{SKILLS_FOLDER}/{stem}/SKILL.md"
    # Agents may share a skill, which is written once.
    if texts_by_path.get(path.lower()) == document.text:
        return
    if path.lower() in texts_by_path:
        used_folders = {used_path.split("/")[-2] for used_path in texts_by_path}
        stem = find_free_name(stem, used_folders)
        path = f"{SKILLS_FOLDER}/{stem}/SKILL.md"
        document = document.with_fields({"name": stem})
    texts_by_path[path.lower()] = document.text
    export.files.append(File(path=path, text=document.text))
    export.report += [Remark(key, text, agent_id=agent.id, path=path) for key, text in losses]


def _is_skill_location(path: str) -> bool:
    """Return whether programs look for skills at a path."""
    return path.split("/")[-3:-2] == ["skills"] and is_skill_file(path) and is_portable_path(path)


def _make_document(
    skill: AgentSkill, origin: Json, stem: str
) -> tuple[FrontMatterFile, list[tuple[str, str]]]:
    """Return a skill's SKILL.md, with pairs of a field and a message for data that is lost.

    An imported skill is written back into its original text. Only parts that differ are changed.

    Args:
        skill: The skill.
        origin: The path and text of the file that the skill was imported from, or an empty
            dictionary.
        stem: The folder name for a new file.
    """
    original_text = origin.get("text")
    is_new = not isinstance(original_text, str)
    document = front_matter.parse_front_matter("" if is_new else str(original_text))
    parsed = _parse_skill(f"{stem}/SKILL.md", document)
    name = make_printable(skill.name)
    messages = []
    when_to_use = skill.when_to_use.strip()
    # Agent Skills requires a description, so a skill without `when_to_use` gets its first paragraph
    # or its name.
    if is_new or when_to_use != parsed.when_to_use:
        description = when_to_use or _get_first_paragraph(skill) or name or stem
        if not when_to_use:
            messages.append("when to use the skill is not set")
        if len(description) > MAX_DESCRIPTION_CHARACTERS:
            description = f"{description[: MAX_DESCRIPTION_CHARACTERS - 1]}…"
            messages.append(
                f"when to use the skill is shortened to {MAX_DESCRIPTION_CHARACTERS} characters"
            )
        changes = {"name": stem} if is_new else {}
        document = document.with_fields({**changes, "description": description})
    # The name in the front matter is a slug. A name that cannot be derived from it is stored in a
    # comment.
    if is_new or name != parsed.name:
        document = document.with_name_comment(None if make_title(stem) == name else name)
    if normalize_text(skill.description) != parsed.description:
        document = document.with_body(normalize_text(skill.description))
    if skill.requires:
        messages.append("requirements are not written")
    if not skill.description.strip():
        messages.append("the skill has no text")
    return document, [("skills", f"{skill.name}: {message}") for message in messages]


def _get_first_paragraph(skill: AgentSkill) -> str:
    """Return the first paragraph of the skill's instructions on one line."""
    return collapse_whitespace(skill.description.strip().partition("\n\n")[0])
