"""Starter agents and skills that come with Paddock, stored as TOML files in `starters`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from paddock.zoo.formats.exchange import ImportBatch
from paddock.zoo.model import Agent, LibrarySkill, Pack
from paddock.zoo.toml_form import parse_changes

if TYPE_CHECKING:
    from collections.abc import Iterable

STARTERS_DIRECTORY = Path(__file__).parent / "starters"

Json = dict[str, Any]


class Starter(msgspec.Struct, rename="camel", kw_only=True):
    """A starter agent, which can be copied into a zoo."""

    id: str
    name: str
    description: str
    agent: Agent


class StarterLibrary(NamedTuple):
    """Packs of starter skills, which can be copied into the library or to agents."""

    packs: list[Pack]
    skills: list[LibrarySkill]


def load_starters() -> list[Starter]:
    """Return the starter agents, which are examples for a new zoo, sorted by ID.

    Each call returns new objects.
    """
    agents = [
        _parse_agent(file.stem, _read_text(file))
        for file in sorted(STARTERS_DIRECTORY.glob("*.toml"))
    ]
    return [
        Starter(id=agent.id, name=agent.name, description=agent.description, agent=agent)
        for agent in agents
    ]


def load_starter_library() -> StarterLibrary:
    """Return the starter skills and their packs. Each TOML file describes one pack.

    Each call returns new objects.
    """
    library = StarterLibrary([], [])
    for file in sorted((STARTERS_DIRECTORY / "packs").glob("*.toml")):
        data = tomllib.loads(_read_text(file))
        pack = Pack(id=file.stem, name=data["name"], description=data["description"])
        library.packs.append(pack)
        library.skills.extend(
            LibrarySkill(
                id=skill["id"],
                name=skill["name"],
                description=skill["description"].strip(),
                when_to_use=skill["whenToUse"],
                pack_id=pack.id,
            )
            for skill in data["skills"]
        )
    return library


# Only the text is cached, because callers may change the parsed objects.
@cache
def _read_text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _parse_agent(name: str, text: str) -> Agent:
    data = parse_changes(text, name)
    # The ID is taken from the file name, so the two cannot differ.
    return msgspec.convert({**data, "id": name, "appearanceSeed": name}, Agent)


def make_starter_batch(agent_ids: Iterable[str] = (), *, with_library: bool = False) -> ImportBatch:
    """Return starter agents as a batch for `AgentImporter.import_batch`.

    Args:
        agent_ids: The IDs of the starter agents to include.
        with_library: Whether to include the starter skills and packs.

    Raises:
        KeyError: There is no such starter agent.
    """
    agents_by_id = {starter.id: starter.agent for starter in load_starters()}
    library = load_starter_library() if with_library else StarterLibrary([], [])
    return ImportBatch(
        agents=[agents_by_id[agent_id] for agent_id in agent_ids],
        library=library.skills,
        packs=library.packs,
    )
