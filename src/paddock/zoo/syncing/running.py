"""Bringing a project's files and the zoo in step, file by file.

A file that has changed is read into its agent, an agent that has changed is written into its
files. Where both have changed neither is touched, until somebody says which one is right.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from paddock.errors import PaddockError
from paddock.zoo.formats.agent_file import agent_of
from paddock.zoo.formats.converting import format_of
from paddock.zoo.formats.exchange import File, Remark
from paddock.zoo.formats.names import slug
from paddock.zoo.formats.secrets import secrets_of
from paddock.zoo.formats.table import CLAUDE_CODE, FILE_FORMATS
from paddock.zoo.placing import digest, text_diff
from paddock.zoo.scanning import scan
from paddock.zoo.syncing.comparing import Prefer, Step, next_step
from paddock.zoo.syncing.records import Link, Record, record_of
from paddock.zoo.syncing.sides import Sides

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from paddock.zoo.formats.agent_file import FileFormat
    from paddock.zoo.service import Zoo

WAITING: frozenset[Step] = frozenset({"in-step", "write"})
"""What is done last, for files that are read first may change the same agent."""


class SyncItem(msgspec.Struct, rename="camel", kw_only=True):
    """What was done for one file, or would be."""

    path: str
    format: str
    agent_id: str
    step: Step
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


class SyncWishes(msgspec.Struct, kw_only=True):
    """What is to be kept in step, and how."""

    agents: list[str] = msgspec.field(default_factory=list)
    """Ids of agents that are to have files, besides those that have some already."""
    formats: list[str] = msgspec.field(default_factory=list)
    """For which programs; if none is said, those that have files in the project already."""
    prefer: Prefer | None = None
    """Which side is right where both have changed."""
    is_dry: bool = False
    """Only say what would be done."""


class _Case(NamedTuple):
    """A file, or one that there was, and its agent."""

    kind: FileFormat
    path: str
    agent_id: str
    file: File | None
    link: Link | None


def sync(zoo: Zoo, folder: Path, wishes: SyncWishes | None = None) -> SyncReport:
    """Bring the agent files of a project and a zoo in step.

    Raises:
        DataDirectoryError: when what is remembered of the project cannot be read or written.
        FileBusyError: when another process works on the same project for too long.
    """
    wishes = wishes or SyncWishes()
    with record_of(folder, zoo.place) as record:
        kept = deepcopy(record) if wishes.is_dry else record
        return _Sync(zoo, folder, wishes, kept).run()


class _Sync:
    """Bringing one project in step, once."""

    def __init__(self, zoo: Zoo, folder: Path, wishes: SyncWishes, record: Record) -> None:
        self._sides = Sides(zoo, folder, is_dry=wishes.is_dry)
        self._wishes = wishes
        self._record = record
        self._wanted = wishes.agents
        self._result = SyncReport()
        self._folder = folder

    def run(self) -> SyncReport:
        """Look at every file, then at agents that have none."""
        found = scan(self._folder)
        self._result.report += found.report
        files = {file.path: file for file in found.files if format_of(file) in FILE_FORMATS}
        formats = self._formats(files.values())
        waiting = []
        for case in list(self._cases(files, formats)):
            step = self._step(case)
            if step in WAITING:
                waiting.append(case)
            else:
                self._do(step, case)
        for case in waiting:
            self._do(self._step(case), case)
        self._add_files(files, formats)
        self._result.items.sort(key=lambda item: item.path)
        return self._result

    def _formats(self, files: Iterable[File]) -> list[str]:
        if self._wishes.formats:
            return self._wishes.formats
        in_use = {link.format for link in self._record.links}
        in_use |= {name for file in files if (name := format_of(file)) is not None}
        return sorted(in_use) or [CLAUDE_CODE.name]

    def _cases(self, files: dict[str, File], formats: list[str]) -> Iterable[_Case]:
        links = {link.path: link for link in self._record.links}
        for path in sorted({*files, *links}):
            link, file = links.get(path), files.get(path)
            kind = FILE_FORMATS[link.format if link else format_of(files[path]) or ""]
            if kind.name not in formats:
                continue
            if link is not None:
                yield _Case(kind, path, link.agent_id, file, link)
            elif file is not None:
                yield _Case(kind, path, agent_of(kind, file)[0].id, file, None)

    def _step(self, case: _Case) -> Step:
        text = self._sides.text(case.kind, case.agent_id, case.path)
        link = case.link
        if link is not None and text is None and not self._sides.is_in_bin(case.agent_id):
            link = None  # nobody has deleted the agent: it may be another zoo, or a new one
        step = next_step(
            digest(case.file.text) if case.file else None,
            digest(text) if text is not None else None,
            last_file=link.file_digest if link else None,
            last_zoo=link.zoo_digest if link else None,
            prefer=self._wishes.prefer,
        )
        if step == "forget" and text is not None and case.agent_id in self._wanted:
            return "write"
        is_first = step == "conflict" and case.link is None and case.file is not None
        if (
            is_first
            and case.file
            and self._sides.says_the_same(case.kind, case.file, case.agent_id)
        ):
            return "read"  # what the program alone knows is kept
        return step

    def _do(self, step: Step, case: _Case) -> None:
        text = self._sides.text(case.kind, case.agent_id, case.path)
        item = SyncItem(path=case.path, format=case.kind.name, agent_id=case.agent_id, step=step)
        if step != "in-step":
            item.diff = text_diff(case.path, case.file.text if case.file else None, text)
        self._result.items.append(item)
        try:
            file = self._changed(item, case, text)
        except PaddockError as error:
            item.error = str(error)
            return
        if step != "conflict":
            self._remember(item, file, self._sides.text(case.kind, item.agent_id, case.path))

    def _changed(self, item: SyncItem, case: _Case, text: str | None) -> File | None:
        """Do what is to be done; the file as it is then."""
        file = case.file
        match item.step:
            case "read" if file is not None:
                self._sides.read(case.kind, file, item.agent_id)
            case "add-to-zoo" if file is not None:
                self._result.report += agent_of(case.kind, file)[1]
                item.agent_id = self._sides.add_to_zoo(case.kind, file)
            case "write" | "add-to-project" if text is not None:
                return self._sides.write(case.path, file, text)
            case "delete-file" if file is not None:
                self._sides.delete(file)
                return None
        return file

    def _remember(self, item: SyncItem, file: File | None, text: str | None) -> None:
        links = [link for link in self._record.links if link.path != item.path]
        if file is not None and text is not None:
            link = Link(
                path=item.path,
                format=item.format,
                agent_id=item.agent_id,
                file_digest=digest(file.text),
                zoo_digest=digest(text),
            )
            links.append(link)
        self._record.links = links

    def _add_files(self, files: dict[str, File], formats: list[str]) -> None:
        """Write the files of agents that are to have some and have none."""
        there = {(item.agent_id, item.format) for item in self._result.items}
        wanted = self._wanted
        if self._wishes.formats:
            wanted = list(dict.fromkeys([*wanted, *sorted(agent for agent, _ in there)]))
        for agent_id in wanted:
            agent = self._sides.agent(agent_id)
            missing = [name for name in formats if (agent_id, name) not in there]
            if agent is not None and missing:
                self._result.report += secrets_of(agent)
            for name in missing:
                kind = FILE_FORMATS[name]
                if agent is None:
                    self._tell_unknown(kind, agent_id)
                    continue
                taken = {*files, *(item.path for item in self._result.items)}
                path = self._sides.new_file(kind, agent, taken).path
                self._do("add-to-project", _Case(kind, path, agent_id, None, None))

    def _tell_unknown(self, kind: FileFormat, agent_id: str) -> None:
        """Say that an agent that is to have a file is neither in the zoo nor in the project."""
        item = SyncItem(
            path=kind.path(slug(agent_id, "agent")),
            format=kind.name,
            agent_id=agent_id,
            step="add-to-project",
            error=f"there is no agent {agent_id!r} in the zoo",
        )
        self._result.items.append(item)
