"""What the tools for reference pages do: arguments in, files changed, an answer out.

Pages themselves are the matter of `paddock.wolfram.reference_pages`, their files of `page_files`,
and the outputs of examples of `example_outputs`. Loaded with the first call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.toolkits.wolfram.example_outputs import ExampleContext, fill_example_outputs
from paddock.toolkits.wolfram.page_files import (
    edit_page_file,
    check_page_absent,
    require_page_path,
    resolve_new_page_path,
    get_paclet_directory,
    read_page_file,
    find_paclet_symbols,
    write_new_page,
)
from paddock.wolfram import quote_string, escape_private_characters
from paddock.wolfram.reference_pages import (
    PAGE_OPERATIONS,
    PageContent,
    PageSubject,
    check_example_operation,
    check_operation,
    resolve_section_name,
    edit_examples,
    edit_page,
    examples_to_markdown,
    build_page,
    parse_examples,
    parse_usage,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from paddock.authoring.context import Context
    from paddock.wolfram.reference_pages import SymbolPage

Arguments = dict[str, Any]
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def write_new_symbol_page(arguments: Arguments, ctx: Context) -> str:
    """Make a new page."""
    publisher = _get_text_argument(arguments, "publisherID")
    paclet = arguments["pacletName"].strip()
    subject = PageSubject(
        arguments["symbolName"].strip(),
        f"{publisher}/{paclet}" if publisher else paclet,
        _get_text_argument(arguments, "context"),
    )
    path = resolve_new_page_path(arguments["pacletDirectory"], subject.symbol, ctx)
    check_page_absent(path)
    parse_usage(arguments["usage"])
    symbols = find_paclet_symbols(path)
    examples = parse_examples(_get_text_argument(arguments, "basicExamples"))
    description = PageContent(
        usage=arguments["usage"],
        notes=_get_text_argument(arguments, "notes"),
        see_also=_get_text_argument(arguments, "seeAlso"),
        tech_notes=_get_text_argument(arguments, "techNotes"),
        guides=_get_text_argument(arguments, "relatedGuides"),
        links=_get_text_argument(arguments, "relatedLinks"),
        keywords=_get_text_argument(arguments, "keywords"),
        version=_get_text_argument(arguments, "newInVersion"),
        examples=examples,
    )
    target = _create_link_resolver(subject.paclet, symbols)
    # Once before the code is evaluated, so that what is wrong is told at once.
    build_page(subject, description, target)
    around = ExampleContext(subject.context, get_paclet_directory(path), symbols)
    told = fill_example_outputs(examples, around, ctx)
    ctx.raise_if_cancelled()
    write_new_page(path, build_page(subject, description, target))
    return _format_association({"file": str(path), "uri": subject.uri}, told)


def update_symbol_page(arguments: Arguments, ctx: Context) -> str:
    """Change a part of a page."""
    path = require_page_path(arguments["notebook"], ctx)
    operation = arguments["operation"]
    check_operation(operation, PAGE_OPERATIONS)
    symbols = find_paclet_symbols(path)
    ctx.raise_if_cancelled()
    edit_page_file(
        path,
        lambda page: edit_page(
            page,
            operation,
            arguments.get("content"),
            arguments.get("position"),
            _create_link_resolver(page.paclet, symbols),
        ),
    )
    return _format_association({"file": str(path), "operation": operation})


def update_symbol_page_examples(arguments: Arguments, ctx: Context) -> str:
    """Change the examples in a section of a page."""
    section = resolve_section_name(arguments["section"])
    path = require_page_path(arguments["notebook"], ctx)
    operation, position = arguments["operation"], arguments.get("position")
    content = check_example_operation(operation, arguments.get("content"), position)
    examples = parse_examples(content)
    subsection = arguments.get("subsection")

    def change(to: SymbolPage) -> None:
        edit_examples(to, operation, section, examples, position=position, subsection=subsection)

    # Once before the code is evaluated, so that what is wrong is told at once.
    page = read_page_file(path)
    context = page.context
    change(page)
    told = fill_example_outputs(examples, ExampleContext(context, get_paclet_directory(path), find_paclet_symbols(path)), ctx)
    ctx.raise_if_cancelled()
    edit_page_file(path, change)
    found = {
        "file": str(path),
        "operation": operation,
        "section": section,
        "generatedContent": examples_to_markdown(examples),
    }
    return _format_association(found, told)


def _get_text_argument(arguments: Arguments, name: str) -> str:
    return (arguments.get(name) or "").strip()


def _create_link_resolver(paclet: str, symbols: Collection[str]) -> Callable[[str], str]:
    """Where symbols have their pages: in the paclet, or in the documentation of the system."""

    def target(name: str) -> str:
        return f"paclet:{paclet}/ref/{name}" if paclet and name in symbols else f"paclet:ref/{name}"

    return target


def _format_association(values: Mapping[str, str], told: list[str] | None = None) -> str:
    """The text of an association."""
    if told:
        values = {**values, "note": ". ".join(told) + "."}
    pairs = ", ".join(f"{_format_string(key)} -> {_format_string(value)}" for key, value in values.items())
    return escape_private_characters(f"<|{pairs}|>")


def _format_string(value: str) -> str:
    written = quote_string(value)
    for sign, escape in _ESCAPES.items():
        written = written.replace(sign, escape)
    return written
