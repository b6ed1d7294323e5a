"""Import of agents, brains and library items: from files, and from legacy zoos."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import insert, select

from paddock.files import read_regular_file
from paddock.zoo import timestamps, validation
from paddock.zoo.agents import add_agent
from paddock.zoo.brain import add_entry
from paddock.zoo.context import ZooContext
from paddock.zoo.errors import InvalidAgentError, ZooFileError
from paddock.zoo.formats.bundle import read_bundle
from paddock.zoo.formats.exchange import AgentFilesError, File
from paddock.zoo.library import add_library_item
from paddock.zoo.model import (
    GENERAL_CATEGORY_COLOR,
    Agent,
    ImportNote,
    ImportReport,
    LibrarySkill,
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


@dataclass(frozen=True)
class AgentImporter:
    """The importer of one zoo.

    Each import is one transaction, so either all of it is stored or nothing.
    """

    context: ZooContext

    def import_json(
        self, source_file: Path | str | bytes, *, source: str = "import"
    ) -> ImportReport:
        """Import a bundle or a legacy agents.json. The file is not changed.

        Agents whose ID is taken get another one.

        Args:
            source_file: The path of the file, or its content.
            source: The origin of the change.

        Raises:
            ZooFileError: The file cannot be read, or its content is invalid.
        """
        batch, where = _read_bundle_file(source_file)
        with self.context.write_transaction(source) as tx:
            return _apply_import(tx, batch, where)

    def import_batch(self, batch: ImportBatch, *, source: str = "import") -> ImportReport:
        """Import agents, their brains and library items that were read from files.

        Raises:
            ZooFileError: An item is invalid.
        """
        with self.context.write_transaction(source) as tx:
            return _apply_import(tx, batch, None)

    def import_legacy_file_once(self) -> ImportReport | None:
        """Import the file that AGENT_ZOO_STORE_PATH names, unless it has been imported before.

        Raises:
            ZooFileError: The file cannot be read, or its content is invalid.
        """
        file_name = os.environ.get(LEGACY_FILE_VARIABLE)
        if not file_name:
            return None
        owner, path = self.context.owner, Path(file_name).expanduser().absolute()
        imported_at = select(imported_files.c.at).where(
            imported_files.c.owner == owner, imported_files.c.path == str(path)
        )
        with self.context.read_transaction() as tx:
            if tx.connection.scalar(imported_at) is not None or not path.exists():
                return None
        hint = f"correct the file, or unset {LEGACY_FILE_VARIABLE}"
        batch, where = _read_bundle_file(path, hint=hint)
        with self.context.write_transaction("import") as tx:
            # Another process may have imported the file between the two transactions.
            if tx.connection.scalar(imported_at) is not None:
                return None
            values = {"owner": owner, "path": str(path), "at": tx.timestamp}
            tx.connection.execute(insert(imported_files), values)
            return _apply_import(tx, batch, where, hint=hint)


def _read_bundle_file(
    source_file: Path | str | bytes, *, hint: str | None = None
) -> tuple[ImportBatch, str | None]:
    """Read a bundle from a file or from bytes.

    Returns its content, and the path for error messages, which is None for bytes.
    """
    where = None if isinstance(source_file, bytes) else str(source_file)
    try:
        data = (
            source_file
            if isinstance(source_file, bytes)
            else read_regular_file(Path(source_file), validation.MAX_IMPORT_FILE_BYTES)
        )
        return read_bundle(File(path=where or "agents.json", text=data.decode("utf-8-sig"))), where
    except OSError as error:
        raise ZooFileError(f"cannot be read: {error.strerror}", where=where, hint=hint) from None
    except UnicodeDecodeError:
        raise ZooFileError("not a text file in UTF-8", where=where, hint=hint) from None
    except AgentFilesError as error:
        raise ZooFileError(error.message, where=where, hint=hint or error.hint) from None


def _apply_import(
    tx: WriteTransaction, batch: ImportBatch, where: str | None, *, hint: str | None = None
) -> ImportReport:
    """Insert a batch, and return a report of what was changed on the way.

    The first invalid item ends the import with an error that names it. The transaction is then
    rolled back.
    """
    report = ImportReport(report=[ImportNote(note.field, note.message) for note in batch.report])
    path = ""  # of the item being imported, for the error message
    try:
        path = "packs"
        # Packs come first, because skills refer to them.
        new_pack_ids = {
            pack.id: add_library_item(tx, Pack, msgspec.to_builtins(pack)).id
            for pack in _select_new_items(tx, batch.packs)
        }
        path = "library"
        for library_skill in _select_new_items(tx, batch.library):
            _import_library_skill(tx, library_skill, new_pack_ids)
        if batch.packs or batch.library:
            tx.record_event("library:changed")
        for number, agent in enumerate(batch.agents):
            path = f"agents[{number}]"
            _import_agent(tx, agent, batch.brains.get(agent.id, []), report, path)
    except InvalidAgentError as error:
        text = "; ".join(f"{path}.{issue.path}: {issue.message}" for issue in error.details)
        raise ZooFileError(
            text, where=where, hint=hint or "correct the file; nothing was imported"
        ) from None
    return report


def _import_library_skill(
    tx: WriteTransaction, skill: LibrarySkill, new_pack_ids: dict[str, str]
) -> None:
    """Insert a skill with the ID that its pack got. Without its pack, it belongs to none."""
    pack_id = new_pack_ids.get(skill.pack_id or "", skill.pack_id)
    has_pack = pack_id is None or agent_rows.find_library_item(tx, Pack, pack_id) is not None
    fields = {**msgspec.to_builtins(skill), "packId": pack_id if has_pack else None}
    add_library_item(tx, LibrarySkill, fields)


def _select_new_items(
    tx: WriteTransaction, items: list[agent_rows.LibraryItem]
) -> list[agent_rows.LibraryItem]:
    """Return the items that the library does not have with the same content."""
    return [
        item
        for item in items
        if (known := agent_rows.find_library_item(tx, type(item), item.id)) is None
        or msgspec.structs.replace(known, version=item.version) != item
    ]


def _import_agent(
    tx: WriteTransaction,
    agent: Agent,
    brain: list[BrainEntry],
    report: ImportReport,
    path: str,
) -> None:
    """Insert an agent with its first version and its brain.

    The agent gets another ID if its own is taken or not a slug.
    """
    new_agent = validation.parse_new_agent(msgspec.to_builtins(_repair_agent(agent, report, path)))
    row = add_agent(tx, new_agent, "imported")
    report.created.append(row.agent.id)
    if row.agent.id != agent.id:
        text = f"{agent.id!r} is taken or not a slug; imported as {row.agent.id!r}"
        report.report.append(ImportNote(f"{path}.id", text))
    # Row keys order entries of the same time, and searches return the highest key first.
    for entry in reversed(brain) if _is_newest_first(brain) else brain:
        _import_entry(tx, row, entry)
        report.entries += 1


def _is_newest_first(brain: list[BrainEntry]) -> bool:
    """Return whether the entries of a file are in the order in which bundles list them."""
    return len(brain) > 1 and brain[0].timestamp > brain[-1].timestamp


def _repair_agent(agent: Agent, report: ImportReport, path: str) -> Agent:
    """Return an agent without faults that older zoos allowed.

    These are long names, empty names and invalid colors. Each repair adds a note to the report.
    """
    categories = []
    for number, category in enumerate(agent.skill_categories):
        color = category.color
        if not validation.is_valid_color(color):
            color = GENERAL_CATEGORY_COLOR
            text = f"{category.color[:40]!r} is not a color; replaced with {color}"
            field = f"{path}.skillCategories[{number}].color"
            report.report.append(ImportNote(field, text))
        categories.append(
            msgspec.structs.replace(
                category, name=category.name.strip() or category.id, color=color
            )
        )
    name = agent.name.strip()
    if len(name) > validation.MAX_NAME_CHARACTERS:
        text = f"shortened to {validation.MAX_NAME_CHARACTERS} characters"
        report.report.append(ImportNote(f"{path}.name", text))
        name = name[: validation.MAX_NAME_CHARACTERS].rstrip()
    return msgspec.structs.replace(agent, name=name or "Unnamed", skill_categories=categories)


def _import_entry(tx: WriteTransaction, row: AgentRow, entry: BrainEntry) -> None:
    """Insert an entry, filling in an ID and a time if the file has none."""
    data = msgspec.to_builtins(entry)
    data["version"] = 1
    if not entry.id or entry_rows.entry_id_exists(tx, row.key, entry.id):
        del data["id"]  # `write_entry` generates one
    if entry.timestamp.strip():
        data["timestamp"] = validation.parse_date_bound(
            "timestamp", entry.timestamp, timestamps.parse_period_start
        )
    else:
        del data["timestamp"]  # notes in a MEMORY.md have no time; they get the time of the import
    data["metadata"] = {"source": "import", **entry.metadata}
    add_entry(tx, row, data)
