"""Reference pages of symbols: made anew, and changed in place.

`new_page` gives the text of a page for a `Subject` from a `Description`; a `Page` is read from a
file's text, changed by `edit_page` and `edit_examples`, and written by its `text`, which keeps
everything else to the byte. `read_examples` gives the code of examples for others to evaluate.
Nothing is evaluated and no file is touched here.
"""

from paddock.wolfram.reference_pages.building import Description, Subject, new_page
from paddock.wolfram.reference_pages.editing import OPERATIONS, check_operation, edit_page
from paddock.wolfram.reference_pages.example_editing import (
    EXAMPLE_OPERATIONS,
    check_example_operation,
    edit_examples,
)
from paddock.wolfram.reference_pages.examples import (
    Code,
    Example,
    examples_markdown,
    read_examples,
)
from paddock.wolfram.reference_pages.failures import ReferencePageError
from paddock.wolfram.reference_pages.layout import SECTION_NAMES, check_section
from paddock.wolfram.reference_pages.page import Page
from paddock.wolfram.reference_pages.usage import read_usage

__all__ = [
    "EXAMPLE_OPERATIONS",
    "OPERATIONS",
    "SECTION_NAMES",
    "Code",
    "Description",
    "Example",
    "Page",
    "ReferencePageError",
    "Subject",
    "check_example_operation",
    "check_operation",
    "check_section",
    "edit_examples",
    "edit_page",
    "examples_markdown",
    "new_page",
    "read_examples",
    "read_usage",
]
