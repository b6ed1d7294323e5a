"""Export of agents as files: collect them, plan the changes to a folder, and write them.

The digests of written files are recorded, so that the next export may replace them without asking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.zoo.file_plan import apply_file_plan, compute_digest, plan_files
from paddock.zoo.formats.converter import export_agents, require_format
from paddock.zoo.formats.exchange import AgentExport
from paddock.zoo.formats.format_registry import BUNDLE_FORMAT
from paddock.zoo.opening import get_database_info
from paddock.zoo.sync.sync_records import open_sync_record

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from paddock.zoo.file_plan import FilePlan, FileWriteResult
    from paddock.zoo.formats.exchange import File
    from paddock.zoo.service import Zoo


def collect_export(
    zoo: Zoo, names: Sequence[str], formats: Iterable[str], *, with_memory: bool = False
) -> AgentExport:
    """Convert agents to files in several formats.

    Args:
        zoo: The zoo.
        names: IDs or names of agents; if empty, all that are not archived.
        formats: Names of formats. A bundle always includes brains and the library.
        with_memory: Include brains in the other formats that support them.

    Raises:
        AgentNotFoundError: The zoo has no such agent.
        UnknownFormatError: There is no such format.
    """
    format_names = [require_format(name) for name in formats]
    agents = [zoo.agents.find(name) for name in names] or zoo.agents.list_agents().items
    # An agent may be named twice, once by ID and once by name.
    agents = list({agent.id: agent for agent in agents}.values())
    needs_brains = with_memory or BUNDLE_FORMAT in format_names
    brains = {}
    if needs_brains:
        brains = {agent.id: zoo.brain.query_entries(agent.id).items for agent in agents}
    collected = AgentExport()
    for name in dict.fromkeys(format_names):
        if name == BUNDLE_FORMAT:
            library, packs = zoo.library.list_skills(), zoo.library.list_packs()
            export = export_agents(agents, name, brains=brains, library=library, packs=packs)
        else:
            export = export_agents(agents, name, brains=brains if with_memory else {})
        collected.files += export.files
        collected.report += [remark for remark in export.report if remark not in collected.report]
    return collected


def plan_export(
    zoo: Zoo, folder: Path, files: Iterable[File], *, replace: bool | Collection[str] = False
) -> FilePlan:
    """Plan writing files into a folder."""
    with open_sync_record(folder, get_database_info(zoo).location) as record:
        # Files that a synchronization has written are the zoo's own too.
        synced = {link.path: link.file_digest for link in record.links}
        return plan_files(folder, files, zoo_digests=record.written | synced, replace=replace)


def write_export(zoo: Zoo, plan: FilePlan) -> list[FileWriteResult]:
    """Write the files of a plan, and record their digests."""
    with open_sync_record(plan.folder, get_database_info(zoo).location) as record:
        results = apply_file_plan(plan)
        failed_paths = {result.path for result in results if result.error is not None}
        for file in plan.files:
            if file.needs_write and file.path not in failed_paths:
                record.written[file.path] = compute_digest(file.after)
    return results
