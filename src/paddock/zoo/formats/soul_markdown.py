"""Conversion of a soul and its enabled skills to and from one Markdown text.

The layout is the same as in the injected prompt. If the soul or a skill contains headings that look
like skill headings, all headings are closed with hashes, as Markdown allows (`### Name ##`).
Because no line of the text ends with as many hashes, parsing is unambiguous.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.zoo.model import AgentSkill
from paddock.zoo.slugs import collapse_whitespace, find_free_name, make_file_slug

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.zoo.model import Agent


SKILLS_TITLE = "Active Skills"
SECTION_RULE = "\n\n---\n\n"
UNNAMED_SKILL = "Unnamed"
WHEN_TO_USE_LABEL = "*When to use:*"

_SKILLS_HEADING = re.compile(rf"^## {SKILLS_TITLE}(?: (?P<hashes>#+))?$", re.M)
_SECTION_HEADING_START = re.compile(rf"^## {SKILLS_TITLE}", re.M)
_SKILL_HEADING_START = re.compile(r"^### ", re.M)
_CLOSING_HASHES = re.compile(r"(?<!#)(#+)[ \t]*$", re.M)


class SkillText(NamedTuple):
    """The texts of a skill."""

    name: str
    description: str = ""
    when_to_use: str = ""


class Persona(NamedTuple):
    """The parts of an agent that Markdown files contain: its soul and its enabled skills."""

    soul: str
    """The system prompt."""
    skills: tuple[SkillText, ...] = ()


def normalize_text(text: str) -> str:
    """Strip a text, and convert its line endings to LF."""
    return text.replace("\r\n", "\n").strip()


def normalize_persona(soul: str, skills: Iterable[SkillText]) -> Persona:
    """Return a persona in the form it has after being formatted and parsed.

    Personas are compared in this form, so differences in white space do not count as changes.
    """
    return Persona(
        normalize_text(soul),
        tuple(
            SkillText(
                collapse_whitespace(skill.name) or UNNAMED_SKILL,
                normalize_text(skill.description),
                collapse_whitespace(skill.when_to_use),
            )
            for skill in skills
        ),
    )


def format_persona(persona: Persona) -> str:
    """Format a normalized persona as Markdown that `parse_persona` reads back unchanged.

    The text is the soul, a rule `---`, the heading `## Active Skills`, and for each skill the
    heading `### Name` with its text.
    """
    # Without skills, the text is only the soul. If the soul itself looks like a soul with skills,
    # an empty skills section follows it to keep the parser from splitting it.
    if not persona.skills and parse_persona(persona.soul) == persona:
        return persona.soul
    closing_hashes = _choose_closing_hashes(persona)
    skill_texts = [
        f"### {skill.name}{closing_hashes}{_format_skill_body(skill)}" for skill in persona.skills
    ]
    skills_section = "\n\n".join([f"## {SKILLS_TITLE}{closing_hashes}", *skill_texts])
    return f"{persona.soul}{SECTION_RULE}{skills_section}" if persona.soul else skills_section


def parse_persona(text: str) -> Persona:
    """Split a Markdown text into soul and skills, the inverse of `format_persona`.

    A skills section begins with a rule `---` and the heading `## Active Skills`. Without such a
    section, the whole text is the soul.
    """
    text = normalize_text(text)
    # The heading with the most closing hashes is the real one. Others are part of the soul.
    section_heading = max(
        _SKILLS_HEADING.finditer(text), key=lambda match: len(match["hashes"] or ""), default=None
    )
    if section_heading is None:
        return Persona(text)
    soul = text[: section_heading.start()].rstrip("\n")
    # Without a rule between them, the heading is part of the soul.
    has_rule = soul in ("", "---") or soul.endswith("\n\n---")
    if not has_rule:
        return Persona(text)
    hashes = section_heading["hashes"]
    # Skill headings end with the same hashes as the section heading, or with no hashes.
    heading_end = f" {hashes}" if hashes else "(?<!#)"
    section = text[section_heading.end() :]
    preamble, *pieces = re.split(rf"^### (.+?){heading_end}$", section, flags=re.M)
    # Paddock writes no text between the two headings, so this is not one of its sections.
    if preamble.strip():
        return Persona(text)
    skills = [
        _parse_skill(name, body) for name, body in zip(pieces[::2], pieces[1::2], strict=True)
    ]
    return Persona(soul.removesuffix("---").rstrip(), tuple(skills))


def _choose_closing_hashes(persona: Persona) -> str:
    """Return the hashes that close all headings in a persona's text, or an empty string.

    A soul or a skill may contain text that looks like a skill heading. Markdown ignores hashes at
    the end of a heading (`### Name ##`), so a unique number of them marks the real headings.
    """
    bodies = [_format_skill_body(skill) for skill in persona.skills]
    names = [skill.name for skill in persona.skills]
    is_ambiguous = (
        # `format_persona` writes an empty section only if the soul looks like one with skills.
        not persona.skills
        or _SECTION_HEADING_START.search(persona.soul)
        or any(_SECTION_HEADING_START.search(body) for body in bodies)
        or any(_SKILL_HEADING_START.search(body) for body in bodies)
        or any(name.endswith("#") for name in names)
    )
    return make_closing_hashes([persona.soul, *bodies, *names]) if is_ambiguous else ""


def make_closing_hashes(texts: Iterable[str]) -> str:
    """Return a space and one more hash than any line of the texts ends with.

    A heading that ends with these hashes cannot be confused with a line of the texts.
    """
    endings = [match[1] for text in texts for match in _CLOSING_HASHES.finditer(text)]
    return " " + "#" * (max(map(len, endings), default=0) + 1)


def _format_skill_body(skill: SkillText) -> str:
    """Return the text below a skill's heading, with a line break before it.

    For example `*When to use:* For sums.`, a blank line, and the description. For a skill without
    texts, return an empty string.
    """
    parts = [skill.description] if skill.description else []
    # A description that begins with the label needs an empty label before it. Otherwise, the parser
    # would mistake its first line for `when_to_use`.
    if skill.when_to_use or skill.description.startswith(WHEN_TO_USE_LABEL):
        parts.insert(0, f"{WHEN_TO_USE_LABEL} {skill.when_to_use}".rstrip())
    return "\n" + "\n\n".join(parts) if parts else ""


def _parse_skill(name: str, body: str) -> SkillText:
    """Split the text below a skill's heading, the inverse of `_format_skill_body`."""
    text = body.strip()
    if not text.startswith(WHEN_TO_USE_LABEL):
        return SkillText(name.strip(), text)
    label_line, _, description = text.partition("\n")
    when_to_use = label_line.removeprefix(WHEN_TO_USE_LABEL).strip()
    return SkillText(name.strip(), description.strip(), when_to_use)


def make_persona(agent: Agent) -> Persona:
    """Return an agent's soul and enabled skills, normalized for comparison."""
    enabled_skills = [
        SkillText(skill.name, skill.description, skill.when_to_use)
        for skill in agent.skills
        if skill.enabled
    ]
    return normalize_persona(agent.system_prompt, enabled_skills)


def make_skills(persona: Persona) -> list[AgentSkill]:
    """Convert a persona's skills to agent skills, with IDs derived from their names."""
    skills_by_id: dict[str, AgentSkill] = {}
    for skill in persona.skills:
        skill_id = find_free_name(make_file_slug(skill.name, "skill"), skills_by_id)
        skills_by_id[skill_id] = AgentSkill(
            id=skill_id,
            name=skill.name,
            description=skill.description,
            when_to_use=skill.when_to_use,
        )
    return list(skills_by_id.values())
