"""The spelling of keys.

Definitions are written as the Wolfram documents have them (`DisplayName`), as the protocol has
them (`displayName`) or as Python does (`display_name`). They are all read as the last.
"""

from __future__ import annotations

import re

_WORD_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-\s]+")


def normalize_key(key: str) -> str:
    """A key in lower case, with underscores between its words."""
    return _WORD_BOUNDARY.sub("_", key).lower()
