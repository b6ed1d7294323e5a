"""The command `paddock completion`, and the completers for names of servers, clients and agents.

Completers import the modules that know the names on first use, since every command imports this
module. They never fail: an error yields no completions.
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
"""How to enable completion in each shell."""


@click.command()
@click.argument("shell", required=False, type=click.Choice(tuple(INSTALL_HINTS)))
@click.pass_context
def completion(ctx: click.Context, shell: str | None) -> None:
    """Print the script that lets SHELL complete commands, options and names.

    The names are those of servers, clients, tools, prompts and agents. SHELL defaults to the
    environment variable SHELL. Installation instructions are printed on standard error.
    """
    shell_name = shell or _detect_shell()
    script = _find_completion_class(shell_name)(
        ctx.find_root().command, {}, "paddock", COMPLETION_VARIABLE
    ).source()
    click.echo(script)
    output.print_note(f"To enable it in every {shell_name}, {INSTALL_HINTS[shell_name]}")


def _detect_shell() -> str:
    shell_name = PurePath(os.environ.get("SHELL", "")).stem
    if shell_name not in INSTALL_HINTS:
        raise ArgumentError(
            f"Unknown shell {shell_name!r} in the environment variable SHELL",
            hint=f"name the shell: paddock completion {'|'.join(INSTALL_HINTS)}",
        )
    return shell_name


def _find_completion_class(shell: str) -> type[ShellComplete]:
    completion_class = get_completion_class(shell)
    if completion_class is None:  # click supports PowerShell since 8.5
        raise ArgumentError(
            f"The installed version of click does not support {shell}",
            hint="install click 8.5 or later",
        )
    return completion_class


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
    """Return the title of a server, or "" if finding it would run code of the server."""
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

    return [
        (declared_item.name, declared_item.item.description or "")
        for declared_item in list_declared_items(kind)
    ]


def _list_extension_names() -> NamesWithHelp:
    from paddock.extensions.discovery import discover  # noqa: PLC0415 - only to complete

    discovery = discover()
    broken_names = [(extension.name, "broken") for extension in discovery.broken]
    return [
        *((extension.name, extension.kind) for extension in discovery.extensions),
        *broken_names,
    ]


def _list_agent_names() -> NamesWithHelp:
    from paddock.zoo.opening import get_zoo_address, open_zoo  # noqa: PLC0415 - only to complete

    address = get_zoo_address()
    if "://" not in address and not Path(address).exists():
        return []  # opening the zoo would create the database
    with open_zoo(address, wait_seconds=1) as zoo:
        return [(agent.id, agent.name) for agent in zoo.agents.list_summaries().items]


def _list_library_names() -> NamesWithHelp:
    from paddock.zoo.opening import get_zoo_address, open_zoo  # noqa: PLC0415 - only to complete

    address = get_zoo_address()
    if "://" not in address and not Path(address).exists():
        return []
    with open_zoo(address, wait_seconds=1) as zoo:
        packs = [(entry.id, entry.description) for entry in zoo.library.list_packs()]
        return [*packs, *((entry.id, entry.name) for entry in zoo.library.list_skills())]


def _list_starter_names() -> NamesWithHelp:
    from paddock.zoo.starter_agents import load_starters  # noqa: PLC0415 - only to complete

    return [(starter.id, starter.description) for starter in load_starters()]


def _make_completer(*sources: Callable[[], NamesWithHelp]) -> Completer:
    def complete(
        _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        prefix = incomplete.lower()
        try:
            names = [pair for source in sources for pair in source()]
        except (PaddockError, OSError, ModuleNotFoundError):
            return []
        return [
            CompletionItem(name, help=summary or None)
            for name, summary in names
            if name.lower().startswith(prefix)
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
