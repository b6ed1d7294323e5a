"""`paddock servers` and `paddock show`: which named servers there are, and what they are."""

from __future__ import annotations

import click

from paddock.cli import completing, output
from paddock.cli.complaints import ArgumentError, did_you_mean
from paddock.cli.describing import PROPERTIES, described, location, plain, summary
from paddock.cli.render import pretty
from paddock.servers.api import get_server, list_servers
from paddock.servers.named_server import NamedServer


@click.command()
@click.argument("pattern", default="*", metavar="[GLOB]", shell_complete=completing.servers)
@click.option("--no-built-in", is_flag=True, help="Leave out the servers that come with Paddock.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def servers(pattern: str, *, no_built_in: bool, as_json: bool) -> None:
    """List the named servers, broken ones too.

    GLOB is a name in which * and ? stand for anything, in quotes: 'My*'.
    """
    found = list_servers(pattern, include_built_in=not no_built_in)
    if as_json:
        output.print_json([summary(server) for server in found])
        return
    if not found:
        output.note(f"No server matches {pattern!r}" if pattern != "*" else "There is no server")
        return
    output.print_table(
        ("server", "version", "tools", "prompts", "from", "installed in"), map(_row, found)
    )


def _row(server: NamedServer) -> list[output.Cell]:
    where = location(server)
    if server.problem is not None:
        broken = output.Styled("broken", "red")
        return [output.Styled(server.name, "red"), broken, "", "", where, _clients(server)]
    tools, prompts = str(len(server.tool_names)), str(len(server.prompt_names))
    return [server.name, server.version, tools, prompts, where, _clients(server)]


def _clients(server: NamedServer) -> str:
    return ", ".join(dict.fromkeys(one.client for one in server.installations))


@click.command()
@click.argument("name", shell_complete=completing.servers)
@click.option("--property", "wanted", metavar="P", help="Print only this property.")
@click.option("--config", is_flag=True, help="Print the JSON to paste into a client.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def show(
    ctx: click.Context, name: str, *, wanted: str | None, config: bool, as_json: bool
) -> None:
    """Show everything about the server NAME, which may also be a definition file.

    The exit code is 1 when the server is broken.
    """
    if config and wanted:
        raise click.UsageError("--config and --property cannot go together")
    server = get_server(name)
    if config:
        click.echo(server.json_configuration)
    elif wanted:
        _print_property(server, wanted, as_json=as_json)
    elif as_json:
        output.print_json(plain(server))
    else:
        click.echo(described(server))
    if server.problem is not None:
        ctx.exit(1)


def _print_property(server: NamedServer, name: str, *, as_json: bool) -> None:
    known = plain(server)
    if name not in known:
        raise ArgumentError(
            f"A server has no property {name!r}",
            where="--property",
            hint=did_you_mean(name, known) or f"one of {', '.join(PROPERTIES)}",
        )
    value = known[name]
    click.echo(value if isinstance(value, str) and not as_json else pretty(value))
