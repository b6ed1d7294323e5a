"""The commands `paddock extensions`, `paddock tools` and `paddock prompts`.

They only read package metadata and manifests. No extension code is loaded.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import click

from paddock.cli import completion, output, text_layout
from paddock.cli.commands import CommandWithSubcommands
from paddock.cli.shared_options import json_option
from paddock.cli.text_layout import to_single_line
from paddock.extensions.discovery import discover
from paddock.extensions.extension import Extension
from paddock.extensions.manifest import ITEM_KINDS
from paddock.extensions.not_found_errors import format_install_command
from paddock.extensions.registry import InstalledItemRegistry, find_catalogue_extension

if TYPE_CHECKING:
    from paddock.extensions.extension import BrokenExtension
    from paddock.extensions.manifest import ItemKind, ManifestItem
    from paddock.extensions.registry import DeclaredItem


Json = dict[str, Any]

COUNTED_KINDS: tuple[ItemKind, ...] = ("servers", "tools", "prompts")
"""The item kinds counted in the list of extensions."""


@click.command(
    cls=CommandWithSubcommands,
    subcommands={
        "search": (
            "paddock.cli.remote_extensions:search",
            "Search the extensions in your catalogues.",
        ),
        "install": (
            "paddock.cli.remote_extensions:install",
            "Install an extension from your catalogues.",
        ),
    },
)
@click.argument(
    "pattern", default="*", metavar="[GLOB]", shell_complete=completion.complete_extensions
)
@json_option
def extensions(pattern: str, *, as_json: bool) -> None:
    """List the installed extensions, including broken ones.

    GLOB is a name with the wildcards * and ?. Quote it for the shell: 'acme/*'. An exact name
    shows everything that the extension declares.
    """
    discovery = discover()
    all_extensions: list[Extension | BrokenExtension] = [*discovery.extensions, *discovery.broken]
    matching = [
        extension
        for extension in all_extensions
        if fnmatchcase(extension.name.lower(), pattern.lower())
    ]
    if as_json:
        output.print_json([_describe_extension(extension) for extension in matching])
    elif not matching:
        output.print_note(f"No extension matches {pattern!r}")
        if find_catalogue_extension(pattern) is not None:
            output.print_note(
                f"It is available in a catalogue. To install it: {format_install_command(pattern)}"
            )
    elif pattern == matching[0].name:
        texts = [_format_extension(_describe_extension(extension)) for extension in matching]
        click.echo(text_layout.replace_control_characters("\n\n".join(texts)))
    else:
        headings = ("extension", "version", "kind", *COUNTED_KINDS, "from")
        output.print_table(headings, map(_build_row, matching))
        for extension in matching:
            if not isinstance(extension, Extension):
                problem = extension.problem
                output.print_warning(f"{extension.name}: {problem.message}", problem.hint)


def _build_row(extension: Extension | BrokenExtension) -> list[output.Cell]:
    """Return an extension's row in the table printed by `paddock extensions`.

    It contains the numbers of servers, tools and prompts. They are empty for a broken extension,
    because its manifest cannot be read.
    """
    if isinstance(extension, Extension):
        counts = [len(extension.manifest.get_items(kind)) for kind in COUNTED_KINDS]
        identity = (extension.name, extension.version or "", extension.kind)
        return [*identity, *counts, str(extension.directory)]
    name, state = output.StyledCell(extension.name, "red"), output.StyledCell("broken", "red")
    return [name, state, extension.kind, *("" for _ in COUNTED_KINDS), str(extension.place)]


def _describe_extension(extension: Extension | BrokenExtension) -> Json:
    """Return a JSON object that describes an extension and all the items it declares.

    For a broken extension, whose items cannot be listed, `problem` is the error.
    """
    description = output.select_attributes(extension, ("name", "kind", "version", "distribution"))
    if not isinstance(extension, Extension):
        return description | {"place": str(extension.place), "problem": str(extension.problem)}
    items: Json = {
        kind: [_describe_item(extension, item) for item in extension.manifest.get_items(kind)]
        for kind in ITEM_KINDS
    }
    paths = {"place": str(extension.directory), "root": str(extension.root)}
    return {**description, **paths, **items, "problem": None}


def _describe_item(extension: Extension, item: ManifestItem) -> Json:
    name = item.name if extension.is_built_in else f"{extension.name}/{item.name}"
    return {"name": name, "description": item.description, **item.properties}


def _format_extension(description: Json) -> str:
    """Format an extension's description as text: its name, properties, and items by kind.

    Args:
        description: The JSON object that `_describe_extension` returns.
    """
    sections = [f"{description['name']} {description['version'] or ''}".rstrip()]
    if description["problem"]:
        sections.append(text_layout.wrap_paragraph(f"Broken: {description['problem']}", 2))
    rows = [("kind", description["kind"]), ("place", description["place"])]
    if description["distribution"]:
        rows.insert(1, ("installed as", description["distribution"]))
    sections.append(text_layout.align_columns(rows, 2))
    for kind in ITEM_KINDS:
        item_rows = [
            (item["name"], text_layout.to_single_line(item["description"]))
            for item in description.get(kind, ())
        ]
        if item_rows:
            sections.append(f"{kind.capitalize()}\n{text_layout.align_columns(item_rows, 2)}")
    return "\n\n".join(sections)


@click.command()
@click.argument("pattern", default="*", metavar="[GLOB]", shell_complete=completion.complete_tools)
@json_option
def tools(pattern: str, *, as_json: bool) -> None:
    """List the tools available to servers.

    GLOB is a name with the wildcards * and ?. Quote it for the shell: 'Word*'.
    """
    _print_declared_items("tools", pattern, as_json=as_json)


@click.command()
@click.argument(
    "pattern", default="*", metavar="[GLOB]", shell_complete=completion.complete_prompts
)
@json_option
def prompts(pattern: str, *, as_json: bool) -> None:
    """List the prompts available to servers.

    GLOB is a name with the wildcards * and ?. Quote it for the shell: 'Word*'.
    """
    _print_declared_items("prompts", pattern, as_json=as_json)


def _print_declared_items(kind: ItemKind, pattern: str, *, as_json: bool) -> None:
    """Print the tools or prompts that the installed extensions declare in their manifests.

    No extension code is run.

    Args:
        kind: The kind of items to print.
        pattern: A name with the wildcards `*` and `?`. Only matching items are printed.
        as_json: Print a JSON document instead of a table.
    """
    matches = [
        declared_item
        for declared_item in InstalledItemRegistry().list_items(kind)
        if _has_matching_name(declared_item, pattern)
    ]
    if as_json:
        output.print_json([_describe_declared_item(declared_item) for declared_item in matches])
        return
    item_kind = kind.removesuffix("s")
    if not matches:
        output.print_note(f"No {item_kind} matches {pattern!r}")
        return
    rows = [(match.name, to_single_line(match.item.description)) for match in matches]
    output.print_table((item_kind, "description"), rows)


def _has_matching_name(declared_item: DeclaredItem, pattern: str) -> bool:
    """Return whether an item's short or qualified name matches, ignoring case."""
    names = (declared_item.item.name, declared_item.qualified_name)
    return any(fnmatchcase(name.lower(), pattern.lower()) for name in names)


def _describe_declared_item(declared_item: DeclaredItem) -> dict[str, object]:
    return {
        **output.select_attributes(declared_item, ("name", "qualified_name")),
        "extension": declared_item.extension.name,
        "description": declared_item.item.description,
    }
