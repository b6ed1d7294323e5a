"""Installing what a server needs: said first, done only when somebody agrees."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

from paddock.cli import output
from paddock.cli.complaints import ArgumentError
from paddock.cli.wording import told

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.errors import PaddockError
    from paddock.extensions.catalogue.document import Entry

Command = TypeVar("Command", bound="Callable[..., object]")


def consent_options(command: Command) -> Command:
    """Give a command the two options that say whether it may install extensions."""
    no = click.option("--no-install", is_flag=True, help="Install no extension, and do not ask to.")
    yes = click.option(
        "--install",
        "may_install",
        is_flag=True,
        help="Install extensions that the server needs and a catalogue lists, unasked.",
    )
    return yes(no(command))


def agreed(*, may_install: bool, no_install: bool) -> bool | None:
    """What the two options say together; None leaves it to a question."""
    if may_install and no_install:
        raise click.UsageError("--install and --no-install cannot go together")
    if may_install or no_install:
        return may_install
    return None if output.can_ask() else False


def install_needed(server: str, agreement: bool | None) -> None:
    """Install the extensions that a server needs and that are not here, if that is agreed to.

    Raises:
        PaddockError: when it was agreed to and cannot be done.
        Abort: when the answer is no.
    """
    if agreement is False:
        return
    from paddock.extensions.catalogue.settings import forbidding  # noqa: PLC0415 - seldom
    from paddock.servers.needed import missing_extensions  # noqa: PLC0415 - seldom

    if agreement is None and forbidding() is not None:
        return
    done: set[str] = set()
    warned: set[str] = set()

    def warn(problem: PaddockError) -> None:
        if str(problem) not in warned:
            _warn(problem)
        warned.add(str(problem))

    while missing := [name for name in missing_extensions(server, warn) if name not in done]:
        for name in missing:
            install_extension(entry_of(name), is_agreed=agreement is True)
        done.update(missing)


def _warn(problem: PaddockError) -> None:
    output.note(f"Warning: {told(problem)}")


def entry_of(name: str) -> Entry:
    """What the catalogues list under a name.

    Raises:
        ArgumentError: when that is nothing.
    """
    from paddock.extensions.catalogue.remote import find_remote  # noqa: PLC0415 - seldom

    problems: list[PaddockError] = []
    found = find_remote(name, may_fetch=True, report=problems.append)
    if found is None:
        for problem in problems:
            _warn(problem)
        raise ArgumentError(
            f"No catalogue lists an extension {name!r}",
            hint="paddock extensions search lists what they have, paddock catalogue list the "
            "catalogues",
        )
    return found.entry


def install_extension(entry: Entry, *, is_agreed: bool) -> None:
    """Say what will be done, ask unless it is agreed to, and do it.

    Raises:
        PaddockError: when it cannot be done, or nobody is there to ask.
        Abort: when the answer is no.
    """
    from paddock.extensions.catalogue.installing import (  # noqa: PLC0415 - seldom
        check_permitted,
        install_entry,
        plan_of,
    )

    check_permitted()
    output.note(f"To install {entry.name} {entry.version} ({entry.kind}) from {entry.catalogue}:")
    for line in plan_of(entry):
        output.note(f"  {line}")
    if not is_agreed:
        if not output.can_ask():
            raise ArgumentError("Nobody is here to agree to that", hint="add --yes")
        if not output.ask("Install it?"):
            raise click.Abort
    with output.progress(f"Installing {entry.name} …"):
        was_needed = install_entry(entry)
    done = "Installed" if was_needed else "Another process has installed"
    output.note(f"{done} {entry.name} {entry.version}")
