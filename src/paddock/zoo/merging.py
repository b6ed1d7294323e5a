"""What a file says of an agent, as changes to the agent that the zoo has.

A file does not say everything. What it has no place for stays: categories, ids, what skills
require. A skill that is no longer in the file is not enabled any more, and keeps its text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.zoo.formats.names import find_free_name, collapse_whitespace
from paddock.zoo.formats.sections import normalize_text
from paddock.zoo.model import GENERAL_CATEGORY_ID

if TYPE_CHECKING:
    from paddock.zoo.model import Agent, Skill

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
            category = current.skill_categories[0].id if current.skill_categories else GENERAL_CATEGORY_ID
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
        description=text if normalize_text(text) == normalize_text(new.description) else new.description,
        when_to_use=when if collapse_whitespace(when) == collapse_whitespace(new.when_to_use) else new.when_to_use,
    )
