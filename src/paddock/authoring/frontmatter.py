"""Frontmatter of skills: required fields, conversion to JSON values, and encoding.

The parser is in `authoring.frontmatter_parser`, which is imported only for skills in files.
"""

from __future__ import annotations

import json
import re
from datetime import date
from math import isfinite
from typing import Any

from paddock.errors import DefinitionError

Json = dict[str, Any]

MAX_DESCRIPTION_CHARACTERS = 1024
JSON_INTEGERS = range(-(2**63), 2**64)
"""The integers that a JSON message can contain."""

_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_AMBIGUOUS_WORDS = {"null", "true", "false", "y", "n", "yes", "no", "on", "off"}
"""Words that some YAML parsers interpret as null or a boolean."""


def check_frontmatter(fields: Json, name: str, where: str) -> None:
    """Raise an error unless the frontmatter has the fields that a skill requires.

    Raises:
        DefinitionError: A field is missing or invalid.
    """
    if fields.get("name") != name:
        raise DefinitionError(
            f"frontmatter has the name {fields.get('name')!r}",
            where=where,
            hint=f"expected {name!r}, the name of the directory",
        )
    description = fields.get("description")
    if not isinstance(description, str) or not description.strip():
        raise DefinitionError(
            f"frontmatter has the description {description!r}",
            where=where,
            hint="expected the purpose of the skill and when to use it",
        )
    if len(description) > MAX_DESCRIPTION_CHARACTERS:
        raise DefinitionError(
            f"frontmatter has a description of {len(description)} characters",
            where=where,
            hint=f"expected at most {MAX_DESCRIPTION_CHARACTERS}",
        )


def to_json_value(value: object, where: str) -> Any:
    """Convert a frontmatter value to JSON. Dates become strings.

    Raises:
        DefinitionError: The value has no JSON equivalent.
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float) and is_json_number(value):
        return value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: to_json_value(item, where) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_value(item, where) for item in value]
    raise DefinitionError(
        f"frontmatter has {value!r:.80}",
        where=where,
        hint="expected strings, numbers, booleans, None, lists, and dictionaries with string keys",
    )


def is_json_number(number: float) -> bool:
    """Return whether a JSON message can contain a number."""
    return number in JSON_INTEGERS if isinstance(number, int) else isfinite(number)


def encode_frontmatter(fields: Json, where: str) -> bytes:
    """Encode a frontmatter block: one line per field, with values as JSON."""
    lines = [f"{_format_key(key)}: {_format_value(value)}\n" for key, value in fields.items()]
    return encode_utf8(f"---\n{''.join(lines)}---\n", where, subject="frontmatter ")


def encode_utf8(text: str, where: str, *, subject: str = "") -> bytes:
    """Encode a text that an author has declared.

    Raises:
        DefinitionError: The text contains a surrogate, which UTF-8 cannot encode.
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise DefinitionError(
            f"{subject}contains half of a surrogate pair",
            where=where,
            hint="expected text that can be encoded as UTF-8",
        ) from None


def _format_key(key: str) -> str:
    is_plain = _PLAIN_KEY.fullmatch(key) and key.lower() not in _AMBIGUOUS_WORDS
    return key if is_plain else _format_value(key)


def _format_value(value: object) -> str:
    # JSON is a subset of YAML, except that YAML requires escapes for these characters.
    text = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
