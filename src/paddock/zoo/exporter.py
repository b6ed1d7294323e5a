"""Agents of a zoo out into files: gathered, planned for a folder, and written there.

What the zoo has written is remembered, so that it may be replaced the next time without asking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.zoo.file_plan import apply_file_plan, compute_digest, plan_files
from paddock.zoo.formats.converter import export_agents, require_format
from paddock.zoo.formats.exchange import Export
from paddock.zoo.formats.format_registry import BUNDLE_FORMAT
from paddock.zoo.opening import get_database_info
from paddock.zoo.sync.sync_records import open_sync_record

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from paddock.zoo.file_plan import FilePlan, FileWriteResult
    from paddock.zoo.formats.exchange import File
    from paddock.zoo.model import Agent, BrainEntry
    from paddock.zoo.service import Zoo


def collect_export(
    zoo: Zoo, names: Sequence[str], formats: Iterable[str], *, with_memory: bool = False
) -> Export:
    """Agents of a zoo as files, in several formats; a bundle has memory and library in any case.

    Args:
        zoo: Where the agents are.
        names: Their ids or names; all that are not archived if there are none.
        formats: Names of formats.
        with_memory: Whether what they remember is written where there is a place for it.

    Raises:
        AgentNotFoundError: when there is no such agent.
        UnknownFormatError: when there is no such format.
    """
    wanted = [require_format(name) for name in formats]
    agents = [zoo.agents.find(name) for name in names] or zoo.agents.list_agents().items
    agents = list({agent.id: agent for agent in agents}.values())
    brains = _load_brains(zoo, agents) if with_memory or BUNDLE_FORMAT in wanted else {}
    found = Export()
    for name in dict.fromkeys(wanted):
        if name == BUNDLE_FORMAT:
            library, packs = zoo.library.list_skills(), zoo.library.list_packs()
            one = export_agents(agents, name, brains=brains, library=library, packs=packs)
        else:
            one = export_agents(agents, name, brains=brains if with_memory else {})
        found.files += one.files
        found.report += [remark for remark in one.report if remark not in found.report]
    return found


def _load_brains(zoo: Zoo, agents: Iterable[Agent]) -> dict[str, list[BrainEntry]]:
    return {agent.id: zoo.brain.query_entries(agent.id).items for agent in agents}


def plan_export(
    zoo: Zoo, folder: Path, files: Iterable[File], *, replace: bool | Collection[str] = False
) -> FilePlan:
    """What writing files into a folder would do."""
    with open_sync_record(folder, get_database_info(zoo).location) as record:
        synced = {link.path: link.file_digest for link in record.links}
        return plan_files(folder, files, ours=record.written | synced, replace=replace)


def write_export(zoo: Zoo, plan: FilePlan) -> list[FileWriteResult]:
    """Write the files of a plan, and remember them as ours."""
    with open_sync_record(plan.folder, get_database_info(zoo).location) as record:
        done = apply_file_plan(plan)
        failed = {one.path for one in done if one.error is not None}
        for file in plan.files:
            if file.needs_write and file.path not in failed:
                record.written[file.path] = compute_digest(file.after)
    return done
