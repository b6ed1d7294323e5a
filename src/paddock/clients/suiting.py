"""An entry as one client can use it, where clients differ in more than the form.

Variables whose values are to stay out of the file are named in the way of the client, and read
back from there; programs get a path that the client does not break.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from paddock.clients.entries import EntryError

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.clients.client import Client
    from paddock.clients.shapes import ConfigEntry

NAME_PLACEHOLDER = "NAME"
"""What stands for the name of a variable in the table."""
MAX_WINDOWS_PATH_CHARACTERS = 32768
"""Characters of a path on Windows, at most."""


def get_short_path(path: str) -> str:
    """The old form of a path, without blanks, where Windows keeps one; else the path itself."""
    if sys.platform != "win32":
        return path
    import ctypes  # noqa: PLC0415 - for one client on one system

    buffer = ctypes.create_unicode_buffer(MAX_WINDOWS_PATH_CHARACTERS)
    length = ctypes.windll.kernel32.GetShortPathNameW(path, buffer, MAX_WINDOWS_PATH_CHARACTERS)
    return buffer.value if 0 < length < MAX_WINDOWS_PATH_CHARACTERS else path


def adapt_entry(
    client: Client,
    entry: ConfigEntry,
    *,
    shorten: Callable[[str], str] | None = get_short_path if sys.platform == "win32" else None,
) -> ConfigEntry:
    """An entry as a client can start it.

    Args:
        client: The client.
        entry: What is meant.
        shorten: Gives a path without blanks for one that has some; None where blanks do no harm.

    Raises:
        EntryError: when the client cannot refer to variables, or there is no path without blanks.
    """
    if entry.forwarded_variables:
        entry = _add_variable_references(client, entry)
    if shorten is not None and client.splits_command and " " in (entry.command or ""):
        entry = _shorten_command(client, entry, shorten)
    return entry


def resolve_variables(client: Client, entry: ConfigEntry) -> dict[str, str]:
    """The variables that an entry has the client give to the server, with their values here.

    A variable that is referred to and is not set is empty, as it is in clients.
    """
    values = {name: _resolve_variable_reference(client, value) for name, value in entry.env.items()}
    here = {name: os.environ[name] for name in entry.forwarded_variables if name in os.environ}
    return {**here, **values}


def _add_variable_references(client: Client, entry: ConfigEntry) -> ConfigEntry:
    if client.shape.has_variable_list:
        return entry
    if not client.variable:
        raise _make_reference_error(client, entry.forwarded_variables)
    references = {name: client.variable.replace(NAME_PLACEHOLDER, name) for name in entry.forwarded_variables}
    return replace(entry, env={**entry.env, **references}, passed=())


def _make_reference_error(client: Client, names: tuple[str, ...]) -> EntryError:
    options = " ".join(f"--env {name}" for name in names)
    if client.environment == "all":
        hint = f"leave out {options}: it gives servers all variables that it is started with"
    else:
        valued = " ".join(f"--env {name}=VALUE" for name in names)
        hint = f"give the value, which stands in the file then: {valued}"
    return EntryError(
        f"{client.name} cannot refer to environment variables in its file: {', '.join(names)}",
        hint=hint,
    )


def _resolve_variable_reference(client: Client, value: str) -> str:
    if not client.variable:
        return value
    pattern = re.escape(client.variable).replace(NAME_PLACEHOLDER, r"([A-Za-z_][A-Za-z0-9_]*)")
    return re.sub(pattern, lambda found: os.environ.get(found[1], ""), value)


def _shorten_command(client: Client, entry: ConfigEntry, shorten: Callable[[str], str]) -> ConfigEntry:
    command = entry.command or ""
    short = shorten(command)
    if " " in short:
        raise EntryError(
            f"{client.name} cannot start a program with blanks in its path: {command}",
            hint="install Paddock into a directory without blanks",
        )
    return replace(entry, command=short)
