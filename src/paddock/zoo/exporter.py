"""Exports agents as files: collects them, plans the changes to a folder, and writes them.

The digests of written files are recorded, so the next export may replace them without asking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.zoo.file_plan import apply_file_plan, compute_digest, plan_files
from paddock.zoo.formats.converter import check_format_name, export_agents
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
    zoo: Zoo, agent_names: Sequence[str], formats: Iterable[str], *, with_memory: bool = False
) -> AgentExport:
    """Convert agents to files in one or more formats.

    Args:
        zoo: The zoo.
        agent_names: IDs or names of agents; if empty, all agents that are not archived.
        formats: Names of formats, such as `claude-code`. The format `bundle`, Paddock's own JSON
            file, always includes brains (the entries that agents have saved) and the library.
        with_memory: Also include brains in the other formats that support them.

    Raises:
        AgentNotFoundError: The zoo has no such agent.
        UnknownFormatError: There is no such format.
    """
    format_names = [check_format_name(name) for name in formats]
    if agent_names:
        agents = [zoo.agents.find(name) for name in agent_names]
    else:
        agents = zoo.agents.list_agents().items
    # An agent may be named twice, once by ID and once by name.
    agents = list({agent.id: agent for agent in agents}.values())
    brains = {}
    if with_memory or BUNDLE_FORMAT in format_names:
        brains = {agent.id: zoo.brain.query_entries(agent.id).items for agent in agents}
    collected = AgentExport()
    for format_name in dict.fromkeys(format_names):
        if format_name == BUNDLE_FORMAT:
            library, packs = zoo.library.list_skills(), zoo.library.list_packs()
            export = export_agents(agents, format_name, brains=brains, library=library, packs=packs)
        else:
            export = export_agents(agents, format_name, brains=brains if with_memory else {})
        collected.files += export.files
        collected.report += [remark for remark in export.report if remark not in collected.report]
    return collected


def plan_export(
    zoo: Zoo, folder: Path, files: Iterable[File], *, replace: bool | Collection[str] = False
) -> FilePlan:
    """Work out which files an export to a folder would create or change, without writing anything.

    Files that the zoo wrote before may be overwritten. Other existing files get the status
    `foreign` in the plan, and are not written.

    Args:
        zoo: The zoo.
        folder: The target folder, usually that of a project.
        files: The files to write.
        replace: True to overwrite foreign files too, or the paths of those to overwrite.
    """
    with open_sync_record(folder, get_database_info(zoo).location) as record:
        # Files that a synchronization has written are the zoo's own too.
        synced_digests = {link.path: link.file_digest for link in record.links}
        zoo_digests = record.written | synced_digests
        return plan_files(folder, files, zoo_digests=zoo_digests, replace=replace)


def write_export(zoo: Zoo, plan: FilePlan) -> list[FileWriteResult]:
    """Write the files of a plan, and record their digests.

    The digests let the next export recognize the files as the zoo's own and overwrite them.
    """
    with open_sync_record(plan.folder, get_database_info(zoo).location) as record:
        results = apply_file_plan(plan)
        failed_paths = {result.path for result in results if result.error is not None}
        for file in plan.files:
            if file.needs_write and file.path not in failed_paths:
                record.written[file.path] = compute_digest(file.after)
    return results
