"""Conversion of a soul and its enabled skills to one Markdown text, and back.

The layout is that of the injected prompt. If the soul or a skill contains headings that could be
taken for those of skills, all headings are closed with hashes, as Markdown allows (`### Name ##`).
There are more of them than any line of the text ends with, which makes parsing unambiguous.
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
_SKILLS_HEADING_PREFIX = re.compile(rf"^## {SKILLS_TITLE}", re.M)
_SKILL_HEADING_PREFIX = re.compile(r"^### ", re.M)
_CLOSING_HASHES = re.compile(r"(?<!#)(#+)[ \t]*$", re.M)


class SkillText(NamedTuple):
    """The texts of a skill."""

    name: str
    description: str = ""
    when_to_use: str = ""


class Persona(NamedTuple):
    """The parts of an agent that Markdown files contain."""

    soul: str
    skills: tuple[SkillText, ...] = ()


def normalize_text(text: str) -> str:
    """Strip a text, and convert its line ends to LF."""
    return text.replace("\r\n", "\n").strip()


def normalize_persona(soul: str, skills: Iterable[SkillText]) -> Persona:
    """Return a persona in the form that it has after being formatted and parsed.

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
    """Format a normalized persona as Markdown that `parse_persona` reads back unchanged."""
    # A soul that itself contains a skills section needs an empty one after it.
    if not persona.skills and parse_persona(persona.soul) == persona:
        return persona.soul
    closing = _choose_closing_hashes(persona)
    parts = [f"### {skill.name}{closing}{_format_skill_body(skill)}" for skill in persona.skills]
    skills = "\n\n".join([f"## {SKILLS_TITLE}{closing}", *parts])
    return f"{persona.soul}{SECTION_RULE}{skills}" if persona.soul else skills


def parse_persona(text: str) -> Persona:
    """Split a text into soul and skills.

    Without a skills section, the whole text is the soul.
    """
    text = normalize_text(text)
    # The heading with the most closing hashes is the real one. Others are part of the soul.
    heading = max(
        _SKILLS_HEADING.finditer(text), key=lambda match: len(match["hashes"] or ""), default=None
    )
    if heading is None:
        return Persona(text)
    soul = text[: heading.start()].rstrip("\n")
    # A skills section is separated from the soul by a rule. A heading without one is part of the
    # soul.
    if soul != "---" and soul and not soul.endswith("\n\n---"):
        return Persona(text)
    closing = f" {heading['hashes']}" if heading["hashes"] else "(?<!#)"
    preamble, *pieces = re.split(rf"^### (.+?){closing}$", text[heading.end() :], flags=re.M)
    if preamble.strip():
        return Persona(text)
    skills = [
        _parse_skill(name, body) for name, body in zip(pieces[::2], pieces[1::2], strict=True)
    ]
    return Persona(soul.removesuffix("---").rstrip(), tuple(skills))


def _choose_closing_hashes(persona: Persona) -> str:
    """Return the hashes that close all headings, or an empty string if none are needed.

    A soul or a skill may contain headings that look like those of skills. Markdown ignores hashes
    at the end of a heading, so a unique number of them marks the real headings.
    """
    bodies = [_format_skill_body(skill) for skill in persona.skills]
    names = [skill.name for skill in persona.skills]
    is_unambiguous = (
        persona.skills
        and not _SKILLS_HEADING_PREFIX.search(persona.soul)
        and not any(
            _SKILLS_HEADING_PREFIX.search(text) or _SKILL_HEADING_PREFIX.search(text)
            for text in bodies
        )
        and not any(name.endswith("#") for name in names)
    )
    if is_unambiguous:
        return ""
    return make_closing_hashes([persona.soul, *bodies, *names])


def make_closing_hashes(texts: Iterable[str]) -> str:
    """Return a space and one hash more than any line of the texts ends with.

    A heading that ends with these hashes cannot be confused with a line of the texts.
    """
    endings = [match[1] for text in texts for match in _CLOSING_HASHES.finditer(text)]
    return " " + "#" * (max(map(len, endings), default=0) + 1)


def _format_skill_body(skill: SkillText) -> str:
    """Return the text below the heading of a skill, with a line break before it.

    For example `*When to use:* For sums.`, a blank line, and the description.
    """
    parts = [skill.description] if skill.description else []
    # A description that begins with the label needs an empty label before it.
    if skill.when_to_use or skill.description.startswith(WHEN_TO_USE_LABEL):
        parts.insert(0, f"{WHEN_TO_USE_LABEL} {skill.when_to_use}".rstrip())
    return "\n" + "\n\n".join(parts) if parts else ""


def _parse_skill(name: str, body: str) -> SkillText:
    """Split the text of a skill into its parts.

    This is the inverse of `_format_skill_body`.
    """
    text = body.strip()
    if not text.startswith(WHEN_TO_USE_LABEL):
        return SkillText(name.strip(), text)
    first, _, description = text.partition("\n")
    return SkillText(
        name.strip(), description.strip(), first.removeprefix(WHEN_TO_USE_LABEL).strip()
    )


def make_persona(agent: Agent) -> Persona:
    """Return the texts of an agent that Markdown can represent."""
    texts = [
        SkillText(skill.name, skill.description, skill.when_to_use)
        for skill in agent.skills
        if skill.enabled
    ]
    return normalize_persona(agent.system_prompt, texts)


def make_skills(persona: Persona) -> list[AgentSkill]:
    """Return skills with IDs derived from their names."""
    skills: dict[str, AgentSkill] = {}
    for text in persona.skills:
        skill_id = find_free_name(make_file_slug(text.name, "skill"), skills)
        skills[skill_id] = AgentSkill(
            id=skill_id,
            name=text.name,
            description=text.description,
            when_to_use=text.when_to_use,
        )
    return list(skills.values())
