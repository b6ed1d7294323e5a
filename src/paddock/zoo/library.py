"""A zoo's library: skills that can be copied to agents, and packs that group them."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

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

_MAX_SUMMARY_CHARACTERS = 200
"""Maximum length of a change summary in an agent's history."""


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
        """Update the given fields of a skill, by JSON key. Copies in agents do not change."""
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
        """Update the given fields of a pack, by JSON key."""
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
        """Apply changes to a skill or pack, and save it as its next version.

        If nothing differs, nothing is saved.

        Args:
            kind: `LibrarySkill` or `Pack`.
            item_id: The ID of the skill or pack.
            changes: New values by JSON key, such as `{"tags": ["code"]}`.
            options: The expected version, and the origin of the change.
        """
        with self.context.change_transaction(options) as tx:
            item = _require_library_item(tx, kind, item_id)
            check_expected_version(options.get("version"), item)
            updated_item = validation.validate_object(validation.apply_changes(item, changes))
            _check_pack_exists(tx, updated_item)
            if updated_item == item:
                return item
            updated_item.version = item.version + 1
            agent_rows.update_library_item(tx, updated_item)
            _record_change(tx, updated_item)
            return updated_item

    def _delete(self, kind: type[LibraryItem], item_id: str, options: ChangeOptions) -> None:
        """Delete a skill or a pack. A deleted pack's skills remain, without a pack."""
        with self.context.change_transaction(options) as tx:
            item = _require_library_item(tx, kind, item_id)
            check_expected_version(options.get("version"), item)
            # Skills must not refer to a pack that no longer exists.
            if isinstance(item, Pack):
                agent_rows.detach_skills_from_pack(tx, item.id)
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
        """Copy skills from the library to an agent, together with any skills they require.

        Skills of which the agent already has a copy are skipped.

        Args:
            agent_id: The ID of the agent.
            skill_ids: IDs of library skills.
            pack_id: A pack whose skills are all copied too.
            **options: `version`, the expected version of the agent, and `source`.

        Raises:
            AgentNotFoundError: The zoo has no such agent.
            LibraryItemNotFoundError: The library has no such skill or pack.
        """
        with self.context.change_transaction(options) as tx:
            row = require_agent(tx, agent_id)
            check_expected_version(options.get("version"), row.agent)
            library = {skill.id: skill for skill in agent_rows.list_library_items(tx, LibrarySkill)}
            requested_ids = [
                _require_library_item(tx, LibrarySkill, skill_id).id for skill_id in skill_ids
            ]
            if pack_id is not None:
                pack = _require_library_item(tx, Pack, pack_id)
                requested_ids += [
                    skill.id for skill in library.values() if skill.pack_id == pack.id
                ]
            # The copy must be deep, because `save_agent` compares it with the original.
            updated_agent = deepcopy(row.agent)
            copies = _copy_skills(_resolve_requirements(requested_ids, library), updated_agent)
            names = ", ".join(skill.name for skill in copies)
            summary = f"copied from the library: {names}"[:_MAX_SUMMARY_CHARACTERS]
            return save_agent(tx, row, updated_agent, summary)

    def list_agents_with_copy(self, skill_id: str) -> list[AgentSummary]:
        """Return the agents that have a copy of a library skill."""
        with self.context.read_transaction() as tx:
            # Summaries do not contain `library_id`, so the complete agents are read too.
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
    """Insert a skill or a pack into the library, without recording an event.

    Args:
        tx: The transaction.
        kind: `LibrarySkill` or `Pack`.
        fields: Values by JSON key. The stored ID is a free slug of `id`, or of `name`.

    Raises:
        InvalidAgentError: A value is invalid.
        LibraryItemNotFoundError: The pack that the skill names does not exist.
    """
    candidates = [fields.get("id"), fields.get("name")]
    slug_text = next((text for text in candidates if isinstance(text, str) and text.strip()), "")
    item_id = find_free_slug(
        slugify(slug_text, _get_noun(kind)),
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
    """Return a library skill or pack.

    Raises:
        LibraryItemNotFoundError: There is no such item. The hint suggests a similar ID.
    """
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
    """Return skills with all their requirements, each before the skills that need it.

    The result is the postorder of a depth-first search. The stack is explicit, because a chain of
    requirements may be longer than Python's recursion limit. Each skill is returned once, even if
    skills require each other in a cycle. Unknown IDs are ignored.
    """
    resolved: dict[str, LibrarySkill] = {}
    stack = [(skill_id, False) for skill_id in reversed(list(skill_ids))]
    visited: set[str] = set()
    while stack:
        skill_id, is_expanded = stack.pop()
        if is_expanded:
            resolved.setdefault(skill_id, library[skill_id])
        elif skill_id in library and skill_id not in visited:
            visited.add(skill_id)
            stack.append((skill_id, True))
            stack += [(required, False) for required in reversed(library[skill_id].requires)]
    return list(resolved.values())


def _copy_skills(library_skills: Sequence[LibrarySkill], agent: Agent) -> list[AgentSkill]:
    """Append copies of library skills to an agent, and return the copies.

    Skills of which the agent already has a copy are skipped.
    """
    agent_skill_ids = {
        skill.library_id: skill.id for skill in agent.skills if skill.library_id is not None
    }
    used_ids = {skill.id for skill in agent.skills}
    copies: list[AgentSkill] = []
    for original in library_skills:
        if original.id in agent_skill_ids:
            continue
        skill_id = find_free_name(original.id, used_ids)
        agent_skill_ids[original.id] = skill_id
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
        skill.requires = [agent_skill_ids.get(required, required) for required in skill.requires]
    agent.skills += copies
    return copies
