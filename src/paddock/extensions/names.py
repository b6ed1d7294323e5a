"""Qualified names of items, module names, and normalization of distribution names and keys.

A qualified name is `package/Item`, or `publisher/package/Item` if the extension has a publisher.
Definition keys can be written in the style of Wolfram (`DisplayName`), MCP (`displayName`) or
Python (`display_name`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

_PART_COUNTS = (2, 3)
_NAME_SEPARATORS = re.compile(r"[-_.]+")
_DOTTED_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_WORD_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-\s]+")


class QualifiedName(NamedTuple):
    """The qualified name of a tool, prompt, resource or server, such as `acme/charts/Plot`."""

    publisher: str | None
    package: str
    item: str

    @property
    def extension_name(self) -> str:
        """The name of the extension: `publisher/package`, or `package`."""
        return self.package if self.publisher is None else f"{self.publisher}/{self.package}"

    def __str__(self) -> str:
        return f"{self.extension_name}/{self.item}"


def parse_qualified_name(text: str) -> QualifiedName | None:
    """Parse a qualified name, or return None if the text is not one."""
    parts = text.split("/")
    if len(parts) not in _PART_COUNTS or not all(parts):
        return None
    *publisher, package, item = parts
    return QualifiedName(publisher[0] if publisher else None, package, item)


def normalize_distribution_name(name: str) -> str:
    """Return a distribution name in the normalized form of PEP 503: lower case with hyphens."""
    return _NAME_SEPARATORS.sub("-", name).lower()


def is_dotted_name(text: str) -> bool:
    """Return whether a text has the form of a module name, such as `package.module`."""
    return _DOTTED_NAME.fullmatch(text) is not None


def normalize_key(key: str) -> str:
    """Return a key in snake case."""
    return _WORD_BOUNDARY.sub("_", key).lower()
