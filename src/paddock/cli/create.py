"""`paddock create`: a named server made of options, or of a file with its definition."""

from __future__ import annotations

import shlex
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from paddock.cli import completing, output
from paddock.cli.defining import definition_options, collect_definition_options, read_definition_table
from paddock.extensions.references import make_reference_absolute
from paddock.servers.api import create_server
from paddock.servers.definition import parse_definition
from paddock.servers.errors import ServerExistsError
from paddock.servers.reading import get_definition_path
from paddock.servers.tool_options import merge_option_values

if TYPE_CHECKING:
    from paddock.servers.named_server import NamedServer


@click.command()
@click.argument("name")
@click.option(
    "--tool",
    "tools",
    multiple=True,
    metavar="T",
    shell_complete=completing.complete_tools,
    help="A tool by its name, as module:function or as file.py:function; may be repeated.",
)
@click.option(
    "--prompt",
    "prompts",
    multiple=True,
    metavar="P",
    shell_complete=completing.complete_prompts,
    help="A prompt, in the same ways; may be repeated.",
)
@click.option(
    "--resource",
    "resources",
    multiple=True,
    metavar="R",
    help="A resource, in the same ways; may be repeated.",
)
@definition_options
@click.option(
    "--from",
    "source",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Begin with the definition in this TOML or JSON file; the options add to it.",
)
@click.option("--overwrite", is_flag=True, help="Replace your server of that name.")
def create(
    name: str,
    *,
    tools: tuple[str, ...],
    prompts: tuple[str, ...],
    resources: tuple[str, ...],
    source: Path | None,
    overwrite: bool,
    **facts: Any,
) -> None:
    """Make a server that is known by its NAME: paddock serve NAME, paddock install CLIENT NAME.

    Everything that it is made of is looked up at once, so that a slip of the pen is found now.
    """
    table = {} if source is None else read_definition_table(source)
    base = parse_definition(table, name=name)
    given = collect_definition_options(facts)
    given["options"] = merge_option_values(base.options, given.get("options", {}))
    for kind, values in {"tools": tools, "prompts": prompts, "resources": resources}.items():
        given[kind] = [*getattr(base, kind), *map(make_reference_absolute, values)]
    # What the file refers to counts from where the file is.
    with chdir(Path.cwd() if source is None else source.absolute().parent):
        server = _create_server(name, table, given, overwrite=overwrite)
    click.echo(f"Created {server.name}: {server.location}")
    word = shlex.quote(name)
    output.print_note(f"Try it: paddock inspect {word}. Use it: paddock install CLIENT {word}")


def _create_server(
    name: str, table: dict[str, Any], given: dict[str, Any], *, overwrite: bool
) -> NamedServer:
    try:
        return create_server(name, table, overwrite=overwrite, **given)
    except ServerExistsError as error:
        if not overwrite and error.where == str(get_definition_path(name)):
            error.hint = f"add --overwrite, or choose another name, or: paddock edit {name}"
        raise
