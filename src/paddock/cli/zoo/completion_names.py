"""Names for shell completion of agents, library skills and starter agents."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.zoo.opening import get_zoo_address, open_zoo
from paddock.zoo.starter_agents import load_starters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.service import Zoo

NamesWithHelp = list[tuple[str, str]]
LOCK_WAIT_SECONDS = 1
"""Completion gives up early if another process has locked the database."""


def list_agent_names() -> NamesWithHelp:
    """Return the ids of agents with their names."""
    with _open_existing_zoo() as zoo:
        if zoo is None:
            return []
        return [(agent.id, agent.name) for agent in zoo.agents.list_summaries().items]


def list_library_names() -> NamesWithHelp:
    """Return the ids of packs and skills in the library with their descriptions."""
    with _open_existing_zoo() as zoo:
        if zoo is None:
            return []
        packs = [(pack.id, pack.description) for pack in zoo.library.list_packs()]
        return [*packs, *((skill.id, skill.name) for skill in zoo.library.list_skills())]


def list_starter_names() -> NamesWithHelp:
    """Return the starter agents with their descriptions."""
    return [(starter.id, starter.description) for starter in load_starters()]


@contextmanager
def _open_existing_zoo() -> Iterator[Zoo | None]:
    """Open the zoo for completion, or yield None if it does not exist.

    Opening a zoo that does not exist would create its database.
    """
    address = get_zoo_address()
    if "://" not in address and not Path(address).exists():
        yield None
    else:
        with open_zoo(address, wait_seconds=LOCK_WAIT_SECONDS) as zoo:
            yield zoo
