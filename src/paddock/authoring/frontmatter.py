"""What a skill says of itself: the fields of its frontmatter, what they must be, and as text.

Reading them from a file is `authoring.frontmatter_yaml`, which is loaded where there is a file.
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
"""Those that a JSON message can carry."""

_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_AMBIGUOUS_WORDS = {"null", "true", "false", "y", "n", "yes", "no", "on", "off"}
"""Words that some reader of YAML takes for something else."""


def check_frontmatter(fields: Json, name: str, where: str) -> None:
    """Whether a frontmatter has what a skill needs.

    Raises:
        DefinitionError: when it has not, saying what was expected.
    """
    if fields.get("name") != name:
        raise DefinitionError(
            f"frontmatter has the name {fields.get('name')!r}",
            where=where,
            hint=f"expected {name!r}, as the directory is called",
        )
    description = fields.get("description")
    if not isinstance(description, str) or not description.strip():
        raise DefinitionError(
            f"frontmatter has the description {description!r}",
            where=where,
            hint="expected a text that says what the skill is for and when to use it",
        )
    if len(description) > MAX_DESCRIPTION_CHARACTERS:
        raise DefinitionError(
            f"frontmatter has a description of {len(description)} characters",
            where=where,
            hint=f"expected {MAX_DESCRIPTION_CHARACTERS} at most",
        )


def to_json_value(value: object, where: str) -> Any:
    """A value that an author gives for a frontmatter as JSON has it; dates as text.

    Raises:
        DefinitionError: when JSON has nothing like it.
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
        hint="expected texts, numbers, booleans, None, lists, and dictionaries with texts as keys",
    )


def is_json_number(number: float) -> bool:
    """Whether a message can carry a number."""
    return number in JSON_INTEGERS if isinstance(number, int) else isfinite(number)


def encode_frontmatter(fields: Json, where: str) -> bytes:
    """The frontmatter of a SKILL.md that says this: a line for each field, values as JSON."""
    lines = [f"{_format_key(key)}: {_format_value(value)}\n" for key, value in fields.items()]
    try:
        return f"---\n{''.join(lines)}---\n".encode()
    except UnicodeEncodeError:
        raise DefinitionError(
            "frontmatter has half a character", where=where, hint="expected text that UTF-8 can say"
        ) from None


def _format_key(key: str) -> str:
    is_plain = _PLAIN_KEY.fullmatch(key) and key.lower() not in _AMBIGUOUS_WORDS
    return key if is_plain else _format_value(key)


def _format_value(value: object) -> str:
    # JSON is YAML, but for characters that YAML wants escaped.
    text = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
