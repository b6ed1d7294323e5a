"""Installing a server into a client, or into all that are here.

The order matters: whatever can be refused is refused first, then the server is started as the
client will start it, and only then is anything written.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from msgspec import structs

from paddock.clients.applying import Edit, apply_edit, content_of, remove_directories
from paddock.clients.checking import check_entry
from paddock.clients.destination import FILE, USER, Destination, destination_of, spot_in
from paddock.clients.detection import detected_clients
from paddock.clients.editing.document import MISSING
from paddock.clients.editing.plain_data import same
from paddock.clients.entries import (
    ServerName,
    Variables,
    entry_for,
    installable,
    key_for,
    refreshed,
)
from paddock.clients.layers import layers_around
from paddock.clients.links import link_text
from paddock.clients.ownership import server_of, share_key
from paddock.clients.paths import read_together
from paddock.clients.placing import unwound
from paddock.clients.plan import Outcome, Plan
from paddock.clients.recording import (
    recorded,
    records_at,
    records_by_place,
    replace_records,
    undo_of,
    with_undo,
)
from paddock.clients.running import is_running
from paddock.clients.secrets import shown_command, shown_url
from paddock.clients.shapes import UnsupportedTransportError
from paddock.clients.showing import change_of
from paddock.clients.suiting import suited
from paddock.clients.table import find_client
from paddock.errors import PaddockError
from paddock.servers.installations import Installation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager
    from os import PathLike

    from paddock.clients.client import Client
    from paddock.clients.placing import Spot, Undo
    from paddock.clients.plan import Change
    from paddock.clients.shapes import Entry


class ForeignEntryError(PaddockError):
    """Under the key of a server stands an entry that is not ours, or is for another of ours."""

    code = "foreign-entry"


class Wishes(TypedDict, total=False):
    """What can be said about an entry, whatever the client."""

    name: str | None
    """The key of the entry, in place of the server's own."""
    env: Variables | None
    """Variables for the server's environment; None as a value has the client pass its own on."""
    http: str | None
    """The URL under which the server runs; without it the client starts the server."""
    headers: Mapping[str, str] | None
    """Headers for requests to that URL."""
    options: Mapping[str, Mapping[str, object]] | None
    """Values for options of tools, by the name of the tool."""
    replace: bool
    """Put the entry in the place of one that is not ours."""
    check: bool
    """Start the server first as the client would, and write nothing if it does not answer."""
    dry_run: bool
    """Change nothing, and only say what would be."""


def install(
    client: str | None,
    server: ServerName | None = None,
    *,
    project: str | PathLike[str] | None = None,
    file: str | PathLike[str] | None = None,
    name: str | None = None,
    env: Variables | None = None,
    http: str | None = None,
    headers: Mapping[str, str] | None = None,
    options: Mapping[str, Mapping[str, object]] | None = None,
    replace: bool = False,
    check: bool = True,
    dry_run: bool = False,
) -> Plan:
    """Put a server into the configuration of a client.

    An entry of ours under the same key is updated, with what the user has added to it. Where the
    client has no file, nothing is written: the plan says what to paste, and has a link.
    Trust level: execution, since the server is started to see that it answers.

    Args:
        client: The client, by any of its names; None where a file says whose it is.
        server: A named server, or the path of a file or directory; None takes the one that suits
            the client.
        project: The directory of a project, to install for that alone.
        file: The file to write, instead of the client's own.
        name: The key of the entry, in place of the server's own.
        env: Variables for the server's environment. With None as its value the client is to pass
            on its own, so that the value does not stand in the file.
        http: The URL under which the server runs; without it the client starts the server.
        headers: Headers for requests to that URL.
        options: Values for options of tools, by the name of the tool.
        replace: Put the entry in the place of one that is not ours.
        check: Start the server first as the client would, and write nothing if it does not answer.
        dry_run: Change nothing, and only say what would be.

    Raises:
        ForeignEntryError: when an entry that is not ours stands under the key.
        CheckFailedError: when the server does not start or answer.
        ConfigurationError: when the client's file cannot be read; it is left as it is.
        WriteError: when it cannot be written; it is left as it is.
        PaddockError: of another kind, when something that was asked for cannot be.
    """
    destination = _destination(client, project, file)
    row = destination.client
    wanted = installable(server, row)
    key = key_for(row, wanted, name)
    _check_transport(row, http)
    given = entry_for(wanted, env=env, http=http, headers=headers, options=options)
    entry = suited(row, given)
    work = [
        _Insertion(spot, wanted.name, entry, destination.scope, replaces=replace)
        for spot in destination.spots(key)
    ]
    if not replace:
        _check_not_hidden(destination, key, wanted.name)
    plan = Plan(
        action="install",
        client=row,
        server=wanted.name,
        key=key,
        scope=destination.scope,
        changes=tuple(one.change() for one in work),
        notes=(*_notes(destination), *_unset(row, given)),
        paste=None if work else _paste(row, entry, key),
        link=None if work or not row.links else link_text(row, entry, key),
    )
    if dry_run:
        return plan
    if check:
        if http is None:
            wanted.check()
        check_entry(row, entry)
    return _applied(plan, work) if work else plan


