"""`paddock edit`: a named server changed, by options or in an editor."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeVar

import click

from paddock.cli import completing, output
from paddock.cli.complaints import ArgumentError
from paddock.cli.defining import definition_options, collect_definition_options
from paddock.cli.describing import get_spec_name
from paddock.cli.draft import edit_in_editor
from paddock.errors import PaddockError
from paddock.extensions.references import make_reference_absolute
from paddock.servers.api import edit_server, get_server, find_user_source, rewrite_server
from paddock.servers.named_server import NamedServer
from paddock.servers.reading import read_definition_text
from paddock.servers.tool_options import merge_option_values
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from paddock.servers.definition import ServerDefinition

    NamedItem = tuple[Any, str | None]
    ToolOptionValues = dict[str, dict[str, Any]]

F = TypeVar("F", bound=Callable[..., object])

ITEM_COMPLETERS = {"tool": completing.complete_tools, "prompt": completing.complete_prompts, "resource": None}
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
@click.argument("name", shell_complete=completing.complete_servers)
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
        edit_server(name, lambda before: _build_changes(before, changes, _find_exposed_names(name, before)))
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


def _keep_remaining_options(options: ToolOptionValues, items: list[NamedItem], kept: list[NamedItem]) -> ToolOptionValues:
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
