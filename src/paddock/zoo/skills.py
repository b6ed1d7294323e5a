"""Edits an agent's skills and categories, and checks them for problems."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from paddock.suggestions import did_you_mean
from paddock.zoo import validation
from paddock.zoo.agents import save_agent
from paddock.zoo.context import ChangeOptions, ZooContext, check_expected_version, require_agent
from paddock.zoo.errors import CategoryNotFoundError, SkillNotFoundError
from paddock.zoo.model import Agent, AgentSkill, SkillCategory, SkillFinding
from paddock.zoo.slugs import find_free_name, slugify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


_SENTENCE_PATTERN = re.compile(r"[^.!?\n]+")
_WORD_PATTERN = re.compile(r"\w+(?:['\u2019]\w+)?")
_NEGATIVE_WORDS = frozenset({"never", "avoid", "not", "don't", "don\u2019t", "without", "no"})
_POSITIVE_WORDS = frozenset(
    {"always", "must", "prefer", "use", "do", "should", "please", "any", "ever"}
)
# Words that carry no meaning would make all short sentences look similar.
_STOP_WORDS = frozenset(
    {"a", "an", "the", "to", "of", "in", "on", "for", "and", "or", "is", "be", "it"}
)
_MIN_SIMILARITY = 0.75
_MIN_WORDS = 2

CATEGORY_COLORS = ("#5B5F97", "#61988E", "#FF6B6C", "#E8C44A", "#7BA35C", "#8D6AE3", "#F08A4B")
"""Colors for new categories. Each gets the first color that the agent does not use yet."""


def check_skills(agent: Agent) -> list[SkillFinding]:
    """Return duplicate skills, contradictions and unmet requirements.

    Disabled skills are only checked for duplicates.
    """
    return [*_find_duplicates(agent), *_find_conflicts(agent), *_find_unmet_requirements(agent)]


def _find_duplicates(agent: Agent) -> Iterator[SkillFinding]:
    """Yield the pairs of skills with the same name or the same text."""
    for first, second in combinations(agent.skills, 2):
        first_text = _normalize_text(first.description)
        # Skills with the same name are confusing even if their texts differ.
        if _normalize_text(first.name) == _normalize_text(second.name):
            reason = "have the same name"
        elif first_text and first_text == _normalize_text(second.description):
            reason = "have the same text"
        else:
            continue
        yield SkillFinding(
            kind="duplicate",
            skill_ids=[first.id, second.id],
            message=f"{first.name} and {second.name} {reason}",
        )


def _find_conflicts(agent: Agent) -> Iterator[SkillFinding]:
    """Yield the pairs of enabled skills that seem to contradict each other.

    This is a heuristic that compares the skills' sentences: "Always use tabs" and "Never use tabs"
    contradict each other.
    """
    rules_by_skill = [
        (skill, list(_extract_rules(skill))) for skill in agent.skills if skill.enabled
    ]
    for (first, first_rules), (second, second_rules) in combinations(rules_by_skill, 2):
        if any(rule.contradicts(other) for rule in first_rules for other in second_rules):
            yield SkillFinding(
                kind="conflict",
                skill_ids=[first.id, second.id],
                message=f"{first.name} and {second.name} seem to contradict each other",
            )


class _Rule(NamedTuple):
    """A sentence of a skill that demands or forbids something."""

    is_negative: bool
    """Whether the sentence forbids something."""
    words: frozenset[str]
    """The meaningful words of the sentence, at least `_MIN_WORDS`."""

    def contradicts(self, other: _Rule) -> bool:
        """Return whether two rules have nearly the same words, but only one of them is negative."""
        similarity = len(self.words & other.words) / len(self.words | other.words)
        return self.is_negative != other.is_negative and similarity >= _MIN_SIMILARITY


def _extract_rules(skill: AgentSkill) -> Iterator[_Rule]:
    """Yield a skill's sentences that have enough words to be compared."""
    for sentence in _SENTENCE_PATTERN.findall(skill.description):
        words = frozenset(_WORD_PATTERN.findall(sentence.casefold()))
        topic = words - _NEGATIVE_WORDS - _POSITIVE_WORDS - _STOP_WORDS
        if len(topic) >= _MIN_WORDS:
            yield _Rule(bool(words & _NEGATIVE_WORDS), topic)


