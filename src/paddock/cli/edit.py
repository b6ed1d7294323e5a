"""`paddock edit`: a named server changed, by options or in an editor."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkstemp
from typing import TYPE_CHECKING, Any

import click

from paddock.cli import completing, output
from paddock.cli.complaints import ArgumentError, CommandError, did_you_mean
from paddock.cli.defining import FACTS, facts_options, given_facts
from paddock.cli.describing import spec_name
from paddock.errors import PaddockError
from paddock.servers.api import edit_server, get_server, rewrite_server

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.servers.named_server import NamedServer

KINDS = {"tool": completing.tools, "prompt": completing.prompts, "resource": None}
"""What can be added and removed, and how its names are completed."""


def change_options(function: Callable[..., object]) -> Callable[..., object]:
    """An option to add and one to remove, for each kind of item."""
    for kind, completer in reversed(KINDS.items()):
        for verb, text in (("remove", f"Remove a {kind}"), ("add", f"Add a {kind}")):
            function = click.option(
                f"--{verb}-{kind}",
                multiple=True,
                metavar=kind[0].upper(),
                shell_complete=completer,
                help=f"{text}; may be repeated.",
            )(function)
    return function


@click.command()
@click.argument("name", shell_complete=completing.servers)
@change_options
@facts_options
def edit(name: str, **changes: Any) -> None:
    """Change the server NAME: with options as they say, without any in your editor.

    The editor is that of the environment variable VISUAL or EDITOR. It gets a copy of the
    definition, which takes the place of the old one only when it is right in every part.
    """
    server = get_server(name)
    given = given_facts(changes)
    lists = {
        f"{kind}s": _changed(server, kind, changes[f"add_{kind}"], changes[f"remove_{kind}"])
        for kind in KINDS
        if changes[f"add_{kind}"] or changes[f"remove_{kind}"]
    }
    if given or lists:
        edit_server(name, **given, **lists)
    elif not _edit_text(server):
        raise NothingDone
    click.echo(f"Changed {name}: {server.location}")
