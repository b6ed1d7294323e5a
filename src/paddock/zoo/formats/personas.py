"""What of an agent stands in a text, its soul and enabled skills, and skills made of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.zoo.formats.names import find_free_name, make_file_slug
from paddock.zoo.formats.sections import Persona, SkillText, normalize_persona
from paddock.zoo.model import Skill

if TYPE_CHECKING:
    from paddock.zoo.model import Agent


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
