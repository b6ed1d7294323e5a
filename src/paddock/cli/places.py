"""The options that say which entry of which file is meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from paddock.cli import completing

F = TypeVar("F", bound=Callable[..., object])


def location_options(function: F) -> F:
    """The options of `install` and `uninstall` that say where."""
    server = click.option(
        "--server",
        metavar="SERVER",
        shell_complete=completing.complete_servers,
        help="The server, where it has the name of a client.",
    )
    project = click.option(
        "--project",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="The client's file of this project, instead of the user's.",
    )
    file = click.option(
        "--file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="F",
        help="This file, instead of the client's usual one.",
    )
    name = click.option("--name", metavar="KEY", help="The name of the entry in the client's file.")
    return server(project(file(name(function))))
