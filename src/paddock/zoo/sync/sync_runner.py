"""Synchronizes a project's agent files with a zoo, once or continuously.

A changed file is read into its agent, and a changed agent is written to its files. If both have
changed, neither is touched until the user decides.
"""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from paddock.errors import PaddockError
from paddock.zoo.file_plan import compute_digest, make_text_diff
from paddock.zoo.formats.agent_file import convert_file_to_agent
from paddock.zoo.formats.converter import detect_format, find_agent_secrets
from paddock.zoo.formats.exchange import File, Remark
from paddock.zoo.formats.format_registry import CLAUDE_CODE, FILE_FORMATS
from paddock.zoo.opening import get_database_info
from paddock.zoo.project_scan import find_candidate_files, scan_project
from paddock.zoo.slugs import make_file_slug
from paddock.zoo.sync.sync_endpoints import SyncEndpoints
from paddock.zoo.sync.sync_records import SyncFileRecord, SyncRecord, open_sync_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from paddock.zoo.formats.agent_file import AgentFileFormat
    from paddock.zoo.service import Zoo


SyncStep = Literal[
    "in-step",
    "read",
    "write",
    "add-to-zoo",
    "add-to-project",
    "delete-file",
    "forget",
    "conflict",
]
"""The step for one file. `read` updates the agent from the file, `write` the file from the agent.
`forget` removes the record of a file that no longer exists."""

SyncPreference = Literal["file", "zoo"]

DEFERRED_STEPS: frozenset[SyncStep] = frozenset({"in-step", "write"})
"""Steps that come last: reading another file may change the same agent."""
# Interval at which files are checked. Changes in the zoo are noticed immediately.
POLL_SECONDS = 1.0


def choose_next_step(
    file_digest: str | None,
    zoo_digest: str | None,
    *,
    last_file_digest: str | None = None,
    last_zoo_digest: str | None = None,
    prefer: SyncPreference | None = None,
) -> SyncStep:
    """Return the step that brings a file and its agent in sync.

    The digests from the last synchronization show which side has changed since then. If both have,
    the step is a conflict unless `prefer` names the side that wins.

    Args:
        file_digest: Digest of the file, or None if it does not exist.
        zoo_digest: Digest of the text that the zoo would write, or None if the agent does not
            exist.
        last_file_digest: Digest of the file at the last synchronization, or None before the first.
        last_zoo_digest: Digest of the text that the zoo would have written at that time.
        prefer: The side that wins if both have changed.
    """
    # Deleting a file does not delete its agent.
    if file_digest is None and (zoo_digest is None or last_file_digest is not None):
        return "forget"
    if last_file_digest is None:
        return _choose_first_step(file_digest, zoo_digest, prefer)
    is_file_changed = file_digest != last_file_digest
    is_zoo_changed = zoo_digest != last_zoo_digest
    if file_digest == zoo_digest or not (is_file_changed or is_zoo_changed):
        return "in-step"
    if is_file_changed and is_zoo_changed:
        return _resolve_conflict(zoo_digest, prefer)
    if is_file_changed:
        return "read"
    return "delete-file" if zoo_digest is None else "write"


def _choose_first_step(
    file_digest: str | None, zoo_digest: str | None, prefer: SyncPreference | None
) -> SyncStep:
    """Return the step for a file and an agent that have never been synchronized.

    At least one of them exists. A digest of None means that its side does not.
    """
    if zoo_digest is None:
        return "add-to-zoo"
    if file_digest is None:
        return "add-to-project"
    return "in-step" if file_digest == zoo_digest else _resolve_conflict(zoo_digest, prefer)


def _resolve_conflict(zoo: str | None, prefer: SyncPreference | None) -> SyncStep:
    """Return the step for a changed file whose agent has changed or been deleted."""
    if prefer == "file":
        return "read" if zoo is not None else "add-to-zoo"
    if prefer == "zoo":
        return "write" if zoo is not None else "delete-file"
    return "conflict"


