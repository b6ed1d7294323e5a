"""A server definition as the text of a TOML file that a person likes to read.

What the first answer needs stands first, so that it can be read without a TOML parser. How a file
that a person has edited is changed is `editing`.
"""

from __future__ import annotations

import json
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from paddock.servers.definition import STDIO_TRANSPORT
from paddock.servers.errors import ServerDefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from paddock.servers.definition import ServerDefinition

MAX_LINE_CHARACTERS = 88
_SCALAR_KEYS = ("title", "description", "version", "key", "instructions", "initialization")
_LIST_KEYS = ("tools", "prompts", "resources")


def to_plain_table(definition: ServerDefinition) -> dict[str, Any]:
    """A definition as a table, in the order of a file, without what is not said."""
    table: dict[str, Any] = {"schema": definition.schema, "name": definition.name}
    table |= {key: getattr(definition, key) for key in _SCALAR_KEYS}
    table["transport"] = None if definition.transport == STDIO_TRANSPORT else definition.transport
    table["views"] = definition.views or None
    table |= {key: getattr(definition, key) or None for key in _LIST_KEYS}
    table |= definition.extra
    table["options"] = definition.options or None
    return {key: value for key, value in table.items() if value is not None}


def format_toml(table: Mapping[str, Any]) -> str:
    """A table as TOML.

    Raises:
        ServerDefinitionError: when TOML cannot say some value.
    """
    head: list[str] = []
    tables: list[str] = []
    for key, value in table.items():
        if key == "options":
            tables += [_format_section(f"options.{_format_key(tool)}", given) for tool, given in value.items()]
        elif key in _LIST_KEYS and all(isinstance(item, dict) for item in value):
            tables += [_format_section(f"[{key}]", item) for item in value]
        else:
            head.append(f"{_format_key(key)} = {_format_value(value, key)}\n")
    return "\n".join(["".join(head), *tables])


def _format_section(name: str, table: Mapping[str, Any]) -> str:
    lines = [f"{_format_key(key)} = {_format_value(value, key)}\n" for key, value in table.items()]
    return f"[{name}]\n" + "".join(lines)


def _format_value(value: Any, key: str) -> str:
    """What stands behind an equals sign: long texts and lists take several lines."""
    if isinstance(value, str) and "\n" in value:
        return _format_long_text(value)
    if isinstance(value, list | tuple):
        items = [_format_inline(item, key) for item in value]
        line = f"[{', '.join(items)}]"
        is_short = len(key) + len(line) < MAX_LINE_CHARACTERS and not any(isinstance(i, dict) for i in value)
        return line if is_short else "".join(["[\n", *(f"    {item},\n" for item in items), "]"])
    return _format_inline(value, key)


def _format_inline(value: Any, key: str) -> str:
    """A value on one line."""
    if isinstance(value, str):
        return _format_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{', '.join(_format_inline(item, key) for item in value)}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(_format_pairs(value))} }}" if value else "{}"
    raise ServerDefinitionError(
        f"{value!r} cannot be stored"[:120],
        where=key,
        hint="use texts, numbers, true or false, dates, lists and tables",
    )


def _format_pairs(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if value is not None:
            yield f"{_format_key(key)} = {_format_inline(value, key)}"


def _format_key(key: Any) -> str:
    text = str(key)
    is_bare = text != "" and all(c.isascii() and (c.isalnum() or c in "_-") for c in text)
    return text if is_bare else _format_text(text)


def _format_text(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ServerDefinitionError(
            f"{text!r} cannot be stored: half of a character at {error.start}"[:120],
            hint="the text has been cut, or read in the wrong encoding",
        ) from None
    # JSON and TOML escape alike, but for one character that TOML does not want to see.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _format_long_text(text: str) -> str:
    lines = [_format_text(line)[1:-1].replace('\\"', '"') for line in text.split("\n")]
    body = "\n".join(lines).replace('"""', '""\\"')
    if body.endswith('"'):
        body = f'{body[:-1]}\\"'
    return f'"""\n{body}"""'
