"""`paddock tools` and `paddock prompts`: what servers can be made of, by name.

Only manifests are read; nothing that they declare is loaded.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from paddock.cli import completing, output
from paddock.cli.render import to_single_line
from paddock.extensions.registry import list_declared_items

if TYPE_CHECKING:
    from paddock.extensions.manifest import ItemKind
    from paddock.extensions.registry import DeclaredItem


@click.command()
@click.argument("pattern", default="*", metavar="[GLOB]", shell_complete=completing.complete_tools)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def tools(pattern: str, *, as_json: bool) -> None:
    """List the tools that servers can be made of.

    GLOB is a name in which * and ? stand for anything, in quotes: 'Word*'.
    """
    _print_items("tools", pattern, as_json=as_json)


@click.command()
@click.argument("pattern", default="*", metavar="[GLOB]", shell_complete=completing.complete_prompts)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def prompts(pattern: str, *, as_json: bool) -> None:
    """List the prompts that servers can be made of.

    GLOB is a name in which * and ? stand for anything, in quotes: 'Word*'.
    """
    _print_items("prompts", pattern, as_json=as_json)


def _print_items(kind: ItemKind, pattern: str, *, as_json: bool) -> None:
    found = [one for one in list_declared_items(kind) if _has_matching_name(one, pattern)]
    if as_json:
        output.print_json([_describe_declared_item(one) for one in found])
        return
    word = kind.removesuffix("s")
    if not found:
        output.print_note(f"No {word} matches {pattern!r}")
        return
    rows = [(one.name, to_single_line(one.item.description)) for one in found]
    output.print_table((word, "description"), rows)


def _has_matching_name(one: DeclaredItem, pattern: str) -> bool:
    names = (one.item.name, one.qualified_name)
    return any(fnmatchcase(name.lower(), pattern.lower()) for name in names)


def _describe_declared_item(one: DeclaredItem) -> dict[str, object]:
    return {
        "name": one.name,
        "qualified_name": one.qualified_name,
        "extension": one.extension.name,
        "description": one.item.description,
    }
