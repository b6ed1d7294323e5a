"""`paddock tools` and `paddock prompts`: what servers can be made of, by name.

Only manifests are read; nothing that they declare is loaded.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from paddock.cli import completing, output
from paddock.cli.render import one_line
from paddock.extensions.registry import declared

if TYPE_CHECKING:
    from paddock.extensions.registry import Declared


@click.command()
@click.argument("pattern", default="*", metavar="[GLOB]", shell_complete=completing.tools)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def tools(pattern: str, *, as_json: bool) -> None:
    """List the tools that servers can be made of.

    GLOB is a name in which * and ? stand for anything, in quotes: 'Word*'.
    """
    _list("tool", pattern, as_json=as_json)


@click.command()
@click.argument("pattern", default="*", metavar="[GLOB]", shell_complete=completing.prompts)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def prompts(pattern: str, *, as_json: bool) -> None:
    """List the prompts that servers can be made of.

    GLOB is a name in which * and ? stand for anything, in quotes: 'Word*'.
    """
    _list("prompt", pattern, as_json=as_json)


def _list(kind: str, pattern: str, *, as_json: bool) -> None:
    found = [one for one in declared(kind) if _matches(one, pattern)]
    if as_json:
        output.print_json([_described(one) for one in found])
        return
    if not found:
        output.note(f"No {kind} matches {pattern!r}")
        return
    output.print_table(
        (kind, "description"),
        [(one.item.name, one_line(one.item.description)) for one in found],
    )


def _matches(one: Declared, pattern: str) -> bool:
    names = (one.item.name, str(one.qualified_name))
    return any(fnmatchcase(name.lower(), pattern.lower()) for name in names)


def _described(one: Declared) -> dict[str, object]:
    return {
        "name": one.item.name,
        "qualified_name": str(one.qualified_name),
        "extension": one.extension.name,
        "description": one.item.description,
    }
