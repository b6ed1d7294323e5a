"""The library of a zoo: skills that agents can get copies of, and packs that group them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import msgspec

from paddock.suggestions import did_you_mean
from paddock.zoo import validation
from paddock.zoo.agents import save_agent
from paddock.zoo.context import ChangeOptions, ZooContext, check_expected_version, require_agent
from paddock.zoo.errors import LibraryItemNotFoundError
from paddock.zoo.model import Agent, AgentSkill, AgentSummary, LibrarySkill, Pack
from paddock.zoo.slugs import find_free_name, find_free_slug, slugify
from paddock.zoo.store import agent_rows
from paddock.zoo.store.agent_rows import AgentFilter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paddock.zoo.store.agent_rows import LibraryItem
    from paddock.zoo.store.transaction import ReadTransaction, WriteTransaction


@dataclass(frozen=True)
class SkillLibrary:
    """The skills and packs of a zoo's library.

    Methods raise `LibraryItemNotFoundError` for an unknown skill or pack, `ConflictError` if the
    item is not at the expected `version`, and `InvalidAgentError` if a value is invalid.
    """

    context: ZooContext

    def list_skills(
        self, *, text: str | None = None, pack_id: str | None = None, tag: str | None = None
    ) -> list[LibrarySkill]:
        """Return skills in order of creation.

        Args:
            text: Substring of the name, the description or `when_to_use`, ignoring case.
            pack_id: The pack that the skills belong to.
            tag: A tag that the skills must have.
        """
        with self.context.read_transaction() as tx:
            skills = agent_rows.list_library_items(tx, LibrarySkill)
        query = (text or "").strip().casefold()
        return [
            skill
            for skill in skills
            if pack_id in (None, skill.pack_id)
            and (tag is None or tag in skill.tags)
            and query in f"{skill.name}\n{skill.description}\n{skill.when_to_use}".casefold()
        ]

    def get_skill(self, skill_id: str) -> LibrarySkill:
        """Return one skill."""
        with self.context.read_transaction() as tx:
            return _require_library_item(tx, LibrarySkill, skill_id)

    def create_skill(self, fields: Mapping[str, Any], *, source: str = "web") -> LibrarySkill:
        """Add a skill. Its ID is a slug of the given ID or of the name."""
        return self._create(LibrarySkill, fields, source)

    def update_skill(
        self, skill_id: str, changes: Mapping[str, Any], **options: Unpack[ChangeOptions]
    ) -> LibrarySkill:
        """Set the fields whose JSON keys are given. Copies in agents do not change."""
        return self._update(LibrarySkill, skill_id, changes, options)

    def delete_skill(self, skill_id: str, **options: Unpack[ChangeOptions]) -> None:
        """Delete a skill. Copies in agents remain."""
        self._delete(LibrarySkill, skill_id, options)

    def list_packs(self) -> list[Pack]:
        """Return the packs in order of creation."""
        with self.context.read_transaction() as tx:
            return agent_rows.list_library_items(tx, Pack)

    def create_pack(self, fields: Mapping[str, Any], *, source: str = "web") -> Pack:
        """Add a pack. Its ID is a slug of the given ID or of the name."""
        return self._create(Pack, fields, source)

    def update_pack(
        self, pack_id: str, changes: Mapping[str, Any], **options: Unpack[ChangeOptions]
    ) -> Pack:
        """Set the fields whose JSON keys are given."""
        return self._update(Pack, pack_id, changes, options)

    def delete_pack(self, pack_id: str, **options: Unpack[ChangeOptions]) -> None:
        """Delete a pack. Its skills remain in the library."""
        self._delete(Pack, pack_id, options)

    def _create(
        self, kind: type[LibraryItem], fields: Mapping[str, Any], source: str
    ) -> LibraryItem:
        with self.context.write_transaction(source) as tx:
            item = add_library_item(tx, kind, fields)
            _record_change(tx, item)
            return item

    def _update(
        self,
        kind: type[LibraryItem],
        item_id: str,
        changes: Mapping[str, Any],
        options: ChangeOptions,
    ) -> LibraryItem:
        """Save a changed skill or pack as its next version, unless nothing has changed."""
        with self.context.change_transaction(options) as tx:
            item = _require_library_item(tx, kind, item_id)
            check_expected_version(options.get("version"), item)
            changed = validation.validate_object(validation.apply_changes(item, changes))
            _check_pack_exists(tx, changed)
            if changed == item:
                return item
            changed.version = item.version + 1
            agent_rows.update_library_item(tx, changed)
            _record_change(tx, changed)
            return changed

    def _delete(self, kind: type[LibraryItem], item_id: str, options: ChangeOptions) -> None:
        with self.context.change_transaction(options) as tx:
            item = _require_library_item(tx, kind, item_id)
            check_expected_version(options.get("version"), item)
            # Skills must not refer to a pack that no longer exists.
            if isinstance(item, Pack):
                agent_rows.clear_pack(tx, item.id)
            agent_rows.delete_library_item(tx, item)
            _record_change(tx, item)

    def copy_to_agent(
        self,
        agent_id: str,
        skill_ids: Sequence[str] = (),
        *,
        pack_id: str | None = None,
        **options: Unpack[ChangeOptions],
    ) -> Agent:
        """Copy skills from the library to an agent.

        The skills are those with the given IDs and those of the pack, together with the skills that
        they require.

        Skills of which the agent already has a copy are skipped. `version` is that of the agent.

        Raises:
            AgentNotFoundError: The zoo has no such agent.
        """
        with self.context.change_transaction(options) as tx:
            row = require_agent(tx, agent_id)
            check_expected_version(options.get("version"), row.agent)
            library = {skill.id: skill for skill in agent_rows.list_library_items(tx, LibrarySkill)}
            requested_ids = [_require_library_item(tx, LibrarySkill, i).id for i in skill_ids]
            if pack_id is not None:
                pack = _require_library_item(tx, Pack, pack_id)
                requested_ids += [
                    skill.id for skill in library.values() if skill.pack_id == pack.id
                ]
            # The copy has to be deep, because `save_agent` compares it with the original.
            changed = msgspec.convert(msgspec.to_builtins(row.agent), Agent)
            copies = _copy_skills(_resolve_requirements(requested_ids, library), changed)
            names = ", ".join(skill.name for skill in copies)
            return save_agent(tx, row, changed, f"copied from the library: {names}"[:200])

    def list_agents_with_copy(self, skill_id: str) -> list[AgentSummary]:
        """Return the agents that have a copy of a library skill."""
        with self.context.read_transaction() as tx:
            agents = agent_rows.list_agents(tx, Agent, AgentFilter(archived=None)).items
            agent_ids = {
                agent.id
                for agent in agents
                if any(skill.library_id == skill_id for skill in agent.skills)
            }
            summaries = agent_rows.list_agents(tx, AgentSummary, AgentFilter(archived=None)).items
        return [summary for summary in summaries if summary.id in agent_ids]


def add_library_item(
    tx: WriteTransaction, kind: type[LibraryItem], fields: Mapping[str, Any]
) -> LibraryItem:
    """Insert a skill or a pack into the library without recording an event.

    Raises:
        InvalidAgentError: A value is invalid.
        LibraryItemNotFoundError: The pack that the skill names does not exist.
    """
    # The ID that the caller gives is only a suggestion. It may be taken, or not be a slug.
    texts = [text for key in ("id", "name") if isinstance(text := fields.get(key), str)]
    text = next((text for text in texts if text.strip()), "")
    item_id = find_free_slug(
        slugify(text, _get_noun(kind)),
        lambda slug: agent_rows.find_library_item(tx, kind, slug) is not None,
    )
    item = validation.validate_object(
        validation.convert_to_struct(kind, {**fields, "id": item_id, "version": 1})
    )
    _check_pack_exists(tx, item)
    agent_rows.insert_library_item(tx, item)
    return item


def _get_noun(kind: type[LibrarySkill | Pack]) -> str:
    return "skill" if kind is LibrarySkill else "pack"


def _record_change(tx: WriteTransaction, item: LibrarySkill | Pack) -> None:
    tx.record_event("library:changed", **{f"{_get_noun(type(item))}Id": item.id})


def _check_pack_exists(tx: WriteTransaction, item: LibrarySkill | Pack) -> None:
    if isinstance(item, LibrarySkill) and item.pack_id is not None:
        _require_library_item(tx, Pack, item.pack_id)


def _require_library_item(
    tx: ReadTransaction, kind: type[LibraryItem], item_id: str
) -> LibraryItem:
    """Return a skill or pack, or raise an error that suggests a similar ID."""
    item = agent_rows.find_library_item(tx, kind, item_id)
    if item is None:
        known_ids = [known.id for known in agent_rows.list_library_items(tx, kind)]
        raise LibraryItemNotFoundError(
            f"the library has no {_get_noun(kind)} {item_id[:100]!r}",
            hint=did_you_mean(item_id, known_ids),
        )
    return item


def _resolve_requirements(
    skill_ids: Iterable[str], library: Mapping[str, LibrarySkill]
) -> list[LibrarySkill]:
    """Return skills with everything they require, each requirement before the skills that need it.

    The result is the postorder of a depth-first search. The stack is explicit, because a chain of
    requirements may be longer than Python's recursion limit. Skills may also require each other in
    a cycle.
    """
    resolved: dict[str, LibrarySkill] = {}
    stack = [(skill_id, False) for skill_id in reversed(list(skill_ids))]
    visited: set[str] = set()
    while stack:
        skill_id, are_requirements_done = stack.pop()
        if are_requirements_done:
            resolved.setdefault(skill_id, library[skill_id])
        elif skill_id in library and skill_id not in visited:
            visited.add(skill_id)
            stack.append((skill_id, True))
            stack += [(required, False) for required in reversed(library[skill_id].requires)]
    return list(resolved.values())


def _copy_skills(library_skills: Sequence[LibrarySkill], agent: Agent) -> list[AgentSkill]:
    """Append copies of library skills to an agent, and return the copies."""
    ids_by_library_id = {
        skill.library_id: skill.id for skill in agent.skills if skill.library_id is not None
    }
    used_ids = {skill.id for skill in agent.skills}
    copies: list[AgentSkill] = []
    for original in library_skills:
        if original.id in ids_by_library_id:
            continue
        skill_id = find_free_name(original.id, used_ids)
        ids_by_library_id[original.id] = skill_id
        used_ids.add(skill_id)
        copies.append(
            AgentSkill(
                id=skill_id,
                name=original.name,
                description=original.description,
                when_to_use=original.when_to_use,
                category_id=agent.skill_categories[0].id,
                requires=list(original.requires),
                library_id=original.id,
            )
        )
    # Requirements name library skills; in the agent their copies may have other IDs.
    for skill in copies:
        skill.requires = [ids_by_library_id.get(required, required) for required in skill.requires]
    agent.skills += copies
    return copies
