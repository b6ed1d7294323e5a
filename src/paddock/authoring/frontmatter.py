"""Skill frontmatter: parsing, required fields, conversion to JSON values, and encoding.

The YAML parser, in `authoring.frontmatter_parser`, is imported only for skills in files.
"""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

from paddock.authoring.yaml_scalars import is_json_number
from paddock.errors import DefinitionError

Json = dict[str, Any]

MAX_DESCRIPTION_CHARACTERS = 1024

_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_AMBIGUOUS_WORDS = {"null", "true", "false", "y", "n", "yes", "no", "on", "off"}
"""Words that some YAML parsers interpret as null or a boolean."""

MAX_FRONTMATTER_CHARACTERS = 64 * 1024
"""Size limit of a frontmatter block."""

_FRONTMATTER_BLOCK = re.compile(r"\ufeff?---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.S)
_FRONTMATTER_HINT = (
    "the file must begin with a line ---, then YAML with name and description, then a line ---"
)


def parse_frontmatter(data: bytes, where: str) -> Json:
    """Return the fields in a SKILL.md's frontmatter, the YAML between `---` lines at the top.

    For example: `{"name": "brewing", "description": "Make tea. Use when …"}`.

    Args:
        data: The content of the file.
        where: The path of the file, for error messages.

    Raises:
        DefinitionError: The frontmatter is missing or is not plain YAML.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise DefinitionError("is not text in UTF-8", where=where, hint=_FRONTMATTER_HINT) from None
    block = _FRONTMATTER_BLOCK.match(text, 0, MAX_FRONTMATTER_CHARACTERS)
    if block is None:
        raise DefinitionError("has no frontmatter", where=where, hint=_FRONTMATTER_HINT)
    from paddock.authoring.frontmatter_parser import FrontmatterParser

    document = FrontmatterParser(block[1], where).parse_document()
    if not isinstance(document, dict):
        raise DefinitionError(
            "has a frontmatter that is not a mapping", where=where, hint=_FRONTMATTER_HINT
        )
    return document


def check_frontmatter(fields: Json, name: str, where: str) -> None:
    """Check the fields that every skill's frontmatter must have: a name and a description.

    Args:
        fields: The fields of the frontmatter.
        name: The expected name, which is the name of the skill's directory.
        where: The path of the SKILL.md, for error messages.

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
    """Return the JSON form of a value in a skill's frontmatter.

    Dates become strings such as `"2024-05-01"`, and tuples become lists.

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


def encode_frontmatter(fields: Json, where: str) -> bytes:
    """Encode a frontmatter block: one line per field, with values as JSON."""
    lines = [f"{_format_key(key)}: {_format_value(value)}\n" for key, value in fields.items()]
    return encode_utf8(f"---\n{''.join(lines)}---\n", where, subject="frontmatter ")


def encode_utf8(text: str, where: str, *, subject: str = "") -> bytes:
    """Encode an author's text as UTF-8.

    Args:
        text: The text.
        where: The file or item that contains it, for error messages.
        subject: The beginning of the error message, such as `frontmatter `.

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
