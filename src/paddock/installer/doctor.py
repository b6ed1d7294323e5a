"""Diagnoses installed servers: finds problems with their entries, and commands that fix them.

Every recorded entry, and every other entry in a client's file that starts Paddock, is examined and
started as its client would start it. An entry that no longer belongs to Paddock is not started:
other people can change a project's file. Nothing is modified.
"""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import msgspec

from paddock.errors import PaddockError
from paddock.installer.apps import find_client, supported_clients
from paddock.installer.config_files.data_changes import is_same_data
from paddock.installer.config_files.document import MISSING
from paddock.installer.detection import is_running
from paddock.installer.entry_builder import find_started_server, has_server_name
from paddock.installer.entry_checks import (
    CheckFailedError,
    check_entry,
    find_interpreter_problems,
    find_missing_requirements,
    find_server_problems,
)
from paddock.installer.file_writer import read_content
from paddock.installer.locations import (
    FILE_SCOPE,
    USER_SCOPE,
    InstallDestination,
    UnknownLocationError,
    is_project_scope,
    locate_config_files,
    make_entry_location,
)
from paddock.installer.records import (
    InstalledEntry,
    decode_undo_record,
    find_installed_entries,
    find_records,
    identify_server,
    list_recorded_entries,
)
from paddock.installer.secret_masking import PUBLIC_VARIABLES, mask_url
from paddock.named_servers.api import get_server
from paddock.named_servers.installations import get_installations_path
from paddock.named_servers.names import OPTIONS_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from paddock.installer.client_app import Client
    from paddock.installer.entry_format import ConfigEntry, EntryFormat
    from paddock.installer.entry_location import EntryLocation, UndoRecord


def format_reinstall_command(
    installed: InstalledEntry, shape: EntryFormat, undo: UndoRecord | None
) -> str:
    """Return the command that installs a client's entry again.

    Environment variables and headers may have secret values. Only their names are shown, with a
    note to add the values.

    Args:
        installed: The entry in the client's configuration file.
        shape: The format of the client's entries.
        undo: The record of the installation, which contains the entry as it was installed.
    """
    words = ["paddock", "install", installed.client, installed.server, "--name", installed.key]
    if installed.scope == FILE_SCOPE:
        words += ["--file", str(installed.file)]
    elif installed.scope != USER_SCOPE:
        words += ["--project", installed.scope]
    recorded_entry = None if undo is None else shape.parse_entry(undo.entry)
    if recorded_entry is None:
        return shlex.join(words)
    if recorded_entry.url is not None and mask_url(recorded_entry.url) == recorded_entry.url:
        words += ["--http", recorded_entry.url]
    options = " ".join(_list_required_options(recorded_entry))
    suffix = f" (add the previous values of: {options})" if options else ""
    return shlex.join(words) + suffix


def _list_required_options(entry: ConfigEntry) -> Iterator[str]:
    """Yield the `paddock install` options whose values are secret, such as `--env NAME=VALUE`.

    The user has to replace the placeholders with the values.
    """
    if entry.url is not None and mask_url(entry.url) != entry.url:
        yield "--http URL"
    yield from (f"--header {name}:VALUE" for name in entry.headers)
    for name, value in entry.env.items():
        if name == OPTIONS_VARIABLE:
            yield from (f"--option {option}=VALUE" for option in _list_tool_options(value))
        elif name not in PUBLIC_VARIABLES:
            yield f"--env {name}=VALUE"
    yield from (f"--env {name}" for name in entry.forwarded_variables)


def _list_tool_options(value: str) -> list[str]:
    try:
        tools = msgspec.json.decode(value, type=dict[str, dict[str, object]])
    except msgspec.MsgspecError:
        return []
    return [f"{tool}.{name}" for tool, options in tools.items() for name in options]


DiagnosisLevel = Literal["ok", "note", "warning", "error"]


@dataclass(frozen=True)
class Finding:
    """One result of the doctor."""

    level: DiagnosisLevel
    client: str
    """The id of the client; empty if the finding concerns all clients."""
    file: str
    key: str
    """The name of the entry; empty if the finding concerns the whole client."""
    message: str
    remedy: str = ""
    """Instructions for fixing the problem; empty if there is nothing to do."""


