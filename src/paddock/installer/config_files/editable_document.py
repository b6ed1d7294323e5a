"""The base class for editable documents, and functions that parse a file's bytes.

Each format's class finds a value's position in the text and writes the change. This module
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
        text: The text with its original line endings, without a byte order mark.
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
        """Return a document with the value at a path added or replaced.

        Dictionaries and lists on the path that are missing or null are created. Comments and
        formatting outside the value are preserved.

        Raises:
            ConfigurationError: A value on the path is not a container of the right type.
            UneditableError: The format has no such value, or the change would affect other values.
        """
        expected = put_value(self.data, path, value, locate=self.format_container_location)
        # An equal value keeps its formatting, so that installing again does not change the file.
        if is_same_data(self.get(path), value):
            return self
        with self._add_location_to_errors():
            text = self._write_value(path, value)
        return self._check_change(self.reparse(text), path, [expected])

    def remove(self, path: DocumentPath, *, prune: int = 0) -> Self:
        """Return a document without the value at a path.

        If a key is duplicated, all its values are removed. Otherwise, the previous one would
        become the key's value.

        Args:
            path: The path of the value.
            prune: The maximum number of dictionaries and lists on the path to remove as well, from
                the inside out, if they become empty. They are kept if they contain comments.

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
        # Some containers disappear with their last value, and others are kept because of a comment.
        # Therefore, the result is correct for any number of removed containers.
        expected = [remove_value(self.data, path, prune=count) for count in range(len(path) + 1)]
        return self._check_change(document, path, expected)

    @abstractmethod
    def _parse(self, text: str) -> Self:
        """Return the document for another version of the file's text."""

    @abstractmethod
    def _write_value(self, path: DocumentPath, value: object) -> str:
        """Return the text with the value at a path added or replaced."""

    @abstractmethod
    def delete_text(self, path: DocumentPath) -> str:
        """Return the text without the value at a path, which exists."""

    @abstractmethod
    def is_prunable(self, path: DocumentPath) -> bool:
        """Return whether a path leads to a container that has no values and no comments."""

    @abstractmethod
    def _find_offset(self, path: DocumentPath) -> int:
        """Return the offset of a container in the text, for an error message."""

    def format_container_location(self, path: DocumentPath) -> str:
        """Format the position of a container in the file as `file:line:column`."""
        return format_location(self.where, self.text, self._find_offset(path))

    def reparse(self, text: str) -> Self:
        """Parse the text of this document after a change.

        Raises:
            UneditableError: The changed text is not valid. Because the text was valid before, the
                change is the cause, and must not be written.
        """
        try:
            return self._parse(text)
        except ConfigurationError as error:
            message = f"the change would make the file unreadable: {error.message}"
            raise self._make_uneditable_error(message) from None

    def _check_change(self, document: Self, path: DocumentPath, expected: list[object]) -> Self:
        """Return a changed document after checking that the change had no side effects.

        Args:
            document: The changed document.
            path: The path of the changed value.
            expected: The data that the document may contain, with one element for each acceptable
                result.

        Raises:
            UneditableError: The document contains other data.
        """
        if any(is_same_data(document.data, data) for data in expected):
            return document
        raise self._make_uneditable_error(UNSAFE_CHANGE_MESSAGE)

    def _make_uneditable_error(self, message: str, offset: int | None = None) -> UneditableError:
        where = self.where if offset is None else format_location(self.where, self.text, offset)
        return UneditableError(message, where=where, hint=EDIT_BY_HAND_HINT)

    @contextmanager
    def _add_location_to_errors(self) -> Generator[None]:
        """Add the file's location to errors raised in the `with` block.

        A `UnicodeEncodeError`, which is raised for text that UTF-8 cannot represent, is converted
        to an `UneditableError`.
        """
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
    """A document and the encoding of the file it was read from."""

    document: EditableDocument
    has_byte_order_mark: bool = False

    def to_bytes(self) -> bytes:
        """Return the text as UTF-8, with a byte order mark if the file had one."""
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
    """Parse the content of a client application's configuration file. It can be empty.

    The result is cached, because an installation parses the same contents in several steps.

    Args:
        data: The content of the file.
        format: The format of the file.
        dialect: The dialect of a JSON file, which decides whether comments are allowed.
        where: The path of the file, for errors.

    Raises:
        ConfigurationError: The content is not UTF-8, not valid, or neither a mapping nor a list.
    """
    # Editors on Windows add a byte order mark, which JSON and TOML parsers reject. It is removed
    # for them, and written again when the file is changed.
    has_byte_order_mark = data.startswith(codecs.BOM_UTF8)
    text = _decode_text(data.removeprefix(codecs.BOM_UTF8), where)
    read_document = resolve_name(READERS[format])
    document = read_document(text, where=where, dialect=dialect)
    return DocumentFile(document, has_byte_order_mark=has_byte_order_mark)


def _decode_text(data: bytes, where: str) -> str:
    """Decode the content of a configuration file as UTF-8.

    Raises:
        ConfigurationError: The content has another encoding, or contains an invalid byte.
    """
    for mark, name in _UNSUPPORTED_BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            raise _make_encoding_error(f"the file is encoded as {name}, expected UTF-8", where)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        valid_text = data[: error.start].decode("utf-8")
        raise _make_encoding_error(
            f"the byte 0x{data[error.start]:02x} is not UTF-8",
            format_location(where, valid_text, len(valid_text)),
        ) from None


def _make_encoding_error(message: str, where: str) -> ConfigurationError:
    return ConfigurationError(
        message, where=where, hint="save the file as UTF-8; nothing was changed"
    )
