"""Parsing of a config file's bytes, paths in documents, and the errors of all formats.

Encoding and byte order mark are handled here; the modules of the formats work on text.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from paddock.installer.config_files.editable_document import EditableDocument


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
