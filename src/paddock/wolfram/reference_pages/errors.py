"""Errors about reference pages, and about the requested changes to them."""

from __future__ import annotations

from paddock.errors import PaddockError


class ReferencePageError(PaddockError):
    """The reference page cannot be created or changed as requested."""

    code = "reference-page"


class EmptyUsageError(ReferencePageError):
    """The usage is empty."""

    code = "empty-usage"


class InvalidUsageFormatError(ReferencePageError):
    """The usage is not a list of cases, each with its syntax in backticks."""

    code = "invalid-usage-format"


class InvalidOperationError(ReferencePageError):
    """The operation does not exist, or its position is missing."""

    code = "invalid-operation"


class InvalidSectionError(ReferencePageError):
    """The section of examples does not exist."""

    code = "invalid-section"


class MissingContentError(ReferencePageError):
    """The operation requires content."""

    code = "missing-content"


class InvalidContentError(ReferencePageError):
    """The content does not have the required format."""

    code = "invalid-content"


class ExampleNotFoundError(ReferencePageError):
    """The section, subsection or example does not exist."""

    code = "example-not-found"


class InvalidPageError(ReferencePageError):
    """The file is not an editable notebook, or not the page of a symbol."""

    code = "invalid-reference-page"
