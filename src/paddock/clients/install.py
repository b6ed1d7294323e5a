"""Installing a server into a client, or into all that are here.

The order matters: whatever can be refused is refused first, then the server is started as the
client will start it, and only then is anything written.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict, Unpack

from paddock.clients.applying import content_of
from paddock.clients.checking import check_entry
from paddock.clients.destination import FILE, USER, Destination, destination_of, spot_in
from paddock.clients.detection import detected_clients
from paddock.clients.editing.document import MISSING
from paddock.clients.entries import (
    ServerName,
    Variables,
    entry_for,
    installable,
    key_for,
)
from paddock.clients.insertion import Insertion, foreign
from paddock.clients.links import link_text
from paddock.clients.needed import check_required, lacks
from paddock.clients.ownership import server_of
from paddock.clients.paths import read_together
from paddock.clients.plan import Outcome, Plan
from paddock.clients.recording import (
    records_at,
)
from paddock.clients.running import is_running
from paddock.clients.shapes import UnsupportedTransportError
from paddock.clients.suiting import suited
from paddock.clients.table import find_client
from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike

    from paddock.clients.client import Client
    from paddock.clients.plan import Change
    from paddock.clients.shapes import Entry


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
        Insertion(spot, wanted.name, entry, destination.scope, replaces=replace)
        for spot in destination.spots(key)
    ]
    if not replace:
        _check_not_hidden(destination, key, wanted.name)
    missing = lacks(row, wanted.named, entry)
    plan = Plan(
        action="install",
        client=row,
        server=wanted.name,
        key=key,
        scope=destination.scope,
        changes=tuple(one.change() for one in work),
        notes=(*_notes(destination), *_unset(row, given), *(one.note for one in missing)),
        paste=None if work else _paste(row, entry, key),
        link=None if work or not row.links else link_text(row, entry, key),
    )
    if dry_run:
        return plan
    if check:
        if http is None:
            wanted.check()
            check_required(missing)
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


def _destination(
    client: str | None, project: str | PathLike[str] | None, file: str | PathLike[str] | None
) -> Destination:
    if client is not None and file is None and project is None:
        row = find_client(client)
        if not row.has_file:
            return Destination(row, (), USER)
    return destination_of(client, project=project, file=file)


def _applied(plan: Plan, work: list[Insertion]) -> Plan:
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
            raise foreign(spot, old, standing)


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
