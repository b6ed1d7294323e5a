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

from paddock.errors import PaddockError
from paddock.installer.apps import find_client
from paddock.installer.config_files.document import MISSING
from paddock.installer.detection import detected_clients, is_running
from paddock.installer.entry_builder import (
    EnvironmentVariables,
    ServerReference,
    adapt_entry,
    build_entry,
    choose_entry_key,
    resolve_installable,
)
from paddock.installer.entry_change import EntryInsertion, make_foreign_entry_error
from paddock.installer.entry_checks import (
    check_entry,
    check_requirements,
    find_missing_requirements,
)
from paddock.installer.entry_format import UnsupportedTransportError
from paddock.installer.file_writer import read_content
from paddock.installer.links import format_link
from paddock.installer.locations import (
    FILE_SCOPE,
    USER_SCOPE,
    InstallDestination,
    list_merged_files,
    make_entry_location,
    resolve_destination,
)
from paddock.installer.plan import Outcome, Plan
from paddock.installer.records import find_records, identify_server

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike

    from paddock.installer.client_app import Client
    from paddock.installer.entry_format import ConfigEntry
    from paddock.installer.plan import Change


class InstallOptions(TypedDict, total=False):
    """What can be said about an entry, whatever the client."""

    name: str | None
    """The key of the entry, in place of the server's own."""
    env: EnvironmentVariables | None
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
    server: ServerReference | None = None,
    *,
    project: str | PathLike[str] | None = None,
    file: str | PathLike[str] | None = None,
    name: str | None = None,
    env: EnvironmentVariables | None = None,
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
    destination = _resolve_install_destination(client, project, file)
    row = destination.client
    wanted = resolve_installable(server, row)
    key = choose_entry_key(row, wanted, name)
    _check_transport(row, http)
    given = build_entry(wanted, env=env, http=http, headers=headers, options=options)
    entry = adapt_entry(row, given)
    work = [
        EntryInsertion(spot, wanted.name, entry, destination.scope, replaces=replace)
        for spot in destination.get_entry_locations(key)
    ]
    if not replace:
        _check_hidden_entries(destination, key, wanted.name)
    missing = find_missing_requirements(row, wanted.named_server, entry)
    plan = Plan(
        action="install",
        client=row,
        server=wanted.name,
        key=key,
        scope=destination.scope,
        changes=tuple(one.preview() for one in work),
        notes=(
            *_collect_notes(destination),
            *_note_unset_variables(row, given),
            *(one.note for one in missing),
        ),
        paste=None if work else _render_paste_text(row, entry, key),
        link=None if work or not row.links else format_link(row, entry, key),
    )
    if dry_run:
        return plan
    if check:
        if http is None:
            wanted.check_definition()
            check_requirements(missing)
        check_entry(row, entry)
    return _apply_insertions(plan, work) if work else plan


def install_all(
    server: ServerReference | None = None, **wishes: Unpack[InstallOptions]
) -> list[Outcome]:
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


def _resolve_install_destination(
    client: str | None, project: str | PathLike[str] | None, file: str | PathLike[str] | None
) -> InstallDestination:
    if client is not None and file is None and project is None:
        row = find_client(client)
        if not row.has_file:
            return InstallDestination(row, (), USER_SCOPE)
    return resolve_destination(client, project=project, file=file)


def _apply_insertions(plan: Plan, work: list[EntryInsertion]) -> Plan:
    """Write all files of a client; when one cannot be, those before it are restored."""
    changes: list[Change] = []
    try:
        for one in work:
            changes.append(one.apply())  # noqa: PERF401 - what was done is needed after an error
    except BaseException:
        for one, done in zip(work, changes, strict=False):
            with suppress(PaddockError, OSError):  # the first error says more
                one.roll_back(done)
        raise
    records = tuple(one.record for one in work)
    return replace(plan, changes=tuple(changes), is_applied=True, installations=records)


def _check_hidden_entries(destination: InstallDestination, key: str, server: str) -> None:
    """Make sure that the entry hides none of somebody else's in another file of the client."""
    if destination.scope == FILE_SCOPE:
        return
    project = destination.scope if destination.is_project else None
    for file in list_merged_files(destination.client, project=project):
        spot = make_entry_location(destination.client, file, key, destination.scope)
        old = MISSING if file in destination.files else spot.read_entry(read_content(file))
        standing = None if old is MISSING else identify_server(spot.client, old, find_records(spot))
        if old is not MISSING and standing != server:
            raise make_foreign_entry_error(spot, old, standing)


def _check_transport(client: Client, http: str | None) -> None:
    if http is None and not client.starts_programs:
        raise UnsupportedTransportError(
            f"{client.name} starts no programs, and takes URLs only",
            hint="serve where it can reach it (paddock serve NAME --http HOST:PORT), and give the "
            "URL: --http URL",
        )
    if http is None or client.supports_http:
        return
    raise UnsupportedTransportError(
        f"{client.name} takes no URL of a server in its file",
        hint="install without a URL, so that it starts the server itself, or add the URL in its "
        "own settings if it has a place for that",
    )


def _collect_notes(destination: InstallDestination) -> tuple[str, ...]:
    client = destination.client
    steps = client.get_follow_up_steps(is_project=destination.is_project)
    if is_running(client):
        running = f"{client.name} is running and may overwrite its file: quit it and install again."
        return (running, *steps)
    return steps


def _note_unset_variables(client: Client, entry: ConfigEntry) -> Iterator[str]:
    for name in entry.forwarded_variables:
        if name not in os.environ:
            yield f"The variable {name} is not set here; set it where {client.name} is started."


def _render_paste_text(client: Client, entry: ConfigEntry, key: str) -> str:
    data: object = {key: client.shape.render_entry(entry, key)}
    for step in reversed(client.path or ("mcpServers",)):
        data = {step: data}
    return json.dumps(data, indent=2, ensure_ascii=False)
