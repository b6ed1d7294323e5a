"""What is to be done for a file and an agent, from what both are and what they were.

Bringing a project's files and the zoo in step, file by file.

A file that has changed is read into its agent, an agent that has changed is written into its
files. Where both have changed neither is touched, until somebody says which one is right.

Keeping a project and a zoo in step for as long as somebody wants it.
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
"""What is to be done: `read` the file into the agent, `write` the agent into the file, …"""

SyncPreference = Literal["file", "zoo"]


def choose_next_step(
    file: str | None,
    zoo: str | None,
    *,
    last_file: str | None = None,
    last_zoo: str | None = None,
    prefer: SyncPreference | None = None,
) -> SyncStep:
    """What is to be done, as far as digests tell.

    Args:
        file: The digest of the file; None when there is none.
        zoo: The digest of what the zoo would write; None when it has no such agent (any more).
        last_file: The digest of the file when both were last in step; None when they never were.
        last_zoo: The digest of what the zoo would have written then.
        prefer: Which side is right where both have changed.
    """
    if file is None and (zoo is None or last_file is not None):
        return "forget"  # a file that is deleted is no agent less
    if last_file is None:
        return _choose_first_step(file, zoo, prefer)
    is_file_changed, is_zoo_changed = file != last_file, zoo != last_zoo
    if file == zoo or not (is_file_changed or is_zoo_changed):
        return "in-step"
    if is_file_changed and is_zoo_changed:
        return _resolve_conflict(zoo, prefer)
    if is_file_changed:
        return "read"
    return "delete-file" if zoo is None else "write"


def _choose_first_step(
    file: str | None, zoo: str | None, prefer: SyncPreference | None
) -> SyncStep:
    if zoo is None:
        return "add-to-zoo"
    if file is None:
        return "add-to-project"
    return "in-step" if file == zoo else _resolve_conflict(zoo, prefer)


def _resolve_conflict(zoo: str | None, prefer: SyncPreference | None) -> SyncStep:
    """What becomes of a file that has changed, as its agent has or is deleted."""
    if prefer == "file":
        return "read" if zoo is not None else "add-to-zoo"
    if prefer == "zoo":
        return "write" if zoo is not None else "delete-file"
    return "conflict"


DEFERRED_STEPS: frozenset[SyncStep] = frozenset({"in-step", "write"})
"""What is done last, for files that are read first may change the same agent."""


class SyncItem(msgspec.Struct, rename="camel", kw_only=True):
    """What was done for one file, or would be."""

    path: str
    format: str
    agent_id: str
    step: SyncStep
    error: str | None = None
    """Why it could not be done."""
    diff: str = ""
    """From the file to what the zoo would write."""


class SyncReport(msgspec.Struct, rename="camel", kw_only=True):
    """What came of bringing a project in step."""

    items: list[SyncItem] = msgspec.field(default_factory=list)
    report: list[Remark] = msgspec.field(default_factory=list)

    @property
    def is_in_step(self) -> bool:
        """Whether there was nothing to do."""
        return all(item.step == "in-step" for item in self.items)

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left for somebody to decide or to put right."""
        return all(item.error is None and item.step != "conflict" for item in self.items)


class SyncOptions(msgspec.Struct, kw_only=True):
    """What is to be kept in step, and how."""

    agents: list[str] = msgspec.field(default_factory=list)
    """Ids of agents that are to have files, besides those that have some already."""
    formats: list[str] = msgspec.field(default_factory=list)
    """For which programs; if none is said, those that have files in the project already."""
    prefer: SyncPreference | None = None
    """Which side is right where both have changed."""
    dry_run: bool = False
    """Only say what would be done."""


class _SyncCase(NamedTuple):
    """A file, or one that there was, and its agent."""

    kind: AgentFileFormat
    path: str
    agent_id: str
    file: File | None
    link: SyncFileRecord | None


def sync_project(zoo: Zoo, folder: Path, wishes: SyncOptions | None = None) -> SyncReport:
    """Bring the agent files of a project and a zoo in step.

    Raises:
        DataDirectoryError: when what is remembered of the project cannot be read or written.
        FileBusyError: when another process works on the same project for too long.
    """
    wishes = wishes or SyncOptions()
    with open_sync_record(folder, get_database_info(zoo).location) as record:
        kept = deepcopy(record) if wishes.dry_run else record
        return _SyncRun(zoo, folder, wishes, kept).run()


