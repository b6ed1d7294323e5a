"""From the bytes of a configuration file to a document, and back to the bytes.

Encoding and byte order mark are settled here; the formats see text. Files are read and written by
others.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Literal, Protocol

from paddock.clients.editing.document import (
    ConfigurationError,
    EditableDocument,
    format_location,
    detect_newline,
)

ConfigFormat = Literal["json", "toml", "yaml"]
# Of JSON: as the standard has it; with comments; with comments and trailing commas.
JsonDialect = Literal["strict", "comments", "jsonc"]

# Modules with a function `read`. Loaded on use, since the libraries behind two of them are heavy.
READER_MODULES: dict[ConfigFormat, str] = {
    "json": "paddock.clients.editing.json_text",
    "toml": "paddock.clients.editing.toml_text",
    "yaml": "paddock.clients.editing.yaml_text",
}

_UNSUPPORTED_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


class DocumentReader(Protocol):
    """The function `read` of a format's module."""

    def __call__(self, text: str, *, where: str, dialect: JsonDialect) -> EditableDocument:
        """Parse a text; the dialect means something to JSON only.

        Raises:
            ConfigurationError: with line and column of what is wrong.
        """
        ...


@dataclass(frozen=True)
class DocumentFile:
    """A document with what its file has around the text."""

    document: EditableDocument
    has_byte_order_mark: bool = False

    @property
    def newline(self) -> str:
        """The line end of the file."""
        return detect_newline(self.document.text)

    def to_bytes(self) -> to_bytes:
        """The file as it has to be written."""
        mark = codecs.BOM_UTF8 if self.has_byte_order_mark else b""
        return mark + self.document.text.encode("utf-8")

    def replace_document(self, document: EditableDocument) -> DocumentFile:
        """The same file with another text."""
        return replace(self, document=document)


def load_document(
    data: bytes,
    format: ConfigFormat,  # noqa: A002 - the word for it everywhere else
    *,
    dialect: JsonDialect = "jsonc",
    where: str,
) -> DocumentFile:
    """Read the bytes of a file; no bytes at all are an empty document.

    Raises:
        ConfigurationError: when they are not UTF-8, not of the format, or no mapping or list.
    """
    mark = data.startswith(codecs.BOM_UTF8)
    text = _decode_text(data.removeprefix(codecs.BOM_UTF8), where)
    read: DocumentReader = import_module(READER_MODULES[format]).read
    return DocumentFile(read(text, where=where, dialect=dialect), has_byte_order_mark=mark)


def _decode_text(data: bytes, where: str) -> str:
    for mark, name in _UNSUPPORTED_BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            raise _make_encoding_error(f"the file is {name}, expected UTF-8", where)
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
