"""`paddock completion`: the script with which a shell completes commands, options and names."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING

import click
from click.shell_completion import get_completion_class

from paddock.cli import output
from paddock.cli.complaints import ArgumentError

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
    script = _find_completion_class(name)(ctx.find_root().command, {}, "paddock", COMPLETION_VARIABLE).source()
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