def install_all(server: ServerName | None = None, **wishes: Unpack[Wishes]) -> list[Outcome]:
    """Install into every client that is found on this machine, and go on after one that fails.

    Each client gets the server that suits it when none is named. The keywords are those of
    `install`.
    """
    outcomes = []
    for client in detected_clients():
        try:
            outcomes.append(Outcome(client.id, install(client.id, server, **wishes)))
        except PaddockError as error:
            outcomes.append(Outcome(client.id, error=error))
    return outcomes


class _Insertion:
    """One entry on its way into one file."""

    def __init__(
        self, spot: Spot, server: str, entry: Entry, scope: str, *, replaces: bool
    ) -> None:
        self.spot = spot
        self._server = server
        self._entry = entry
        self._scope = scope
        self._replaces = replaces
        self._undo: Undo | None = None
        self._value: object = None
        self._changed: list[Installation] = []
        self._before: list[Installation] = []
        self._is_new = True

    def change(self) -> Change:
        """What would become of the file as it is now."""
        before = content_of(self.spot.file)
        after = self.edit(before).after
        return change_of(self.spot, before, after)

    def apply(self) -> Change:
        """Write the file."""
        done = apply_edit(self.spot.file, self.edit, self.journal)
        return change_of(self.spot, done.before, done.after, done.backup)

    def edit(self, now: bytes | None) -> Edit:
        """The file with the entry."""
        spot, shape, entry = self.spot, self.spot.client.shape, self._entry
        old = spot.entry_in(now)
        records = records_at(spot)
        undo = undo_of(records)
        standing = None if old is MISSING else server_of(spot.client, old, records)
        is_ours = standing is not None and self._follows(standing)
        if old is not MISSING and not is_ours and not self._replaces:
            raise _foreign(spot, old, standing)
        self._changed, self._is_new = [], False
        if standing == self._server:
            self._value = refreshed(shape, old, entry, spot.key)
        else:
            self._value = shape.render(entry, spot.key)
        if is_ours and same(old, self._value):
            after, self._undo = now, undo
        elif is_ours and undo is not None:
            after = self._updated(now, undo)
        else:
            # What a person wrote for this server is theirs, and comes back.
            is_as_ours = is_ours and _starts_alike(shape.read(old), entry)
            after, self._undo = spot.put_in(now, self._value, is_ours=is_as_ours)
            if standing is not None and not is_ours:
                self._undo = structs.replace(self._undo, previous=tuple(records))
            self._is_new = True
        return Edit(after, self._is_done)

    def _follows(self, standing: str) -> bool:
        """Whether the server takes the place of another of ours without being asked to."""
        return standing == self._server or share_key(standing, self._server, self.spot.key)

    def _updated(self, now: bytes | None, undo: Undo) -> bytes:
        """The file with the entry in the place of an older one of ours."""
        spot, others = self.spot, layers_around(self.spot)
        after, self._undo = spot.put_in(now, self._value, is_ours=True, undo=undo)
        later = [(layer.spot, layer.undo) for layer in others.later]
        turn = unwound(now, (spot, undo), later, self._value)
        if turn is not None and turn[0] == after:
            self._undo, *undos = turn[1]
            for layer, new in zip(others.later, undos, strict=True):
                self._changed += layer.changed(new)
            return after
        self._is_new = True
        if others.all:
            self._changed += others.all[0].inheriting(undo)
        return after

    def journal(self, made: tuple[Path, ...]) -> AbstractContextManager[None]:
        """Have it on record, also for other clients that read the same entry."""
        if self._undo is not None and made and not self._undo.existed:
            directories = tuple(str(directory) for directory in made)
            self._undo = structs.replace(self._undo, directories=directories)
        self._before = [one for group in records_by_place(self.spot.file).values() for one in group]
        others = [
            structs.replace(one, server=self._server, entry_kind=self.record.entry_kind)
            for one in records_at(self.spot)
            if one.client != self.spot.client.id
        ]
        records = [with_undo(one, self._undo) for one in (*others, self.record)]
        if self._is_new:
            return recorded(records, self._changed)
        return recorded([], [*records, *self._changed])

    def take_back(self, done: Change) -> None:
        """Have the file and its records as they were before."""

        def edit(now: bytes | None) -> Edit:
            is_as_written = now == done.after
            content = done.before if is_as_written else self.spot.take_out(now, self._undo)
            return Edit(content, lambda _: True)

        apply_edit(self.spot.file, edit)
        is_new = not any(one.is_at(self.record) for one in self._before)
        replace_records([self.record] if is_new else [], self._before, [])
        if done.before is None and self._undo is not None:
            remove_directories(tuple(map(Path, self._undo.directories)))

    @property
    def record(self) -> Installation:
        """What is on record of it."""
        return with_undo(
            Installation(
                server=self._server,
                client=self.spot.client.id,
                file=str(self.spot.file),
                real=os.path.realpath(self.spot.file),
                key=self.spot.key,
                scope=self._scope,
                entry_kind="stdio" if self._entry.url is None else "http",
                created=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            ),
            self._undo,
        )

    def _is_done(self, content: bytes | None) -> bool:
        return same(self.spot.entry_in(content), self._value)


