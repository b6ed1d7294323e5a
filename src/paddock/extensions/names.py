"""Names of items across extensions: one grammar, one parser.

`package/Item` for an extension without a publisher, `publisher/package/Item` for one with.

The spelling of keys.

Definitions are written as the Wolfram documents have them (`DisplayName`), as the protocol has
them (`displayName`) or as Python does (`display_name`). They are all read as the last.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_PART_COUNTS = (2, 3)
_NAME_SEPARATORS = re.compile(r"[-_.]+")


class QualifiedName(NamedTuple):
    """The full name of an item."""

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
    """A qualified name; None when a text is not one."""
    parts = text.split("/")
    if len(parts) not in _PART_COUNTS or not all(parts):
        return None
    *publisher, package, item = parts
    return QualifiedName(publisher[0] if publisher else None, package, item)


def normalize_distribution_name(name: str) -> str:
    """The name of a distribution as installers compare it: in lower case, with hyphens."""
    return _NAME_SEPARATORS.sub("-", name).lower()


_WORD_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-\s]+")


def normalize_key(key: str) -> str:
    """A key in lower case, with underscores between its words."""
    return _WORD_BOUNDARY.sub("_", key).lower()
