"""What is odd about an agent's skills: doubles, contradictions, requirements that are not met."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING

from paddock.zoo.model import SkillFinding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.model import Agent, Skill

_SENTENCE_PATTERN = re.compile(r"[^.!?\n]+")
_WORD_PATTERN = re.compile(r"\w+(?:['\u2019]\w+)?")
_NEGATIVE_WORDS = frozenset({"never", "avoid", "not", "don't", "don\u2019t", "without", "no"})
_POSITIVE_WORDS = frozenset({"always", "must", "prefer", "use", "do", "should", "please", "any", "ever"})
_STOP_WORDS = frozenset({"a", "an", "the", "to", "of", "in", "on", "for", "and", "or", "is", "be", "it"})
_MIN_SIMILARITY = 0.75
_MIN_WORDS = 2


def check_skills(agent: Agent) -> list[SkillFinding]:
    """All that is found, doubles first. Skills that are off can only be doubles."""
    return [*_find_duplicates(agent), *_find_conflicts(agent), *_find_unmet_requirements(agent)]


def _find_duplicates(agent: Agent) -> Iterator[SkillFinding]:
    for one, other in combinations(agent.skills, 2):
        if _normalize_text(one.name) == _normalize_text(other.name):
            what = "have the same name"
        elif _normalize_text(one.description) and _normalize_text(one.description) == _normalize_text(other.description):
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
