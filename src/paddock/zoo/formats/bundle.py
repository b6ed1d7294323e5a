"""Zoo bundles: agents, their brains and the library whole, as JSON; agents.json of old is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.zoo.formats.exchange import AgentFilesError, File, ImportBatch, Remark
from paddock.zoo.model import (
    Agent,
    BrainEntry,
    LibrarySkill,
    Pack,
    Skill,
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


class BundleFormatError(AgentFilesError):
    """A file is no bundle of agents, or not one that can be read."""

    code = "zoo-bundle"


def make_bundle(
    agents: Iterable[Agent],
    brains: Mapping[str, list[BrainEntry]],
    *,
    library: Iterable[LibrarySkill] = (),
    packs: Iterable[Pack] = (),
    path: str = DEFAULT_BUNDLE_PATH,
) -> File:
    """Agents with all that they have, as one file."""
    data = {
        "format": BUNDLE_FORMAT,
        "version": BUNDLE_VERSION,
        "agents": [
            {
                **msgspec.to_builtins(one),
                "brainEntries": msgspec.to_builtins(brains.get(one.id, [])),
            }
            for one in agents
        ],
        "library": msgspec.to_builtins(list(library)),
        "packs": msgspec.to_builtins(list(packs)),
    }
    text = msgspec.json.format(msgspec.json.encode(data), indent=2).decode()
    return File(path=path, text=f"{text}\n")


def is_bundle(file: File) -> bool:
    """Whether a file is JSON of the zoo, by its name and how it begins."""
    return file.path.lower().endswith(".json") and '"agents"' in file.text[:1_000_000]


def read_bundle(file: File) -> ImportBatch:
    """What a bundle, or an agents.json of old, holds.

    Raises:
        BundleFormatError: when it is neither, or a newer one.
    """
    data = _decode_bundle(file)
    if "format" not in data:
        return _read_legacy_agents(data, file.path)
    if data["format"] != BUNDLE_FORMAT or not isinstance(data.get("version"), int):
        raise BundleFormatError("it is no bundle of a zoo", where=file.path, hint=_get_hint())
    if data["version"] > BUNDLE_VERSION:
        raise BundleFormatError(
            f"it is of version {data['version']}, and {BUNDLE_VERSION} is the newest that is known here",
            where=file.path,
            hint="update Paddock",
        )
    found = ImportBatch()
    try:
        for one in data["agents"]:
            agent = msgspec.convert(one, Agent)
            found.agents.append(agent)
            found.brains[agent.id] = msgspec.convert(one.get("brainEntries", []), list[BrainEntry])
        found.library = msgspec.convert(data.get("library", []), list[LibrarySkill])
        found.packs = msgspec.convert(data.get("packs", []), list[Pack])
    except (msgspec.ValidationError, AttributeError, TypeError) as error:
        raise BundleFormatError(f"it is damaged: {error}", where=file.path) from None
    return found


def _decode_bundle(file: File) -> Json:
    try:
        data = msgspec.json.decode(file.text.removeprefix("\ufeff"))
    except (msgspec.DecodeError, RecursionError) as error:
        raise BundleFormatError(
            f"it is no JSON: {error}", where=file.path, hint=_get_hint()
        ) from None
    if not isinstance(data, dict) or not isinstance(data.get("agents"), list):
        raise BundleFormatError("it has no list of agents", where=file.path, hint=_get_hint())
    return data


def _get_hint() -> str:
    return 'expected a bundle of `paddock zoo export`, or {"agents": […]}'


def _read_legacy_agents(data: Json, path: str) -> ImportBatch:
    """The agents of an agents.json, of any of the forms that it has had."""
    found = ImportBatch()
    taken: set[str] = set()
    for number, one in enumerate(data["agents"]):
        if not isinstance(one, dict):
            text = f"agent {number + 1} is no object, and left out"
            found.report.append(Remark(field="agents", message=text, path=path))
            continue
        agent = _read_legacy_agent(one, taken)
        taken.add(agent.id)
        found.agents.append(agent)
        entries, lost = _read_legacy_entries(one.get("brainEntries"), agent.id)
        found.brains[agent.id] = entries
        if lost:
            text = f"{lost} entries are of no known type or have no content, and are left out"
            found.report.append(
                Remark(field="brainEntries", message=text, agent_id=agent.id, path=path)
            )
    return found


def _read_legacy_agent(one: Json, taken: set[str]) -> Agent:
    name = collapse_whitespace(_get_text(one, "name")) or "Unnamed"
    wanted = _get_text(one, "id") or name
    categories = [
        SkillCategory(
            id=_get_text(c, "id"),
            name=_get_text(c, "name"),
            color=_get_text(c, "color") or "#61988E",
        )
        for c in _list_objects(one.get("skillCategories"))
        if _get_text(c, "id")
    ] or [make_general_category()]
    known = {category.id for category in categories}
    return Agent(
        id=find_free_name(make_file_slug(wanted, "agent"), taken),
        name=name,
        description=_get_text(one, "description"),
        system_prompt=_get_text(one, "systemPrompt") or _get_text(one, "personality"),
        skill_categories=categories,
        skills=_read_legacy_skills(one.get("skills"), known, categories[0].id),
        context_refs=[ref for ref in one.get("contextRefs") or [] if isinstance(ref, str)],
        appearance_seed=_get_text(one, "appearanceSeed"),
    )


def _read_legacy_skills(skills: object, known: set[str], first: str) -> list[Skill]:
    if isinstance(skills, dict):
        return [
            Skill(
                id=key,
                name=make_title(key.replace("_", "-").lower()),
                category_id=first,
                enabled=bool(on),
            )
            for key, on in skills.items()
        ]
    found: list[Skill] = []
    for one in _list_objects(skills):
        name = _get_text(one, "name") or _get_text(one, "id")
        if not name:
            continue
        category = _get_text(one, "categoryId")
        found.append(
            Skill(
                id=find_free_name(
                    _get_text(one, "id") or make_file_slug(name, "skill"),
                    {each.id for each in found},
                ),
                name=name,
                description=_get_text(one, "description"),
                category_id=category if category in known else first,
                enabled=one.get("enabled") is not False,
            )
        )
    return found


def _read_legacy_entries(entries: object, agent_id: str) -> tuple[list[BrainEntry], int]:
    found, lost = [], 0
    for one in _list_objects(entries):
        try:
            entry = msgspec.convert({"agentId": agent_id, **one}, BrainEntry)
        except msgspec.ValidationError:
            lost += 1
            continue
        entry.agent_id = agent_id
        if entry.content.strip():
            found.append(entry)
        else:
            lost += 1
    return found, lost


def _list_objects(value: object) -> list[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _get_text(one: Json, key: str) -> str:
    value = one.get(key)
    return value if isinstance(value, str) else ""
