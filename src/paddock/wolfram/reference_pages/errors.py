"""What can be wrong with a reference page, or with what is to be done to it."""

from __future__ import annotations

from paddock.errors import PaddockError


class ReferencePageError(PaddockError):
    """A reference page cannot be made or changed as it was asked for."""

    code = "reference-page"


class EmptyUsageError(ReferencePageError):
    """There is no usage at all."""

    code = "empty-usage"


class InvalidUsageFormatError(ReferencePageError):
    """A usage is no list of cases, each with its syntax between back ticks."""

    code = "invalid-usage-format"


class InvalidOperationError(ReferencePageError):
    """There is no such operation, or it needs a position."""

    code = "invalid-operation"


class InvalidSectionError(ReferencePageError):
    """There is no such section of examples."""

    code = "invalid-section"


class MissingContentError(ReferencePageError):
    """An operation needs content, and there is none."""

    code = "missing-content"


class InvalidContentError(ReferencePageError):
    """The content is not of the form that an operation takes."""

    code = "invalid-content"


class ExampleNotFoundError(ReferencePageError):
    """A section has no such subsection, or no example."""

    code = "example-not-found"


class InvalidPageError(ReferencePageError):
    """A file is no notebook that can be edited, or no page of a symbol."""

    code = "invalid-reference-page"
