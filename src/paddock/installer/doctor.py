"""What is wrong with what is installed, and how to mend it.

Every place that is on record, and every entry in a client's file that starts Paddock, is looked at
as its client would see it, and started. What is not Paddock's any more is not started: a file of a
project is changed by others too. Nothing is changed.

The command line that puts an entry back as it was installed.

It comes from the record. Values of variables and headers are secrets: it names them, and the user
has to give them again.
"""

from __future__ import annotations

import json
import os
import shlex
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

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
    one: InstalledEntry, shape: EntryFormat, undo: UndoRecord | None
) -> str:
    """How to install what stands, or stood, in a place."""
    words = ["paddock", "install", one.client, one.server, "--name", one.key]
    if one.scope == FILE_SCOPE:
        words += ["--file", str(one.file)]
    elif one.scope != USER_SCOPE:
        words += ["--project", one.scope]
    entry = None if undo is None else shape.parse_entry(undo.entry)
    if entry is None:
        return shlex.join(words)
    if entry.url is not None and mask_url(entry.url) == entry.url:
        words += ["--http", entry.url]
    given = " ".join(_list_required_options(entry))
    return f"{shlex.join(words)}{' with, as before: ' if given else ''}{given}"


def _list_required_options(entry: ConfigEntry) -> Iterator[str]:
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
        tools = json.loads(value)
    except ValueError:
        return []
    if not isinstance(tools, dict):
        return []
    return [
        f"{tool}.{name}" for tool, one in tools.items() if isinstance(one, dict) for name in one
    ]


DiagnosisLevel = Literal["ok", "note", "warning", "error"]


@dataclass(frozen=True)
class Finding:
    """One result of the doctor."""

    level: DiagnosisLevel
    client: str
    """The id of the client; empty for what concerns them all."""
    file: str
    key: str
    """The key of the entry; empty for what concerns the whole file."""
    message: str
    remedy: str = ""
    """What to do about it; empty when there is nothing to do."""


def doctor(
    client: str | None = None, *, progress: Callable[[str], object] | None = None
) -> list[Finding]:
    """Look at every installed entry, start it as its client would, and say what is wrong.

    Trust level: execution.

    Args:
        client: The only client to look at; None looks at all.
        progress: Called with a short text about each entry before it is looked at.

    Returns:
        For each entry what was found, and an `ok` where it answers.
    """
    clients = list(supported_clients().values()) if client is None else [find_client(client)]
    standing = _collect_entries(clients)
    findings = [] if client is not None else list(_report_damaged_records())
    for one in standing:
        if progress is not None:
            progress(f"{one.key} in {_get_client_name(one.client)}")
        findings += _examine_entry(one)
    seen = {one.file for one in standing}
    for row in clients:
        findings += (
            bad
            for file in _list_user_files(row)
            if file not in seen
            for bad in _check_readable(row, file)
        )
        scopes = [one.scope for one in standing if one.client == row.id]
        if scopes:
            findings += _report_client_state(row, is_project=any(map(is_project_scope, scopes)))
    return findings


def _collect_entries(clients: list[Client]) -> list[InstalledEntry]:
    """What is to be looked at, once for each client and entry."""
    ids = {row.id for row in clients}
    is_all = len(ids) > 1
    known = supported_clients()
    recorded = [
        one
        for one in list_recorded_entries()
        if one.client in ids or (is_all and one.client not in known)
    ]
    found = {(one.client, one.identity): one for one in recorded}
    for row in clients:
        files = tuple(file for file in _list_user_files(row) if os.path.lexists(file))
        for one in find_installed_entries(InstallDestination(row, files, USER_SCOPE)):
            found.setdefault((one.client, one.identity), one)
    return sorted(found.values(), key=lambda one: (one.client, str(one.file), one.key))


def _get_client_name(client: str) -> str:
    row = supported_clients().get(client)
    return client if row is None else row.name


def _check_readable(client: Client, file: Path) -> list[Finding]:
    """Why the servers of a client cannot be read, if so."""
    try:
        make_entry_location(client, file, "", USER_SCOPE).read_entries(read_content(file))
    except PaddockError as error:
        return [replace(_convert_error(error, client.id, str(file)), level="warning")]
    return []


def _convert_error(error: PaddockError, client: str, file: str, key: str = "") -> Finding:
    where = "" if error.where in (None, file) else f"{error.where}: "
    return Finding("error", client, file, key, f"{where}{error.message}", error.hint or "")


def _examine_entry(one: InstalledEntry) -> list[Finding]:
    try:
        examination = _EntryExamination(one)
        examination.run()
    except PaddockError as error:
        return [_convert_error(error, one.client, str(one.file), one.key)]
    return examination.findings


