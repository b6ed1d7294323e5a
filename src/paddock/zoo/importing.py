"""Taking in what files hold: agents of older zoos, and all that the formats of files give."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import insert, select

from paddock.files import read_ordinary
from paddock.zoo import checks, limits, times
from paddock.zoo.agents import add_agent
from paddock.zoo.brain import write_entry
from paddock.zoo.errors import InvalidAgentError, ZooFileError
from paddock.zoo.formats.bundle import read_bundle
from paddock.zoo.formats.exchange import AgentFilesError, File
from paddock.zoo.library import add_library_skill, add_pack
from paddock.zoo.model import (
    GENERAL_COLOR,
    Agent,
    ImportNote,
    ImportReport,
    LibrarySkill,
    NewAgent,
    Pack,
)
from paddock.zoo.part import Part
from paddock.zoo.store import entry_rows, library_rows
from paddock.zoo.store.tables import imported_files

if TYPE_CHECKING:
    from paddock.zoo.formats.exchange import Import
    from paddock.zoo.model import BrainEntry
    from paddock.zoo.store.agent_rows import KeptAgent
    from paddock.zoo.store.transaction import Writing

OLD_FILE_VARIABLE = "AGENT_ZOO_STORE_PATH"


class Importing(Part):
    """Ways for agents into a zoo that were made elsewhere."""

    def import_agents_json(
        self, given: Path | str | bytes, *, source: str = "import"
    ) -> ImportReport:
        """Take in an agents.json of any form that it has had, or a bundle. The file is not changed.

        Agents whose id is taken get another one. All of it is imported, or nothing.

        Args:
            given: The path of a file, or what is in it.
            source: Who does it.

        Raises:
            ZooFileError: when it cannot be read, or is something else.
        """
        found, where = _read(given)
        with self._writing(source) as writing:
            return _take_in(writing, found, where)

    def import_found(self, found: Import, *, source: str = "import") -> ImportReport:
        """Take in what was found in files: agents, their brains, and the library.

        Raises:
            ZooFileError: when something of it cannot be kept; then nothing of it is.
        """
        with self._writing(source) as writing:
            return _take_in(writing, found, None)

    def import_old_file_once(self) -> ImportReport | None:
        """Take in the file that AGENT_ZOO_STORE_PATH names, unless that was done before.

        Raises:
            ZooFileError: when it cannot be read, or is something else.
        """
        named = os.environ.get(OLD_FILE_VARIABLE)
        if not named:
            return None
        path = Path(named).expanduser().absolute()
        with self._reading() as reading:
            same = (imported_files.c.owner == self._owner) & (imported_files.c.path == str(path))
            done = select(imported_files.c.at).where(same)
            if reading.connection.scalar(done) is not None or not path.exists():
                return None
        hint = f"put it right, or unset {OLD_FILE_VARIABLE}"
        found, where = _read(path, hint=hint)
        with self._writing("import") as writing:
            if writing.connection.scalar(done) is not None:
                return None  # another process was quicker
            values = {"owner": self._owner, "path": str(path), "at": writing.at}
            writing.connection.execute(insert(imported_files), values)
            return _take_in(writing, found, where, hint=hint)


def _read(given: Path | str | bytes, *, hint: str | None = None) -> tuple[Import, str | None]:
    where = None if isinstance(given, bytes) else str(given)
    try:
        data = given if isinstance(given, bytes) else read_ordinary(Path(given), limits.FILE_BYTES)
        return read_bundle(File(path=where or "agents.json", text=data.decode("utf-8-sig"))), where
    except OSError as error:
        raise ZooFileError(f"it cannot be read: {error.strerror}", where=where, hint=hint) from None
    except UnicodeDecodeError:
        raise ZooFileError("it is no text in UTF-8", where=where, hint=hint) from None
    except AgentFilesError as error:
        raise ZooFileError(error.message, where=where, hint=hint or error.hint) from None


def _take_in(
    writing: Writing, found: Import, where: str | None, *, hint: str | None = None
) -> ImportReport:
    report = ImportReport()
    report.report = [ImportNote(field=one.field, message=one.message) for one in found.report]
    path = ""
    try:
        path = "packs"
        packs = {pack.id: add_pack(writing, _plain(pack)).id for pack in _new(writing, found.packs)}
        path = "library"
        for library_skill in _new(writing, found.library):
            pack_id = packs.get(library_skill.pack_id or "", library_skill.pack_id)
            is_known = pack_id is None or library_rows.find(writing, Pack, pack_id) is not None
            kept = {**_plain(library_skill), "packId": pack_id if is_known else None}
            add_library_skill(writing, kept)
        if found.packs or found.library:
            writing.tell("library:changed")
        for number, agent in enumerate(found.agents):
            path = f"agents[{number}]"
            _take_in_agent(writing, agent, found.brains.get(agent.id, []), report, path)
    except InvalidAgentError as error:
        text = "; ".join(f"{path}.{issue.path}: {issue.message}" for issue in error.details)
        raise ZooFileError(
            text, where=where, hint=hint or "put it right; nothing was imported"
        ) from None
    return report


def _plain(item: LibrarySkill | Pack) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(item)
    return data


def _new(writing: Writing, items: list[library_rows.Item]) -> list[library_rows.Item]:
    """Those that the library does not have just so."""
    return [
        one
        for one in items
        if (known := library_rows.find(writing, type(one), one.id)) is None
        or msgspec.structs.replace(known, version=one.version) != one
    ]


def _take_in_agent(
    writing: Writing, agent: Agent, brain: list[BrainEntry], report: ImportReport, path: str
) -> None:
    wanted = checks.read(NewAgent, msgspec.to_builtins(_fitted(agent, report, path)))
    kept = add_agent(writing, wanted, "imported")
    report.created.append(kept.agent.id)
    if kept.agent.id != agent.id:
        text = f"{agent.id!r} is taken or no slug: it is {kept.agent.id!r} here"
        report.report.append(ImportNote(field=f"{path}.id", message=text))
    for entry in reversed(brain) if _is_newest_first(brain) else brain:
        _take_in_entry(writing, kept, entry)
        report.entries += 1


def _is_newest_first(brain: list[BrainEntry]) -> bool:
    return len(brain) > 1 and brain[0].timestamp > brain[-1].timestamp


def _fitted(agent: Agent, report: ImportReport, path: str) -> Agent:
    """An agent with what older zoos did not look at put right: long names, odd colors."""
    categories = []
    for number, category in enumerate(agent.skill_categories):
        color = category.color
        if not checks.is_color(color):
            color = GENERAL_COLOR
            text = f"{category.color[:40]!r} is no color like {color}, which it has now"
            place = f"{path}.skillCategories[{number}].color"
            report.report.append(ImportNote(field=place, message=text))
        categories.append(
            msgspec.structs.replace(
                category, name=category.name.strip() or category.id, color=color
            )
        )
    name = agent.name.strip()
    if len(name) > limits.NAME:
        text = f"it is cut to {limits.NAME} characters"
        report.report.append(ImportNote(field=f"{path}.name", message=text))
        name = name[: limits.NAME].rstrip()
    return msgspec.structs.replace(agent, name=name or "Unnamed", skill_categories=categories)


def _take_in_entry(writing: Writing, kept: KeptAgent, entry: BrainEntry) -> None:
    data = msgspec.to_builtins(entry)
    data["version"] = 1
    if not entry.id or entry_rows.is_there(writing, kept.key, entry.id):
        del data["id"]
    if entry.timestamp.strip():
        data["timestamp"] = checks.checked_moment("timestamp", entry.timestamp, times.first_moment)
    else:
        del data["timestamp"]  # a note in a file that says no time
    data["metadata"] = {"source": "import", **entry.metadata}
    write_entry(writing, kept, data)
