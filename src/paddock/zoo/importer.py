"""Imports agents, brains and library items from files and from legacy zoos."""

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

    Each import is one transaction, so either everything is stored or nothing.
    """

    context: ZooContext

    def import_json(
        self, source_file: Path | str | bytes, *, source: str = "import"
    ) -> ImportReport:
        """Import a bundle, Paddock's JSON file of agents, or a legacy agents.json.

        An agent whose ID is taken gets a different ID.

        Args:
            source_file: The path of the file, or its content.
            source: The origin of the change, for the history.

        Raises:
            ZooFileError: The file cannot be read, or its content is invalid.
        """
        batch, display_path = _read_bundle_file(source_file)
        with self.context.write_transaction(source) as tx:
            return _apply_import(tx, batch, display_path)

    def import_batch(self, batch: ImportBatch, *, source: str = "import") -> ImportReport:
        """Import agents, their brains and library items that were read from files.

        An agent whose ID is taken gets a different ID.

        Raises:
            ZooFileError: An item is invalid. Nothing is imported.
        """
        with self.context.write_transaction(source) as tx:
            return _apply_import(tx, batch, display_path=None)

    def import_legacy_file_once(self) -> ImportReport | None:
        """Import the file that AGENT_ZOO_STORE_PATH names, unless it has been imported before.

        Earlier programs kept their agents in this file.

        Returns:
            The report, or None if there is nothing to import.

        Raises:
            ZooFileError: The file cannot be read, or its content is invalid.
        """
        file_name = os.environ.get(LEGACY_FILE_VARIABLE)
        if not file_name:
            return None
        owner, path = self.context.owner, Path(file_name).expanduser().absolute()
        imported_at_query = select(imported_files.c.at).where(
            imported_files.c.owner == owner, imported_files.c.path == str(path)
        )
        with self.context.read_transaction() as tx:
            if tx.connection.scalar(imported_at_query) is not None or not path.exists():
                return None
        hint = f"correct the file, or unset {LEGACY_FILE_VARIABLE}"
        batch, display_path = _read_bundle_file(path, hint=hint)
        with self.context.write_transaction("import") as tx:
            # Another process may have imported the file between the two transactions.
            if tx.connection.scalar(imported_at_query) is not None:
                return None
            # The file is recorded in the same transaction, so a failed import is retried.
            values = {"owner": owner, "path": str(path), "at": tx.timestamp}
            tx.connection.execute(insert(imported_files), values)
            return _apply_import(tx, batch, display_path, hint=hint)


def _read_bundle_file(
    source_file: Path | str | bytes, *, hint: str | None = None
) -> tuple[ImportBatch, str | None]:
    """Read a bundle from a file or from bytes.

    Args:
        source_file: The path of the file, or its content.
        hint: The hint for errors.

    Returns:
        The content of the bundle, and the path for error messages, which is None for bytes.

    Raises:
        ZooFileError: The file cannot be read, or is not a bundle.
    """
    path = None if isinstance(source_file, bytes) else str(source_file)
    try:
        if isinstance(source_file, bytes):
            data = source_file
        else:
            data = read_regular_file(Path(source_file), validation.MAX_IMPORT_FILE_BYTES)
        batch = read_bundle(File(path=path or "agents.json", text=data.decode("utf-8-sig")))
    except OSError as error:
        raise ZooFileError(f"cannot be read: {error.strerror}", where=path, hint=hint) from None
    except UnicodeDecodeError:
        raise ZooFileError("not a text file in UTF-8", where=path, hint=hint) from None
    except AgentFilesError as error:
        raise ZooFileError(error.message, where=path, hint=hint or error.hint) from None
    return batch, path


def _apply_import(
    tx: WriteTransaction, batch: ImportBatch, display_path: str | None, *, hint: str | None = None
) -> ImportReport:
    """Insert a batch's items, and return a report with the new IDs and the repairs.

    The first invalid item aborts the import, and the transaction is rolled back.

    Args:
        tx: The transaction.
        batch: The agents, brains and library items to insert.
        display_path: The batch's file, for errors.
        hint: The hint for errors.

    Raises:
        ZooFileError: An item is invalid. The message has its location, such as `agents[2].name`.
    """
    report = ImportReport(report=[ImportNote(note.field, note.message) for note in batch.report])
    # The location of the item being imported, for the error message.
    location = "packs"
    try:
        # Packs come first, because skills refer to them.
        new_pack_ids = {
            pack.id: add_library_item(tx, Pack, msgspec.to_builtins(pack)).id
            for pack in _select_new_items(tx, batch.packs)
        }
        location = "library"
        for library_skill in _select_new_items(tx, batch.library):
            _import_library_skill(tx, library_skill, new_pack_ids)
        if batch.packs or batch.library:
            tx.record_event("library:changed")
        for number, agent in enumerate(batch.agents):
            location = f"agents[{number}]"
            _import_agent(tx, agent, batch.brains.get(agent.id, []), report, location)
    except InvalidAgentError as error:
        message = "; ".join(
            f"{location}.{detail.path}: {detail.message}" for detail in error.details
        )
        raise ZooFileError(
            message, where=display_path, hint=hint or "correct the file; nothing was imported"
        ) from None
    return report


def _import_library_skill(
    tx: WriteTransaction, skill: LibrarySkill, new_pack_ids: dict[str, str]
) -> None:
    """Insert a library skill. If its pack does not exist, the skill belongs to no pack.

    Args:
        tx: The transaction.
        skill: The skill.
        new_pack_ids: The IDs of the imported packs, by their IDs in the file.
    """
    pack_id = new_pack_ids.get(skill.pack_id or "", skill.pack_id)
    if pack_id is not None and agent_rows.find_library_item(tx, Pack, pack_id) is None:
        pack_id = None
    add_library_item(tx, LibrarySkill, {**msgspec.to_builtins(skill), "packId": pack_id})


def _select_new_items(
    tx: WriteTransaction, items: list[agent_rows.LibraryItem]
) -> list[agent_rows.LibraryItem]:
    """Return the items, except those that the library already has with the same content."""

    def is_known(item: agent_rows.LibraryItem) -> bool:
        stored_item = agent_rows.find_library_item(tx, type(item), item.id)
        # Version numbers may differ.
        return (
            stored_item is not None
            and msgspec.structs.replace(stored_item, version=item.version) == item
        )

    return [item for item in items if not is_known(item)]


def _import_agent(
    tx: WriteTransaction,
    agent: Agent,
    brain: list[BrainEntry],
    report: ImportReport,
    location: str,
) -> None:
    """Insert an agent with its first version and its brain, and add it to the report.

    The agent gets a different ID if its own is taken or is not a slug.

    Args:
        tx: The transaction.
        agent: The agent.
        brain: The agent's brain entries.
        report: The import report.
        location: The location of the agent in the file, such as `agents[2]`, for the report.
    """
    repaired_agent = _repair_agent(agent, report, location)
    # Parsing the agent again resets the fields that the zoo sets itself, such as the version.
    new_agent = validation.parse_new_agent(msgspec.to_builtins(repaired_agent))
    row = add_agent(tx, new_agent, "imported")
    report.created.append(row.agent.id)
    if row.agent.id != agent.id:
        message = f"{agent.id!r} is taken or not a slug; imported as {row.agent.id!r}"
        report.report.append(ImportNote(f"{location}.id", message))
    # Entries with the same time are listed by row key, highest first, so insert the oldest first.
    for entry in reversed(brain) if _is_newest_first(brain) else brain:
        _import_entry(tx, row, entry)
        report.entries += 1


def _is_newest_first(brain: list[BrainEntry]) -> bool:
    """Return whether a file's entries are in the order that bundles use."""
    return len(brain) > 1 and brain[0].timestamp > brain[-1].timestamp


