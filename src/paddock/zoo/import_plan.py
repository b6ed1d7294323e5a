"""Plans for importing files into a zoo: new agents, and changes to existing ones.

A file does not contain everything about an agent. Data that its format cannot express is kept:
skill categories, IDs and requirements. A skill that is missing from the file is disabled, not
deleted.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from paddock.zoo.errors import AgentNotFoundError
from paddock.zoo.formats.exchange import ImportBatch, Remark, StandaloneSkill
from paddock.zoo.formats.skill_folders import add_standalone_skill
from paddock.zoo.formats.soul_markdown import normalize_text
from paddock.zoo.model import GENERAL_CATEGORY_ID, Agent
from paddock.zoo.slugs import collapse_whitespace, find_free_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.zoo.model import AgentSkill
    from paddock.zoo.service import Zoo


Json = dict[str, Any]


def compute_changes(current: Agent, file_agent: Agent) -> Json:
    """Return the changes needed to make an agent match a file, by JSON key: `{"description": "…"}`.

    Texts that differ only in line endings or surrounding white space count as equal, because
    formats do not preserve them.
    """
    changes: Json = {}
    if file_agent.name != current.name:
        changes["name"] = file_agent.name
    for key, old_text, new_text in (
        ("description", current.description, file_agent.description),
        ("systemPrompt", current.system_prompt, file_agent.system_prompt),
    ):
        if normalize_text(new_text) != normalize_text(old_text):
            changes[key] = new_text
    skills = merge_skills(current, file_agent)
    if skills != current.skills:
        changes["skills"] = msgspec.to_builtins(skills)
    extra = {**current.extra, **file_agent.extra}
    if extra != current.extra:
        changes["extra"] = extra
    return changes


def merge_skills(current: Agent, file_agent: Agent) -> list[AgentSkill]:
    """Return the skills that an agent will have after a file is imported into it.

    Skills are matched by name, because files do not contain their IDs. New skills are added. A
    skill that is missing from the file is not deleted, but disabled in its old position.
    """
    unmatched = list(current.skills)
    used_ids = {skill.id for skill in unmatched}
    merged: list[AgentSkill] = []
    for file_skill in file_agent.skills:
        # Files contain only enabled skills. If two skills have the same name, the enabled one is
        # meant.
        same_name = [old for old in unmatched if _is_same_skill(old, file_skill)]
        old = max(same_name, key=lambda skill: skill.enabled, default=None)
        if old is None:
            merged.append(_add_skill(current, file_skill, used_ids))
        else:
            unmatched.remove(old)
            merged.append(_update_skill(old, file_skill))
    for index, old in enumerate(current.skills):
        if old in unmatched:
            disabled = msgspec.structs.replace(old, enabled=False)
            merged.insert(min(index, len(merged)), disabled)
    return merged


def _add_skill(agent: Agent, new: AgentSkill, used_ids: set[str]) -> AgentSkill:
    skill_id = find_free_name(new.id, used_ids)
    used_ids.add(skill_id)
    category_id = agent.skill_categories[0].id if agent.skill_categories else GENERAL_CATEGORY_ID
    return msgspec.structs.replace(new, id=skill_id, category_id=category_id)


def _is_same_skill(old: AgentSkill, new: AgentSkill) -> bool:
    return collapse_whitespace(old.name) == collapse_whitespace(new.name)


def _update_skill(old: AgentSkill, new: AgentSkill) -> AgentSkill:
    """Return the skill `old`, enabled and with the texts of `new`, a skill from a file.

    A text that differs only in white space is kept, because formats do not preserve white space.
    """
    updated = msgspec.structs.replace(old, enabled=True)
    if normalize_text(old.description) != normalize_text(new.description):
        updated.description = new.description
    if collapse_whitespace(old.when_to_use) != collapse_whitespace(new.when_to_use):
        updated.when_to_use = new.when_to_use
    return updated


ImportAction = Literal["create", "update", "unchanged"]


class ImportPlanItem(msgspec.Struct, rename="camel", kw_only=True):
    """The planned import of one agent."""

    id: str
    name: str
    action: ImportAction
    description: str = ""
    skills: list[str] = msgspec.field(default_factory=list)
    """Names of the skills in the file."""
    entries: int = 0
    """Number of brain entries in the files."""
    changes: list[str] = msgspec.field(default_factory=list)
    """JSON keys of the fields that an update changes."""


class ImportPlan(msgspec.Struct, rename="camel", kw_only=True):
    """The planned or completed import of files."""

    agents: list[ImportPlanItem] = msgspec.field(default_factory=list)
    skills: list[str] = msgspec.field(default_factory=list)
    """Names of the skills that are added to an agent or to the library."""
    created: list[str] = msgspec.field(default_factory=list)
    """IDs of the agents that the import has created; empty in a plan."""
    updated: list[str] = msgspec.field(default_factory=list)
    """IDs of the agents that the import has updated; empty in a plan."""
    report: list[Remark] = msgspec.field(default_factory=list)


def plan_import(zoo: Zoo, batch: ImportBatch, *, is_update: bool = False) -> ImportPlan:
    """Work out what an import would do, without changing the zoo.

    Args:
        zoo: The zoo.
        batch: The content of the files.
        is_update: Update existing agents with the same IDs. Otherwise an existing agent is never
            replaced, and the new one gets a different ID.
    """
    plan = ImportPlan(report=list(batch.report))
    plan.skills = [standalone.skill.name for standalone in batch.skills]
    plan.skills += [skill.name for skill in batch.library]
    for agent in batch.agents:
        current = _find_current_agent(zoo, agent.id)
        if current is not None and not is_update:
            message = "the ID is taken; another agent is created"
            plan.report.append(Remark("id", message, agent_id=agent.id))
            current = None
        changes = sorted(compute_changes(current, agent)) if current else []
        action: ImportAction
        if current is None:
            action = "create"
        elif changes:
            action = "update"
        else:
            action = "unchanged"
        item = ImportPlanItem(
            id=agent.id,
            name=agent.name,
            action=action,
            description=agent.description,
            skills=[skill.name for skill in agent.skills],
            entries=len(batch.brains.get(agent.id, [])),
            changes=changes,
        )
        plan.agents.append(item)
    return plan


def apply_import(
    zoo: Zoo, batch: ImportBatch, plan: ImportPlan, *, skills_to: str | None = None, source: str
) -> ImportPlan:
    """Carry out a plan.

    Args:
        zoo: The zoo.
        batch: The content of the files.
        plan: The plan for the same content.
        skills_to: The agent that receives standalone skills, by default the library.
        source: The origin of the changes.

    Raises:
        AgentNotFoundError: `skills_to` does not exist.
        ZooError: A value is invalid. No new agent is created.
    """
    result = ImportPlan(agents=plan.agents, skills=plan.skills, report=list(plan.report))
    actions = {item.id: item.action for item in plan.agents}
    new = ImportBatch(
        agents=[agent for agent in batch.agents if actions[agent.id] == "create"],
        brains=batch.brains,
        library=list(batch.library),
        packs=batch.packs,
    )
    if skills_to is None:
        new.library += [standalone.skill for standalone in batch.skills]
    else:
        result.updated.append(_add_standalone_skills(zoo, skills_to, batch.skills, source))
    if new.agents or new.library or new.packs:
        imported = zoo.importer.import_batch(new, source=source)
        result.created = imported.created
        result.report += [Remark(note.field, note.message) for note in imported.report]
    for agent in batch.agents:
        if actions[agent.id] == "update":
            current = zoo.agents.get(agent.id)
            changes = compute_changes(current, agent)
            # Pass the version, so a change by another client in between is not overwritten.
            zoo.agents.update(agent.id, changes, version=current.version, source=source)
            result.updated.append(agent.id)
        if actions[agent.id] != "create" and batch.brains.get(agent.id):
            # Importing entries again would duplicate them, because entries in a MEMORY.md have no
            # IDs.
            text = "memory is imported for new agents only; it is left out"
            result.report.append(Remark("brain", text, agent_id=agent.id))
    return result


def _find_current_agent(zoo: Zoo, agent_id: str) -> Agent | None:
    try:
        return zoo.agents.get(agent_id)
    except AgentNotFoundError:
        return None


def _add_standalone_skills(
    zoo: Zoo, agent_name: str, skills: Iterable[StandaloneSkill], source: str
) -> str:
    """Add skills from SKILL.md files to an agent of the zoo, and return its ID.

    Args:
        zoo: The zoo.
        agent_name: The ID or the name of the agent.
        skills: The skills.
        source: The origin of the change.
    """
    agent = zoo.agents.find(agent_name)
    # The copy has to be deep, because skills are added to its lists and dictionaries in place.
    updated_agent = deepcopy(agent)
    for skill in skills:
        add_standalone_skill(updated_agent, skill)
    changes = msgspec.to_builtins({"skills": updated_agent.skills, "extra": updated_agent.extra})
    return zoo.agents.update(agent.id, changes, version=agent.version, source=source).id