def _find_unmet_requirements(agent: Agent) -> Iterator[SkillFinding]:
    """Yield the requirements of enabled skills that are missing or disabled."""
    skills_by_id = {skill.id: skill for skill in agent.skills}
    for skill in agent.skills:
        if not skill.enabled:
            continue
        for required_id in skill.requires:
            required = skills_by_id.get(required_id)
            if required is None:
                yield SkillFinding(
                    kind="missingRequirement",
                    skill_ids=[skill.id],
                    message=f"{skill.name} requires {required_id}, which the agent does not have",
                )
            elif not required.enabled:
                yield SkillFinding(
                    kind="disabledRequirement",
                    skill_ids=[skill.id, required_id],
                    message=f"{skill.name} requires {required.name}, which is disabled",
                )


def _normalize_text(text: str) -> str:
    return " ".join(text.casefold().split())


@dataclass(frozen=True)
class SkillEditor:
    """Access to agents' skills and skill categories. Every change returns the changed agent.

    Each method changes one item in one transaction, so two clients that edit different skills of an
    agent do not overwrite each other's changes. Methods raise `AgentNotFoundError`,
    `SkillNotFoundError` or `CategoryNotFoundError` for an unknown ID, `ConflictError` if the agent
    is not at the expected `version`, and `InvalidAgentError` if a value is invalid.
    """

    context: ZooContext

    def add(
        self, agent_id: str, fields: Mapping[str, Any], **options: Unpack[ChangeOptions]
    ) -> Agent:
        """Append a skill. Its ID is a slug of the given ID or name."""

        def edit(agent: Agent) -> str:
            default_category_id = agent.skill_categories[0].id
            used_ids = [skill.id for skill in agent.skills]
            skill = make_skill({"categoryId": default_category_id, **fields}, used_ids)
            agent.skills.append(skill)
            return f"added skill {skill.name}"

        return self._edit_agent(agent_id, edit, options)

    def update(
        self,
        agent_id: str,
        skill_id: str,
        changes: Mapping[str, Any],
        **options: Unpack[ChangeOptions],
    ) -> Agent:
        """Update the given fields of a skill.

        Args:
            agent_id: The ID of the agent.
            skill_id: The ID of the skill.
            changes: New values by JSON key, such as `{"whenToUse": "…"}`.
            **options: `version`, the expected version of the agent, and `source`.
        """

        def edit(agent: Agent) -> str:
            index = _find_skill_index(agent, skill_id)
            skill = validation.apply_changes(agent.skills[index], changes)
            agent.skills[index] = skill
            return f"changed skill {skill.name}"

        return self._edit_agent(agent_id, edit, options)

    def delete(self, agent_id: str, skill_id: str, **options: Unpack[ChangeOptions]) -> Agent:
        """Delete a skill. Earlier versions of the agent still contain it."""

        def edit(agent: Agent) -> str:
            skill = agent.skills.pop(_find_skill_index(agent, skill_id))
            return f"deleted skill {skill.name}"

        return self._edit_agent(agent_id, edit, options)

    def toggle(
        self,
        agent_id: str,
        skill_id: str,
        enabled: bool | None = None,
        **options: Unpack[ChangeOptions],
    ) -> Agent:
        """Enable a skill, or disable it if `enabled` is False. By default, invert its state."""

        def edit(agent: Agent) -> str:
            skill = agent.skills[_find_skill_index(agent, skill_id)]
            if enabled is None:
                skill.enabled = not skill.enabled
            else:
                skill.enabled = enabled
            return f"{'enabled' if skill.enabled else 'disabled'} skill {skill.name}"

        return self._edit_agent(agent_id, edit, options)

    def reorder(self, agent_id: str, ids: Sequence[str], **options: Unpack[ChangeOptions]) -> Agent:
        """Move skills to the front in the given order. The others follow in their current order."""

        def edit(agent: Agent) -> str:
            unique_ids = dict.fromkeys(ids)
            first = [agent.skills[_find_skill_index(agent, skill_id)] for skill_id in unique_ids]
            rest = [skill for skill in agent.skills if skill.id not in unique_ids]
            agent.skills = first + rest
            return "ordered skills"

        return self._edit_agent(agent_id, edit, options)

    def add_category(
        self, agent_id: str, fields: Mapping[str, Any], **options: Unpack[ChangeOptions]
    ) -> Agent:
        """Append a category, by default with a color that no other category of the agent has.

        Its ID is a slug of the given ID or name.
        """

        def edit(agent: Agent) -> str:
            color = _choose_color(category.color for category in agent.skill_categories)
            used_ids = [category.id for category in agent.skill_categories]
            category_id = _make_id(fields, "category", used_ids)
            category = validation.convert_to_struct(
                SkillCategory, {"color": color, **fields, "id": category_id}
            )
            agent.skill_categories.append(category)
            return f"added category {category.name}"

        return self._edit_agent(agent_id, edit, options)

    def update_category(
        self,
        agent_id: str,
        category_id: str,
        changes: Mapping[str, Any],
        **options: Unpack[ChangeOptions],
    ) -> Agent:
        """Change a category's name or color."""

        def edit(agent: Agent) -> str:
            index = _find_category_index(agent, category_id)
            category = validation.apply_changes(agent.skill_categories[index], changes)
            agent.skill_categories[index] = category
            return f"changed category {category.name}"

        return self._edit_agent(agent_id, edit, options)

    def delete_category(
        self,
        agent_id: str,
        category_id: str,
        move_to: str | None = None,
        **options: Unpack[ChangeOptions],
    ) -> Agent:
        """Delete a category and move its skills to another one.

        The skills move to the category `move_to`, or to the first remaining one by default. An
        agent needs at least one category, so the last one cannot be deleted.
        """

        def edit(agent: Agent) -> str:
            category = agent.skill_categories.pop(_find_category_index(agent, category_id))
            if not agent.skill_categories:
                raise validation.make_invalid_field_error(
                    "skillCategories", "an agent needs at least one category"
                )
            index = _find_category_index(agent, move_to) if move_to is not None else 0
            target_id = agent.skill_categories[index].id
            # Otherwise validation would move the skills to the first category.
            for skill in agent.skills:
                if skill.category_id == category_id:
                    skill.category_id = target_id
            return f"deleted category {category.name}"

        return self._edit_agent(agent_id, edit, options)

    def list_findings(self, agent_id: str) -> list[SkillFinding]:
        """Return the problems that `check_skills` finds in an agent's skills."""
        with self.context.read_transaction() as tx:
            return check_skills(require_agent(tx, agent_id).agent)

    def _edit_agent(
        self, agent_id: str, edit: Callable[[Agent], str], options: ChangeOptions
    ) -> Agent:
        """Apply `edit` to a copy of an agent, and save the copy as the next version.

        Args:
            agent_id: The ID of the agent.
            edit: Changes the agent, and returns the summary for the version history.
            options: The expected version of the agent, and the origin of the change.
        """
        with self.context.change_transaction(options) as tx:
            row = require_agent(tx, agent_id)
            check_expected_version(options.get("version"), row.agent)
            # The copy has to be deep, because `save_agent` compares it with the original.
            updated_agent = deepcopy(row.agent)
            summary = edit(updated_agent)
            return save_agent(tx, row, updated_agent, summary)


