"""Formatting of TOML keys and strings, for both writers of TOML files."""

from __future__ import annotations

import json
import re

_BARE_KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]+")


def format_key(*keys: str) -> str:
    """Format a key, with dots between its parts and quotes where necessary.

    Raises:
        UnicodeEncodeError: A part contains an unpaired surrogate.
    """
    return ".".join(
        key if _BARE_KEY_PATTERN.fullmatch(key) else format_basic_string(key) for key in keys
    )


def format_basic_string(text: str) -> str:
    """Format a string in double quotes, on one line.

    Raises:
        UnicodeEncodeError: The string contains an unpaired surrogate.
    """
    text.encode("utf-8")
    # JSON and TOML have the same escapes, but TOML does not allow an unescaped U+007F.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
