"""Server metadata from a definition file, read without a TOML parser.

A client waits for the metadata in the first answer, and importing `tomllib` alone takes 20 ms. The
reader in this module only handles double-quoted strings before the first table, and skips other
values. If metadata is written in any other way, the result is uncertain, and the handshake waits
for the complete definition.

The definition of an extension's server is looked up here too, since the full lookup
(`sources.find_installed_source`) imports a hundred modules. Only the usual case is covered: an
installed distribution with `paddock.toml` in its package, and a TOML file for the server. All other
cases need the full lookup. This module is imported before the first answer, so it imports nothing
slow.
"""

from __future__ import annotations

import os
import sys

from paddock.extensions.entry_points import (
    list_metadata_directories,
    parse_distribution_version,
    read_entry_points,
)
from paddock.named_servers.names import DEFINITION_SUFFIX
from paddock.protocol.server_metadata import ServerMetadata
from paddock.protocol.versions import UI_EXTENSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BUILT_IN_EXTENSION_NAME = "paddock"
MANIFEST_FILE_NAME = "paddock.toml"
DEFAULT_DEFINITION_ROOT = "agenttools"
MANIFEST_KEYS = frozenset({"publisher", "root"})
DEFAULT_VERSION = "1.0.0"
MAX_FILE_CHARACTERS = 1_000_000
VIEWS_KEY = "views"
_STRING_KEYS = frozenset({"name", "version", "title", "description", "instructions"})
_WRAPPER_KEY = "LLMEvaluator"
_ALIAS_KEYS = frozenset({"serverversion", "displayname", VIEWS_KEY})
"""Alternative keys for metadata, in lower case, some of them from Wolfram's documents."""
_SIMPLE_ESCAPES = {
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "f": "\f",
    "r": "\r",
    '"': '"',
    "\\": "\\",
}
_LONG_ESCAPES = {"u": 4, "U": 8}


class NeedsFullParseError(Exception):
    """The file uses syntax that this reader does not support."""


def scan_definition_metadata(
    path: str, name: str, version: str = DEFAULT_VERSION
) -> tuple[ServerMetadata, bool]:
    """Read a server's metadata from its definition file, and return whether it is certain.

    No TOML parser is used, because importing one would delay the first answer to the client. The
    metadata is uncertain if the file cannot be read, is too long, or uses syntax that only the full
    parser supports. It then contains only `name` and `version`.

    Args:
        path: The definition file.
        name: The name, if the file does not contain one.
        version: The version, if the file does not contain one.
    """
    try:
        with open(path, encoding="utf-8", newline="") as file:
            # One character more than allowed, in order to detect a truncated file.
            text = file.read(MAX_FILE_CHARACTERS + 1)
        return _parse_facts(text, name, version), len(text) <= MAX_FILE_CHARACTERS
    except (OSError, ValueError, NeedsFullParseError):
        return ServerMetadata(name, version=version), False


def _parse_facts(text: str, name: str, version: str) -> ServerMetadata:
    """Return the server's metadata, such as its name and version, from a definition's text.

    Raises:
        NeedsFullParseError: The text uses syntax that only the full parser supports.
    """
    # In Wolfram's documents, a table with this name can contain the metadata.
    if any(map(_has_wrapper_key, text.splitlines())):
        raise NeedsFullParseError
    values = TomlHeadReader(text, _STRING_KEYS, _is_metadata_alias, VIEWS_KEY).read()
    metadata = ServerMetadata(
        values.get("name") or name,
        version=values.get("version") or version,
        title=values.get("title"),
        description=values.get("description"),
        instructions=values.get("instructions"),
    )
    if values.get(VIEWS_KEY) == "true":
        metadata.declare_extension(UI_EXTENSION, {})
    return metadata


def _has_wrapper_key(line: str) -> bool:
    """Return whether a line has the wrapper as a key or as the name of a table, not as a value."""
    start = line.lstrip("[ \t\"'")
    after_key = start.removeprefix(_WRAPPER_KEY).lstrip("\"' \t")
    return start.startswith(_WRAPPER_KEY) and after_key.startswith(("=", ".", "]"))


