"""A soul and its skills as one Markdown text, and the text taken apart again.

It is laid out like the text that is injected. A heading may be closed with signs, as Markdown
allows: `### Name ##`. They are written where a text has headings of its own that would be taken
for those of skills, and are then more than any of its lines has.

What of an agent stands in a text, its soul and enabled skills, and skills made of a text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.zoo.model import Skill
from paddock.zoo.slugs import collapse_whitespace, find_free_name, make_file_slug

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.zoo.model import Agent


SKILLS_TITLE = "Active Skills"
SECTION_RULE = "\n\n---\n\n"
UNNAMED_SKILL = "Unnamed"
WHEN_TO_USE_LABEL = "*When to use:*"

_SKILLS_HEADING = re.compile(rf"^## {SKILLS_TITLE}(?: (?P<signs>#+))?$", re.M)
_SKILLS_HEADING_PREFIX = re.compile(rf"^## {SKILLS_TITLE}", re.M)
_SKILL_HEADING_PREFIX = re.compile(r"^### ", re.M)
_CLOSING_SIGNS = re.compile(r"(?<!#)(#+)[ \t]*$", re.M)


class SkillText(NamedTuple):
    """What a text says of a skill."""

    name: str
    description: str = ""
    when_to_use: str = ""


class Persona(NamedTuple):
    """What a text says of an agent."""

    soul: str
    skills: tuple[SkillText, ...] = ()


def normalize_text(text: str) -> str:
    """A text without blanks at its ends, and with plain line ends."""
    return text.replace("\r\n", "\n").strip()


def normalize_persona(soul: str, skills: Iterable[SkillText]) -> Persona:
    """A soul and skills as a text can say them."""
    return Persona(
        normalize_text(soul),
        tuple(
            SkillText(
                collapse_whitespace(one.name) or UNNAMED_SKILL,
                normalize_text(one.description),
                collapse_whitespace(one.when_to_use),
            )
            for one in skills
        ),
    )


def format_persona(persona: Persona) -> str:
    """A tidy soul and its skills as one text."""
    if not persona.skills and parse_persona(persona.soul) == persona:
        return persona.soul
    close = _make_heading_closing(persona)
    parts = [f"### {one.name}{close}{_format_skill_body(one)}" for one in persona.skills]
    skills = "\n\n".join([f"## {SKILLS_TITLE}{close}", *parts])
    return f"{persona.soul}{SECTION_RULE}{skills}" if persona.soul else skills


def parse_persona(text: str) -> Persona:
    """The soul and the skills that a text is made of."""
    text = normalize_text(text)
    head = max(
        _SKILLS_HEADING.finditer(text), key=lambda one: len(one["signs"] or ""), default=None
    )
    if head is None:
        return Persona(text)
    soul = text[: head.start()].rstrip("\n")
    if soul != "---" and soul and not soul.endswith("\n\n---"):
        return Persona(text)
    close = f" {head['signs']}" if head["signs"] else "(?<!#)"
    pieces = re.split(rf"^### (.+?){close}$", text[head.end() :], flags=re.M)
    if pieces[0].strip():
        return Persona(text)
    skills = [
        _parse_skill(name, below) for name, below in zip(pieces[1::2], pieces[2::2], strict=True)
    ]
    return Persona(soul.removesuffix("---").rstrip(), tuple(skills))


def _make_heading_closing(persona: Persona) -> str:
    """The signs that close every heading of ours; none where nothing could be taken for one."""
    below = [_format_skill_body(one) for one in persona.skills]
    names = [one.name for one in persona.skills]
    is_clear = (
        persona.skills
        and not _SKILLS_HEADING_PREFIX.search(persona.soul)
        and not any(
            _SKILLS_HEADING_PREFIX.search(text) or _SKILL_HEADING_PREFIX.search(text)
            for text in below
        )
        and not any(name.endswith("#") for name in names)
    )
    if is_clear:
        return ""
    ends = [
        found[1]
        for text in (persona.soul, *below, *names)
        for found in _CLOSING_SIGNS.finditer(text)
    ]
    return " " + "#" * (max(map(len, ends), default=0) + 1)


def _format_skill_body(skill: SkillText) -> str:
    """What stands below the heading of a skill."""
    lines = []
    if skill.when_to_use or skill.description.startswith(WHEN_TO_USE_LABEL):
        lines.append(
            f"{WHEN_TO_USE_LABEL} {skill.when_to_use}".rstrip()
            + ("\n" if skill.description else "")
        )
    if skill.description:
        lines.append(skill.description)
    return "".join(f"\n{line}" for line in lines)


def _parse_skill(name: str, below: str) -> SkillText:
    text = below.strip()
    if not text.startswith(WHEN_TO_USE_LABEL):
        return SkillText(name.strip(), text)
    first, _, rest = text.partition("\n")
    return SkillText(name.strip(), rest.strip(), first.removeprefix(WHEN_TO_USE_LABEL).strip())


def make_persona(agent: Agent) -> Persona:
    """An agent as a text can say it."""
    enabled = [one for one in agent.skills if one.enabled]
    texts = [SkillText(one.name, one.description, one.when_to_use) for one in enabled]
    return normalize_persona(agent.system_prompt, texts)


def make_skills(persona: Persona) -> list[Skill]:
    """Skills with ids made of their names."""
    found: dict[str, Skill] = {}
    for one in persona.skills:
        name = find_free_name(make_file_slug(one.name, "skill"), found)
        found[name] = Skill(
            id=name, name=one.name, description=one.description, when_to_use=one.when_to_use
        )
    return list(found.values())