class _EntryExamination:
    """One entry under examination."""

    def __init__(self, one: InstalledEntry) -> None:
        self._installed_entry = one
        self._client = find_client(one.client)
        self._location: EntryLocation = make_entry_location(
            self._client, one.file, one.key, one.scope
        )
        self._records = find_records(self._location)
        self._undo = decode_undo_record(self._records)
        self.findings: list[Finding] = []

    def run(self) -> None:
        """Look at everything, until something is found that keeps the rest from being seen."""
        content = read_content(self._installed_entry.file)
        if content is None:
            self._add_finding(
                "error", "the client's file is gone", self._format_reinstall_command()
            )
            return
        data = self._location.read_entry(content)
        if data is MISSING:
            self._add_finding(
                "error",
                "the entry is gone from the client's file",
                self._format_reinstall_command(),
            )
            return
        entry = self._client.shape.parse_entry(data)
        if entry is None:
            message = f"{self._client.name} cannot use this entry as it is"
            self._add_finding("error", message, self._format_reinstall_command())
            return
        if not self._can_start(data, entry):
            message = "the entry is not the one that was installed, and was not started"
            self._add_finding(
                "warning",
                message,
                f"look at it; to have it as it was: {self._format_reinstall_command()}",
            )
            return
        self._compare_with_record(data)
        if not entry.is_enabled:
            message = "the entry is switched off in the client's file"
            self._add_finding("note", message, "switch it on there, or leave it")
        self._check_duplicates()
        if not self._has_fatal_problem(entry):
            self._start_server(entry)

    def _compare_with_record(self, data: object) -> None:
        if self._undo is not None and not is_same_data(data, self._undo.entry):
            message = "the entry is not as it was installed"
            self._add_finding(
                "note", message, f"to have it as it was: {self._format_reinstall_command()}"
            )

    def _can_start(self, data: object, entry: ConfigEntry) -> bool:
        """Whether an entry is Paddock's; in a project, which others write too, the very same."""
        if identify_server(self._client, data, self._records) is None:
            return False
        if self._undo is None or not is_project_scope(self._installed_entry.scope):
            return True
        written = self._client.shape.parse_entry(self._undo.entry)
        return written is not None and replace(entry, is_enabled=True) == replace(
            written, is_enabled=True
        )

    def _check_duplicates(self) -> None:
        """A project's entry hides the user's of the same key, or the other way round."""
        if not is_project_scope(self._installed_entry.scope):
            return
        for file in _list_user_files(self._client):
            spot = make_entry_location(self._client, file, self._installed_entry.key, USER_SCOPE)
            found: object = MISSING
            with suppress(PaddockError):  # which is not the fault of this entry
                found = spot.read_entry(read_content(file))
            if found is not MISSING:
                message = f"there is an entry of the same name for the user too, in {file}"
                self._add_finding(
                    "warning", message, "uninstall one of them, or name one otherwise"
                )

    def _has_fatal_problem(self, entry: ConfigEntry) -> bool:
        """Whether something was found that keeps the server from starting."""
        problems = [*find_interpreter_problems(self._client, entry), *find_server_problems(entry)]
        for problem in problems:
            remedy = problem.remedy or self._format_reinstall_command()
            self._add_finding("error" if problem.is_fatal else "warning", problem.message, remedy)
        return any(problem.is_fatal for problem in problems)

    def _start_server(self, entry: ConfigEntry) -> None:
        try:
            answer = check_entry(self._client, entry)
        except CheckFailedError as error:
            self._add_finding("error", error.message, error.hint or "")
            return
        tools = f"{len(answer.tools)} tool{'' if len(answer.tools) == 1 else 's'}"
        self._add_finding("ok", f"{answer.server} answers in {answer.seconds:.1f} s with {tools}")
        self._check_requirements(entry)

    def _check_requirements(self, entry: ConfigEntry) -> None:
        """What tools of a named server want that is not there."""
        name = find_started_server(entry)
        if name is None or not has_server_name(entry):
            return
        with suppress(PaddockError):  # a server that is gone does not start, which was told
            for one in find_missing_requirements(self._client, get_server(name), entry):
                self._add_finding("error" if one.is_required else "note", one.note)

    def _format_reinstall_command(self) -> str:
        return format_reinstall_command(self._installed_entry, self._client.shape, self._undo)

    def _add_finding(self, level: DiagnosisLevel, message: str, remedy: str = "") -> None:
        one = self._installed_entry
        self.findings.append(Finding(level, one.client, str(one.file), one.key, message, remedy))


def _list_user_files(client: Client) -> list[Path]:
    try:
        return locate_config_files(client)
    except UnknownLocationError:
        return []


def _report_client_state(client: Client, *, is_project: bool) -> Iterator[Finding]:
    if is_running(client):
        message = f"{client.name} is running, and may overwrite its file from memory"
        yield Finding("warning", client.id, "", "", message, "quit it before installing")
    for step in client.get_follow_up_steps(is_project=is_project):
        yield Finding("note", client.id, "", "", step)


def _report_damaged_records() -> Iterator[Finding]:
    path = get_installations_path()
    for broken in sorted(path.parent.glob(f"{path.stem}.broken-*")):
        message = "the records of installations were damaged, and begun anew"
        remedy = "install again what is missing, then remove this file"
        yield Finding("warning", "", str(broken), "", message, remedy)
