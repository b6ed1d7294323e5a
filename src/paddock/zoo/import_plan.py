"""What a file says of an agent, as changes to the agent that the zoo has.

A file does not say everything. What it has no place for stays: categories, ids, what skills
require. A skill that is no longer in the file is not enabled any more, and keeps its text.

What was found in files, taken into a zoo: as new agents, or as changes to those it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from paddock.zoo.errors import AgentNotFoundError
from paddock.zoo.formats.exchange import ImportBatch, Remark, StandaloneSkill
from paddock.zoo.formats.skill_folders import assign_skill
from paddock.zoo.formats.soul_markdown import normalize_text
from paddock.zoo.model import GENERAL_CATEGORY_ID, Agent
from paddock.zoo.slugs import collapse_whitespace, find_free_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.zoo.model import Skill
    from paddock.zoo.service import Zoo


Json = dict[str, Any]


def compute_changes(current: Agent, read: Agent) -> Json:
    """The changes, by JSON key, that make an agent say what a file says."""
    found: Json = {}
    if read.name != current.name:
        found["name"] = read.name
    if normalize_text(read.description) != normalize_text(current.description):
        found["description"] = read.description
    if normalize_text(read.system_prompt) != normalize_text(current.system_prompt):
        found["systemPrompt"] = read.system_prompt
    skills = merge_skills(current, read)
    if skills != current.skills:
        found["skills"] = msgspec.to_builtins(skills)
    extra = {**current.extra, **read.extra}
    if extra != current.extra:
        found["extra"] = extra
    return found


def merge_skills(current: Agent, read: Agent) -> list[Skill]:
    """The skills of an agent, after a file has said which are enabled and what they are."""
    left = list(current.skills)
    taken = {one.id for one in left}
    found: list[Skill] = []
    for one in read.skills:
        same = next((old for old in left if old.enabled and _is_same_skill(old, one)), None)
        same = same or next((old for old in left if _is_same_skill(old, one)), None)
        if same is None:
            name = find_free_name(one.id, taken)
            taken.add(name)
            category = (
                current.skill_categories[0].id if current.skill_categories else GENERAL_CATEGORY_ID
            )
            found.append(msgspec.structs.replace(one, id=name, category_id=category))
        else:
            left.remove(same)
            found.append(_update_skill(same, one))
    for place, old in enumerate(current.skills):
        if old in left:
            found.insert(min(place, len(found)), msgspec.structs.replace(old, enabled=False))
    return found


def _is_same_skill(old: Skill, new: Skill) -> bool:
    return collapse_whitespace(old.name) == collapse_whitespace(new.name)


def _update_skill(old: Skill, new: Skill) -> Skill:
    """A skill with what a file says; texts that differ in blanks only stay as they are."""
    text, when = old.description, old.when_to_use
    return msgspec.structs.replace(
        old,
        enabled=True,
        description=text
        if normalize_text(text) == normalize_text(new.description)
        else new.description,
        when_to_use=when
        if collapse_whitespace(when) == collapse_whitespace(new.when_to_use)
        else new.when_to_use,
    )


class ImportPlanItem(msgspec.Struct, rename="camel", kw_only=True):
    """What becomes of one agent."""

    id: str
    name: str
    action: Literal["create", "update", "unchanged"]
    description: str = ""
    skills: list[str] = msgspec.field(default_factory=list)
    entries: int = 0
    changes: list[str] = msgspec.field(default_factory=list)
    """The JSON keys that an update changes."""


class ImportPlan(msgspec.Struct, rename="camel", kw_only=True):
    """What taking something in does, or has done."""

    agents: list[ImportPlanItem] = msgspec.field(default_factory=list)
    skills: list[str] = msgspec.field(default_factory=list)
    """Names of the skills that go to an agent or into the library."""
    created: list[str] = msgspec.field(default_factory=list)
    updated: list[str] = msgspec.field(default_factory=list)
    report: list[Remark] = msgspec.field(default_factory=list)


def plan_import(zoo: Zoo, found: ImportBatch, *, is_update: bool = False) -> ImportPlan:
    """What taking in would do.

    Args:
        zoo: Where to.
        found: What was found in files.
        is_update: Whether an agent that is there already is changed; else another one is made.
    """
    planned = ImportPlan(report=list(found.report))
    planned.skills = [one.skill.name for one in found.skills]
    planned.skills += [one.name for one in found.library]
    for agent in found.agents:
        current = _find_current_agent(zoo, agent.id)
        if current is not None and not is_update:
            text = "there is an agent of this id already; another one is made"
            planned.report.append(Remark(field="id", message=text, agent_id=agent.id))
            current = None
        changes = sorted(compute_changes(current, agent)) if current else []
        item = ImportPlanItem(
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


def apply_import(
    zoo: Zoo, found: ImportBatch, planned: ImportPlan, *, skills_to: str | None = None, source: str
) -> ImportPlan:
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
    done = ImportPlan(agents=planned.agents, skills=planned.skills, report=list(planned.report))
    actions = {item.id: item.action for item in planned.agents}
    new = ImportBatch(
        agents=[agent for agent in found.agents if actions[agent.id] == "create"],
        brains=found.brains,
        library=list(found.library),
        packs=found.packs,
    )
    if skills_to is None:
        new.library += [one.skill for one in found.skills]
    else:
        done.updated.append(_assign_skills(zoo, skills_to, found.skills, source))
    if new.agents or new.library or new.packs:
        made = zoo.importer.import_batch(new, source=source)
        done.created = made.created
        done.report += [Remark(field=one.field, message=one.message) for one in made.report]
    for agent in found.agents:
        if actions[agent.id] == "update":
            current = zoo.agents.get(agent.id)
            changes = compute_changes(current, agent)
            zoo.agents.update(agent.id, changes, version=current.version, source=source)
            done.updated.append(agent.id)
        if actions[agent.id] != "create" and found.brains.get(agent.id):
            text = "memory is taken in with new agents only; it is left out"
            done.report.append(Remark(field="brain", message=text, agent_id=agent.id))
    return done


def _find_current_agent(zoo: Zoo, agent_id: str) -> Agent | None:
    try:
        return zoo.agents.get(agent_id)
    except AgentNotFoundError:
        return None


def _assign_skills(zoo: Zoo, name: str, skills: Iterable[StandaloneSkill], source: str) -> str:
    """Give an agent skills; its id."""
    agent = zoo.agents.find(name)
    changed = msgspec.convert(msgspec.to_builtins(agent), Agent)
    for one in skills:
        assign_skill(changed, one)
    changes = msgspec.to_builtins({"skills": changed.skills, "extra": changed.extra})
    return zoo.agents.update(agent.id, changes, version=agent.version, source=source).id
