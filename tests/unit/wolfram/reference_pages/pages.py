"""Sample pages, and what tests look at in them."""

from pathlib import Path
from random import Random

from paddock.wolfram.notebooks import boxes_to_text, read_notebook
from paddock.wolfram.reference_pages import (
    PageContent,
    PageSubject,
    SymbolPage,
    build_page,
    edit_examples,
    edit_page,
    parse_examples,
)

DIRECTORY = Path(__file__).parents[3] / "samples" / "reference_pages"
PAGES = ("saved.nb", "flat.nb", "sparse.nb")
"""Those that can be edited."""


def sample(name: str) -> str:
    """The text of a sample, with its line ends as they are."""
    return (DIRECTORY / name).read_bytes().decode()


def target(name: str) -> str:
    """Where tests have the pages of related symbols."""
    return f"paclet:ref/{name}"


def fresh(**description: str) -> str:
    """A new page for `AddTwo`."""
    examples = parse_examples(description.pop("examples", ""))
    given = PageContent(**{"usage": "- `AddTwo[x]` adds 2 to *x*.", **description})  # type: ignore[arg-type]  # all of these are strings
    given.examples = examples
    same_ids = Random(1)  # noqa: S311 - the same ids each time
    return build_page(
        PageSubject("AddTwo", "Corner/Sums"), given, target, random_generator=same_ids
    )


def edited(text: str, operation: str, content: str | None, position: int | None = None) -> str:
    """A page after an operation."""
    page = SymbolPage(text, Random(2))  # noqa: S311 - the same ids each time
    edit_page(page, operation, content, position, target)
    return page.to_text()


def with_examples(
    text: str,
    operation: str,
    section: str,
    content: str = "",
    position: int | None = None,
    subsection: str | None = None,
) -> str:
    """A page after an operation on its examples, which are not evaluated."""
    page = SymbolPage(text, Random(3))  # noqa: S311 - the same ids each time
    edit_examples(
        page, operation, section, parse_examples(content), position=position, subsection=subsection
    )
    return page.to_text()


def cells(text: str) -> list[tuple[str, str]]:
    """The styles of all cells and what they say, in reading order."""
    notebook = read_notebook(text)
    assert notebook.problems == []
    return [
        (
            cell.style,
            (
                cell.content
                if isinstance(cell.content, str)
                else boxes_to_text(cell.content, form="text")
            ).strip(),
        )
        for cell in notebook
    ]


def below(text: str, style: str, title: str = "", *, until: tuple[str, ...] = ()) -> list[str]:
    """What the cells between a heading and the next heading of the same kind say."""
    found: list[str] = []
    is_inside = False
    for kind, said in cells(text):
        if is_inside and (kind == style or kind in until):
            break
        if is_inside:
            found.append(said)
        is_inside = is_inside or (kind == style and said.startswith(title))
    return found


def scope(text: str) -> list[str]:
    """What is below the heading Scope."""
    return below(text, "ExampleSection", "Scope", until=("MetadataSection",))


def basic(text: str) -> list[str]:
    """What is below the heading of the basic examples."""
    return below(text, "PrimaryExamplesSection", until=("ExtendedExamplesSection",))


def options(text: str) -> list[str]:
    """What is below the heading Options."""
    return below(text, "ExampleSection", "Options", until=("MetadataSection",))


def notes(text: str) -> list[str]:
    """What is below the usage."""
    return below(text, "Usage", until=("SeeAlsoSection",))
