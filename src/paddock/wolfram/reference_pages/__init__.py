"""Reference pages of symbols: made anew, and changed in place.

`new_page` gives the text of a page for a `Subject` from a `Description`; a `Page` is read from a
file's text, changed by `edit_page` and `edit_examples`, and written by its `text`, which keeps
everything else to the byte. `read_examples` gives the code of examples for others to evaluate.
Nothing is evaluated and no file is touched here.
"""

from paddock.wolfram.reference_pages.building import PageContent, PageSubject, build_page
from paddock.wolfram.reference_pages.editing import PAGE_OPERATIONS, check_operation, edit_page
from paddock.wolfram.reference_pages.example_editing import (
    EXAMPLE_OPERATIONS,
    check_example_operation,
    edit_examples,
)
from paddock.wolfram.reference_pages.examples import (
    ExampleCode,
    Example,
    examples_to_markdown,
    parse_examples,
)
from paddock.wolfram.reference_pages.failures import ReferencePageError
from paddock.wolfram.reference_pages.layout import SECTION_NAMES, resolve_section_name
from paddock.wolfram.reference_pages.page import SymbolPage
from paddock.wolfram.reference_pages.usage import parse_usage

__all__ = [
    "EXAMPLE_OPERATIONS",
    "PAGE_OPERATIONS",
    "SECTION_NAMES",
    "ExampleCode",
    "PageContent",
    "Example",
    "SymbolPage",
    "ReferencePageError",
    "PageSubject",
    "check_example_operation",
    "check_operation",
    "resolve_section_name",
    "edit_examples",
    "edit_page",
    "examples_to_markdown",
    "build_page",
    "parse_examples",
    "parse_usage",
]
