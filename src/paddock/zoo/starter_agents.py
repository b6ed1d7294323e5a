"""Agents and skills to begin with, of our own writing: files in `starters`, read when asked for."""

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
    """An agent that can be copied into a zoo."""

    id: str
    name: str
    description: str
    agent: Agent


class StarterLibrary(NamedTuple):
    """Packs of skills that can be copied into a zoo's library, or into agents."""

    packs: list[Pack]
    skills: list[LibrarySkill]


def load_starters() -> list[Starter]:
    """The agents to begin with, by name; copies that may be changed."""
    agents = [
        _parse_agent(file.stem, _read_text(file))
        for file in sorted(STARTERS_DIRECTORY.glob("*.toml"))
    ]
    return [
        Starter(id=one.id, name=one.name, description=one.description, agent=one) for one in agents
    ]


def load_starter_library() -> StarterLibrary:
    """The skills to begin with, in packs; copies that may be changed."""
    found = StarterLibrary([], [])
    for file in sorted((STARTERS_DIRECTORY / "packs").glob("*.toml")):
        data = _read_toml(file)
        pack = Pack(id=file.stem, name=data["name"], description=data["description"])
        found.packs.append(pack)
        found.skills.extend(
            LibrarySkill(
                id=one["id"],
                name=one["name"],
                description=one["description"].strip(),
                when_to_use=one["whenToUse"],
                pack_id=pack.id,
            )
            for one in data["skills"]
        )
    return found


@cache
def _read_text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _read_toml(file: Path) -> Json:
    return tomllib.loads(_read_text(file))


def _parse_agent(name: str, text: str) -> Agent:
    data = parse_changes(text, name)
    return msgspec.convert({**data, "id": name, "appearanceSeed": name}, Agent)


def make_starter_import(
    agent_ids: Iterable[str] = (), *, with_library: bool = False
) -> ImportBatch:
    """Some of what there is to begin with, as a zoo takes it in with `import_found`.

    Raises:
        KeyError: when there is no such agent to begin with.
    """
    known = {one.id: one.agent for one in load_starters()}
    library = load_starter_library() if with_library else StarterLibrary([], [])
    return ImportBatch(
        agents=[known[name] for name in agent_ids], library=library.skills, packs=library.packs
    )