class TomlHeadReader:
    """A reader for some of the keys before the first table in a TOML file.

    It only supports the usual syntax, but does not need a TOML parser, which takes 20 ms to import.

    Args:
        text: The text of the file.
        string_keys: The requested keys whose values are strings.
        is_alias: Function that returns whether a key may be another spelling of a requested key.
        boolean_key: A requested key whose value is `true` or `false`.
    """

    def __init__(
        self,
        text: str,
        string_keys: frozenset[str],
        is_alias: Callable[[str], bool],
        boolean_key: str = "",
    ) -> None:
        self._text = text.removeprefix("\ufeff").replace("\r\n", "\n")
        self._string_keys = string_keys
        self._is_alias = is_alias
        self._boolean_key = boolean_key
        self._offset = 0

    def read(self) -> dict[str, str]:
        """Return the values of the requested keys that the file contains.

        Reading stops at the first table header, because the keys after it belong to the table.

        Raises:
            NeedsFullParseError: A requested key may be present in an unsupported syntax.
        """
        values: dict[str, str] = {}
        while self._offset < len(self._text):
            start, line = self._offset, self._read_line()
            is_table_header = line.lstrip().startswith("[")
            if is_table_header:
                break
            if _is_line_end(line):
                continue
            key, equals, _ = line.partition("=")
            if not equals:
                raise NeedsFullParseError
            self._offset = start + len(key) + 1
            self._read_value(key.strip(), values)
        return values

    def _read_value(self, key: str, values: dict[str, str]) -> None:
        """Store the value of a requested key in `values`, or skip the value of any other key.

        Raises:
            NeedsFullParseError: The key may be another spelling of a requested key, or its value
                uses an unsupported syntax.
        """
        if key in self._string_keys:
            values[key] = self._read_text()
        elif key == self._boolean_key:
            values[key] = self._read_line().partition("#")[0].strip()
            if values[key] not in ("true", "false"):
                raise NeedsFullParseError
        elif key.startswith(('"', "'")) or self._is_alias(key):
            # A quoted key or an alias, such as `displayName`, may mean one of the requested keys.
            raise NeedsFullParseError
        else:
            self._skip_value()
            if not _is_line_end(self._read_line()):
                raise NeedsFullParseError

    def _read_line(self) -> str:
        """Read the rest of the current line, and move to the beginning of the next one."""
        end = self._text.find("\n", self._offset)
        end = len(self._text) if end < 0 else end
        line = self._text[self._offset : end]
        self._offset = end + 1
        return line

    def _skip_value(self) -> None:
        """Move past a value, up to the comment or line end after it.

        The value may be a list or table that spans multiple lines.
        """
        bracket_depth = 0
        while self._offset < len(self._text):
            character = self._text[self._offset]
            if character in "#\n" and not bracket_depth:
                return
            if character in "\"'":
                self._skip_text(character)
                continue
            if character == "#":
                self._read_line()
                continue
            if character in "[{":
                bracket_depth += 1
            elif character in "]}":
                bracket_depth -= 1
            self._offset += 1

    def _skip_text(self, quote: str) -> None:
        """Move past a string that begins with the given quote and ends on the same line.

        Raises:
            NeedsFullParseError: The string has triple quotes, or no closing quote on its line.
        """
        if self._text.startswith(quote * 3, self._offset):
            raise NeedsFullParseError
        self._offset += 1
        if quote == '"':
            self._read_until_quote(quote)
            return
        end = self._text.find(quote, self._offset)
        if end < 0 or "\n" in self._text[self._offset : end]:
            raise NeedsFullParseError
        self._offset = end + 1

    def _read_text(self) -> str:
        """Read the double-quoted string after an equals sign, and the rest of the line.

        Raises:
            NeedsFullParseError: The value is not a double-quoted string, or is followed by
                anything but a comment.
        """
        text = self._text
        while text[self._offset : self._offset + 1] in (" ", "\t"):
            self._offset += 1
        quote = '"""' if text.startswith('"""', self._offset) else '"'
        if not text.startswith(quote, self._offset):
            raise NeedsFullParseError
        self._offset += len(quote)
        if quote == '"""' and text.startswith("\n", self._offset):
            self._offset += 1  # TOML ignores a line break directly after the opening quotes.
        value = self._read_until_quote(quote)
        if not _is_line_end(self._read_line()):
            raise NeedsFullParseError
        return value

    def _read_until_quote(self, quote: str) -> str:
        """Read the rest of a string with escapes, up to and including its closing quote.

        Args:
            quote: One double quote, or three for a multi-line string.

        Raises:
            NeedsFullParseError: The closing quote is missing or ambiguous.
        """
        pieces: list[str] = []
        text = self._text
        while True:
            if self._offset >= len(text):
                raise NeedsFullParseError
            if text.startswith(quote, self._offset):
                self._offset += len(quote)
                if quote == '"""' and text.startswith('"', self._offset):
                    # TOML allows one or two quotes directly before the closing ones.
                    raise NeedsFullParseError
                return "".join(pieces)
            character = text[self._offset]
            if character == "\n" and quote == '"':
                raise NeedsFullParseError
            self._offset += 1
            pieces.append(self._read_escape() if character == "\\" else character)

    def _read_escape(self) -> str:
        """Read the escape after a backslash, such as `n` or `u00e9`, and return its character.

        Raises:
            NeedsFullParseError: The escape sequence is not supported.
        """
        character = self._text[self._offset : self._offset + 1]
        self._offset += 1
        if character in _SIMPLE_ESCAPES:
            return _SIMPLE_ESCAPES[character]
        digit_count = _LONG_ESCAPES.get(character)
        if digit_count is None:
            raise NeedsFullParseError  # for example a backslash at the end of a line
        hexadecimal_code = self._text[self._offset : self._offset + digit_count]
        self._offset += digit_count
        return chr(int(hexadecimal_code, 16))