class _SyncRun:
    """Bringing one project in step, once."""

    def __init__(self, zoo: Zoo, folder: Path, wishes: SyncOptions, record: SyncRecord) -> None:
        self._endpoints = SyncEndpoints(zoo, folder, is_dry=wishes.dry_run)
        self._options = wishes
        self._record = record
        self._agent_ids = wishes.agents
        self._report = SyncReport()
        self._folder = folder

    def run(self) -> SyncReport:
        """Look at every file, then at agents that have none."""
        found = scan_project(self._folder)
        self._report.report += found.report
        files = {file.path: file for file in found.files if detect_format(file) in FILE_FORMATS}
        formats = self._choose_formats(files.values())
        waiting = []
        for case in list(self._iterate_cases(files, formats)):
            step = self._choose_step(case)
            if step in DEFERRED_STEPS:
                waiting.append(case)
            else:
                self._run_step(step, case)
        for case in waiting:
            self._run_step(self._choose_step(case), case)
        self._add_missing_files(files, formats)
        self._report.items.sort(key=lambda item: item.path)
        return self._report

    def _choose_formats(self, files: Iterable[File]) -> list[str]:
        if self._options.formats:
            return self._options.formats
        in_use = {link.format for link in self._record.links}
        in_use |= {name for file in files if (name := detect_format(file)) is not None}
        return sorted(in_use) or [CLAUDE_CODE.name]

    def _iterate_cases(self, files: dict[str, File], formats: list[str]) -> Iterable[_SyncCase]:
        links = {link.path: link for link in self._record.links}
        for path in sorted({*files, *links}):
            link, file = links.get(path), files.get(path)
            kind = FILE_FORMATS[link.format if link else detect_format(files[path]) or ""]
            if kind.name not in formats:
                continue
            if link is not None:
                yield _SyncCase(kind, path, link.agent_id, file, link)
            elif file is not None:
                yield _SyncCase(kind, path, convert_file_to_agent(kind, file)[0].id, file, None)

    def _choose_step(self, case: _SyncCase) -> SyncStep:
        text = self._endpoints.render_file(case.kind, case.agent_id, case.path)
        link = case.link
        if link is not None and text is None and not self._endpoints.is_deleted(case.agent_id):
            link = None  # nobody has deleted the agent: it may be another zoo, or a new one
        step = choose_next_step(
            compute_digest(case.file.text) if case.file else None,
            compute_digest(text) if text is not None else None,
            last_file=link.file_digest if link else None,
            last_zoo=link.zoo_digest if link else None,
            prefer=self._options.prefer,
        )
        if step == "forget" and text is not None and case.agent_id in self._agent_ids:
            return "write"
        is_first = step == "conflict" and case.link is None and case.file is not None
        if (
            is_first
            and case.file
            and self._endpoints.matches_agent(case.kind, case.file, case.agent_id)
        ):
            return "read"  # what the program alone knows is kept
        return step

    def _run_step(self, step: SyncStep, case: _SyncCase) -> None:
        text = self._endpoints.render_file(case.kind, case.agent_id, case.path)
        item = SyncItem(path=case.path, format=case.kind.name, agent_id=case.agent_id, step=step)
        if step != "in-step":
            item.diff = make_text_diff(case.path, case.file.text if case.file else None, text)
        self._report.items.append(item)
        try:
            file = self._apply_step(item, case, text)
        except PaddockError as error:
            item.error = str(error)
            return
        if step != "conflict":
            self._update_record(
                item, file, self._endpoints.render_file(case.kind, item.agent_id, case.path)
            )

    def _apply_step(self, item: SyncItem, case: _SyncCase, text: str | None) -> File | None:
        """Do what is to be done; the file as it is then."""
        file = case.file
        match item.step:
            case "read" if file is not None:
                self._endpoints.update_agent(case.kind, file, item.agent_id)
            case "add-to-zoo" if file is not None:
                self._report.report += convert_file_to_agent(case.kind, file)[1]
                item.agent_id = self._endpoints.add_to_zoo(case.kind, file)
            case "write" | "add-to-project" if text is not None:
                return self._endpoints.write_file(case.path, file, text)
            case "delete-file" if file is not None:
                self._endpoints.delete_file(file)
                return None
        return file

    def _update_record(self, item: SyncItem, file: File | None, text: str | None) -> None:
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
        """Write the files of agents that are to have some and have none."""
        there = {(item.agent_id, item.format) for item in self._report.items}
        wanted = self._agent_ids
        if self._options.formats:
            wanted = list(dict.fromkeys([*wanted, *sorted(agent for agent, _ in there)]))
        for agent_id in wanted:
            agent = self._endpoints.find_agent(agent_id)
            missing = [name for name in formats if (agent_id, name) not in there]
            if agent is not None and missing:
                self._report.report += find_agent_secrets(agent)
            for name in missing:
                kind = FILE_FORMATS[name]
                if agent is None:
                    self._report_unknown_agent(kind, agent_id)
                    continue
                taken = {*files, *(item.path for item in self._report.items)}
                path = self._endpoints.make_new_file(kind, agent, taken).path
                self._run_step("add-to-project", _SyncCase(kind, path, agent_id, None, None))

    def _report_unknown_agent(self, kind: AgentFileFormat, agent_id: str) -> None:
        """Say that an agent that is to have a file is neither in the zoo nor in the project."""
        item = SyncItem(
            path=kind.make_path(make_file_slug(agent_id, "agent")),
            format=kind.name,
            agent_id=agent_id,
            step="add-to-project",
            error=f"there is no agent {agent_id!r} in the zoo",
        )
        self._report.items.append(item)


POLL_SECONDS = 1.0
"""How often the files are looked at; the zoo tells of its changes itself."""


def run_sync_rounds(zoo: Zoo, folder: Path, wishes: SyncOptions) -> Iterator[SyncReport]:
    """Bring both in step now, and again whenever either has changed."""
    while True:
        event, files = zoo.events.get_latest_id(), _get_file_states(folder)
        yield sync_project(zoo, folder, wishes)
        # What the round itself has done counts as a change too: the next one finds nothing.
        while _get_file_states(folder) == files and not zoo.events.wait_after(event, POLL_SECONDS):
            pass


def _get_file_states(folder: Path) -> dict[Path, tuple[int, int]]:
    """What tells whether a file has been changed."""
    found = {}
    for path in find_candidate_files(folder):
        with suppress(OSError):
            status = path.stat()
            found[path] = (status.st_mtime_ns, status.st_size)
    return found
