"""`paddock serve`: a file or a directory as an MCP server on standard input and output."""

from __future__ import annotations

import click

from paddock.serving.stdio import serve_target
from paddock.serving.target import Target


@click.command()
@click.argument("target")
@click.option("--reload", is_flag=True, help="Pick up changed files; clients stay connected.")
def serve(target: str, *, reload: bool) -> None:
    """Serve TARGET: a file (server.py), an object in one (server.py:server), or a directory.

    Clients are answered at once; the file is loaded behind the first answer.
    """
    serve_target(Target(target), reload=reload)
