"""Editable documents: the interface of all formats, paths, errors, and parsing of a file's bytes.

Encoding and byte order mark are handled here; the modules of the formats work on text.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, Literal, Protocol

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from typing import Self


# The line ends that editors recognize. Other characters that Unicode calls line ends do not count.
_LINE_END_PATTERN = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class NamedElementStep:
    """A step of a path into a list: the element whose field has this value.

    If several elements have it, the last one counts, as with duplicate keys of a JSON object.
    """

    name: str
    field: str = "name"

    def matches(self, element: object) -> bool:
        """Return whether an element of a list has the value."""
        return isinstance(element, dict) and element.get(self.field) == self.name


DocumentPath = tuple[str | NamedElementStep, ...]


class MissingType(Enum):
    """The type of `MISSING`, a value that no document can contain."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = MissingType.MISSING


class EditableDocument(Protocol):
    """A parsed text, with methods that change single values and preserve all other text.

    Documents are immutable: the methods return new ones.
    """

    @property
    def text(self) -> str:
        """The text with its original line ends, without a byte order mark."""
        ...

    def to_data(self) -> object:
        """Return the data, which must not be modified; an empty text is an empty mapping."""
        ...

    def get(self, path: DocumentPath) -> object:
        """Return the value at a path, or `MISSING`."""
        ...

    def put(self, path: DocumentPath, value: object) -> Self:
        """Add or replace the value at a path, creating containers that are missing or null.

        Raises:
            ConfigurationError: A value on the path is not a container of the right type.
            UneditableError: The change would affect other values.
        """
        ...

    def remove(self, path: DocumentPath, *, prune: int = 0) -> Self:
        """Remove the value at a path, and up to `prune` containers that become empty.

        The innermost container is removed first. A container with comments is not empty.

        Raises:
            UneditableError: The change would affect other values.
        """
        ...


class ConfigurationError(PaddockError):
    """A client could not parse its configuration file; `where` has line and column."""

    code = "invalid-configuration"


class UneditableError(PaddockError):
    """A configuration file is valid, but the change would affect something else in it."""

    code = "uneditable"


def compute_line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return line and column of a character as editors show them, both counted from 1."""
    line, start = 1, 0
    for end in _LINE_END_PATTERN.finditer(text, 0, offset):
        if end[0] == "\r" and text.startswith("\n", end.end()):
            break  # the offset is between the two characters of one line end
        line, start = line + 1, end.end()
    return line, offset - start + 1


def format_location(where: str, text: str, offset: int) -> str:
    """Format the position of a character as `file:line:column`."""
    line, column = compute_line_and_column(text, offset)
    return f"{where}:{line}:{column}"


def detect_newline(text: str) -> str:
    """Return the first line end of a text, or a line feed if it has none."""
    line_end = _LINE_END_PATTERN.search(text)
    return line_end[0] if line_end else "\n"


def format_path(path: DocumentPath) -> str:
    """Format a path for messages: `mcp.servers`, with `[name=x]` for an element of a list."""
    steps = [
        f"[{step.field}={step.name}]" if isinstance(step, NamedElementStep) else f".{step}"
        for step in path
    ]
    return "".join(steps).removeprefix(".")


ConfigFormat = Literal["json", "toml", "yaml"]
JsonDialect = Literal["strict", "comments", "jsonc"]
"""Standard JSON; with comments; with comments and trailing commas."""

# Modules with a function `read`, imported on first use because ruamel.yaml is slow to import.
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
    """The function `read` in the module of a format."""

    def __call__(self, text: str, *, where: str, dialect: JsonDialect) -> EditableDocument:
        """Parse a text; only JSON uses the dialect.

        Raises:
            ConfigurationError: The text is not valid; `where` has line and column.
        """
        ...


@dataclass(frozen=True)
class DocumentFile:
    """A document and the encoding of its file."""

    document: EditableDocument
    has_byte_order_mark: bool = False

    @property
    def newline(self) -> str:
        """The line end that the file uses."""
        return detect_newline(self.document.text)

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        mark = codecs.BOM_UTF8 if self.has_byte_order_mark else b""
        return mark + self.document.text.encode("utf-8")

    def replace_document(self, document: EditableDocument) -> DocumentFile:
        """Return the file with another document."""
        return replace(self, document=document)


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
    read: DocumentReader = import_module(READER_MODULES[format]).read
    return DocumentFile(read(text, where=where, dialect=dialect), has_byte_order_mark=mark)


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
