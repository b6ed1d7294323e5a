"""What was found in files, taken into a zoo: as new agents, or as changes to those it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from paddock.zoo.errors import AgentNotFoundError
from paddock.zoo.formats.exchange import Import, LooseSkill, Remark
from paddock.zoo.formats.skill_folders import give
from paddock.zoo.merging import changes_of
from paddock.zoo.model import Agent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.zoo.service import Zoo


class IntakeItem(msgspec.Struct, rename="camel", kw_only=True):
    """What becomes of one agent."""

    id: str
    name: str
    action: Literal["create", "update", "unchanged"]
    description: str = ""
    skills: list[str] = msgspec.field(default_factory=list)
    entries: int = 0
    changes: list[str] = msgspec.field(default_factory=list)
    """The JSON keys that an update changes."""


class Intake(msgspec.Struct, rename="camel", kw_only=True):
    """What taking something in does, or has done."""

    agents: list[IntakeItem] = msgspec.field(default_factory=list)
    skills: list[str] = msgspec.field(default_factory=list)
    """Names of the skills that go to an agent or into the library."""
    created: list[str] = msgspec.field(default_factory=list)
    updated: list[str] = msgspec.field(default_factory=list)
    report: list[Remark] = msgspec.field(default_factory=list)


def plan_intake(zoo: Zoo, found: Import, *, is_update: bool = False) -> Intake:
    """What taking in would do.

    Args:
        zoo: Where to.
        found: What was found in files.
        is_update: Whether an agent that is there already is changed; else another one is made.
    """
    planned = Intake(report=list(found.report))
    planned.skills = [one.skill.name for one in found.skills]
    planned.skills += [one.name for one in found.library]
    for agent in found.agents:
        current = _current(zoo, agent.id)
        if current is not None and not is_update:
            text = "there is an agent of this id already; another one is made"
            planned.report.append(Remark(field="id", message=text, agent_id=agent.id))
            current = None
        changes = sorted(changes_of(current, agent)) if current else []
        item = IntakeItem(
            id=agent.id,
            name=agent.name,
            action="create" if current is None else "update" if changes else "unchanged",
            description=agent.description,
            skills=[skill.name for skill in agent.skills],
            entries=len(found.brains.get(agent.id, [])),
            changes=changes,
        )
        planned.agents.append(item)
    return planned


def take_in(
    zoo: Zoo, found: Import, planned: Intake, *, skills_to: str | None = None, source: str
) -> Intake:
    """Do what was planned.

    Args:
        zoo: Where to.
        found: What was found in files.
        planned: What `plan_intake` said.
        skills_to: The agent that skills from files of their own go to; else it is the library.
        source: Who does it.

    Raises:
        AgentNotFoundError: when there is no such agent.
        ZooError: when something of it cannot be kept; new agents are then not made.
    """
    done = Intake(agents=planned.agents, skills=planned.skills, report=list(planned.report))
    actions = {item.id: item.action for item in planned.agents}
    new = Import(
        agents=[agent for agent in found.agents if actions[agent.id] == "create"],
        brains=found.brains,
        library=list(found.library),
        packs=found.packs,
    )
    if skills_to is None:
        new.library += [one.skill for one in found.skills]
    else:
        done.updated.append(_give(zoo, skills_to, found.skills, source))
    if new.agents or new.library or new.packs:
        made = zoo.import_found(new, source=source)
        done.created = made.created
        done.report += [Remark(field=one.field, message=one.message) for one in made.report]
    for agent in found.agents:
        if actions[agent.id] == "update":
            current = zoo.get_agent(agent.id)
            changes = changes_of(current, agent)
            zoo.update_agent(agent.id, changes, version=current.version, source=source)
            done.updated.append(agent.id)
        if actions[agent.id] != "create" and found.brains.get(agent.id):
            text = "memory is taken in with new agents only; it is left out"
            done.report.append(Remark(field="brain", message=text, agent_id=agent.id))
    return done


def _current(zoo: Zoo, agent_id: str) -> Agent | None:
    try:
        return zoo.get_agent(agent_id)
    except AgentNotFoundError:
        return None


def _give(zoo: Zoo, name: str, skills: Iterable[LooseSkill], source: str) -> str:
    """Give an agent skills; its id."""
    agent = zoo.find_agent(name)
    changed = msgspec.convert(msgspec.to_builtins(agent), Agent)
    for one in skills:
        give(changed, one)
    changes = msgspec.to_builtins({"skills": changed.skills, "extra": changed.extra})
    return zoo.update_agent(agent.id, changes, version=agent.version, source=source).id
