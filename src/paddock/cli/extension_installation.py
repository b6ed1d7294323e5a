"""Installation of missing extensions, with consent given by an option or on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.cli import format_error, output
from paddock.cli.errors import ArgumentError
from paddock.extensions.catalogues.installer import (
    describe_installation,
    install_entry,
    require_install_permission,
)
from paddock.extensions.catalogues.remote import find_remote_extension
from paddock.extensions.catalogues.store import find_install_prohibition
from paddock.named_servers.missing_extensions import find_missing_extensions

if TYPE_CHECKING:
    from paddock.errors import PaddockError
    from paddock.extensions.catalogues.document import CatalogueEntry


def install_missing_extensions(server: str, policy: bool | None) -> None:
    """Install any extensions that a server needs but that are not installed.

    Args:
        server: The name or path of the server.
        policy: True to install without asking, False not to install, None to ask on the
            terminal.

    Raises:
        PaddockError: An extension cannot be installed.
        Abort: The user declined.
    """
    if policy is False:
        return
    # If installing is disabled, do not ask. Starting the server reports what is missing.
    if policy is None and find_install_prohibition() is not None:
        return
    installed: set[str] = set()
    shown_warnings: set[str] = set()

    def print_warning_once(problem: PaddockError) -> None:
        if str(problem) not in shown_warnings:
            _print_error_warning(problem)
        shown_warnings.add(str(problem))

    # A newly installed extension can require more extensions, so repeat until none are missing.
    while missing := [
        name
        for name in find_missing_extensions(server, print_warning_once)
        if name not in installed
    ]:
        for name in missing:
            install_extension(find_catalogue_entry(name), is_agreed=policy is True)
        installed.update(missing)


def _print_error_warning(problem: PaddockError) -> None:
    output.print_note(f"Warning: {format_error(problem)}")


def find_catalogue_entry(name: str) -> CatalogueEntry:
    """Return the best catalogue entry for an extension.

    Outdated catalogues are downloaded again first. If no entry is found, any problems with the
    catalogues are printed, because they may be the cause.

    Raises:
        ArgumentError: No catalogue lists the extension.
    """
    problems: list[PaddockError] = []
    match = find_remote_extension(name, may_fetch=True, report=problems.append)
    if match is None:
        for problem in problems:
            _print_error_warning(problem)
        raise ArgumentError(
            f"No catalogue lists an extension {name!r}",
            hint="paddock extensions search lists the available extensions, paddock catalogue list "
            "the catalogues",
        )
    return match.entry


def install_extension(entry: CatalogueEntry, *, is_agreed: bool) -> None:
    """Show what the installation does, ask the user to confirm, and install the extension.

    Args:
        entry: The extension's catalogue entry.
        is_agreed: True if the user consented with an option, so no question is needed.

    Raises:
        PaddockError: The installation failed, or there is no terminal to ask on.
        Abort: The user declined.
    """
    require_install_permission()
    output.print_note(
        f"To install {entry.name} {entry.version} ({entry.kind}) from {entry.catalogue}:"
    )
    for line in describe_installation(entry):
        output.print_note(f"  {line}")
    if not is_agreed:
        output.require_confirmation("Install it?", "Installing it")
    with output.show_progress(f"Installing {entry.name} …"):
        was_needed = install_entry(entry)
    action = "Installed" if was_needed else "Another process has installed"
    output.print_note(f"{action} {entry.name} {entry.version}")
