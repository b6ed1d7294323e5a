"""Installs a server into one client or into all detected clients.

The order matters: everything that can be rejected is rejected first, then the server is started as
the client would start it, and only then are files written.
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
from paddock.installer.plan import ClientOutcome, Plan, build_change
from paddock.installer.records import find_records, identify_server

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike

    from paddock.installer.client_app import Client
    from paddock.installer.entry_change import InsertionEdit
    from paddock.installer.entry_format import ConfigEntry
    from paddock.installer.file_writer import AppliedEdit


class InstallOptions(TypedDict, total=False):
    """The keyword arguments of `install` that do not depend on the client."""

    name: str | None
    """The key of the entry, instead of the server's own."""
    env: EnvironmentVariables | None
    """Environment variables for the server; None makes the client pass on its own value."""
    http: str | None
    """The URL of a running server; without it, the client starts the server."""
    headers: Mapping[str, str] | None
    """Headers for requests to that URL."""
    options: Mapping[str, Mapping[str, object]] | None
    """Option values of tools, by the name of the tool."""
    replace: bool
    """Replace an existing entry that does not belong to Paddock."""
    check: bool
    """Start the server first as the client would, and write nothing if it does not answer."""
    dry_run: bool
    """Change nothing, and only return the plan."""


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
    """Install a server into a client's configuration.

    An existing Paddock entry with the same key is updated, and the user's additions to it are
    kept. If the client has no config file, nothing is written: the plan contains the text to
    paste, and an install link. Trust level: execution, because the check starts the server.

    Args:
        client: The client, by any of its names; None if `file` determines the client.
        server: A named server, or the path of a file or directory. By default, the built-in server
            for this kind of client.
        project: The directory of a project; the server is installed for that project only.
        file: The file to write instead of the client's own config file.
        name: The key of the entry, instead of the server's own.
        env: Environment variables for the server. None as a value makes the client pass on its own
            variable, so that the value is not in the file.
        http: The URL of a running server; without it, the client starts the server.
        headers: Headers for requests to that URL.
        options: Option values of tools, by the name of the tool.
        replace: Replace an existing entry that does not belong to Paddock.
        check: Start the server first as the client would, and write nothing if it does not answer.
        dry_run: Change nothing, and only return the plan.

    Raises:
        ForeignEntryError: The key is used by an entry that does not belong to Paddock.
        CheckFailedError: The server does not start or does not answer.
        ConfigurationError: The client's file cannot be parsed; it is left unchanged.
        WriteError: The file cannot be written; it is left unchanged.
        PaddockError: Another argument is not valid for this client or server.
    """
    if client is not None and not (file or project or find_client(client).has_file):
        # Nothing is written: the plan contains text to paste into the client's settings.
        destination = InstallDestination(find_client(client), (), USER_SCOPE)
    else:
        destination = resolve_destination(client, project=project, file=file)
    client_app = destination.client
    target = resolve_installable(server, client_app)
    key = choose_entry_key(client_app, target, name)
    _check_transport(client_app, http)
    general_entry = build_entry(target, env=env, http=http, headers=headers, options=options)
    entry = adapt_entry(client_app, general_entry)
    insertions = [
        EntryInsertion(location, target.name, entry, destination.scope, replaces_foreign=replace)
        for location in destination.get_entry_locations(key)
    ]
    # In a client that merges files, an entry elsewhere may hide the new one, or be hidden by it.
    if not replace:
        _check_hidden_entries(destination, key, target.name)
    missing_requirements = find_missing_requirements(client_app, target.named_server, entry)
    plan = Plan(
        action="install",
        client=client_app,
        server=target.name,
        key=key,
        scope=destination.scope,
        changes=tuple(insertion.preview() for insertion in insertions),
        notes=(
            *_collect_notes(destination),
            *_note_unset_variables(client_app, general_entry),
            *(requirement.note for requirement in missing_requirements),
        ),
        paste=None if insertions else _render_paste_text(client_app, entry, key),
        link=None if insertions or not client_app.links else format_link(client_app, entry, key),
    )
    if dry_run:
        return plan
    if check:
        if http is None:
            # The file of a path is loaded by the check of the entry, in another process.
            if target.named_server is not None:
                target.load()
            check_requirements(missing_requirements)
        check_entry(client_app, entry)
    return _apply_insertions(plan, insertions) if insertions else plan