def doctor(
    client: str | None = None, *, progress: Callable[[str], object] | None = None
) -> list[Finding]:
    """Examine every installed entry, start its server as the client would, and report problems.

    Trust level: execution.

    Args:
        client: The client whose entries are examined; all clients by default.
        progress: Called before each entry with a string that names it.

    Returns:
        The findings about each entry; one of level `ok` if its server answers.
    """
    clients = list(supported_clients().values()) if client is None else [find_client(client)]
    entries = _collect_entries(clients)
    findings = [] if client is not None else list(_report_damaged_records())
    for entry in entries:
        if progress is not None:
            known_client = supported_clients().get(entry.client)
            progress(f"{entry.key} in {known_client.name if known_client else entry.client}")
        findings += _examine_entry(entry)
    examined_files = {entry.file for entry in entries}
    for client_app in clients:
        for file in _list_user_files(client_app):
            if file not in examined_files:
                findings += _check_readable(client_app, file)
        scopes = [entry.scope for entry in entries if entry.client == client_app.id]
        if scopes:
            is_project = any(map(is_project_scope, scopes))
            findings += _report_client_state(client_app, is_project=is_project)
    return findings


def _collect_entries(clients: list[Client]) -> list[InstalledEntry]:
    """Return Paddock's entries in the configuration files of client applications.

    They are recorded by an installation, or found in the user's files. An entry that multiple
    clients read is returned for each of them. If all clients are examined, recorded entries of
    clients that this version of Paddock does not support are included.
    """
    client_ids = {client.id for client in clients}
    examines_all_clients = len(client_ids) > 1
    known_clients = supported_clients()
    entries = {
        (entry.client, entry.identity): entry
        for entry in list_recorded_entries()
        if entry.client in client_ids
        or (examines_all_clients and entry.client not in known_clients)
    }
    for client in clients:
        files = tuple(file for file in _list_user_files(client) if os.path.lexists(file))
        for entry in find_installed_entries(InstallDestination(client, files, USER_SCOPE)):
            entries.setdefault((entry.client, entry.identity), entry)
    return sorted(entries.values(), key=lambda entry: (entry.client, str(entry.file), entry.key))


def _check_readable(client: Client, file: Path) -> list[Finding]:
    """Return a warning if a client's configuration file cannot be parsed.

    Called for files that do not contain any Paddock entries. Nothing that is installed is
    affected, but the file prevents new installations.
    """
    try:
        make_entry_location(client, file, "", USER_SCOPE).read_entries(read_content(file))
    except PaddockError as error:
        return [replace(_convert_error(error, client.id, str(file)), level="warning")]
    return []


def _convert_error(error: PaddockError, client: str, file: str, key: str = "") -> Finding:
    where = "" if error.where in (None, file) else f"{error.where}: "
    return Finding("error", client, file, key, f"{where}{error.message}", error.hint or "")


def _examine_entry(installed: InstalledEntry) -> list[Finding]:
    """Return the findings about one entry, or its error if it cannot be examined."""
    try:
        return list(_EntryExamination(installed).iterate_findings())
    except PaddockError as error:
        return [_convert_error(error, installed.client, str(installed.file), installed.key)]