class SyncItem(msgspec.Struct, rename="camel", kw_only=True):
    """The completed or planned step for one file."""

    path: str
    format: str
    agent_id: str
    step: SyncStep
    error: str | None = None
    """The reason why the step failed, if it did."""
    diff: str = ""
    """Unified diff from the file to the text that the zoo would write."""


class SyncReport(msgspec.Struct, rename="camel", kw_only=True):
    """The result of a synchronization."""

    items: list[SyncItem] = msgspec.field(default_factory=list)
    report: list[Remark] = msgspec.field(default_factory=list)

    @property
    def is_in_step(self) -> bool:
        """Whether all files matched their agents, so nothing had to be done."""
        return all(item.step == "in-step" for item in self.items)

    @property
    def is_settled(self) -> bool:
        """Whether all files were synchronized without conflicts or errors."""
        return all(item.error is None and item.step != "conflict" for item in self.items)


class SyncOptions(msgspec.Struct, kw_only=True):
    """The agents and formats to synchronize, and other options."""

    agents: list[str] = msgspec.field(default_factory=list)
    """IDs of agents to create files for, in addition to those that already have files."""
    formats: list[str] = msgspec.field(default_factory=list)
    """File formats, by default those that the project already uses."""
    prefer: SyncPreference | None = None
    """The side that wins if both have changed."""
    dry_run: bool = False
    """Report the steps without carrying them out."""


class _FileAgentPair(NamedTuple):
    """A file from the project or the last synchronization, with the agent that it describes."""

    file_format: AgentFileFormat
    path: str
    agent_id: str
    file: File | None
    """None if the file no longer exists."""
    link: SyncFileRecord | None
    """The record of the last synchronization, or None before the first one."""


def sync_project(zoo: Zoo, folder: Path, options: SyncOptions | None = None) -> SyncReport:
    """Synchronize a project's agent files with a zoo in both directions.

    Args:
        zoo: The zoo.
        folder: The folder of the project.
        options: The agents and formats to synchronize, and other options.

    Raises:
        DataDirectoryError: The project's record cannot be read or written.
        FileBusyError: Another process has been synchronizing the project for too long.
    """
    options = options or SyncOptions()
    with open_sync_record(folder, get_database_info(zoo).location) as record:
        # A dry run changes a copy of the record, which is not saved. Later steps see the planned
        # changes there.
        run_record = deepcopy(record) if options.dry_run else record
        return _SyncRun(zoo, folder, options, run_record).run()


