"""Reference pages of symbols: made anew, and changed in place.

`new_page` gives the text of a page for a `Subject` from a `Description`; a `Page` is read from a
file's text, changed by `edit_page` and `edit_examples`, and written by its `text`, which keeps
everything else to the byte. `read_examples` gives the code of examples for others to evaluate.
Nothing is evaluated and no file is touched here.
"""

from paddock.wolfram.reference_pages.errors import ReferencePageError
from paddock.wolfram.reference_pages.examples import (
    Example,
    ExampleCode,
    examples_to_markdown,
    parse_examples,
    parse_usage,
)
from paddock.wolfram.reference_pages.layout import SECTION_NAMES, resolve_section_name
from paddock.wolfram.reference_pages.page_builder import PageContent, PageSubject, build_page
from paddock.wolfram.reference_pages.page_editor import (
    EXAMPLE_OPERATIONS,
    PAGE_OPERATIONS,
    check_example_operation,
    check_operation,
    edit_examples,
    edit_page,
)
from paddock.wolfram.reference_pages.symbol_page import SymbolPage

__all__ = [
    "EXAMPLE_OPERATIONS",
    "PAGE_OPERATIONS",
    "SECTION_NAMES",
    "Example",
    "ExampleCode",
    "PageContent",
    "PageSubject",
    "ReferencePageError",
    "SymbolPage",
    "build_page",
    "check_example_operation",
    "check_operation",
    "edit_examples",
    "edit_page",
    "examples_to_markdown",
    "parse_examples",
    "parse_usage",
    "resolve_section_name",
]