def _destination(
    client: str | None, project: str | PathLike[str] | None, file: str | PathLike[str] | None
) -> Destination:
    if client is not None and file is None and project is None:
        row = find_client(client)
        if not row.has_file:
            return Destination(row, (), USER)
    return destination_of(client, project=project, file=file)


def _applied(plan: Plan, work: list[_Insertion]) -> Plan:
    """Write all files of a client; when one cannot be, those before it are restored."""
    changes: list[Change] = []
    try:
        for one in work:
            changes.append(one.apply())  # noqa: PERF401 - what was done is needed after an error
    except BaseException:
        for one, done in zip(work, changes, strict=False):
            with suppress(PaddockError, OSError):  # the first error says more
                one.take_back(done)
        raise
    records = tuple(one.record for one in work)
    return replace(plan, changes=tuple(changes), is_applied=True, installations=records)


def _check_not_hidden(destination: Destination, key: str, server: str) -> None:
    """Make sure that the entry hides none of somebody else's in another file of the client."""
    if destination.scope == FILE:
        return
    project = destination.scope if destination.is_project else None
    for file in read_together(destination.client, project=project):
        spot = spot_in(destination.client, file, key, destination.scope)
        old = MISSING if file in destination.files else spot.entry_in(content_of(file))
        standing = None if old is MISSING else server_of(spot.client, old, records_at(spot))
        if old is not MISSING and standing != server:
            raise _foreign(spot, old, standing)


def _starts_alike(one: Entry | None, other: Entry) -> bool:
    return one is not None and (one.command, one.args) == (other.command, other.args)


def _foreign(spot: Spot, old: object, standing: str | None) -> ForeignEntryError:
    entry = spot.client.shape.read(old)
    what = "an entry that is not ours"
    if standing is not None:
        what = f"another server of Paddock's ({standing})"
    elif entry is not None:
        is_url = entry.url is not None
        shown = shown_url(entry.url or "") if is_url else shown_command(entry.command or "")
        what = f"a server that is not ours ({shown})"
    return ForeignEntryError(
        f"under the name {spot.key!r} stands {what}",
        where=str(spot.file),
        hint="choose another name for ours (--name), or replace it (--replace)",
    )


def _check_transport(client: Client, http: str | None) -> None:
    if http is None and not client.starts_programs:
        raise UnsupportedTransportError(
            f"{client.name} starts no programs, and takes URLs only",
            hint="serve where it can reach it (paddock serve NAME --http HOST:PORT), and give the "
            "URL: --http URL",
        )
    if http is None or client.http:
        return
    raise UnsupportedTransportError(
        f"{client.name} takes no URL of a server in its file",
        hint="install without a URL, so that it starts the server itself, or add the URL in its "
        "own settings if it has a place for that",
    )


def _notes(destination: Destination) -> tuple[str, ...]:
    client = destination.client
    steps = client.steps_for(is_project=destination.is_project)
    if is_running(client):
        running = f"{client.name} is running and may overwrite its file: quit it and install again."
        return (running, *steps)
    return steps


def _unset(client: Client, entry: Entry) -> Iterator[str]:
    for name in entry.passed:
        if name not in os.environ:
            yield f"The variable {name} is not set here; set it where {client.name} is started."


def _paste(client: Client, entry: Entry, key: str) -> str:
    data: object = {key: client.shape.render(entry, key)}
    for step in reversed(client.path or ("mcpServers",)):
        data = {step: data}
    return json.dumps(data, indent=2, ensure_ascii=False)
