"""The command `paddock completion`, and the completers for server, client and agent names.

Every command imports this module, so completers refer to the functions that list names by their
import paths. Completers never fail: if an error occurs, there are no completions.
"""

from __future__ import annotations

import os
from pathlib import PurePath
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem, get_completion_class

from paddock.cli import output
from paddock.cli.errors import ArgumentError
from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.shell_completion import ShellComplete

    Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


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
"""Instructions that enable completion in each shell."""


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
    """Return the name of the user's shell from the environment variable `SHELL`."""
    shell_name = PurePath(os.environ.get("SHELL", "")).stem
    if shell_name not in INSTALL_HINTS:
        raise ArgumentError(
            f"Unknown shell {shell_name!r} in the environment variable SHELL",
            hint=f"name the shell: paddock completion {'|'.join(INSTALL_HINTS)}",
        )
    return shell_name


def _find_completion_class(shell: str) -> type[ShellComplete]:
    """Return the click class that generates a shell's completion script.

    Raises:
        ArgumentError: The installed version of click does not support the shell.
    """
    completion_class = get_completion_class(shell)
    if completion_class is None:  # click supports PowerShell since 8.5
        raise ArgumentError(
            f"The installed version of click does not support {shell}",
            hint="install click 8.5 or later",
        )
    return completion_class


def _make_completer(*list_functions: str) -> Completer:
    """Return a click callback that completes a word to one of the names some functions return.

    Args:
        list_functions: Import paths (`module:function`) of functions that return pairs of a name
            and a help text. Their modules are only imported to complete a word, because they load
            most of the library.
    """

    def complete(
        _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        prefix = incomplete.lower()
        try:
            names_with_help = [
                pair for list_function in list_functions for pair in resolve_name(list_function)()
            ]
        # ModuleNotFoundError is raised if an extra's packages are not installed.
        except (PaddockError, OSError, ModuleNotFoundError):
            return []
        return [
            CompletionItem(name, help=help_text or None)
            for name, help_text in names_with_help
            if name.lower().startswith(prefix)
        ]

    return complete


_SERVERS = "paddock.cli.completion_names:list_server_names"
_CLIENTS = "paddock.cli.completion_names:list_client_names"
_EXTENSIONS = "paddock.cli.completion_names:list_extension_names"
complete_servers = _make_completer(_SERVERS)
complete_clients = _make_completer(_CLIENTS)
complete_clients_and_servers = _make_completer(_CLIENTS, _SERVERS)
complete_tools = _make_completer("paddock.cli.completion_names:list_tool_names")
complete_prompts = _make_completer("paddock.cli.completion_names:list_prompt_names")
complete_extensions = _make_completer(_EXTENSIONS)
complete_extensions_and_servers = _make_completer(_EXTENSIONS, _SERVERS)
complete_agents = _make_completer("paddock.cli.zoo.completion_names:list_agent_names")
complete_library = _make_completer("paddock.cli.zoo.completion_names:list_library_names")
complete_starters = _make_completer("paddock.cli.zoo.completion_names:list_starter_names")