def make_skill(fields: Mapping[str, Any], used_ids: Sequence[str]) -> AgentSkill:
    """Create a skill from fields by JSON key, with an ID that is not in `used_ids`.

    Raises:
        InvalidAgentError: A field has the wrong type, or `name` is missing.
    """
    skill_id = _make_id(fields, "skill", used_ids)
    return validation.convert_to_struct(AgentSkill, {**fields, "id": skill_id})


def _make_id(fields: Mapping[str, Any], fallback: str, used_ids: Sequence[str]) -> str:
    """Return an unused slug of the requested ID or the name, such as `code-review-2`."""
    requested_id, name = fields.get("id"), fields.get("name")
    text = requested_id if isinstance(requested_id, str) and requested_id.strip() else name
    slug = slugify(text if isinstance(text, str) else "", fallback)
    return find_free_name(slug, used_ids)


def _choose_color(used_colors: Iterable[str]) -> str:
    """Return the first unused color, or reuse the colors in turn if none is left."""
    used = [color.upper() for color in used_colors]
    free = [color for color in CATEGORY_COLORS if color.upper() not in used]
    return free[0] if free else CATEGORY_COLORS[len(used) % len(CATEGORY_COLORS)]


def _find_index(
    agent: Agent,
    items: Sequence[AgentSkill] | Sequence[SkillCategory],
    item_id: str,
    error_class: type[SkillNotFoundError | CategoryNotFoundError],
) -> int:
    """Return the index of the skill or category with the given ID in one of the agent's lists.

    Raises:
        SkillNotFoundError: There is no such skill. The hint suggests a similar ID.
        CategoryNotFoundError: There is no such category.
    """
    ids = [item.id for item in items]
    if item_id not in ids:
        noun = "skill" if error_class is SkillNotFoundError else "category"
        raise error_class(
            f"{agent.name} has no {noun} {item_id[:100]!r}", hint=did_you_mean(item_id, ids)
        )
    return ids.index(item_id)


def _find_skill_index(agent: Agent, skill_id: str) -> int:
    return _find_index(agent, agent.skills, skill_id, SkillNotFoundError)


def _find_category_index(agent: Agent, category_id: str) -> int:
    return _find_index(agent, agent.skill_categories, category_id, CategoryNotFoundError)
