"""What the tools for reference pages do: arguments in, files changed, an answer out.

Pages themselves are the matter of `paddock.wolfram.reference_pages`, their files of `page_files`,
and the outputs of examples of `example_outputs`. Loaded with the first call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.toolkits.wolfram.example_outputs import Surroundings, fill_outputs
from paddock.toolkits.wolfram.page_files import (
    change_page,
    check_new,
    find_page,
    new_page_path,
    paclet_of,
    read_page,
    symbols_of,
    write_new,
)
from paddock.wolfram import quoted, spelled_out
from paddock.wolfram.reference_pages import (
    OPERATIONS,
    Description,
    Subject,
    check_example_operation,
    check_operation,
    check_section,
    edit_examples,
    edit_page,
    examples_markdown,
    new_page,
    read_examples,
    read_usage,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from paddock.authoring.context import Context
    from paddock.wolfram.reference_pages import Page

Arguments = dict[str, Any]
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def create(arguments: Arguments, ctx: Context) -> str:
    """Make a new page."""
    publisher = _given(arguments, "publisherID")
    paclet = arguments["pacletName"].strip()
    subject = Subject(
        arguments["symbolName"].strip(),
        f"{publisher}/{paclet}" if publisher else paclet,
        _given(arguments, "context"),
    )
    path = new_page_path(arguments["pacletDirectory"], subject.symbol, ctx)
    check_new(path)
    read_usage(arguments["usage"])
    symbols = symbols_of(path)
    examples = read_examples(_given(arguments, "basicExamples"))
    description = Description(
        usage=arguments["usage"],
        notes=_given(arguments, "notes"),
        see_also=_given(arguments, "seeAlso"),
        tech_notes=_given(arguments, "techNotes"),
        guides=_given(arguments, "relatedGuides"),
        links=_given(arguments, "relatedLinks"),
        keywords=_given(arguments, "keywords"),
        version=_given(arguments, "newInVersion"),
        examples=examples,
    )
    target = _target(subject.paclet, symbols)
    # Once before the code is evaluated, so that what is wrong is told at once.
    new_page(subject, description, target)
    around = Surroundings(subject.context, paclet_of(path), symbols)
    told = fill_outputs(examples, around, ctx)
    ctx.raise_if_cancelled()
    write_new(path, new_page(subject, description, target))
    return _answer({"file": str(path), "uri": subject.uri}, told)


def edit(arguments: Arguments, ctx: Context) -> str:
    """Change a part of a page."""
    path = find_page(arguments["notebook"], ctx)
    operation = arguments["operation"]
    check_operation(operation, OPERATIONS)
    symbols = symbols_of(path)
    ctx.raise_if_cancelled()
    change_page(
        path,
        lambda page: edit_page(
            page,
            operation,
            arguments.get("content"),
            arguments.get("position"),
            _target(page.paclet, symbols),
        ),
    )
    return _answer({"file": str(path), "operation": operation})


def edit_page_examples(arguments: Arguments, ctx: Context) -> str:
    """Change the examples in a section of a page."""
    section = check_section(arguments["section"])
    path = find_page(arguments["notebook"], ctx)
    operation, position = arguments["operation"], arguments.get("position")
    content = check_example_operation(operation, arguments.get("content"), position)
    examples = read_examples(content)
    subsection = arguments.get("subsection")

    def change(to: Page) -> None:
        edit_examples(to, operation, section, examples, position=position, subsection=subsection)

    # Once before the code is evaluated, so that what is wrong is told at once.
    page = read_page(path)
    context = page.context
    change(page)
    told = fill_outputs(examples, Surroundings(context, paclet_of(path), symbols_of(path)), ctx)
    ctx.raise_if_cancelled()
    change_page(path, change)
    found = {
        "file": str(path),
        "operation": operation,
        "section": section,
        "generatedContent": examples_markdown(examples),
    }
    return _answer(found, told)


def _given(arguments: Arguments, name: str) -> str:
    return (arguments.get(name) or "").strip()


def _target(paclet: str, symbols: Collection[str]) -> Callable[[str], str]:
    """Where symbols have their pages: in the paclet, or in the documentation of the system."""

    def target(name: str) -> str:
        return f"paclet:{paclet}/ref/{name}" if paclet and name in symbols else f"paclet:ref/{name}"

    return target


def _answer(values: Mapping[str, str], told: list[str] | None = None) -> str:
    """The text of an association."""
    if told:
        values = {**values, "note": ". ".join(told) + "."}
    pairs = ", ".join(f"{_string(key)} -> {_string(value)}" for key, value in values.items())
    return spelled_out(f"<|{pairs}|>")


def _string(value: str) -> str:
    written = quoted(value)
    for sign, escape in _ESCAPES.items():
        written = written.replace(sign, escape)
    return written
