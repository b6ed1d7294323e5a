"""Installing what a server needs: said first, done only when somebody agrees."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

from paddock.cli import output
from paddock.cli.error_text import format_error
from paddock.cli.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.errors import PaddockError
    from paddock.extensions.catalogues.document import CatalogueEntry

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


def resolve_install_policy(*, may_install: bool, no_install: bool) -> bool | None:
    """What the two options say together; None leaves it to a question."""
    if may_install and no_install:
        raise click.UsageError("--install and --no-install cannot go together")
    if may_install or no_install:
        return may_install
    return None if output.can_ask() else False


def install_missing_extensions(server: str, agreement: bool | None) -> None:
    """Install the extensions that a server needs and that are not here, if that is agreed to.

    Raises:
        PaddockError: when it was agreed to and cannot be done.
        Abort: when the answer is no.
    """
    if agreement is False:
        return
    from paddock.extensions.catalogues.store import find_install_prohibition  # noqa: PLC0415 - seldom
    from paddock.named_servers.missing_extensions import find_missing_extensions  # noqa: PLC0415 - seldom

    if agreement is None and find_install_prohibition() is not None:
        return
    done: set[str] = set()
    warned: set[str] = set()

    def warn(problem: PaddockError) -> None:
        if str(problem) not in warned:
            _print_error_warning(problem)
        warned.add(str(problem))

    while missing := [name for name in find_missing_extensions(server, warn) if name not in done]:
        for name in missing:
            install_extension(find_catalogue_entry(name), is_agreed=agreement is True)
        done.update(missing)


def _print_error_warning(problem: PaddockError) -> None:
    output.print_note(f"Warning: {format_error(problem)}")


def find_catalogue_entry(name: str) -> CatalogueEntry:
    """What the catalogues list under a name.

    Raises:
        ArgumentError: when that is nothing.
    """
    from paddock.extensions.catalogues.remote import find_remote_extension  # noqa: PLC0415 - seldom

    problems: list[PaddockError] = []
    found = find_remote_extension(name, may_fetch=True, report=problems.append)
    if found is None:
        for problem in problems:
            _print_error_warning(problem)
        raise ArgumentError(
            f"No catalogue lists an extension {name!r}",
            hint="paddock extensions search lists what they have, paddock catalogue list the "
            "catalogues",
        )
    return found.entry


def install_extension(entry: CatalogueEntry, *, is_agreed: bool) -> None:
    """Say what will be done, ask unless it is agreed to, and do it.

    Raises:
        PaddockError: when it cannot be done, or nobody is there to ask.
        Abort: when the answer is no.
    """
    from paddock.extensions.catalogues.installer import (  # noqa: PLC0415 - rarely needed
        describe_installation,
        install_entry,
        require_install_permission,
    )

    require_install_permission()
    output.print_note(
        f"To install {entry.name} {entry.version} ({entry.kind}) from {entry.catalogue}:"
    )
    for line in describe_installation(entry):
        output.print_note(f"  {line}")
    if not is_agreed:
        if not output.can_ask():
            raise ArgumentError("Nobody is here to agree to that", hint="add --yes")
        if not output.ask_yes_no("Install it?"):
            raise click.Abort
    with output.show_progress(f"Installing {entry.name} …"):
        was_needed = install_entry(entry)
    done = "Installed" if was_needed else "Another process has installed"
    output.print_note(f"{done} {entry.name} {entry.version}")