class _EntryExamination:
    """The examination of one entry.

    The steps go from the client's file to the running server, and stop at the first problem that
    makes the next step meaningless or unsafe.
    """

    def __init__(self, installed: InstalledEntry) -> None:
        self._installed_entry = installed
        self._client = find_client(installed.client)
        self._location: EntryLocation = make_entry_location(
            self._client, installed.file, installed.key, installed.scope
        )
        self._records = find_records(self._location)
        self._undo = decode_undo_record(self._records)

    def iterate_findings(self) -> Iterator[Finding]:
        """Examine the entry, start its server, and yield the findings.

        The examination ends at the first problem that makes the next steps impossible or unsafe.
        """
        reinstall_command = format_reinstall_command(
            self._installed_entry, self._client.shape, self._undo
        )
        content = read_content(self._installed_entry.file)
        if content is None:
            yield self._report("error", "the client's file no longer exists", reinstall_command)
            return
        data = self._location.read_entry(content)
        if data is MISSING:
            message = "the entry is no longer in the client's file"
            yield self._report("error", message, reinstall_command)
            return
        entry = self._client.shape.parse_entry(data)
        if entry is None:
            message = f"{self._client.name} cannot read this entry"
            yield self._report("error", message, reinstall_command)
            return
        if not self._can_start(data, entry):
            message = "the entry is not the one that was installed, so it was not started"
            remedy = f"check the entry; to restore it: {reinstall_command}"
            yield self._report("warning", message, remedy)
            return
        if self._undo is not None and not is_same_data(data, self._undo.entry):
            message = "the entry was changed after it was installed"
            yield self._report("note", message, f"to restore it: {reinstall_command}")
        if not entry.is_enabled:
            message = "the entry is disabled in the client's file"
            yield self._report("note", message, "enable it there if you need it")
        yield from self._find_duplicates()
        problems = [*find_interpreter_problems(self._client, entry), *find_server_problems(entry)]
        for problem in problems:
            level: DiagnosisLevel = "error" if problem.is_fatal else "warning"
            yield self._report(level, problem.message, problem.remedy or reinstall_command)
        if not any(problem.is_fatal for problem in problems):
            yield from self._start_server(entry)

    def _can_start(self, data: object, entry: ConfigEntry) -> bool:
        """Return whether it is safe to run the command of the entry.

        The entry must belong to Paddock. In a project's file, which other people can change, it
        must also be the entry that was installed. Otherwise, their commands could be run.

        Args:
            data: The data of the entry in the file.
            entry: The same entry, parsed.
        """
        if identify_server(self._client, data, self._records) is None:
            return False
        if self._undo is None or not is_project_scope(self._installed_entry.scope):
            return True
        recorded_entry = self._client.shape.parse_entry(self._undo.entry)
        return recorded_entry is not None and replace(entry, is_enabled=True) == replace(
            recorded_entry, is_enabled=True
        )

    def _find_duplicates(self) -> Iterator[Finding]:
        """Yield a warning for each of the user's files that has an entry with the same name.

        Only an entry in a project's file is checked. The client uses only one of the entries.
        """
        if not is_project_scope(self._installed_entry.scope):
            return
        for file in _list_user_files(self._client):
            location = make_entry_location(
                self._client, file, self._installed_entry.key, USER_SCOPE
            )
            user_data: object = MISSING
            with suppress(PaddockError):  # a problem of the user's file, not of this entry
                user_data = location.read_entry(read_content(file))
            if user_data is not MISSING:
                message = f"the user's file {file} has an entry with the same name"
                remedy = "uninstall one of the entries, or use another name for one"
                yield self._report("warning", message, remedy)

    def _start_server(self, entry: ConfigEntry) -> Iterator[Finding]:
        """Start the server as the client would, and yield a finding about its answer.

        If it answers, this is followed by its tools' missing requirements, such as an environment
        variable that the client does not pass.
        """
        try:
            result = check_entry(self._client, entry)
        except CheckFailedError as error:
            yield self._report("error", error.message, error.hint or "")
            return
        tools = f"{len(result.tools)} tool{'' if len(result.tools) == 1 else 's'}"
        yield self._report("ok", f"{result.server} answers in {result.seconds:.1f} s with {tools}")
        name = find_started_server(entry)
        if name is None or not has_server_name(entry):
            return
        with suppress(PaddockError):  # has been reported when the server was started
            for missing in find_missing_requirements(self._client, get_server(name), entry):
                yield self._report("error" if missing.is_required else "note", missing.note)

    def _report(self, level: DiagnosisLevel, message: str, remedy: str = "") -> Finding:
        entry = self._installed_entry
        return Finding(level, entry.client, str(entry.file), entry.key, message, remedy)


def _list_user_files(client: Client) -> list[Path]:
    try:
        return locate_config_files(client)
    except UnknownLocationError:
        return []


def _report_client_state(client: Client, *, is_project: bool) -> Iterator[Finding]:
    """Yield findings about a client application rather than about one of its entries.

    These are a warning if it is running, and the manual steps that an installation requires.

    Args:
        client: A client with installed entries.
        is_project: True if any of the entries is for a project, which may need additional steps.
    """
    if is_running(client):
        message = f"{client.name} is running and may overwrite its file from memory"
        yield Finding("warning", client.id, "", "", message, "quit it before you install")
    for step in client.get_follow_up_steps(is_project=is_project):
        yield Finding("note", client.id, "", "", step)


def _report_damaged_records() -> Iterator[Finding]:
    path = get_installations_path()
    for damaged_file in sorted(path.parent.glob(f"{path.stem}.broken-*")):
        message = "the records of installations were damaged and have been recreated"
        remedy = "install missing servers again, then delete this file"
        yield Finding("warning", "", str(damaged_file), "", message, remedy)
