"""`paddock servers` and `paddock show`: which named servers there are, and what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from paddock.cli import completing, output
from paddock.cli.complaints import ArgumentError
from paddock.cli.describing import describe_server, summarize_server, format_server
from paddock.cli.naming import parse_server_name
from paddock.cli.render import format_json, replace_control_characters
from paddock.errors import PaddockError
from paddock.servers.api import get_server, list_servers
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from paddock.servers.named_server import NamedServer

COUNTED_KINDS = ("tools", "prompts")
"""What a list of servers counts."""


@click.command()
@click.argument("pattern", default="*", metavar="[GLOB]", shell_complete=completing.complete_servers)
@click.option("--no-built-in", is_flag=True, help="Leave out the servers that come with Paddock.")
@click.option("--remote", is_flag=True, help="Also those in your catalogues, not installed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def servers(pattern: str, *, no_built_in: bool, remote: bool, as_json: bool) -> None:
    """List the named servers, broken ones too.

    GLOB is a name in which * and ? stand for anything, in quotes: 'My*'.
    """
    found = list_servers(pattern, include_built_in=not no_built_in, include_remote=remote)
    if as_json:
        output.print_json([summarize_server(server) for server in found])
        return
    if not found:
        output.print_note(f"No server matches {pattern!r}" if pattern != "*" else "There is no server")
        return
    output.print_table(
        ("server", "version", "tools", "prompts", "from", "installed in"), map(_build_row, found)
    )
    for server in found:
        problem = _find_problem(server)
        if problem is not None:
            output.print_warning(f"{server.name} is broken: {problem}")


def _find_problem(server: NamedServer) -> str | None:
    """Why a server is broken, as far as that can be said without running anything."""
    try:
        _ = server.outline
    except PaddockError as error:
        return str(error)
    return None


def _build_row(server: NamedServer) -> list[output.Cell]:
    absent = " (not installed)" if server.is_remote else ""
    where = [f"{server.location}{absent}", _list_client_ids(server)]
    try:
        said = server.outline
    except PaddockError:
        return [output.StyledCell(server.name, "red"), output.StyledCell("broken", "red"), "", "", *where]
    return [server.name, said.version, *(_format_count(getattr(said, kind)) for kind in COUNTED_KINDS), *where]


def _format_count(specs: list[Any] | None) -> str:
    return "" if specs is None else str(len(specs))


def _list_client_ids(server: NamedServer) -> str:
    return ", ".join(dict.fromkeys(one.client for one in server.installations))


@click.command()
@click.argument("name", shell_complete=completing.complete_servers)
@click.option("--property", "wanted", metavar="P", help="Print only this property.")
@click.option("--config", is_flag=True, help="Print the JSON to paste into a client.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def show(ctx: click.Context, name: str, *, wanted: str | None, config: bool, as_json: bool) -> None:
    """Show everything about the server NAME, which may also be a definition file.

    The exit code is 1 when the server is broken.
    """
    if config and wanted:
        raise click.UsageError("--config and --property cannot go together")
    server = get_server(parse_server_name(name))
    if config:
        click.echo(server.json_configuration)
        return
    found = describe_server(server)
    if wanted:
        _print_property(found, wanted, as_json=as_json)
    elif as_json:
        output.print_json(found)
    else:
        click.echo(replace_control_characters(format_server(found)))
    if found["problem"] is not None:
        ctx.exit(1)


def _print_property(found: dict[str, Any], name: str, *, as_json: bool) -> None:
    if name not in found:
        raise ArgumentError(
            f"The server has no property {name!r}",
            where="--property",
            hint=did_you_mean(name, found) or f"one of {', '.join(found)}",
        )
    value = found[name]
    click.echo(value if isinstance(value, str) and not as_json else format_json(value))
