"""Reading a changed text again, to be sure that it says what it should and nothing else."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from paddock.clients.editing.document import ConfigurationError, UneditableError
from paddock.clients.editing.plain_data import is_same_data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.clients.editing.document import EditableDocument

D = TypeVar("D", bound="EditableDocument")

EDIT_BY_HAND_HINT = "make the change by hand; nothing was changed"
UNSAFE_CHANGE_MESSAGE = "the change cannot be made in this text without changing something else"


@contextmanager
def add_error_location(where: str) -> Iterator[None]:
    """Say which file a change was to be made in, where a refusal does not say it."""
    try:
        yield
    except UneditableError as error:
        error.where = error.where or where
        raise


def reparse(read: Callable[[str], D], text: str, where: str) -> D:
    """A document of a text of our own making: what is wrong with it is not the user's fault.

    Raises:
        UneditableError: when it cannot be read.
    """
    try:
        return read(text)
    except ConfigurationError as error:
        message = f"the change would make the file unreadable: {error.message}"
        raise UneditableError(message, where=where, hint=EDIT_BY_HAND_HINT) from None


def check_change(document: D, expected: list[object], where: str) -> D:
    """The document itself, if it says one of the things that are right.

    Raises:
        UneditableError: when it does not.
    """
    if any(is_same_data(document.data(), data) for data in expected):
        return document
    raise UneditableError(UNSAFE_CHANGE_MESSAGE, where=where, hint=EDIT_BY_HAND_HINT)