def _is_metadata_alias(key: str) -> bool:
    normalized_key = key.replace("_", "").lower()
    return normalized_key in _STRING_KEYS | _ALIAS_KEYS or key == "Prompts"


def _is_line_end(text: str) -> bool:
    """Return whether the rest of a line is blank or a comment."""
    text = text.strip()
    return not text or text.startswith("#")


def find_extension_definition(name: str) -> tuple[str, str] | None:
    """Return the definition file of an extension's server, and the version of the extension.

    Only the usual layout is supported: an installed distribution whose package contains
    `paddock.toml` and a TOML file for the server. A result of None means that the full lookup is
    needed, not that the server does not exist.

    Args:
        name: The qualified name, `package/server` or `publisher/package/server`.
    """
    *publisher_parts, extension_name, server_name = name.split("/")
    publisher = publisher_parts[0] if publisher_parts else None
    if extension_name == BUILT_IN_EXTENSION_NAME:
        return None  # distributions cannot replace Paddock's own servers
    for metadata_directory, package in _iterate_entry_points(extension_name):
        package_directory = os.path.join(os.path.dirname(metadata_directory), *package.split("."))
        try:
            text = _read_text(os.path.join(package_directory, MANIFEST_FILE_NAME))
            manifest = TomlHeadReader(text, MANIFEST_KEYS, _is_manifest_alias).read()
        except (OSError, ValueError, NeedsFullParseError):
            return None  # for example an editable installation
        if manifest.get("publisher") != publisher:
            continue
        is_declared = f'"{server_name}"' in text or f"'{server_name}'" in text
        # A reference to a definition in a module would take precedence over a file.
        if "definition" in text.lower() or not is_declared:
            return None
        root = manifest.get("root", DEFAULT_DEFINITION_ROOT)
        if os.path.isabs(root) or ".." in root:
            return None  # the full lookup rejects a root outside the package
        stem = os.path.join(package_directory, root, "servers", server_name)
        if os.path.isfile(f"{stem}.py") or not os.path.isfile(stem + DEFINITION_SUFFIX):
            return None
        version = parse_distribution_version(os.path.basename(metadata_directory))
        return stem + DEFINITION_SUFFIX, version or DEFAULT_VERSION
    return None


def _iterate_entry_points(extension_name: str) -> Iterator[tuple[str, str]]:
    """Yield the location of each installed distribution that declares the extension.

    Yields:
        The distribution's metadata directory, such as `…/charts-1.0.dist-info`, and the value of
        the entry point, which is a package's dotted name. The first pair takes precedence.
    """
    seen_distributions: set[str] = set()
    for path_entry in dict.fromkeys(sys.path):
        directories = list_metadata_directories(os.path.abspath(path_entry))
        for distribution, metadata_directory in directories.items():
            if distribution in seen_distributions:
                continue  # shadowed by the same distribution earlier on sys.path
            for entry_point_name, package in read_entry_points(metadata_directory):
                if entry_point_name == extension_name:
                    yield metadata_directory, package
        seen_distributions.update(directories)


def _read_text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        text = file.read(MAX_FILE_CHARACTERS + 1)
    if len(text) > MAX_FILE_CHARACTERS:
        raise NeedsFullParseError
    return text


def _is_manifest_alias(key: str) -> bool:
    return key.lower() in MANIFEST_KEYS
