"""Reference pages for symbols: create new pages and edit existing ones.

`build_page` returns the text of a page for a `PageSubject` and its `PageContent`. A `SymbolPage` is
read from the text of a file, changed by `edit_page` and `edit_examples`, and written by `to_text`,
which leaves all other text byte for byte unchanged. `parse_examples` returns examples with their
code for the caller to evaluate. This package evaluates nothing and accesses no files.
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
