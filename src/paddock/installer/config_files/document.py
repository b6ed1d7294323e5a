"""What an editable document is, whatever its format: paths, the interface, and the errors.

The formats are modules of their own; what a change means for plain data is in `plain_data`.

From the bytes of a configuration file to a document, and back to the bytes.

Encoding and byte order mark are settled here; the formats see text. Files are read and written by
others.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Final, Literal, Protocol

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from typing import Self


# As editors count lines; other characters that Unicode calls line ends do not count.
_LINE_END_PATTERN = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class NamedElementStep:
    """A step of a path into a list: the element whose field has this value.

    Where several elements have it, the last one counts, as with the keys of an object.
    """

    name: str
    field: str = "name"

    def matches(self, element: object) -> bool:
        """Whether an element of a list is the one that is meant."""
        return isinstance(element, dict) and element.get(self.field) == self.name


DocumentPath = tuple[str | NamedElementStep, ...]


class MissingType(Enum):
    """The type of `MISSING`, which no document can hold."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = MissingType.MISSING


class EditableDocument(Protocol):
    """A text in some format, with changes that leave the rest of the text alone.

    Documents never change; the methods that change something return another one.
    """

    @property
    def text(self) -> str:
        """The whole text, with its own line ends and without a byte order mark."""
        ...

    def to_data(self) -> object:
        """What the text says, as plain data; an empty text is an empty mapping."""
        ...

    def get(self, path: DocumentPath) -> object:
        """What stands at a path, or `MISSING`."""
        ...

    def put(self, path: DocumentPath, value: object) -> Self:
        """Add or replace just the value at a path; containers that are missing or null are made.

        Raises:
            ConfigurationError: when something on the way is not a container of the right kind.
            UneditableError: when the change cannot be made without touching something else.
        """
        ...

    def remove(self, path: DocumentPath, *, prune: int = 0) -> Self:
        """Take away the value at a path, and up to `prune` containers that it leaves empty.

        The innermost container goes first. One that holds comments is not empty.

        Raises:
            UneditableError: when the change cannot be made without touching something else.
        """
        ...


class ConfigurationError(PaddockError):
    """A configuration file is not what its client could read; where has line and column."""

    code = "invalid-configuration"


class UneditableError(PaddockError):
    """A configuration file is fine, but cannot be changed without harm to something else in it."""

    code = "uneditable"


def compute_line_and_column(text: str, offset: int) -> tuple[int, int]:
    """The position of a character as editors show it: both from 1, columns in characters."""
    line, start = 1, 0
    for end in _LINE_END_PATTERN.finditer(text, 0, offset):
        if end[0] == "\r" and text.startswith("\n", end.end()):
            break  # the offset is between the two halves of one line end
        line, start = line + 1, end.end()
    return line, offset - start + 1


def format_location(where: str, text: str, offset: int) -> str:
    """A place in a file, as `file:line:column`."""
    line, column = compute_line_and_column(text, offset)
    return f"{where}:{line}:{column}"


def detect_newline(text: str) -> str:
    """The line end that a text uses: its first one, or a plain one when it has none."""
    found = _LINE_END_PATTERN.search(text)
    return found[0] if found else "\n"


def format_path(path: DocumentPath) -> str:
    """A path as messages show it: `mcp.servers`, `[name=x]` for an element of a list."""
    steps = [f"[{p.field}={p.name}]" if isinstance(p, NamedElementStep) else f".{p}" for p in path]
    return "".join(steps).removeprefix(".")


ConfigFormat = Literal["json", "toml", "yaml"]
# Of JSON: as the standard has it; with comments; with comments and trailing commas.
JsonDialect = Literal["strict", "comments", "jsonc"]

# Modules with a function `read`. Loaded on use, since the libraries behind two of them are heavy.
READER_MODULES: dict[ConfigFormat, str] = {
    "json": "paddock.installer.config_files.json_document",
    "toml": "paddock.installer.config_files.toml_document",
    "yaml": "paddock.installer.config_files.yaml_document",
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

    def to_bytes(self) -> bytes:
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
