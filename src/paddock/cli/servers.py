"""`paddock servers` and `paddock show`: which named servers there are, and what they are.

Words on the command line that may be the name of a server, or lead to a file.

`paddock create`: a named server made of options, or of a file with its definition.

`paddock edit`: a named server changed, by options or in an editor.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import chdir
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from paddock.cli import completion, output
from paddock.cli.definition_options import (
    collect_definition_options,
    definition_options,
    read_definition_table,
)
from paddock.cli.editor_draft import edit_in_editor
from paddock.cli.errors import ArgumentError
from paddock.cli.server_details import (
    describe_server,
    format_server,
    get_spec_name,
    summarize_server,
)
from paddock.cli.text_layout import format_json, replace_control_characters
from paddock.errors import PaddockError
from paddock.extensions.references import make_reference_absolute
from paddock.named_servers.api import (
    create_server,
    edit_server,
    find_user_source,
    get_server,
    list_servers,
    rewrite_server,
)
from paddock.named_servers.definition import parse_definition
from paddock.named_servers.named_server import NamedServer
from paddock.named_servers.names import ServerExistsError
from paddock.named_servers.sources import get_definition_path, read_definition_text
from paddock.named_servers.tool_options import merge_option_values
from paddock.suggestions import did_you_mean


def parse_server_name(word: str) -> str | Path:
    """A name, or the path of a definition file where a word is one."""
    return Path(word) if word.endswith(".toml") and Path(word).is_file() else word


COUNTED_KINDS = ("tools", "prompts")
"""What a list of servers counts."""


@click.command()
@click.argument(
    "pattern", default="*", metavar="[GLOB]", shell_complete=completion.complete_servers
)
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
        output.print_note(
            f"No server matches {pattern!r}" if pattern != "*" else "There is no server"
        )
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
        return [
            output.StyledCell(server.name, "red"),
            output.StyledCell("broken", "red"),
            "",
            "",
            *where,
        ]
    return [
        server.name,
        said.version,
        *(_format_count(getattr(said, kind)) for kind in COUNTED_KINDS),
        *where,
    ]


def _format_count(specs: list[Any] | None) -> str:
    return "" if specs is None else str(len(specs))


def _list_client_ids(server: NamedServer) -> str:
    return ", ".join(dict.fromkeys(one.client for one in server.installations))


@click.command()
@click.argument("name", shell_complete=completion.complete_servers)
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


@click.command()
@click.argument("name")
@click.option(
    "--tool",
    "tools",
    multiple=True,
    metavar="T",
    shell_complete=completion.complete_tools,
    help="A tool by its name, as module:function or as file.py:function; may be repeated.",
)
@click.option(
    "--prompt",
    "prompts",
    multiple=True,
    metavar="P",
    shell_complete=completion.complete_prompts,
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


if TYPE_CHECKING:
    from paddock.named_servers.definition import ServerDefinition

    NamedItem = tuple[Any, str | None]
    ToolOptionValues = dict[str, dict[str, Any]]

F = TypeVar("F", bound=Callable[..., object])

ITEM_COMPLETERS = {
    "tool": completion.complete_tools,
    "prompt": completion.complete_prompts,
    "resource": None,
}
"""What can be added and removed, and how its names are completed."""


def item_change_options(function: F) -> F:
    """An option to add and one to remove, for each kind of item."""
    function = click.option(
        "--remove-option",
        multiple=True,
        metavar="TOOL.OPTION",
        help="Take out the value for an option of a tool; may be repeated.",
    )(function)
    for kind, completer in reversed(ITEM_COMPLETERS.items()):
        for verb, text in (("remove", "Take out"), ("add", "Add")):
            function = click.option(
                f"--{verb}-{kind}",
                multiple=True,
                metavar=kind[0].upper(),
                shell_complete=completer,
                help=f"{text} a {kind}; may be repeated.",
            )(function)
    return function


@click.command()
@click.argument("name", shell_complete=completion.complete_servers)
@item_change_options
@definition_options
@click.pass_context
def edit(ctx: click.Context, /, name: str, **changes: Any) -> None:
    """Change the server NAME: with options as they say, without any in your editor.

    The editor is that of the environment variable VISUAL or EDITOR. It gets a copy of the
    definition, which takes the place of the old one only when it is right in every part.

    An empty text takes out what an option sets: --title ''. The exit code is 1 when nothing was
    changed.
    """
    if any(value not in (None, ()) for value in changes.values()):
        edit_server(
            name, lambda before: _build_changes(before, changes, _find_exposed_names(name, before))
        )
    elif not _edit_definition_text(name):
        output.print_note("Nothing was changed")
        ctx.exit(1)
    click.echo(f"Changed {name}: {get_server(name).location}")


def _find_exposed_names(name: str, definition: ServerDefinition) -> list[str]:
    """The names that clients see of the tools; none when they cannot be found."""
    try:
        names = NamedServer(find_user_source(name), definition).tool_names
    except PaddockError:
        return []
    return names if len(names) == len(definition.tools) else []


def _build_changes(
    before: ServerDefinition, changes: dict[str, Any], exposed: list[str]
) -> dict[str, Any]:
    """What the options say, as the library takes it."""
    given = {key: value or None for key, value in collect_definition_options(changes).items()}
    options = before.options
    for kind in ITEM_COMPLETERS:
        added, removed = changes[f"add_{kind}"], changes[f"remove_{kind}"]
        if added or removed:
            names = exposed if kind == "tool" else []
            items = [*zip_longest(getattr(before, f"{kind}s"), names)]
            kept = _remove_items(items, removed, kind)
            given[f"{kind}s"] = [*(spec for spec, _ in kept), *map(make_reference_absolute, added)]
            if kind == "tool":
                options = _keep_remaining_options(options, items, kept)
    if changes["remove_option"] or "options" in given or options != before.options:
        values = merge_option_values(options, given.get("options") or {})
        given["options"] = _remove_options(values, changes["remove_option"])
    return given


def _keep_remaining_options(
    options: ToolOptionValues, items: list[NamedItem], kept: list[NamedItem]
) -> ToolOptionValues:
    """The values for options that are left when tools go, and their options with them."""
    gone = {name for one in items for name in _list_item_names(one)} - {
        name for one in kept for name in _list_item_names(one)
    }
    return {tool: given for tool, given in options.items() if tool not in gone}


def _list_item_names(item: NamedItem) -> list[str]:
    """What an item may be called: as in the definition, by the end of that, or as clients do."""
    spec, exposed = item
    return [get_spec_name(spec), _get_short_name(spec), *([exposed] if exposed else [])]


def _remove_items(items: list[NamedItem], removed: tuple[str, ...], kind: str) -> list[NamedItem]:
    """The items that are left, when those of some names go."""
    kept = list(items)
    for name in removed:
        found = next((one for one in kept if name in _list_item_names(one)), None)
        if found is None:
            names = [get_spec_name(spec) for spec, _ in kept]
            raise ArgumentError(
                f"The server has no {kind} {name!r}",
                where=f"--remove-{kind}",
                hint=did_you_mean(name, names) or f"it has {', '.join(names) or 'none'}",
            )
        kept.remove(found)
    return kept


def _get_short_name(spec: object) -> str:
    """The last name of a reference."""
    return get_spec_name(spec).rpartition(":")[2]


def _remove_options(values: dict[str, dict[str, Any]], removed: tuple[str, ...]) -> dict[str, Any]:
    for path in removed:
        tool, _, option = path.rpartition(".")
        if option not in values.get(tool, {}):
            known = [f"{one}.{name}" for one, given in values.items() for name in given]
            raise ArgumentError(
                f"The server sets no option {path!r}",
                where="--remove-option",
                hint=did_you_mean(path, known) or f"it sets {', '.join(known) or 'none'}",
            )
        del values[tool][option]
    return {tool: given for tool, given in values.items() if given}


def _edit_definition_text(name: str) -> bool:
    """Have a copy of the definition edited until it is right; whether it has changed."""
    before = read_definition_text(find_user_source(name).file)
    return edit_in_editor(before, lambda text: rewrite_server(name, text, before), "the definition")
