"""Zoo bundles: agents with their brains, and the library, as one JSON file.

The legacy agents.json format can also be read, in all of its forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.zoo.formats.exchange import AgentFilesError, File, ImportBatch, Remark
from paddock.zoo.formats.front_matter import get_text
from paddock.zoo.model import (
    GENERAL_CATEGORY_COLOR,
    Agent,
    AgentSkill,
    BrainEntry,
    LibrarySkill,
    Pack,
    SkillCategory,
    make_general_category,
)
from paddock.zoo.slugs import (
    collapse_whitespace,
    find_free_name,
    make_file_slug,
    make_title,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Json = dict[str, Any]

BUNDLE_FORMAT = "paddock-zoo"
BUNDLE_VERSION = 1
DEFAULT_BUNDLE_PATH = "zoo.json"
_EXPECTED_CONTENT = 'expected a bundle of `paddock zoo export`, or {"agents": […]}'


class BundleFormatError(AgentFilesError):
    """A file is not a bundle, or has an unknown version."""

    code = "zoo-bundle"


def make_bundle(
    agents: Iterable[Agent],
    brains: Mapping[str, list[BrainEntry]],
    *,
    library: Iterable[LibrarySkill] = (),
    packs: Iterable[Pack] = (),
    path: str = DEFAULT_BUNDLE_PATH,
) -> File:
    """Return a bundle, Paddock's own JSON file, which preserves everything about the agents.

    Args:
        agents: The agents.
        brains: The entries that agents have saved, by agent ID.
        library: Library skills to include.
        packs: Packs, groups of library skills, to include.
        path: The path of the file.
    """
    data = {
        "format": BUNDLE_FORMAT,
        "version": BUNDLE_VERSION,
        "agents": [
            {
                **msgspec.to_builtins(agent),
                "brainEntries": msgspec.to_builtins(brains.get(agent.id, [])),
            }
            for agent in agents
        ],
        "library": msgspec.to_builtins(list(library)),
        "packs": msgspec.to_builtins(list(packs)),
    }
    text = msgspec.json.format(msgspec.json.encode(data), indent=2).decode()
    return File(path=path, text=f"{text}\n")


def is_bundle(file: File) -> bool:
    """Return whether a file looks like a bundle, judging by its name and its beginning."""
    return file.path.lower().endswith(".json") and '"agents"' in file.text[:1_000_000]


def read_bundle(file: File) -> ImportBatch:
    """Return the content of a bundle or of a legacy agents.json.

    Raises:
        BundleFormatError: The file is neither of them, is damaged, or has a newer version.
    """
    data = _decode_bundle(file)
    if "format" not in data:
        return _read_legacy_agents(data, file.path)
    if data["format"] != BUNDLE_FORMAT or not isinstance(data.get("version"), int):
        raise BundleFormatError("not a bundle of a zoo", where=file.path, hint=_EXPECTED_CONTENT)
    if data["version"] > BUNDLE_VERSION:
        raise BundleFormatError(
            f"the bundle has version {data['version']}; {BUNDLE_VERSION} is the newest supported",
            where=file.path,
            hint="update Paddock",
        )
    batch = ImportBatch()
    try:
        for item in data["agents"]:
            agent = msgspec.convert(item, Agent)
            batch.agents.append(agent)
            batch.brains[agent.id] = msgspec.convert(item.get("brainEntries", []), list[BrainEntry])
        batch.library = msgspec.convert(data.get("library", []), list[LibrarySkill])
        batch.packs = msgspec.convert(data.get("packs", []), list[Pack])
    # Items that are not objects raise the last two exceptions.
    except (msgspec.ValidationError, AttributeError, TypeError) as error:
        raise BundleFormatError(f"the bundle is damaged: {error}", where=file.path) from None
    return batch


def _decode_bundle(file: File) -> Json:
    """Decode a bundle or a legacy agents.json, and check that it contains a list of agents."""
    try:
        # Windows editors may add a byte order mark, which JSON does not allow.
        data = msgspec.json.decode(file.text.removeprefix("\ufeff"))
    except (msgspec.DecodeError, RecursionError) as error:
        raise BundleFormatError(
            f"not valid JSON: {error}", where=file.path, hint=_EXPECTED_CONTENT
        ) from None
    if not isinstance(data, dict) or not isinstance(data.get("agents"), list):
        raise BundleFormatError(
            "the file has no list of agents", where=file.path, hint=_EXPECTED_CONTENT
        )
    return data


def _read_legacy_agents(data: Json, path: str) -> ImportBatch:
    """Convert an agents.json, the format before bundles.

    Its fields changed over time, so missing and invalid ones get defaults. Items that cannot be
    converted are left out, with a remark in the report of the batch.
    """
    batch = ImportBatch()
    used_ids: set[str] = set()
    for number, item in enumerate(data["agents"], 1):
        if not isinstance(item, dict):
            message = f"agent {number} is not an object; left out"
            batch.report.append(Remark("agents", message, path=path))
            continue
        agent = _read_legacy_agent(item, used_ids)
        used_ids.add(agent.id)
        batch.agents.append(agent)
        entries, invalid_count = _read_legacy_entries(item.get("brainEntries"), agent.id)
        batch.brains[agent.id] = entries
        if invalid_count:
            message = f"{invalid_count} entries without a known type or without content; left out"
            batch.report.append(Remark("brainEntries", message, agent_id=agent.id, path=path))
    return batch


def _read_legacy_agent(data: Json, used_ids: set[str]) -> Agent:
    """Convert one agent of an agents.json, with defaults for missing or invalid fields."""
    name = collapse_whitespace(get_text(data, "name")) or "Unnamed"
    categories = [
        SkillCategory(
            id=category_id,
            name=get_text(category, "name"),
            color=get_text(category, "color") or GENERAL_CATEGORY_COLOR,
        )
        for category in _list_objects(data.get("skillCategories"))
        if (category_id := get_text(category, "id"))
    ] or [make_general_category()]
    return Agent(
        id=find_free_name(make_file_slug(get_text(data, "id") or name, "agent"), used_ids),
        name=name,
        description=get_text(data, "description"),
        # Some files call the system prompt `personality`.
        system_prompt=get_text(data, "systemPrompt") or get_text(data, "personality"),
        skill_categories=categories,
        skills=_read_legacy_skills(data.get("skills"), categories),
        context_refs=[ref for ref in data.get("contextRefs") or [] if isinstance(ref, str)],
        appearance_seed=get_text(data, "appearanceSeed"),
    )


def _read_legacy_skills(data: object, categories: list[SkillCategory]) -> list[AgentSkill]:
    """Convert an agent's skills in an agents.json, which are a list or, in old files, flags.

    Skills without a valid category get the first one.
    """
    default_category_id = categories[0].id
    # The oldest form is an object with a flag for each skill: {"CODE_REVIEW": true} means that the
    # skill "Code Review" is enabled.
    if isinstance(data, dict):
        return [
            AgentSkill(
                id=key,
                name=make_title(key.replace("_", "-").lower()),
                category_id=default_category_id,
                enabled=bool(is_enabled),
            )
            for key, is_enabled in data.items()
        ]
    category_ids = {category.id for category in categories}
    skills: dict[str, AgentSkill] = {}
    for item in _list_objects(data):
        name = get_text(item, "name") or get_text(item, "id")
        if not name:
            continue
        category_id = get_text(item, "categoryId")
        skill_id = find_free_name(get_text(item, "id") or make_file_slug(name, "skill"), skills)
        skills[skill_id] = AgentSkill(
            id=skill_id,
            name=name,
            description=get_text(item, "description"),
            category_id=category_id if category_id in category_ids else default_category_id,
            enabled=item.get("enabled") is not False,
        )
    return list(skills.values())


def _read_legacy_entries(data: object, agent_id: str) -> tuple[list[BrainEntry], int]:
    """Return the entries with a known type and some content, and the number of entries left out."""
    entries, invalid_count = [], 0
    for item in _list_objects(data):
        try:
            entry = msgspec.convert({"agentId": agent_id, **item}, BrainEntry)
        except msgspec.ValidationError:
            invalid_count += 1
            continue
        # The file may name another agent, or this one by an ID that is already in use.
        entry.agent_id = agent_id
        if entry.content.strip():
            entries.append(entry)
        else:
            invalid_count += 1
    return entries, invalid_count


def _list_objects(value: object) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
