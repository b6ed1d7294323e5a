"""`paddock completion`: the script with which a shell completes commands, options and names.

The names that a shell completes: servers, clients, tools, prompts and agents.

What knows the names is loaded only when one is completed. A completion never fails: where names
cannot be had there are none.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem, get_completion_class

from paddock.cli import output
from paddock.cli.errors import ArgumentError
from paddock.errors import PaddockError

if TYPE_CHECKING:
    from click.shell_completion import ShellComplete


COMPLETION_VARIABLE = "_PADDOCK_COMPLETE"
INSTALL_HINTS = {
    "bash": 'add to ~/.bashrc:  eval "$(paddock completion bash)"',
    "zsh": 'add to ~/.zshrc, after compinit:  eval "$(paddock completion zsh)"',
    "fish": "run:  paddock completion fish > ~/.config/fish/completions/paddock.fish",
    "powershell": (
        "add to the file that $PROFILE names:  "
        "paddock completion powershell | Out-String | Invoke-Expression"
    ),
}
"""What each shell has to be told, once."""


@click.command()
@click.argument("shell", required=False, type=click.Choice(tuple(INSTALL_HINTS)))
@click.pass_context
def completion(ctx: click.Context, shell: str | None) -> None:
    """Print the script with which SHELL completes commands, options and names.

    Names of servers, clients, tools and prompts are completed too. Without SHELL it is the one of
    the environment variable SHELL. How to install the script is said on standard error.
    """
    name = shell or _detect_shell()
    script = _find_completion_class(name)(
        ctx.find_root().command, {}, "paddock", COMPLETION_VARIABLE
    ).source()
    click.echo(script)
    output.print_note(f"To have it in every {name}, {INSTALL_HINTS[name]}")


def _detect_shell() -> str:
    name = PurePath(os.environ.get("SHELL", "")).stem
    if name not in INSTALL_HINTS:
        raise ArgumentError(
            f"Cannot tell which shell this is; the variable SHELL says {name!r}",
            hint=f"name it: paddock completion {'|'.join(INSTALL_HINTS)}",
        )
    return name


def _find_completion_class(shell: str) -> type[ShellComplete]:
    found = get_completion_class(shell)
    if found is None:  # PowerShell came with click 8.5
        raise ArgumentError(
            f"This version of click cannot complete for {shell}",
            hint="install click 8.5 or later",
        )
    return found


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paddock.extensions.manifest import ItemKind
    from paddock.named_servers.sources import DefinitionSource

    NamesWithHelp = Iterable[tuple[str, str]]
    Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _list_server_names() -> NamesWithHelp:
    from paddock.named_servers.sources import list_sources  # noqa: PLC0415 - only to complete

    return [(source.name, _get_server_title(source)) for source in list_sources()]


def _get_server_title(source: DefinitionSource) -> str:
    """What a server is, as far as that can be said without running anything."""
    if source.extension_item is not None:
        return source.extension_item.item.description or ""
    try:
        return source.read().title or ""
    except PaddockError:
        return ""


def _list_client_names() -> NamesWithHelp:
    from paddock.installer.apps import supported_clients  # noqa: PLC0415 - only to complete

    return [(client.id, client.name) for client in supported_clients().values()]


def _list_declared_names(kind: ItemKind) -> NamesWithHelp:
    from paddock.extensions.registry import list_declared_items  # noqa: PLC0415 - only to complete

    return [(found.name, found.item.description or "") for found in list_declared_items(kind)]


def _list_extension_names() -> NamesWithHelp:
    from paddock.extensions.discovery import discover  # noqa: PLC0415 - only to complete

    found = discover()
    broken = [(one.name, "broken") for one in found.broken]
    return [*((one.name, one.kind) for one in found.extensions), *broken]


def _list_agent_names() -> NamesWithHelp:
    from paddock.zoo.opening import get_zoo_address, open_zoo  # noqa: PLC0415 - only to complete

    address = get_zoo_address()
    if "://" not in address and not Path(address).exists():
        return []  # completing makes no zoo
    with open_zoo(address, wait_seconds=1) as zoo:
        return [(one.id, one.name) for one in zoo.list_agents().items]


def _list_library_names() -> NamesWithHelp:
    from paddock.zoo.opening import get_zoo_address, open_zoo  # noqa: PLC0415 - only to complete

    address = get_zoo_address()
    if "://" not in address and not Path(address).exists():
        return []
    with open_zoo(address, wait_seconds=1) as zoo:
        packs = [(one.id, one.description) for one in zoo.list_packs()]
        return [*packs, *((one.id, one.name) for one in zoo.list_library())]


def _list_starter_names() -> NamesWithHelp:
    from paddock.zoo.starter_agents import load_starters  # noqa: PLC0415 - only to complete

    return [(one.id, one.description) for one in load_starters()]


def _make_completer(*sources: Callable[[], NamesWithHelp]) -> Completer:
    def complete(
        _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        start = incomplete.lower()
        try:
            found = [pair for source in sources for pair in source()]
        except (PaddockError, OSError, ModuleNotFoundError):
            return []
        return [
            CompletionItem(name, help=summary or None)
            for name, summary in found
            if name.lower().startswith(start)
        ]

    return complete


complete_servers = _make_completer(_list_server_names)
complete_clients = _make_completer(_list_client_names)
complete_clients_and_servers = _make_completer(_list_client_names, _list_server_names)
complete_tools = _make_completer(lambda: _list_declared_names("tools"))
complete_extensions = _make_completer(_list_extension_names)
complete_extensions_and_servers = _make_completer(_list_extension_names, _list_server_names)
complete_agents = _make_completer(_list_agent_names)
complete_library = _make_completer(_list_library_names)
complete_starters = _make_completer(_list_starter_names)
complete_prompts = _make_completer(lambda: _list_declared_names("prompts"))
