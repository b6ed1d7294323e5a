"""What is odd about an agent's skills: doubles, contradictions, requirements that are not met.

One skill or category of an agent at a time, so that two who change an agent lose nothing.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, Any

import msgspec

from paddock.suggestions import did_you_mean
from paddock.zoo import validation
from paddock.zoo.agents import save_agent
from paddock.zoo.context import ZooContext, check_expected_version, require_agent
from paddock.zoo.errors import CategoryNotFoundError, SkillNotFoundError
from paddock.zoo.model import Agent, Skill, SkillCategory, SkillFinding
from paddock.zoo.slugs import find_free_slug, slugify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


_SENTENCE_PATTERN = re.compile(r"[^.!?\n]+")
_WORD_PATTERN = re.compile(r"\w+(?:['\u2019]\w+)?")
_NEGATIVE_WORDS = frozenset({"never", "avoid", "not", "don't", "don\u2019t", "without", "no"})
_POSITIVE_WORDS = frozenset(
    {"always", "must", "prefer", "use", "do", "should", "please", "any", "ever"}
)
_STOP_WORDS = frozenset(
    {"a", "an", "the", "to", "of", "in", "on", "for", "and", "or", "is", "be", "it"}
)
_MIN_SIMILARITY = 0.75
_MIN_WORDS = 2


def check_skills(agent: Agent) -> list[SkillFinding]:
    """All that is found, doubles first. Skills that are off can only be doubles."""
    return [*_find_duplicates(agent), *_find_conflicts(agent), *_find_unmet_requirements(agent)]


def _find_duplicates(agent: Agent) -> Iterator[SkillFinding]:
    for one, other in combinations(agent.skills, 2):
        if _normalize_text(one.name) == _normalize_text(other.name):
            what = "have the same name"
        elif _normalize_text(one.description) and _normalize_text(
            one.description
        ) == _normalize_text(other.description):
            what = "have the same text"
        else:
            continue
        yield SkillFinding(
            kind="duplicate",
            skill_ids=[one.id, other.id],
            message=f"{one.name} and {other.name} {what}",
        )


def _find_conflicts(agent: Agent) -> Iterator[SkillFinding]:
    """Two sentences of nearly the same words, of which one forbids what the other asks for."""
    enabled = [(skill, list(_extract_demands(skill))) for skill in agent.skills if skill.enabled]
    for (one, first), (other, second) in combinations(enabled, 2):
        if any(_is_opposite(a, b) for a in first for b in second):
            yield SkillFinding(
                kind="conflict",
                skill_ids=[one.id, other.id],
                message=f"{one.name} and {other.name} seem to ask for opposite things",
            )


def _extract_demands(skill: Skill) -> Iterator[tuple[bool, frozenset[str]]]:
    """For each sentence whether it forbids, and its words without those that say so."""
    for sentence in _SENTENCE_PATTERN.findall(skill.description):
        words = frozenset(_WORD_PATTERN.findall(sentence.casefold()))
        about = words - _NEGATIVE_WORDS - _POSITIVE_WORDS - _STOP_WORDS
        if len(about) >= _MIN_WORDS:
            yield bool(words & _NEGATIVE_WORDS), about


def _is_opposite(one: tuple[bool, frozenset[str]], other: tuple[bool, frozenset[str]]) -> bool:
    likeness = len(one[1] & other[1]) / len(one[1] | other[1])
    return one[0] != other[0] and likeness >= _MIN_SIMILARITY


def _find_unmet_requirements(agent: Agent) -> Iterator[SkillFinding]:
    known = {skill.id: skill for skill in agent.skills}
    for skill in agent.skills:
        if not skill.enabled:
            continue
        for required in skill.requires:
            if required not in known:
                yield SkillFinding(
                    kind="missingRequirement",
                    skill_ids=[skill.id],
                    message=f"{skill.name} requires {required}, which the agent does not have",
                )
            elif not known[required].enabled:
                yield SkillFinding(
                    kind="disabledRequirement",
                    skill_ids=[skill.id, required],
                    message=f"{skill.name} requires {known[required].name}, which is off",
                )


def _normalize_text(text: str) -> str:
    return " ".join(text.casefold().split())


CATEGORY_COLORS = ("#5B5F97", "#61988E", "#FF6B6C", "#E8C44A", "#7BA35C", "#8D6AE3", "#F08A4B")
"""A new category gets the first one that the agent does not use yet."""


class SkillEditor(ZooContext):
    """The skills and categories of agents; every change returns the agent as it is then."""

    def add_skill(
        self,
        agent_id: str,
        given: Mapping[str, Any],
        *,
        version: int | None = None,
        source: str = "web",
    ) -> Agent:
        """Add a skill at the end; its id is a slug of its name unless one is given.

        Raises:
            AgentNotFoundError: when there is no such agent.
            ConflictError: when it is not at that version any more.
            InvalidAgentError: when the skill cannot be as it was asked for.
        """

        def add(agent: Agent) -> str:
            first = agent.skill_categories[0].id
            skill = make_skill({"categoryId": first, **given}, [one.id for one in agent.skills])
            agent.skills.append(skill)
            return f"added skill {skill.name}"

        return self._change_agent(agent_id, add, version, source)

    def update_skill(
        self,
        agent_id: str,
        skill_id: str,
        changes: Mapping[str, Any],
        *,
        version: int | None = None,
        source: str = "web",
    ) -> Agent:
        """Change the fields of a skill whose JSON keys are given, and no others.

        Raises:
            AgentNotFoundError: when there is no such agent.
            SkillNotFoundError: when it has no such skill.
            ConflictError: when it is not at that version any more.
            InvalidAgentError: when the skill cannot be as it was asked for.
        """

        def update(agent: Agent) -> str:
            place = _find_skill_index(agent, skill_id)
            skill = validation.apply_changes(
                agent.skills[place], changes, validation.EDITABLE_SKILL_FIELDS
            )
            agent.skills[place] = skill
            return f"changed skill {skill.name}"

        return self._change_agent(agent_id, update, version, source)

    def delete_skill(
        self, agent_id: str, skill_id: str, *, version: int | None = None, source: str = "web"
    ) -> Agent:
        """Take a skill away; the version before still has it.

        Raises:
            AgentNotFoundError: when there is no such agent.
            SkillNotFoundError: when it has no such skill.
            ConflictError: when it is not at that version any more.
        """

        def delete(agent: Agent) -> str:
            skill = agent.skills.pop(_find_skill_index(agent, skill_id))
            return f"deleted skill {skill.name}"

        return self._change_agent(agent_id, delete, version, source)

    def toggle_skill(
        self,
        agent_id: str,
        skill_id: str,
        enabled: bool | None = None,
        *,
        version: int | None = None,
        source: str = "web",
    ) -> Agent:
        """Have a skill enabled or not; by default, what it is not now.

        Raises:
            AgentNotFoundError: when there is no such agent.
            SkillNotFoundError: when it has no such skill.
            ConflictError: when it is not at that version any more.
        """

        def toggle(agent: Agent) -> str:
            skill = agent.skills[_find_skill_index(agent, skill_id)]
            skill.enabled = not skill.enabled if enabled is None else enabled
            return f"{'enabled' if skill.enabled else 'disabled'} skill {skill.name}"

        return self._change_agent(agent_id, toggle, version, source)

    def order_skills(
        self,
        agent_id: str,
        ids: Sequence[str],
        *,
        version: int | None = None,
        source: str = "web",
    ) -> Agent:
        """Put skills in an order; those that are not named keep theirs, after the others.

        Raises:
            AgentNotFoundError: when there is no such agent.
            SkillNotFoundError: when it has no such skill.
            ConflictError: when it is not at that version any more.
        """

        def reorder(agent: Agent) -> str:
            first = [agent.skills[_find_skill_index(agent, one)] for one in dict.fromkeys(ids)]
            named = {skill.id for skill in first}
            agent.skills = first + [skill for skill in agent.skills if skill.id not in named]
            return "ordered skills"

        return self._change_agent(agent_id, reorder, version, source)

    def add_category(
        self,
        agent_id: str,
        given: Mapping[str, Any],
        *,
        version: int | None = None,
        source: str = "web",
    ) -> Agent:
        """Add a category at the end; its id is a slug of its name unless one is given.

        Raises:
            AgentNotFoundError: when there is no such agent.
            ConflictError: when it is not at that version any more.
            InvalidAgentError: when the category cannot be as it was asked for.
        """

        def add(agent: Agent) -> str:
            color = _choose_color(category.color for category in agent.skill_categories)
            taken = [category.id for category in agent.skill_categories]
            given_id = _make_id(given, "category", taken)
            category = validation.convert_to_struct(
                SkillCategory, {"color": color, **given, "id": given_id}
            )
            agent.skill_categories.append(category)
            return f"added category {category.name}"

        return self._change_agent(agent_id, add, version, source)

    def update_category(
        self,
        agent_id: str,
        category_id: str,
        changes: Mapping[str, Any],
        *,
        version: int | None = None,
        source: str = "web",
    ) -> Agent:
        """Change the name or the color of a category.

        Raises:
            AgentNotFoundError: when there is no such agent.
            CategoryNotFoundError: when it has no such category.
            ConflictError: when it is not at that version any more.
            InvalidAgentError: when the category cannot be as it was asked for.
        """

        def update(agent: Agent) -> str:
            place = _find_category_index(agent, category_id)
            before = agent.skill_categories[place]
            category = validation.apply_changes(
                before, changes, validation.EDITABLE_CATEGORY_FIELDS
            )
            agent.skill_categories[place] = category
            return f"changed category {category.name}"

        return self._change_agent(agent_id, update, version, source)

    def delete_category(
        self,
        agent_id: str,
        category_id: str,
        move_to: str | None = None,
        *,
        version: int | None = None,
        source: str = "web",
    ) -> Agent:
        """Take a category away; its skills go to another one, by default the first that is left.

        Raises:
            AgentNotFoundError: when there is no such agent.
            CategoryNotFoundError: when it has no such category.
            ConflictError: when it is not at that version any more.
            InvalidAgentError: when it is the only one.
        """

        def delete(agent: Agent) -> str:
            category = agent.skill_categories.pop(_find_category_index(agent, category_id))
            if not agent.skill_categories:
                raise validation.make_invalid_field_error(
                    "skillCategories", "an agent keeps one category at least"
                )
            place = _find_category_index(agent, move_to) if move_to is not None else 0
            for skill in agent.skills:
                if skill.category_id == category_id:
                    skill.category_id = agent.skill_categories[place].id
            return f"deleted category {category.name}"

        return self._change_agent(agent_id, delete, version, source)

    def skill_findings(self, agent_id: str) -> list[SkillFinding]:
        """What is odd about an agent's skills.

        Raises:
            AgentNotFoundError: when there is no such agent.
        """
        with self._read_transaction() as reading:
            return check_skills(require_agent(reading, agent_id).agent)

    def _change_agent(
        self, agent_id: str, change: Callable[[Agent], str], version: int | None, source: str
    ) -> Agent:
        with self._write_transaction(source) as writing:
            kept = require_agent(writing, agent_id)
            check_expected_version(version, kept.agent)
            changed = msgspec.convert(msgspec.to_builtins(kept.agent), Agent)
            summary = change(changed)
            return save_agent(writing, kept, changed, summary)


def make_skill(given: Mapping[str, Any], taken: Sequence[str]) -> Skill:
    """A skill as it was asked for, with an id that no other has.

    Raises:
        InvalidAgentError: for wrong types.
    """
    return validation.convert_to_struct(Skill, {**given, "id": _make_id(given, "skill", taken)})


def _make_id(given: Mapping[str, Any], otherwise: str, taken: Sequence[str]) -> str:
    asked, name = given.get("id"), given.get("name")
    text = asked if isinstance(asked, str) and asked.strip() else name
    return find_free_slug(
        slugify(text if isinstance(text, str) else "", otherwise), taken.__contains__
    )


def _choose_color(used: Iterable[str]) -> str:
    taken = [color.upper() for color in used]
    free = [color for color in CATEGORY_COLORS if color.upper() not in taken]
    return free[0] if free else CATEGORY_COLORS[len(taken) % len(CATEGORY_COLORS)]


def _find_skill_index(agent: Agent, skill_id: str) -> int:
    ids = [skill.id for skill in agent.skills]
    if skill_id not in ids:
        raise SkillNotFoundError(
            f"{agent.name} has no skill {skill_id[:100]!r}", hint=did_you_mean(skill_id, ids)
        )
    return ids.index(skill_id)


def _find_category_index(agent: Agent, category_id: str) -> int:
    ids = [category.id for category in agent.skill_categories]
    if category_id not in ids:
        raise CategoryNotFoundError(
            f"{agent.name} has no category {category_id[:100]!r}",
            hint=did_you_mean(category_id, ids),
        )
    return ids.index(category_id)
