"""What is wrong with what is installed, and how to mend it.

Every place that is on record, and every entry in a client's file that starts Paddock, is looked at
as its client would see it, and started. What is not Paddock's any more is not started: a file of a
project is changed by others too. Nothing is changed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from paddock.clients.applying import content_of
from paddock.clients.checking import CheckFailedError, check_entry
from paddock.clients.destination import USER, Destination, is_project_scope, spot_in
from paddock.clients.editing.document import MISSING
from paddock.clients.editing.plain_data import same
from paddock.clients.entries import is_named, server_started_by
from paddock.clients.interpreters import interpreter_problems
from paddock.clients.needed import lacks
from paddock.clients.ownership import server_of
from paddock.clients.paths import UnknownLocationError, locate
from paddock.clients.recording import records_at, undo_of
from paddock.clients.remedies import installing_again
from paddock.clients.running import is_running
from paddock.clients.served import server_problem
from paddock.clients.standing import Standing, standing_in, standing_on_record
from paddock.clients.table import find_client, supported_clients
from paddock.errors import PaddockError
from paddock.servers.api import get_server
from paddock.servers.installations import installations_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from paddock.clients.client import Client
    from paddock.clients.placing import Spot
    from paddock.clients.shapes import Entry

Level = Literal["ok", "note", "warning", "error"]


@dataclass(frozen=True)
class Finding:
    """One result of the doctor."""

    level: Level
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
    standing = _standing(clients)
    findings = [] if client is not None else list(_damaged_records())
    for one in standing:
        if progress is not None:
            progress(f"{one.key} in {_name_of(one.client)}")
        findings += _examined(one)
    seen = {one.file for one in standing}
    for row in clients:
        findings += (
            bad for file in _user_files(row) if file not in seen for bad in _bad(row, file)
        )
        scopes = [one.scope for one in standing if one.client == row.id]
        if scopes:
            findings += _about(row, is_project=any(map(is_project_scope, scopes)))
    return findings


def _standing(clients: list[Client]) -> list[Standing]:
    """What is to be looked at, once for each client and entry."""
    ids = {row.id for row in clients}
    is_all = len(ids) > 1
    known = supported_clients()
    recorded = [
        one
        for one in standing_on_record()
        if one.client in ids or (is_all and one.client not in known)
    ]
    found = {(one.client, one.place): one for one in recorded}
    for row in clients:
        files = tuple(file for file in _user_files(row) if os.path.lexists(file))
        for one in standing_in(Destination(row, files, USER)):
            found.setdefault((one.client, one.place), one)
    return sorted(found.values(), key=lambda one: (one.client, str(one.file), one.key))


def _name_of(client: str) -> str:
    row = supported_clients().get(client)
    return client if row is None else row.name


def _bad(client: Client, file: Path) -> list[Finding]:
    """Why the servers of a client cannot be read, if so."""
    try:
        spot_in(client, file, "", USER).entries_in(content_of(file))
    except PaddockError as error:
        return [replace(_of_error(error, client.id, str(file)), level="warning")]
    return []


def _of_error(error: PaddockError, client: str, file: str, key: str = "") -> Finding:
    where = "" if error.where in (None, file) else f"{error.where}: "
    return Finding("error", client, file, key, f"{where}{error.message}", error.hint or "")


def _examined(one: Standing) -> list[Finding]:
    try:
        examination = _Examination(one)
        examination.run()
    except PaddockError as error:
        return [_of_error(error, one.client, str(one.file), one.key)]
    return examination.findings


class _Examination:
    """One entry under examination."""

    def __init__(self, one: Standing) -> None:
        self._one = one
        self._client = find_client(one.client)
        self._spot: Spot = spot_in(self._client, one.file, one.key, one.scope)
        self._records = records_at(self._spot)
        self._undo = undo_of(self._records)
        self.findings: list[Finding] = []

    def run(self) -> None:
        """Look at everything, until something is found that keeps the rest from being seen."""
        content = content_of(self._one.file)
        if content is None:
            self._add("error", "the client's file is gone", self._again())
            return
        data = self._spot.entry_in(content)
        if data is MISSING:
            self._add("error", "the entry is gone from the client's file", self._again())
            return
        entry = self._client.shape.read(data)
        if entry is None:
            message = f"{self._client.name} cannot use this entry as it is"
            self._add("error", message, self._again())
            return
        if not self._is_to_be_started(data, entry):
            message = "the entry is not the one that was installed, and was not started"
            self._add("warning", message, f"look at it; to have it as it was: {self._again()}")
            return
        self._compare(data)
        if not entry.enabled:
            message = "the entry is switched off in the client's file"
            self._add("note", message, "switch it on there, or leave it")
        self._look_for_doubles()
        if not self._look_at_command(entry):
            self._start(entry)

    def _compare(self, data: object) -> None:
        if self._undo is not None and not same(data, self._undo.entry):
            message = "the entry is not as it was installed"
            self._add("note", message, f"to have it as it was: {self._again()}")

    def _is_to_be_started(self, data: object, entry: Entry) -> bool:
        """Whether an entry is Paddock's; in a project, which others write too, the very same."""
        if server_of(self._client, data, self._records) is None:
            return False
        if self._undo is None or not is_project_scope(self._one.scope):
            return True
        written = self._client.shape.read(self._undo.entry)
        return written is not None and replace(entry, enabled=True) == replace(
            written, enabled=True
        )

    def _look_for_doubles(self) -> None:
        """A project's entry hides the user's of the same key, or the other way round."""
        if not is_project_scope(self._one.scope):
            return
        for file in _user_files(self._client):
            spot = spot_in(self._client, file, self._one.key, USER)
            found: object = MISSING
            with suppress(PaddockError):  # which is not the fault of this entry
                found = spot.entry_in(content_of(file))
            if found is not MISSING:
                message = f"there is an entry of the same name for the user too, in {file}"
                self._add("warning", message, "uninstall one of them, or name one otherwise")

    def _look_at_command(self, entry: Entry) -> bool:
        """Whether something was found that keeps the server from starting."""
        problems = [*interpreter_problems(self._client, entry), *server_problem(entry)]
        for problem in problems:
            remedy = problem.remedy or self._again()
            self._add("error" if problem.is_fatal else "warning", problem.message, remedy)
        return any(problem.is_fatal for problem in problems)

    def _start(self, entry: Entry) -> None:
        try:
            answer = check_entry(self._client, entry)
        except CheckFailedError as error:
            self._add("error", error.message, error.hint or "")
            return
        tools = f"{len(answer.tools)} tool{'' if len(answer.tools) == 1 else 's'}"
        self._add("ok", f"{answer.server} answers in {answer.seconds:.1f} s with {tools}")
        self._look_for_needs(entry)

    def _look_for_needs(self, entry: Entry) -> None:
        """What tools of a named server want that is not there."""
        name = server_started_by(entry)
        if name is None or not is_named(entry):
            return
        with suppress(PaddockError):  # a server that is gone does not start, which was told
            for one in lacks(self._client, get_server(name), entry):
                self._add("error" if one.is_required else "note", one.note)

    def _again(self) -> str:
        return installing_again(self._one, self._client.shape, self._undo)

    def _add(self, level: Level, message: str, remedy: str = "") -> None:
        one = self._one
        self.findings.append(Finding(level, one.client, str(one.file), one.key, message, remedy))


def _user_files(client: Client) -> list[Path]:
    try:
        return locate(client)
    except UnknownLocationError:
        return []


def _about(client: Client, *, is_project: bool) -> Iterator[Finding]:
    if is_running(client):
        message = f"{client.name} is running, and may overwrite its file from memory"
        yield Finding("warning", client.id, "", "", message, "quit it before installing")
    for step in client.steps_for(is_project=is_project):
        yield Finding("note", client.id, "", "", step)


def _damaged_records() -> Iterator[Finding]:
    path = installations_path()
    for broken in sorted(path.parent.glob(f"{path.stem}.broken-*")):
        message = "the records of installations were damaged, and begun anew"
        remedy = "install again what is missing, then remove this file"
        yield Finding("warning", "", str(broken), "", message, remedy)
