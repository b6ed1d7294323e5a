"""Editable documents: their base class, and parsing of the bytes of a file.

The class of each format finds the place of a value in the text and writes the change. This module
parses the changed text again, and rejects a change whose result is not the expected data. Encoding
and byte order mark are handled here; the modules of the formats work on text.
"""

from __future__ import annotations

import codecs
from abc import ABC, abstractmethod
from contextlib import contextmanager
from functools import lru_cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, NamedTuple

from paddock.installer.config_files.data_changes import (
    EDIT_BY_HAND_HINT,
    UNSAFE_CHANGE_MESSAGE,
    find_value,
    is_same_data,
    put_value,
    remove_value,
)
from paddock.installer.config_files.document import (
    MISSING,
    ConfigurationError,
    UneditableError,
    format_location,
)

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any, Self

    from paddock.installer.config_files.document import ConfigFormat, DocumentPath, JsonDialect


class EditableDocument(ABC):
    """A parsed text, with methods that change single values and preserve all other text.

    Documents are immutable: the methods return new ones.

    Args:
        text: The text with its original line ends, without a byte order mark.
        where: The name of the file in error messages.

    Raises:
        ConfigurationError: The text is not valid; `where` has line and column.
    """

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where

    @property
    @abstractmethod
    def data(self) -> Any:
        """The data, which must not be modified; `MISSING` if the text contains none."""

    def to_data(self) -> Any:
        """Return the data, which must not be modified; an empty text is an empty mapping."""
        return {} if self.data is MISSING else self.data

    def get(self, path: DocumentPath) -> object:
        """Return the value at a path, which must not be modified, or `MISSING`."""
        return find_value(self.data, path)

    def put(self, path: DocumentPath, value: object) -> Self:
        """Add or replace the value at a path, creating containers that are missing or null.

        Raises:
            ConfigurationError: A value on the path is not a container of the right type.
            UneditableError: The format has no such value, or the change would affect other values.
        """
        expected = put_value(self.data, path, value, locate=self.format_container_location)
        # Equal data is not rewritten, so that a repeated installation leaves the file unchanged.
        if is_same_data(self.get(path), value):
            return self
        with self._locate_errors():
            text = self._write_value(path, value)
        return self._check_change(self.reparse(text), path, [expected])

    def remove(self, path: DocumentPath, *, prune: int = 0) -> Self:
        """Remove the value at a path, and up to `prune` containers that become empty.

        The innermost container is removed first. A container with comments is not empty. All
        duplicates of a key are removed; otherwise, an earlier one would take the place of the last.

        Raises:
            UneditableError: The change would affect other values.
        """
        document = self
        while path and document.get(path) is not MISSING:
            document = document.reparse(document.delete_text(path))
        if document is self:
            return self
        for length in reversed(range(max(len(path) - prune, 0), len(path))):
            if document.is_prunable(path[:length]):
                document = document.reparse(document.delete_text(path[:length]))
        # Some containers disappear with their last value and others stay because of a comment, so
        # any number of pruned containers is correct.
        expected = [remove_value(self.data, path, prune=count) for count in range(len(path) + 1)]
        return self._check_change(document, path, expected)

    @abstractmethod
    def _parse(self, text: str) -> Self:
        """Return the document of another text of the same file."""

    @abstractmethod
    def _write_value(self, path: DocumentPath, value: object) -> str:
        """Return the text with the value at a path added or replaced."""

    @abstractmethod
    def delete_text(self, path: DocumentPath) -> str:
        """Return the text without the value at a path, which exists."""

    @abstractmethod
    def is_prunable(self, path: DocumentPath) -> bool:
        """Return whether a path leads to a container without values and comments."""

    @abstractmethod
    def _find_offset(self, path: DocumentPath) -> int:
        """Return the offset of a container in the text, for an error message."""

    def format_container_location(self, path: DocumentPath) -> str:
        """Format the position of a container in the file as `file:line:column`."""
        return format_location(self.where, self.text, self._find_offset(path))

    def reparse(self, text: str) -> Self:
        """Return the document of a changed text.

        Raises:
            UneditableError: The changed text is not valid.
        """
        # The user's text was valid before, so an error is caused by the change.
        try:
            return self._parse(text)
        except ConfigurationError as error:
            message = f"the change would make the file unreadable: {error.message}"
            raise self._make_uneditable_error(message) from None

    def _check_change(self, document: Self, path: DocumentPath, expected: list[object]) -> Self:
        """Return a changed document if its data is one of the expected results.

        Raises:
            UneditableError: It has other data.
        """
        if any(is_same_data(document.data, data) for data in expected):
            return document
        raise self._make_uneditable_error(UNSAFE_CHANGE_MESSAGE)

    def _make_uneditable_error(self, message: str, offset: int | None = None) -> UneditableError:
        where = self.where if offset is None else format_location(self.where, self.text, offset)
        return UneditableError(message, where=where, hint=EDIT_BY_HAND_HINT)

    @contextmanager
    def _locate_errors(self) -> Generator[None]:
        """Add the file to an `UneditableError` without a location, and convert encoding errors."""
        try:
            yield
        except UneditableError as error:
            error.where = error.where or self.where
            raise
        except UnicodeEncodeError as error:
            raise UneditableError(
                f"{error.object!r} cannot be written as UTF-8",
                where=self.where,
                hint="remove the unpaired surrogate",
            ) from None


READERS: dict[ConfigFormat, str] = {
    "json": "paddock.installer.config_files.json_document:read",
    "toml": "paddock.installer.config_files.toml_document:read",
    "yaml": "paddock.installer.config_files.yaml_document:read",
}
"""The functions that parse a text, imported on first use because ruamel.yaml is slow to import."""

_UNSUPPORTED_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


class DocumentFile(NamedTuple):
    """A document and the encoding of its file."""

    document: EditableDocument
    has_byte_order_mark: bool = False

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        mark = codecs.BOM_UTF8 if self.has_byte_order_mark else b""
        return mark + self.document.text.encode("utf-8")

    def replace_document(self, document: EditableDocument) -> DocumentFile:
        """Return the file with another document."""
        return self._replace(document=document)


@lru_cache(maxsize=4)
def load_document(
    data: bytes,
    format: ConfigFormat,  # noqa: A002 - the word for it everywhere else
    *,
    dialect: JsonDialect = "jsonc",
    where: str,
) -> DocumentFile:
    """Parse the content of a file; an empty file is an empty document.

    The result is cached, because one installation needs the same two or three contents in several
    steps.

    Raises:
        ConfigurationError: The content is not UTF-8, not valid, or neither a mapping nor a list.
    """
    # Windows editors add the mark. It is preserved, although JSON and TOML parsers reject it.
    mark = data.startswith(codecs.BOM_UTF8)
    text = _decode_text(data.removeprefix(codecs.BOM_UTF8), where)
    document = resolve_name(READERS[format])(text, where=where, dialect=dialect)
    return DocumentFile(document, has_byte_order_mark=mark)


def _decode_text(data: bytes, where: str) -> str:
    for mark, name in _UNSUPPORTED_BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            raise _make_encoding_error(f"the file is encoded as {name}, expected UTF-8", where)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise _make_encoding_error(
            f"the byte 0x{data[error.start]:02x} is not UTF-8",
            format_location(where, before, len(before)),
        ) from None


def _make_encoding_error(message: str, where: str) -> ConfigurationError:
    return ConfigurationError(
        message, where=where, hint="save the file as UTF-8; nothing was changed"
    )
