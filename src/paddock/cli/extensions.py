"""`paddock extensions`: what is installed that brings tools, prompts, resources and servers.

Only metadata and manifests are read; nothing of an extension is loaded.

`paddock tools` and `paddock prompts`: what servers can be made of, by name.

Only manifests are read; nothing that they declare is loaded.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import click

from paddock.cli import completion, output, text_layout
from paddock.cli.commands import CommandWithSubcommands
from paddock.cli.text_layout import to_single_line
from paddock.extensions.discovery import discover
from paddock.extensions.extension import Extension
from paddock.extensions.manifest import ITEM_KINDS
from paddock.extensions.not_found_errors import format_install_command
from paddock.extensions.registry import find_catalogue_extension, list_declared_items

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.extensions.extension import BrokenExtension
    from paddock.extensions.manifest import ItemKind, ManifestItem
    from paddock.extensions.registry import DeclaredItem


Json = dict[str, Any]

COUNTED_KINDS: tuple[ItemKind, ...] = ("servers", "tools", "prompts")
"""What the list counts."""


class ExtensionsCommand(CommandWithSubcommands):
    """The list of extensions, and what else can be done with them."""

    subcommands: Mapping[str, tuple[str, str]] = {
        "search": (
            "paddock.cli.remote_extensions:search",
            "List the extensions in your catalogues.",
        ),
        "install": (
            "paddock.cli.remote_extensions:install",
            "Install an extension from your catalogues.",
        ),
    }


@click.command(cls=ExtensionsCommand)
@click.argument(
    "pattern", default="*", metavar="[GLOB]", shell_complete=completion.complete_extensions
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def extensions(pattern: str, *, as_json: bool) -> None:
    """List what is installed that brings tools, prompts and servers, broken extensions too.

    GLOB is a name in which * and ? stand for anything, in quotes: 'acme/*'. A name as it is shows
    everything that this extension declares.
    """
    found = discover()
    everything: list[Extension | BrokenExtension] = [*found.extensions, *found.broken]
    matching = [one for one in everything if fnmatchcase(one.name.lower(), pattern.lower())]
    if as_json:
        output.print_json([_describe_extension(one) for one in matching])
    elif not matching:
        output.print_note(f"No extension matches {pattern!r}")
        if find_catalogue_extension(pattern) is not None:
            output.print_note(
                f"A catalogue lists it; to install it: {format_install_command(pattern)}"
            )
    elif pattern == matching[0].name:
        click.echo(
            text_layout.replace_control_characters(
                "\n\n".join(_format_extension(_describe_extension(one)) for one in matching)
            )
        )
    else:
        headings = ("extension", "version", "kind", *COUNTED_KINDS, "from")
        output.print_table(headings, map(_build_row, matching))
        _warn_broken_extensions(matching)


def _build_row(one: Extension | BrokenExtension) -> list[output.Cell]:
    if isinstance(one, Extension):
        counts = [str(len(one.manifest.get_items(kind))) for kind in COUNTED_KINDS]
        return [one.name, one.version or "", one.kind, *counts, str(one.directory)]
    broken: list[output.Cell] = [
        output.StyledCell(one.name, "red"),
        output.StyledCell("broken", "red"),
    ]
    return [*broken, one.kind, *("" for _ in COUNTED_KINDS), str(one.place)]


def _warn_broken_extensions(several: list[Extension | BrokenExtension]) -> None:
    for one in several:
        if not isinstance(one, Extension):
            output.print_warning(f"{one.name}: {one.problem.message}", one.problem.hint)


def _describe_extension(one: Extension | BrokenExtension) -> Json:
    found: Json = {
        "name": one.name,
        "kind": one.kind,
        "version": one.version,
        "distribution": one.distribution,
    }
    if not isinstance(one, Extension):
        return found | {"place": str(one.place), "problem": str(one.problem)}
    items = {
        kind: [_describe_item(one, item) for item in one.manifest.get_items(kind)]
        for kind in ITEM_KINDS
    }
    return found | {"place": str(one.directory), "root": str(one.root)} | items | {"problem": None}


def _describe_item(extension: Extension, item: ManifestItem) -> Json:
    name = item.name if extension.is_built_in else f"{extension.name}/{item.name}"
    return {"name": name, "description": item.description, **item.properties}


def _format_extension(found: Json) -> str:
    parts = [f"{found['name']} {found['version'] or ''}".rstrip()]
    if found["problem"]:
        parts.append(text_layout.wrap_paragraph(f"Broken: {found['problem']}", 2))
    rows = [("kind", found["kind"]), ("place", found["place"])]
    if found["distribution"]:
        rows.insert(1, ("installed as", found["distribution"]))
    parts.append(text_layout.align_columns(rows, 2))
    for kind in ITEM_KINDS:
        items = [
            (one["name"], text_layout.to_single_line(one["description"]))
            for one in found.get(kind, ())
        ]
        if items:
            parts.append(f"{kind.capitalize()}\n{text_layout.align_columns(items, 2)}")
    return "\n\n".join(parts)


@click.command()
@click.argument("pattern", default="*", metavar="[GLOB]", shell_complete=completion.complete_tools)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def tools(pattern: str, *, as_json: bool) -> None:
    """List the tools that servers can be made of.

    GLOB is a name in which * and ? stand for anything, in quotes: 'Word*'.
    """
    _print_items("tools", pattern, as_json=as_json)


@click.command()
@click.argument(
    "pattern", default="*", metavar="[GLOB]", shell_complete=completion.complete_prompts
)
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
