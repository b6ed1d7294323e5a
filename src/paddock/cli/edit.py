"""`paddock edit`: a named server changed, by options or in an editor."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeVar

import click

from paddock.cli import completing, output
from paddock.cli.complaints import ArgumentError
from paddock.cli.defining import facts_options, given_facts
from paddock.cli.describing import spec_name
from paddock.cli.draft import edit_draft
from paddock.errors import PaddockError
from paddock.extensions.references import absolute_reference
from paddock.servers.api import edit_server, get_server, own_source, rewrite_server
from paddock.servers.named_server import NamedServer
from paddock.servers.reading import read_text
from paddock.servers.tool_options import merged
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from paddock.servers.definition import ServerDefinition

    Named = tuple[Any, str | None]
    Options = dict[str, dict[str, Any]]

F = TypeVar("F", bound=Callable[..., object])

KINDS = {"tool": completing.tools, "prompt": completing.prompts, "resource": None}
"""What can be added and removed, and how its names are completed."""


def change_options(function: F) -> F:
    """An option to add and one to remove, for each kind of item."""
    function = click.option(
        "--remove-option",
        multiple=True,
        metavar="TOOL.OPTION",
        help="Take out the value for an option of a tool; may be repeated.",
    )(function)
    for kind, completer in reversed(KINDS.items()):
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
@click.argument("name", shell_complete=completing.servers)
@change_options
@facts_options
@click.pass_context
def edit(ctx: click.Context, /, name: str, **changes: Any) -> None:
    """Change the server NAME: with options as they say, without any in your editor.

    The editor is that of the environment variable VISUAL or EDITOR. It gets a copy of the
    definition, which takes the place of the old one only when it is right in every part.

    An empty text takes out what an option sets: --title ''. The exit code is 1 when nothing was
    changed.
    """
    if any(value not in (None, ()) for value in changes.values()):
        edit_server(name, lambda before: _changed(before, changes, _exposed(name, before)))
    elif not _edit_text(name):
        output.note("Nothing was changed")
        ctx.exit(1)
    click.echo(f"Changed {name}: {get_server(name).location}")


def _exposed(name: str, definition: ServerDefinition) -> list[str]:
    """The names that clients see of the tools; none when they cannot be found."""
    try:
        names = NamedServer(own_source(name), definition).tool_names
    except PaddockError:
        return []
    return names if len(names) == len(definition.tools) else []


def _changed(
    before: ServerDefinition, changes: dict[str, Any], exposed: list[str]
) -> dict[str, Any]:
    """What the options say, as the library takes it."""
    given = {key: value or None for key, value in given_facts(changes).items()}
    options = before.options
    for kind in KINDS:
        added, removed = changes[f"add_{kind}"], changes[f"remove_{kind}"]
        if added or removed:
            names = exposed if kind == "tool" else []
            items = [*zip_longest(getattr(before, f"{kind}s"), names)]
            kept = _without(items, removed, kind)
            given[f"{kind}s"] = [*(spec for spec, _ in kept), *map(absolute_reference, added)]
            if kind == "tool":
                options = _options_left(options, items, kept)
    if changes["remove_option"] or "options" in given or options != before.options:
        values = merged(options, given.get("options") or {})
        given["options"] = _without_options(values, changes["remove_option"])
    return given


def _options_left(options: Options, items: list[Named], kept: list[Named]) -> Options:
    """The values for options that are left when tools go, and their options with them."""
    gone = {name for one in items for name in _names(one)} - {
        name for one in kept for name in _names(one)
    }
    return {tool: given for tool, given in options.items() if tool not in gone}


def _names(item: Named) -> list[str]:
    """What an item may be called: as in the definition, by the end of that, or as clients do."""
    spec, exposed = item
    return [spec_name(spec), _short(spec), *([exposed] if exposed else [])]


def _without(items: list[Named], removed: tuple[str, ...], kind: str) -> list[Named]:
    """The items that are left, when those of some names go."""
    kept = list(items)
    for name in removed:
        found = next((one for one in kept if name in _names(one)), None)
        if found is None:
            names = [spec_name(spec) for spec, _ in kept]
            raise ArgumentError(
                f"The server has no {kind} {name!r}",
                where=f"--remove-{kind}",
                hint=did_you_mean(name, names) or f"it has {', '.join(names) or 'none'}",
            )
        kept.remove(found)
    return kept


def _short(spec: object) -> str:
    """The last name of a reference."""
    return spec_name(spec).rpartition(":")[2]


def _without_options(values: dict[str, dict[str, Any]], removed: tuple[str, ...]) -> dict[str, Any]:
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


def _edit_text(name: str) -> bool:
    """Have a copy of the definition edited until it is right; whether it has changed."""
    before = read_text(own_source(name).file)
    return edit_draft(before, lambda text: rewrite_server(name, text, before), "the definition")