def _repair_agent(agent: Agent, report: ImportReport, location: str) -> Agent:
    """Return an agent without the faults that older zoos allowed.

    Invalid category colors are replaced and long names are shortened, with a note in the report.
    Empty names are replaced silently.
    """
    categories = []
    for number, category in enumerate(agent.skill_categories):
        color = category.color
        if not validation.is_valid_color(color):
            color = GENERAL_CATEGORY_COLOR
            message = f"{category.color[:40]!r} is not a color; replaced with {color}"
            field = f"{location}.skillCategories[{number}].color"
            report.report.append(ImportNote(field, message))
        categories.append(
            msgspec.structs.replace(
                category, name=category.name.strip() or category.id, color=color
            )
        )
    name = agent.name.strip()
    if len(name) > validation.MAX_NAME_CHARACTERS:
        message = f"shortened to {validation.MAX_NAME_CHARACTERS} characters"
        report.report.append(ImportNote(f"{location}.name", message))
        name = name[: validation.MAX_NAME_CHARACTERS].rstrip()
    return msgspec.structs.replace(agent, name=name or "Unnamed", skill_categories=categories)


def _import_entry(tx: WriteTransaction, row: AgentRow, entry: BrainEntry) -> None:
    """Insert an entry into an agent's brain, with a new ID if its own is empty or taken."""
    fields = msgspec.to_builtins(entry)
    fields["version"] = 1
    if not entry.id or entry_rows.entry_id_exists(tx, row.key, entry.id):
        del fields["id"]  # `add_entry` generates one
    if entry.timestamp.strip():
        # A file may give only the date, which means the start of the day.
        fields["timestamp"] = validation.parse_date_bound(
            "timestamp", entry.timestamp, timestamps.parse_period_start
        )
    else:
        # Notes in a MEMORY.md have no time. `add_entry` gives them the time of the import.
        del fields["timestamp"]
    fields["metadata"] = {"source": "import", **entry.metadata}
    add_entry(tx, row, fields)
