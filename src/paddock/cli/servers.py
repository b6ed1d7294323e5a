"""The commands `paddock servers`, `show`, `create` and `edit` for named servers.

`servers` only reads definitions. `show` loads the tools to report the names that clients see.
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
from paddock.cli.shared_options import combine_options, json_option
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

if TYPE_CHECKING:
    from paddock.named_servers.definition import ServerDefinition

    NamedItem = tuple[Any, str | None]
    ToolOptionValues = dict[str, dict[str, Any]]

F = TypeVar("F", bound=Callable[..., object])
ITEM_OPTION_HELP = {
    "tool": "Tool: a name, module:function or file.py:function. Can be repeated.",
    "prompt": "Prompt, in the same forms. Can be repeated.",
    "resource": "Resource, in the same forms. Can be repeated.",
}
"""The options of `create` for the items of a server."""
ITEM_COMPLETERS = {
    "tool": completion.complete_tools,
    "prompt": completion.complete_prompts,
    "resource": None,
}
"""The kinds of items of a server, with the completer for their names."""


def _make_item_option(option: str, kind: str, help_text: str) -> Callable[[F], F]:
    """Return a decorator that adds an option such as `--add-tool T` to a command.

    Args:
        option: The name of the option, without the leading dashes.
        kind: The kind of items that the option takes, such as `tool`. It selects the completer.
        help_text: The option's help text.
    """
    return click.option(
        f"--{option}",
        option.replace("-", "_"),
        multiple=True,
        metavar=kind[0].upper(),
        shell_complete=ITEM_COMPLETERS[kind],
        help=help_text,
    )


def parse_server_name(argument: str) -> str | Path:
    """Return the argument as a path if it is an existing `.toml` file, or else as a name."""
    return Path(argument) if argument.endswith(".toml") and Path(argument).is_file() else argument


@click.command()
@click.argument(
    "pattern", default="*", metavar="[GLOB]", shell_complete=completion.complete_servers
)
@click.option("--no-built-in", is_flag=True, help="Omit the servers that come with Paddock.")
@click.option("--remote", is_flag=True, help="Include servers in your catalogues.")
@json_option
def servers(pattern: str, *, no_built_in: bool, remote: bool, as_json: bool) -> None:
    """List the named servers, including broken ones.

    GLOB is a name with the wildcards * and ?. Quote it for the shell: 'My*'.
    """
    matches = list_servers(pattern, include_built_in=not no_built_in, include_remote=remote)
    if as_json:
        output.print_json([summarize_server(server) for server in matches])
        return
    if not matches:
        output.print_note(
            f"No server matches {pattern!r}" if pattern != "*" else "There are no servers"
        )
        return
    output.print_table(
        ("server", "version", "tools", "prompts", "from", "installed in"), map(_build_row, matches)
    )
    for server in matches:
        try:
            _ = server.outline  # read from the definition, without running code of the server
        except PaddockError as error:
            output.print_warning(f"{server.name} is broken: {error}")


def _build_row(server: NamedServer) -> list[output.Cell]:
    """Return a server's row in the table printed by `paddock servers`.

    A server whose definition cannot be read is marked as broken.
    """
    remote_note = " (not installed)" if server.is_remote else ""
    client_ids = dict.fromkeys(installation.client for installation in server.installations)
    locations = [f"{server.location}{remote_note}", ", ".join(client_ids)]
    try:
        outline = server.outline
    except PaddockError:
        name, state = output.StyledCell(server.name, "red"), output.StyledCell("broken", "red")
        return [name, state, "", "", *locations]
    # Tools or prompts are None if they are not known until the definition is run.
    item_lists = (outline.tools, outline.prompts)
    counts = ("" if items is None else str(len(items)) for items in item_lists)
    return [server.name, outline.version, *counts, *locations]


@click.command()
@click.argument("name", shell_complete=completion.complete_servers)
@click.option("--property", "property_name", metavar="P", help="Print only this property.")
@click.option("--config", is_flag=True, help="Print the JSON to paste into a client.")
@json_option
@click.pass_context
def show(
    ctx: click.Context, name: str, *, property_name: str | None, config: bool, as_json: bool
) -> None:
    """Show the details of the server NAME. NAME can also be a definition file.

    The exit code is 1 if the server is broken.
    """
    if config and property_name:
        raise click.UsageError("--config and --property cannot be combined")
    server = get_server(parse_server_name(name))
    if config:
        click.echo(server.json_configuration)
        return
    details = describe_server(server)
    if property_name:
        _print_property(details, property_name, as_json=as_json)
    elif as_json:
        output.print_json(details)
    else:
        click.echo(replace_control_characters(format_server(details)))
    if details["problem"] is not None:
        ctx.exit(1)


def _print_property(details: dict[str, Any], name: str, *, as_json: bool) -> None:
    """Print a single property, as text if it is a string and as JSON otherwise."""
    if name not in details:
        raise ArgumentError(
            f"The server has no property {name!r}",
            where="--property",
            hint=did_you_mean(name, details) or f"one of {', '.join(details)}",
        )
    value = details[name]
    click.echo(value if isinstance(value, str) and not as_json else format_json(value))


@click.command()
@click.argument("name")
@combine_options(
    *(_make_item_option(kind, kind, help_text) for kind, help_text in ITEM_OPTION_HELP.items())
)
@definition_options
@click.option(
    "--from",
    "source",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Start from the definition in this TOML or JSON file. Options add to it.",
)
@click.option("--overwrite", is_flag=True, help="Replace your server with the same name.")
def create(name: str, *, source: Path | None, overwrite: bool, **definition_values: Any) -> None:
    """Create a server called NAME, for paddock serve NAME and paddock install CLIENT NAME.

    All tools, prompts and resources are resolved first. If one is missing, nothing is written.
    """
    table = {} if source is None else read_definition_table(source)
    base = parse_definition(table, name=name)
    changes = collect_definition_options(definition_values)
    changes["options"] = merge_option_values(base.options, changes.get("options", {}))
    for kind in ITEM_COMPLETERS:
        references = map(make_reference_absolute, definition_values[kind])
        changes[f"{kind}s"] = [*getattr(base, f"{kind}s"), *references]
    # References in the file are relative to the file's directory.
    with chdir(Path.cwd() if source is None else source.absolute().parent):
        server = _create_server(name, table, changes, overwrite=overwrite)
    click.echo(f"Created {server.name}: {server.location}")
    quoted_name = shlex.quote(name)
    output.print_note(
        f"Try it: paddock inspect {quoted_name}. Use it: paddock install CLIENT {quoted_name}"
    )


def _create_server(
    name: str, table: dict[str, Any], changes: dict[str, Any], *, overwrite: bool
) -> NamedServer:
    """Create a server from a definition table and changes to it.

    Raises:
        ServerExistsError: The name is in use. If it belongs to one of the user's own servers, the
            hint explains how to replace or edit that server.
    """
    try:
        return create_server(name, table, overwrite=overwrite, **changes)
    except ServerExistsError as error:
        if not overwrite and error.where == str(get_definition_path(name)):
            error.hint = f"add --overwrite, choose another name, or run: paddock edit {name}"
        raise


item_change_options = combine_options(
    *(
        _make_item_option(f"{verb}-{kind}", kind, f"{verb.capitalize()} a {kind}. Can be repeated.")
        for kind in ITEM_COMPLETERS
        for verb in ("add", "remove")
    ),
    click.option(
        "--remove-option",
        multiple=True,
        metavar="TOOL.OPTION",
        help="Remove the value of a tool option. Can be repeated.",
    ),
)
"""The options `--add-KIND` and `--remove-KIND` of `edit` for each kind of items."""


@click.command()
@click.argument("name", shell_complete=completion.complete_servers)
@item_change_options
@definition_options
@click.pass_context
def edit(ctx: click.Context, /, name: str, **changes: Any) -> None:
    """Change the server NAME with options. Without options, edit its definition in your editor.

    The editor is taken from the environment variable VISUAL or EDITOR. The edited text replaces
    the definition only if it is valid.

    An empty value removes a setting: --title ''. The exit code is 1 if nothing was changed.
    """
    if any(value not in (None, (), {}) for value in changes.values()):
        edit_server(
            name,
            lambda definition: _build_changes(
                definition, changes, _find_client_tool_names(name, definition)
            ),
        )
    elif not _edit_definition_text(name):
        output.print_note("Nothing was changed")
        ctx.exit(1)
    click.echo(f"Changed {name}: {get_server(name).location}")


def _find_client_tool_names(name: str, definition: ServerDefinition) -> list[str]:
    """Return the names that clients see for a server's tools.

    They are in the order of the tools in the definition. The list is empty if the tools cannot be
    loaded, or if an entry in the definition does not correspond to exactly one tool.
    """
    try:
        tool_names = NamedServer(find_user_source(name), definition).tool_names
    except PaddockError:
        return []
    return tool_names if len(tool_names) == len(definition.tools) else []


def _build_changes(
    definition: ServerDefinition, changes: dict[str, Any], tool_names: list[str]
) -> dict[str, Any]:
    """Convert the options of `paddock edit` to new values for a definition's fields.

    Args:
        definition: The current definition.
        changes: The values of all of `edit`'s options.
        tool_names: The tool names that clients see, which `--remove-tool` also accepts.
    """
    definition_changes = {
        key: value or None for key, value in collect_definition_options(changes).items()
    }
    options = definition.options
    for kind in ITEM_COMPLETERS:
        added, removed = changes[f"add_{kind}"], changes[f"remove_{kind}"]
        if added or removed:
            names = tool_names if kind == "tool" else []
            items = [*zip_longest(getattr(definition, f"{kind}s"), names)]
            remaining = _remove_items(items, removed, kind)
            definition_changes[f"{kind}s"] = [
                *(spec for spec, _ in remaining),
                *map(make_reference_absolute, added),
            ]
            if kind == "tool":
                options = _keep_remaining_options(options, items, remaining)
    if changes["remove_option"] or "options" in definition_changes or options != definition.options:
        values = merge_option_values(options, definition_changes.get("options") or {})
        definition_changes["options"] = _remove_options(values, changes["remove_option"])
    return definition_changes


def _keep_remaining_options(
    options: ToolOptionValues, items: list[NamedItem], remaining: list[NamedItem]
) -> ToolOptionValues:
    """Return a server's option values without those of removed tools.

    Args:
        options: The option values by tool name.
        items: The tools before the removal.
        remaining: The tools after the removal.
    """
    # Two tools can share a short name. It is only removed if no remaining tool has it.
    all_names = {name for item in items for name in _list_item_names(item)}
    remaining_names = {name for item in remaining for name in _list_item_names(item)}
    removed_names = all_names - remaining_names
    return {tool: values for tool, values in options.items() if tool not in removed_names}


def _list_item_names(item: NamedItem) -> list[str]:
    """Return the names that identify a tool, prompt or resource to remove from a definition.

    They are the full reference (`module:function`), its last part, and the name that clients see,
    if known.
    """
    spec, client_name = item
    reference = get_spec_name(spec)
    function_name = reference.rpartition(":")[2]
    return [reference, function_name, *([client_name] if client_name else [])]


def _remove_items(
    items: list[NamedItem], names_to_remove: tuple[str, ...], kind: str
) -> list[NamedItem]:
    """Return a server's items without those that have the given names.

    Args:
        items: The server's tools, prompts or resources.
        names_to_remove: The values of an option such as `--remove-tool`.
        kind: The kind of the items, such as `tool`, for the error message.

    Raises:
        ArgumentError: One of the names matches none of the items.
    """
    remaining = list(items)
    for name in names_to_remove:
        match = next((item for item in remaining if name in _list_item_names(item)), None)
        if match is None:
            known_names = [get_spec_name(spec) for spec, _ in remaining]
            raise _make_removal_error(kind, name, known_names)
        remaining.remove(match)
    return remaining


def _remove_options(values: dict[str, dict[str, Any]], paths: tuple[str, ...]) -> dict[str, Any]:
    """Remove the option values at the given paths (`TOOL.OPTION`), and return the others.

    This deletes the values from `values` itself.

    Raises:
        ArgumentError: The server does not set one of the options.
    """
    for path in paths:
        tool, _, option = path.rpartition(".")
        if option not in values.get(tool, {}):
            known_paths = [f"{name}.{key}" for name, options in values.items() for key in options]
            raise _make_removal_error("option", path, known_paths)
        del values[tool][option]
    return {tool: tool_values for tool, tool_values in values.items() if tool_values}


def _make_removal_error(kind: str, name: str, known_names: list[str]) -> ArgumentError:
    """Return the error for a `--remove-…` item or option that the server does not have.

    Its hint suggests similar names, or lists all known names.
    """
    verb = "sets" if kind == "option" else "has"
    return ArgumentError(
        f"The server {verb} no {kind} {name!r}",
        where=f"--remove-{kind}",
        hint=did_you_mean(name, known_names) or f"it {verb} {', '.join(known_names) or 'none'}",
    )


def _edit_definition_text(name: str) -> bool:
    """Open the definition in the user's editor, and return whether it was changed."""
    original = read_definition_text(find_user_source(name).file)
    return edit_in_editor(
        original, lambda text: rewrite_server(name, text, original), "the definition"
    )
