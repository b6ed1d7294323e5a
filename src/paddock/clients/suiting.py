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
    from paddock.clients.shapes import Entry

NAME = "NAME"
"""What stands for the name of a variable in the table."""
LONGEST_PATH = 32768
"""Characters of a path on Windows, at most."""


def short_path(path: str) -> str:
    """The old form of a path, without blanks, where Windows keeps one; else the path itself."""
    if sys.platform != "win32":
        return path
    import ctypes  # noqa: PLC0415 - for one client on one system

    buffer = ctypes.create_unicode_buffer(LONGEST_PATH)
    length = ctypes.windll.kernel32.GetShortPathNameW(path, buffer, LONGEST_PATH)
    return buffer.value if 0 < length < LONGEST_PATH else path


def suited(
    client: Client,
    entry: Entry,
    *,
    shorten: Callable[[str], str] | None = short_path if sys.platform == "win32" else None,
) -> Entry:
    """An entry as a client can start it.

    Args:
        client: The client.
        entry: What is meant.
        shorten: Gives a path without blanks for one that has some; None where blanks do no harm.

    Raises:
        EntryError: when the client cannot refer to variables, or there is no path without blanks.
    """
    if entry.passed:
        entry = _with_references(client, entry)
    if shorten is not None and client.splits_command and " " in (entry.command or ""):
        entry = _with_short_path(client, entry, shorten)
    return entry


def variables_given(client: Client, entry: Entry) -> dict[str, str]:
    """The variables that an entry has the client give to the server, with their values here.

    A variable that is referred to and is not set is empty, as it is in clients.
    """
    values = {name: _resolved(client, value) for name, value in entry.env.items()}
    here = {name: os.environ[name] for name in entry.passed if name in os.environ}
    return {**here, **values}


def _with_references(client: Client, entry: Entry) -> Entry:
    if client.shape.names_variables:
        return entry
    if not client.variable:
        raise _no_reference(client, entry.passed)
    references = {name: client.variable.replace(NAME, name) for name in entry.passed}
    return replace(entry, env={**entry.env, **references}, passed=())


def _no_reference(client: Client, names: tuple[str, ...]) -> EntryError:
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


def _resolved(client: Client, value: str) -> str:
    if not client.variable:
        return value
    pattern = re.escape(client.variable).replace(NAME, r"([A-Za-z_][A-Za-z0-9_]*)")
    return re.sub(pattern, lambda found: os.environ.get(found[1], ""), value)


def _with_short_path(client: Client, entry: Entry, shorten: Callable[[str], str]) -> Entry:
    command = entry.command or ""
    short = shorten(command)
    if " " in short:
        raise EntryError(
            f"{client.name} cannot start a program with blanks in its path: {command}",
            hint="install Paddock into a directory without blanks",
        )
    return replace(entry, command=short)