class _SyncRun:
    """One synchronization of one project."""

    def __init__(self, zoo: Zoo, folder: Path, options: SyncOptions, record: SyncRecord) -> None:
        self._endpoints = SyncEndpoints(zoo, folder, is_dry=options.dry_run)
        self._options = options
        self._record = record
        self._agent_ids = options.agents
        self._report = SyncReport()
        self._folder = folder

    def run(self) -> SyncReport:
        """Synchronize all files, then write files for agents that do not have any.

        Steps that change agents come first. Steps in `DEFERRED_STEPS` are chosen again afterwards,
        when the agents have their final content.
        """
        scan = scan_project(self._folder)
        self._report.report += scan.report
        files = {file.path: file for file in scan.files if detect_format(file) in FILE_FORMATS}
        formats = self._choose_formats(files.values())
        deferred = []
        for pair in list(self._iterate_pairs(files, formats)):
            step = self._choose_step(pair)
            if step in DEFERRED_STEPS:
                deferred.append(pair)
            else:
                self._run_step(step, pair)
        for pair in deferred:
            self._run_step(self._choose_step(pair), pair)
        self._add_missing_files(files, formats)
        # The report lists files by path, regardless of the order of the steps.
        self._report.items.sort(key=lambda item: item.path)
        return self._report

    def _choose_formats(self, files: Iterable[File]) -> list[str]:
        """Return the requested formats, or those that the project already uses."""
        if self._options.formats:
            return self._options.formats
        in_use = {link.format for link in self._record.links}
        in_use |= {name for file in files if (name := detect_format(file)) is not None}
        return sorted(in_use) or [CLAUDE_CODE.name]

    def _iterate_pairs(
        self, files: dict[str, File], formats: list[str]
    ) -> Iterable[_FileAgentPair]:
        """Yield the files to synchronize, each with its agent.

        These are all files in the project and all files from the last run. If a file from the last
        run is now missing, the user has deleted it.

        Args:
            files: The project files by path.
            formats: The formats to synchronize. Files in others are left out.
        """
        links = {link.path: link for link in self._record.links}
        for path in sorted({*files, *links}):
            link, file = links.get(path), files.get(path)
            format_name = link.format if link else detect_format(files[path]) or ""
            file_format = FILE_FORMATS[format_name]
            # The user has excluded this format from the synchronization.
            if format_name not in formats:
                continue
            if link is not None:
                yield _FileAgentPair(file_format, path, link.agent_id, file, link)
            elif file is not None:
                agent, _ = convert_file_to_agent(file_format, file)
                yield _FileAgentPair(file_format, path, agent.id, file, None)

    def _choose_step(self, pair: _FileAgentPair) -> SyncStep:
        """Return the step that synchronizes one file with its agent.

        `choose_next_step` compares the digests. Three cases that digests do not reveal are handled
        here.
        """
        text = self._endpoints.render_file(pair.file_format, pair.agent_id, pair.path)
        link = pair.link
        if link is not None and text is None and not self._endpoints.is_deleted(pair.agent_id):
            # The agent was not deleted but is unknown to this zoo. The record may come from an
            # earlier zoo at the same location.
            link = None
        step = choose_next_step(
            compute_digest(pair.file.text) if pair.file else None,
            compute_digest(text) if text is not None else None,
            last_file_digest=link.file_digest if link else None,
            last_zoo_digest=link.zoo_digest if link else None,
            prefer=self._options.prefer,
        )
        # If the user deletes the file of an agent that should have one, write it again.
        if step == "forget" and text is not None and pair.agent_id in self._agent_ids:
            return "write"
        is_first_conflict = step == "conflict" and pair.link is None
        if (
            is_first_conflict
            and pair.file is not None
            and self._endpoints.matches_agent(pair.file_format, pair.file, pair.agent_id)
        ):
            # Only the other program's data differs. The agent adopts it from the file.
            return "read"
        return step

    def _run_step(self, step: SyncStep, pair: _FileAgentPair) -> None:
        """Carry out a step, add it to the report, and update the record.

        A failed step is reported with its error and leaves the record unchanged, so the next run
        retries it.
        """
        text = self._endpoints.render_file(pair.file_format, pair.agent_id, pair.path)
        item = SyncItem(
            path=pair.path, format=pair.file_format.name, agent_id=pair.agent_id, step=step
        )
        if step != "in-step":
            item.diff = make_text_diff(pair.path, pair.file.text if pair.file else None, text)
        self._report.items.append(item)
        try:
            file = self._apply_step(item, pair, text)
        except PaddockError as error:
            item.error = str(error)
            return
        if step != "conflict":
            new_text = self._endpoints.render_file(pair.file_format, item.agent_id, pair.path)
            self._update_record(item, file, new_text)

    def _apply_step(self, item: SyncItem, pair: _FileAgentPair, text: str | None) -> File | None:
        """Carry out a step and return the resulting file, or None if it does not exist.

        Args:
            item: The step's report item. It receives the ID of a new agent.
            pair: The file and its agent.
            text: The text that the zoo would write to the file.
        """
        file = pair.file
        match item.step:
            case "read" if file is not None:
                self._endpoints.update_agent(pair.file_format, file, item.agent_id)
            case "add-to-zoo" if file is not None:
                _, remarks = convert_file_to_agent(pair.file_format, file)
                self._report.report += remarks
                item.agent_id = self._endpoints.add_to_zoo(pair.file_format, file)
            case "write" | "add-to-project" if text is not None:
                return self._endpoints.write_file(pair.path, file, text)
            case "delete-file" if file is not None:
                self._endpoints.delete_file(file)
                return None
        return file

    def _update_record(self, item: SyncItem, file: File | None, text: str | None) -> None:
        """Record the digests of both sides after a step, to detect changes in the next run.

        The record of a file is removed if the file or its agent no longer exists.

        Args:
            item: The report item of the step.
            file: The file after the step, or None if it does not exist.
            text: The text that the zoo would write now, or None if it has no such agent.
        """
        links = [link for link in self._record.links if link.path != item.path]
        if file is not None and text is not None:
            link = SyncFileRecord(
                path=item.path,
                format=item.format,
                agent_id=item.agent_id,
                file_digest=compute_digest(file.text),
                zoo_digest=compute_digest(text),
            )
            links.append(link)
        self._record.links = links

    def _add_missing_files(self, files: dict[str, File], formats: list[str]) -> None:
        """Write missing files for agents that should have files in all formats.

        These are the agents in the options and, if the options name formats, all agents that
        already have a file in the project.

        Args:
            files: The project files by path.
            formats: The formats to synchronize.
        """
        existing_pairs = {(item.agent_id, item.format) for item in self._report.items}
        agent_ids = self._agent_ids
        if self._options.formats:
            ids_with_files = sorted(agent_id for agent_id, _ in existing_pairs)
            agent_ids = list(dict.fromkeys([*agent_ids, *ids_with_files]))
        for agent_id in agent_ids:
            agent = self._endpoints.find_agent(agent_id)
            missing_formats = [name for name in formats if (agent_id, name) not in existing_pairs]
            # Remarks about possible secrets are the same for all of an agent's files, so they are
            # only added once.
            if agent is not None and missing_formats:
                self._report.report += find_agent_secrets(agent)
            for name in missing_formats:
                file_format = FILE_FORMATS[name]
                if agent is None:
                    self._report_unknown_agent(file_format, agent_id)
                    continue
                # A new file must not replace an existing one or one that this run has just written.
                used_paths = {*files, *(item.path for item in self._report.items)}
                path = self._endpoints.make_new_file(file_format, agent, used_paths).path
                self._run_step(
                    "add-to-project", _FileAgentPair(file_format, path, agent_id, None, None)
                )

    def _report_unknown_agent(self, file_format: AgentFileFormat, agent_id: str) -> None:
        """Report that a requested agent is neither in the zoo nor in the project."""
        item = SyncItem(
            path=file_format.make_path(make_file_slug(agent_id, "agent")),
            format=file_format.name,
            agent_id=agent_id,
            step="add-to-project",
            error=f"the zoo has no agent {agent_id!r}",
        )
        self._report.items.append(item)


def run_sync_rounds(zoo: Zoo, folder: Path, options: SyncOptions) -> Iterator[SyncReport]:
    """Synchronize now, and again whenever a file or the zoo has changed.

    The iterator never ends. It yields the report of each round.
    """
    while True:
        last_event_id, file_states = zoo.events.get_latest_id(), _get_file_states(folder)
        yield sync_project(zoo, folder, options)
        # The states were read before the round, so its own changes trigger another round, which
        # finds nothing to do. Changes made by others during the round are not missed.
        while _get_file_states(folder) == file_states:
            if zoo.events.wait_after(last_event_id, POLL_SECONDS):
                break


def _get_file_states(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return the modification times and sizes of a project's files, to detect changes."""
    states = {}
    for path in find_candidate_files(folder):
        with suppress(OSError):
            status = path.stat()
            states[path] = (status.st_mtime_ns, status.st_size)
    return states
