"""What is wrong with what is installed, and how to mend it.

Every place that is on record, and every entry in a client's file that starts Paddock, is looked at
as its client would see it, and started. Nothing is changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from paddock.clients.applying import content_of
from paddock.clients.checking import CheckFailedError, check_entry
from paddock.clients.destination import (
    FILE,
    USER,
    Destination,
    is_project_scope,
    spot_in,
)
from paddock.clients.editing.document import MISSING
from paddock.clients.editing.plain_data import same
from paddock.clients.interpreters import interpreter_problems
from paddock.clients.paths import UnknownLocationError, locate
from paddock.clients.recording import records_at, undo_of
from paddock.clients.running import is_running
from paddock.clients.served import server_problem
from paddock.clients.standing import Standing, standing_in, standing_on_record
from paddock.clients.table import find_client, supported_clients
from paddock.errors import PaddockError
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
            progress(f"{one.key} in {find_client(one.client).name}")
        findings += _examined(one)
    for row in clients:
        scopes = [one.scope for one in standing if one.client == row.id]
        if scopes:
            findings += _about(row, is_project=any(map(is_project_scope, scopes)))
    return findings


def _standing(clients: list[Client]) -> list[Standing]:
    """What is to be looked at, once each."""
    ids = {row.id for row in clients}
    found = {one.place: one for one in standing_on_record() if one.client in ids}
    for row in clients:
        try:
            files = tuple(file for file in locate(row) if file.exists())
        except UnknownLocationError:
            continue
        for one in standing_in(Destination(row, files, USER)):
            found.setdefault(one.place, one)
    return sorted(found.values(), key=lambda one: (one.client, str(one.file), one.key))


def _examined(one: Standing) -> list[Finding]:
    try:
        examination = _Examination(one)
        examination.run()
    except PaddockError as error:
        return [Finding("error", one.client, str(one.file), one.key, str(error), error.hint or "")]
    return examination.findings


class _Examination:
    """One entry under examination."""

    def __init__(self, one: Standing) -> None:
        self._one = one
        self._client = find_client(one.client)
        self._spot: Spot = spot_in(self._client, one.file, one.key, one.scope)
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
        self._compare(data)
        if not entry.enabled:
            message = "the entry is switched off in the client's file"
            self._add("note", message, "switch it on there, or leave it")
        self._look_for_doubles()
        if not self._look_at_command(entry):
            self._start(entry)

    def _compare(self, data: object) -> None:
        undo = undo_of(records_at(self._one.file, self._one.key))
        if undo is not None and not same(data, undo.entry):
            message = "the entry is not as it was installed"
            self._add("note", message, f"to have it as it was: {self._again()}")

    def _look_for_doubles(self) -> None:
        """A project's entry hides the user's of the same key, or the other way round."""
        if not is_project_scope(self._one.scope):
            return
        for file in _user_files(self._client):
            spot = spot_in(self._client, file, self._one.key, USER)
            if spot.entry_in(content_of(file)) is not MISSING:
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

    def _again(self) -> str:
        one = self._one
        scope = f" --file {one.file}" if one.scope == FILE else f" --project {one.scope}"
        return (
            f"paddock install {one.client} {one.server} --name {one.key}"
            f"{'' if one.scope == USER else scope}"
        )

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
