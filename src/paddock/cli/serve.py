"""`paddock serve`: a file or a directory as an MCP server on standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from paddock.serving.stdio import serve_target
from paddock.serving.target import Target

if TYPE_CHECKING:
    from paddock.authoring.offering import Offering


@click.command()
@click.argument("target")
@click.option(
    "--mount",
    "mounts",
    multiple=True,
    metavar="NAME=SERVER",
    help="Offer what another server has too, its names prefixed with NAME; may be repeated.",
)
@click.option("--reload", is_flag=True, help="Pick up changed files; clients stay connected.")
def serve(target: str, *, mounts: tuple[str, ...], reload: bool) -> None:
    """Serve TARGET: a file (server.py), an object in one (server.py:server), or a directory.

    Clients are answered at once; the file is loaded behind the first answer.
    """
    served = Target(target)
    if mounts:
        named = [_split(text) for text in mounts]
        served.complete = lambda offering: _mount_all(offering, named)
    serve_target(served, reload=reload)


def _split(text: str) -> tuple[str, str]:
    name, equals, target = text.partition("=")
    if not (name and equals and target):
        raise click.BadParameter(f"expected NAME=SERVER, got {text!r}", param_hint="--mount")
    return name, target


def _mount_all(offering: Offering, named: list[tuple[str, str]]) -> None:
    from paddock.mounting.composition import mount  # noqa: PLC0415 - only when asked for

    for name, target in named:
        mount(offering, target, name)
