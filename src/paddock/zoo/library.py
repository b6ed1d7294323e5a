"""The library: skills that any agent can have a copy of, and packs of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.suggestions import did_you_mean
from paddock.zoo import validation
from paddock.zoo.agents import save_agent
from paddock.zoo.context import ZooContext, check_expected_version, require_agent
from paddock.zoo.errors import LibraryItemNotFoundError
from paddock.zoo.model import Agent, AgentSummary, LibrarySkill, Pack, Skill
from paddock.zoo.slugs import find_free_slug, slugify
from paddock.zoo.store import agent_rows
from paddock.zoo.store.agent_rows import AgentFilter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paddock.zoo.store.agent_rows import LibraryItem
    from paddock.zoo.store.transaction import ReadTransaction, WriteTransaction


class SkillLibrary(ZooContext):
    """The library of a zoo."""

    def list_library(
        self, *, text: str | None = None, pack_id: str | None = None, tag: str | None = None
    ) -> list[LibrarySkill]:
        """Skills in the order in which they were made.

        Args:
            text: Part of the name, the description or the trigger, without regard to case.
            pack_id: The pack that they are in.
            tag: A tag that they have.
        """
        with self._read_transaction() as reading:
            skills = agent_rows.list_library_items(reading, LibrarySkill)
        part = (text or "").strip().casefold()
        return [
            skill
            for skill in skills
            if pack_id in (None, skill.pack_id)
            and (tag is None or tag in skill.tags)
            and part in f"{skill.name}\n{skill.description}\n{skill.when_to_use}".casefold()
        ]

    def get_library_skill(self, skill_id: str) -> LibrarySkill:
        """One skill.

        Raises:
            LibraryItemNotFoundError: when there is none of that id.
        """
        with self._read_transaction() as reading:
            return _require_library_item(reading, LibrarySkill, skill_id)

    def create_library_skill(
        self, given: Mapping[str, Any], *, source: str = "web"
    ) -> LibrarySkill:
        """Add a skill; its id is a slug of the given id or of its name.

        Raises:
            InvalidAgentError: when it cannot be as it was asked for.
            LibraryItemNotFoundError: when there is no such pack.
        """
        with self._write_transaction(source) as writing:
            skill = add_library_skill(writing, given)
            writing.record_event("library:changed", skillId=skill.id)
            return skill

    def update_library_skill(
        self,
        skill_id: str,
        changes: Mapping[str, Any],
        *,
        version: int | None = None,
        source: str = "web",
    ) -> LibrarySkill:
        """Change the fields whose JSON keys are given. Copies that agents have stay as they are.

        Raises:
            LibraryItemNotFoundError: when there is no such skill, or no such pack.
            ConflictError: when it is not at that version any more.
            InvalidAgentError: when it cannot be as it was asked for.
        """
        with self._write_transaction(source) as writing:
            skill = _require_library_item(writing, LibrarySkill, skill_id)
            check_expected_version(version, skill)
            changed = validation.validate_library_skill(
                validation.apply_changes(skill, changes, validation.EDITABLE_LIBRARY_FIELDS)
            )
            if changed == skill:
                return skill
            _require_pack(writing, changed)
            changed.version = skill.version + 1
            agent_rows.update_library_item(writing, changed)
            writing.record_event("library:changed", skillId=skill.id)
            return changed

    def delete_library_skill(
        self, skill_id: str, *, version: int | None = None, source: str = "web"
    ) -> None:
        """Take a skill out of the library. Copies that agents have stay.

        Raises:
            LibraryItemNotFoundError: when there is no such skill.
            ConflictError: when it is not at that version any more.
        """
        with self._write_transaction(source) as writing:
            skill = _require_library_item(writing, LibrarySkill, skill_id)
            check_expected_version(version, skill)
            agent_rows.delete_library_item(writing, skill)
            writing.record_event("library:changed", skillId=skill.id)

    def list_packs(self) -> list[Pack]:
        """The packs in the order in which they were made."""
        with self._read_transaction() as reading:
            return agent_rows.list_library_items(reading, Pack)

    def create_pack(self, given: Mapping[str, Any], *, source: str = "web") -> Pack:
        """Add a pack; its id is a slug of the given id or of its name.

        Raises:
            InvalidAgentError: when it cannot be as it was asked for.
        """
        with self._write_transaction(source) as writing:
            pack = add_pack(writing, given)
            writing.record_event("library:changed", packId=pack.id)
            return pack

    def update_pack(
        self,
        pack_id: str,
        changes: Mapping[str, Any],
        *,
        version: int | None = None,
        source: str = "web",
    ) -> Pack:
        """Change the fields whose JSON keys are given.

        Raises:
            LibraryItemNotFoundError: when there is no such pack.
            ConflictError: when it is not at that version any more.
            InvalidAgentError: when it cannot be as it was asked for.
        """
        with self._write_transaction(source) as writing:
            pack = _require_library_item(writing, Pack, pack_id)
            check_expected_version(version, pack)
            changed = validation.validate_pack(
                validation.apply_changes(pack, changes, validation.EDITABLE_PACK_FIELDS)
            )
            if changed == pack:
                return pack
            changed.version = pack.version + 1
            agent_rows.update_library_item(writing, changed)
            writing.record_event("library:changed", packId=pack.id)
            return changed

    def delete_pack(self, pack_id: str, *, version: int | None = None, source: str = "web") -> None:
        """Take a pack away; its skills stay in the library.

        Raises:
            LibraryItemNotFoundError: when there is no such pack.
            ConflictError: when it is not at that version any more.
        """
        with self._write_transaction(source) as writing:
            pack = _require_library_item(writing, Pack, pack_id)
            check_expected_version(version, pack)
            agent_rows.clear_pack(writing, pack.id)
            agent_rows.delete_library_item(writing, pack)
            writing.record_event("library:changed", packId=pack.id)

    def copy_to_agent(
        self,
        agent_id: str,
        skill_ids: Sequence[str] = (),
        *,
        pack_id: str | None = None,
        version: int | None = None,
        source: str = "web",
    ) -> Agent:
        """Give an agent copies of skills, or of a pack, with what these require.

        Skills that it has a copy of already are left as they are.

        Raises:
            AgentNotFoundError: when there is no such agent.
            LibraryItemNotFoundError: when there is no such skill or pack.
            ConflictError: when the agent is not at that version any more.
            InvalidAgentError: when it would have too many skills.
        """
        with self._write_transaction(source) as writing:
            kept = require_agent(writing, agent_id)
            check_expected_version(version, kept.agent)
            library = {one.id: one for one in agent_rows.list_library_items(writing, LibrarySkill)}
            wanted = [_require_library_item(writing, LibrarySkill, one).id for one in skill_ids]
            if pack_id is not None:
                pack = _require_library_item(writing, Pack, pack_id)
                wanted += [one.id for one in library.values() if one.pack_id == pack.id]
            changed = msgspec.convert(msgspec.to_builtins(kept.agent), Agent)
            added = _copy_skills(_resolve_requirements(wanted, library), changed)
            names = ", ".join(skill.name for skill in added)
            return save_agent(writing, kept, changed, f"copied from the library: {names}"[:200])

    def agents_with_copies(self, skill_id: str) -> list[AgentSummary]:
        """The agents that have a copy of a skill of the library."""
        with self._read_transaction() as reading:
            page = agent_rows.list_agent_rows(reading, AgentFilter(None), None, None)
            having = {
                kept.agent.id
                for kept in page.items
                if any(skill.library_id == skill_id for skill in kept.agent.skills)
            }
            found = agent_rows.list_agent_summaries(reading, AgentFilter(None), None, None)
        return [one for one in found.items if one.id in having]


def add_library_skill(writing: WriteTransaction, given: Mapping[str, Any]) -> LibrarySkill:
    """Put a skill into the library, without an event.

    Raises:
        InvalidAgentError: when it cannot be as it was asked for.
        LibraryItemNotFoundError: when there is no such pack.
    """
    own = {"id": _make_free_id(writing, LibrarySkill, given, "skill"), "version": 1}
    skill = validation.validate_library_skill(
        validation.convert_to_struct(LibrarySkill, {**given, **own})
    )
    _require_pack(writing, skill)
    agent_rows.insert_library_item(writing, skill)
    return skill


def add_pack(writing: WriteTransaction, given: Mapping[str, Any]) -> Pack:
    """Put a pack into the library, without an event.

    Raises:
        InvalidAgentError: when it cannot be as it was asked for.
    """
    own = {"id": _make_free_id(writing, Pack, given, "pack"), "version": 1}
    pack = validation.validate_pack(validation.convert_to_struct(Pack, {**given, **own}))
    agent_rows.insert_library_item(writing, pack)
    return pack


def _make_free_id(
    writing: WriteTransaction, kind: type[LibraryItem], given: Mapping[str, Any], otherwise: str
) -> str:
    texts = [text for key in ("id", "name") if isinstance(text := given.get(key), str)]
    wanted = next((text for text in texts if text.strip()), "")
    return find_free_slug(
        slugify(wanted, otherwise), agent_rows.make_library_id_check(writing, kind)
    )


def _require_pack(writing: WriteTransaction, skill: LibrarySkill) -> None:
    if skill.pack_id is not None:
        _require_library_item(writing, Pack, skill.pack_id)


def _require_library_item(
    reading: ReadTransaction, kind: type[LibraryItem], item_id: str
) -> LibraryItem:
    found = agent_rows.find_library_item(reading, kind, item_id)
    if found is None:
        what = "skill" if kind is LibrarySkill else "pack"
        known = [one.id for one in agent_rows.list_library_items(reading, kind)]
        raise LibraryItemNotFoundError(
            f"the library has no {what} {item_id[:100]!r}", hint=did_you_mean(item_id, known)
        )
    return found


def _resolve_requirements(
    wanted: Iterable[str], library: Mapping[str, LibrarySkill]
) -> list[LibrarySkill]:
    """The skills with those that they require, which come before them."""
    found: dict[str, LibrarySkill] = {}
    waiting = [(one, False) for one in reversed(list(wanted))]
    seen: set[str] = set()
    while waiting:
        skill_id, is_met = waiting.pop()
        if is_met:
            found.setdefault(skill_id, library[skill_id])
        elif skill_id in library and skill_id not in seen:
            seen.add(skill_id)
            waiting.append((skill_id, True))
            waiting += [(one, False) for one in reversed(library[skill_id].requires)]
    return list(found.values())


def _copy_skills(skills: Sequence[LibrarySkill], agent: Agent) -> list[Skill]:
    """Add copies of skills to an agent, which is changed; those that were added."""
    ids = {skill.library_id: skill.id for skill in agent.skills if skill.library_id is not None}
    taken = {skill.id for skill in agent.skills}
    added: list[Skill] = []
    for one in skills:
        if one.id in ids:
            continue
        ids[one.id] = find_free_slug(one.id, taken.__contains__)
        taken.add(ids[one.id])
        added.append(
            Skill(
                id=ids[one.id],
                name=one.name,
                description=one.description,
                when_to_use=one.when_to_use,
                category_id=agent.skill_categories[0].id,
                requires=list(one.requires),
                library_id=one.id,
            )
        )
    for skill in added:
        skill.requires = [ids.get(required, required) for required in skill.requires]
    agent.skills += added
    return added