def install_all(
    server: ServerReference | None = None, **wishes: Unpack[InstallOptions]
) -> list[ClientOutcome]:
    """Install a server into every detected client, continuing after clients that fail.

    Without a server, each client gets the built-in server for its kind. The keyword arguments are
    the same as for `install`.
    """
    outcomes = []
    for client in detected_clients():
        try:
            outcomes.append(ClientOutcome(client.id, install(client.id, server, **wishes)))
        except PaddockError as error:
            outcomes.append(ClientOutcome(client.id, error=error))
    return outcomes


def _apply_insertions(plan: Plan, insertions: list[EntryInsertion]) -> Plan:
    """Insert an entry into all of a client's configuration files, or into none of them.

    If a file cannot be written, the files that were written before it are restored.

    Args:
        plan: The plan of the installation.
        insertions: One insertion for each file.

    Returns:
        The plan with the completed changes.
    """
    applied: list[AppliedEdit[InsertionEdit]] = []
    try:
        for insertion in insertions:
            applied.append(insertion.apply())  # noqa: PERF401 - partial results are rolled back
    except BaseException:
        for insertion, applied_edit in zip(insertions, applied, strict=False):
            with suppress(PaddockError, OSError):  # the user is shown the first error
                insertion.roll_back(applied_edit)
        raise
    return replace(
        plan,
        changes=tuple(
            build_change(
                insertion.location,
                applied_edit.before,
                applied_edit.edit.after,
                applied_edit.backup,
            )
            for insertion, applied_edit in zip(insertions, applied, strict=True)
        ),
        is_applied=True,
        installations=tuple(applied_edit.edit.installation for applied_edit in applied),
    )


def _check_hidden_entries(destination: InstallDestination, key: str, server: str) -> None:
    """Check that no other file of the client has an entry with the same key.

    Some clients merge multiple configuration files and use only one of these entries. An entry for
    the same server is accepted.

    Args:
        destination: The files into which the server will be installed.
        key: The key of the new entry.
        server: The server to install.

    Raises:
        ForeignEntryError: Another file has an entry with this key for something else.
    """
    if destination.scope == FILE_SCOPE:
        return
    project = destination.scope if destination.is_project else None
    for file in list_merged_files(destination.client, project=project):
        if file in destination.files:
            continue
        location = make_entry_location(destination.client, file, key, destination.scope)
        data = location.read_entry(read_content(file))
        if data is MISSING:
            continue
        owner = identify_server(location.client, data, find_records(location))
        if owner != server:
            raise make_foreign_entry_error(location, data, owner)


def _check_transport(client: Client, http: str | None) -> None:
    """Check that a client supports the transport: starting a program, or connecting to a URL.

    Args:
        client: The client.
        http: The URL of the server, or None to start a program.

    Raises:
        UnsupportedTransportError: The client does not support it.
    """
    if http is None and not client.starts_programs:
        raise UnsupportedTransportError(
            f"{client.name} cannot start programs and accepts only URLs",
            hint="serve at an address that it can reach (paddock serve NAME --http HOST:PORT), and "
            "install the URL: --http URL",
        )
    if http is None or client.supports_http:
        return
    raise UnsupportedTransportError(
        f"{client.name} does not accept URLs in its config file",
        hint="install without --http, so that it starts the server, or add the URL in its own "
        "settings if they support that",
    )


def _collect_notes(destination: InstallDestination) -> tuple[str, ...]:
    """Return the steps that the user must take after the installation, such as a restart.

    The first one is a warning if the client is running and may overwrite its file.
    """
    client = destination.client
    steps = client.get_follow_up_steps(is_project=destination.is_project)
    if is_running(client):
        note = f"{client.name} is running and may overwrite its file: quit it and install again."
        return (note, *steps)
    return steps


def _note_unset_variables(client: Client, entry: ConfigEntry) -> Iterator[str]:
    for name in entry.forwarded_variables:
        if name not in os.environ:
            yield f"The variable {name} is not set here; set it where {client.name} is started."


def _render_paste_text(client: Client, entry: ConfigEntry, key: str) -> str:
    """Return the entry as JSON, inside the containers that the client's settings expect."""
    data: object = {key: client.shape.render_entry(entry, key)}
    for step in reversed(client.path or ("mcpServers",)):
        data = {step: data}
    return json.dumps(data, indent=2, ensure_ascii=False)
