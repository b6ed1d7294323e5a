"""Formatting of TOML keys and strings, for both writers of TOML files."""

from __future__ import annotations

import json
import re

_BARE_KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]+")


def format_key(*keys: str) -> str:
    """Format a TOML key, such as `options."My Tool"`, from its parts.

    Parts are joined with dots, and quoted if they contain other than letters, digits, `-` and `_`.

    Raises:
        UnicodeEncodeError: A part contains an unpaired surrogate.
    """
    return ".".join(
        key if _BARE_KEY_PATTERN.fullmatch(key) else format_basic_string(key) for key in keys
    )


def format_basic_string(text: str) -> str:
    """Format a text as a TOML string in double quotes on one line.

    Raises:
        UnicodeEncodeError: The string contains an unpaired surrogate.
    """
    text.encode("utf-8")
    # JSON and TOML have the same escapes, but TOML does not allow an unescaped U+007F.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
