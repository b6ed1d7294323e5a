"""Taking in what files hold: agents of older zoos, and all that the formats of files give."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import insert, select

from paddock.files import read_regular_file
from paddock.zoo import timestamps, validation
from paddock.zoo.agents import add_agent
from paddock.zoo.brain import write_entry
from paddock.zoo.context import ZooContext
from paddock.zoo.errors import InvalidAgentError, ZooFileError
from paddock.zoo.formats.bundle import read_bundle
from paddock.zoo.formats.exchange import AgentFilesError, File
from paddock.zoo.library import add_library_skill, add_pack
from paddock.zoo.model import (
    GENERAL_CATEGORY_COLOR,
    Agent,
    ImportNote,
    ImportReport,
    LibrarySkill,
    NewAgent,
    Pack,
)
from paddock.zoo.store import agent_rows, entry_rows
from paddock.zoo.store.schema import imported_files

if TYPE_CHECKING:
    from paddock.zoo.formats.exchange import ImportBatch
    from paddock.zoo.model import BrainEntry
    from paddock.zoo.store.agent_rows import AgentRow
    from paddock.zoo.store.transaction import WriteTransaction

LEGACY_FILE_VARIABLE = "AGENT_ZOO_STORE_PATH"


class AgentImporter(ZooContext):
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
        found, where = _read_bundle_file(given)
        with self._write_transaction(source) as writing:
            return _apply_import(writing, found, where)

    def import_found(self, found: ImportBatch, *, source: str = "import") -> ImportReport:
        """Take in what was found in files: agents, their brains, and the library.

        Raises:
            ZooFileError: when something of it cannot be kept; then nothing of it is.
        """
        with self._write_transaction(source) as writing:
            return _apply_import(writing, found, None)

    def import_legacy_file_once(self) -> ImportReport | None:
        """Take in the file that AGENT_ZOO_STORE_PATH names, unless that was done before.

        Raises:
            ZooFileError: when it cannot be read, or is something else.
        """
        named = os.environ.get(LEGACY_FILE_VARIABLE)
        if not named:
            return None
        path = Path(named).expanduser().absolute()
        with self._read_transaction() as reading:
            same = (imported_files.c.owner == self._owner) & (imported_files.c.path == str(path))
            done = select(imported_files.c.at).where(same)
            if reading.connection.scalar(done) is not None or not path.exists():
                return None
        hint = f"put it right, or unset {LEGACY_FILE_VARIABLE}"
        found, where = _read_bundle_file(path, hint=hint)
        with self._write_transaction("import") as writing:
            if writing.connection.scalar(done) is not None:
                return None  # another process was quicker
            values = {"owner": self._owner, "path": str(path), "at": writing.timestamp}
            writing.connection.execute(insert(imported_files), values)
            return _apply_import(writing, found, where, hint=hint)


def _read_bundle_file(
    given: Path | str | bytes, *, hint: str | None = None
) -> tuple[ImportBatch, str | None]:
    where = None if isinstance(given, bytes) else str(given)
    try:
        data = (
            given
            if isinstance(given, bytes)
            else read_regular_file(Path(given), validation.MAX_IMPORT_FILE_BYTES)
        )
        return read_bundle(File(path=where or "agents.json", text=data.decode("utf-8-sig"))), where
    except OSError as error:
        raise ZooFileError(f"it cannot be read: {error.strerror}", where=where, hint=hint) from None
    except UnicodeDecodeError:
        raise ZooFileError("it is no text in UTF-8", where=where, hint=hint) from None
    except AgentFilesError as error:
        raise ZooFileError(error.message, where=where, hint=hint or error.hint) from None


def _apply_import(
    writing: WriteTransaction, found: ImportBatch, where: str | None, *, hint: str | None = None
) -> ImportReport:
    report = ImportReport()
    report.report = [ImportNote(field=one.field, message=one.message) for one in found.report]
    path = ""
    try:
        path = "packs"
        packs = {
            pack.id: add_pack(writing, _to_data(pack)).id
            for pack in _select_new_items(writing, found.packs)
        }
        path = "library"
        for library_skill in _select_new_items(writing, found.library):
            pack_id = packs.get(library_skill.pack_id or "", library_skill.pack_id)
            is_known = (
                pack_id is None or agent_rows.find_library_item(writing, Pack, pack_id) is not None
            )
            kept = {**_to_data(library_skill), "packId": pack_id if is_known else None}
            add_library_skill(writing, kept)
        if found.packs or found.library:
            writing.record_event("library:changed")
        for number, agent in enumerate(found.agents):
            path = f"agents[{number}]"
            _import_agent(writing, agent, found.brains.get(agent.id, []), report, path)
    except InvalidAgentError as error:
        text = "; ".join(f"{path}.{issue.path}: {issue.message}" for issue in error.details)
        raise ZooFileError(
            text, where=where, hint=hint or "put it right; nothing was imported"
        ) from None
    return report


def _to_data(item: LibrarySkill | Pack) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(item)
    return data


def _select_new_items(
    writing: WriteTransaction, items: list[agent_rows.LibraryItem]
) -> list[agent_rows.LibraryItem]:
    """Those that the library does not have just so."""
    return [
        one
        for one in items
        if (known := agent_rows.find_library_item(writing, type(one), one.id)) is None
        or msgspec.structs.replace(known, version=one.version) != one
    ]


def _import_agent(
    writing: WriteTransaction,
    agent: Agent,
    brain: list[BrainEntry],
    report: ImportReport,
    path: str,
) -> None:
    wanted = validation.convert_to_struct(
        NewAgent, msgspec.to_builtins(_repair_agent(agent, report, path))
    )
    kept = add_agent(writing, wanted, "imported")
    report.created.append(kept.agent.id)
    if kept.agent.id != agent.id:
        text = f"{agent.id!r} is taken or no slug: it is {kept.agent.id!r} here"
        report.report.append(ImportNote(field=f"{path}.id", message=text))
    for entry in reversed(brain) if _is_newest_first(brain) else brain:
        _import_entry(writing, kept, entry)
        report.entries += 1


def _is_newest_first(brain: list[BrainEntry]) -> bool:
    return len(brain) > 1 and brain[0].timestamp > brain[-1].timestamp


def _repair_agent(agent: Agent, report: ImportReport, path: str) -> Agent:
    """An agent with what older zoos did not look at put right: long names, odd colors."""
    categories = []
    for number, category in enumerate(agent.skill_categories):
        color = category.color
        if not validation.is_valid_color(color):
            color = GENERAL_CATEGORY_COLOR
            text = f"{category.color[:40]!r} is no color like {color}, which it has now"
            place = f"{path}.skillCategories[{number}].color"
            report.report.append(ImportNote(field=place, message=text))
        categories.append(
            msgspec.structs.replace(
                category, name=category.name.strip() or category.id, color=color
            )
        )
    name = agent.name.strip()
    if len(name) > validation.MAX_NAME_CHARACTERS:
        text = f"it is cut to {validation.MAX_NAME_CHARACTERS} characters"
        report.report.append(ImportNote(field=f"{path}.name", message=text))
        name = name[: validation.MAX_NAME_CHARACTERS].rstrip()
    return msgspec.structs.replace(agent, name=name or "Unnamed", skill_categories=categories)


def _import_entry(writing: WriteTransaction, kept: AgentRow, entry: BrainEntry) -> None:
    data = msgspec.to_builtins(entry)
    data["version"] = 1
    if not entry.id or entry_rows.entry_id_exists(writing, kept.key, entry.id):
        del data["id"]
    if entry.timestamp.strip():
        data["timestamp"] = validation.parse_date_bound(
            "timestamp", entry.timestamp, timestamps.parse_period_start
        )
    else:
        del data["timestamp"]  # a note in a file that says no time
    data["metadata"] = {"source": "import", **entry.metadata}
    write_entry(writing, kept, data)
