"""Formatting of TOML keys and strings, shared by both modules that write TOML files."""

from __future__ import annotations

import json
import re

_BARE_KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]+")


def format_key(*keys: str) -> str:
    """Format a TOML key, such as `options."My Tool"`, from its parts.

    Parts are joined with dots. They are quoted if they contain anything other than letters, digits,
    `-` and `_`.

    Raises:
        UnicodeEncodeError: A part contains an unpaired surrogate.
    """
    return ".".join(
        key if _BARE_KEY_PATTERN.fullmatch(key) else format_basic_string(key) for key in keys
    )


def format_basic_string(text: str) -> str:
    """Format a text as a double-quoted TOML string on one line.

    Raises:
        UnicodeEncodeError: The string contains an unpaired surrogate.
    """
    text.encode("utf-8")
    # JSON and TOML have the same escapes, but TOML does not allow an unescaped U+007F.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
