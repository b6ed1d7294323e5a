"""What of an agent stands in a text, its soul and enabled skills, and skills made of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.zoo.formats.names import free_name, slug
from paddock.zoo.formats.sections import Persona, SkillText, tidied
from paddock.zoo.model import Skill

if TYPE_CHECKING:
    from paddock.zoo.model import Agent


def persona_of(agent: Agent) -> Persona:
    """An agent as a text can say it."""
    enabled = [one for one in agent.skills if one.enabled]
    texts = [SkillText(one.name, one.description, one.when_to_use) for one in enabled]
    return tidied(agent.system_prompt, texts)


def skills_of(persona: Persona) -> list[Skill]:
    """Skills with ids made of their names."""
    found: dict[str, Skill] = {}
    for one in persona.skills:
        name = free_name(slug(one.name, "skill"), found)
        found[name] = Skill(
            id=name, name=one.name, description=one.description, when_to_use=one.when_to_use
        )
    return list(found.values())
