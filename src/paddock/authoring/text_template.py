"""The little language of prompt texts.

`{name}` is replaced by the argument; `{?name?text}` is the text when the argument was given, and
nothing otherwise. Blocks nest. A placeholder of an unknown argument stays as it is, and a value
is never looked into for further placeholders.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLACEHOLDER = re.compile(r"\{(\w+)\}|\{\?(\w+)\?")


def fill_template(template: str, arguments: Mapping[str, str]) -> str:
    """A text with its placeholders replaced."""
    pieces: list[str] = []
    position = 0
    while match := _PLACEHOLDER.search(template, position):
        pieces.append(template[position : match.start()])
        name = match[1] or match[2]
        if match[1]:
            pieces.append(arguments.get(name, match[0]))
            position = match.end()
            continue
        end = _find_closing_brace(template, match.end())
        if end is None:
            pieces.append(match[0])
            position = match.end()
            continue
        if name in arguments:
            pieces.append(fill_template(template[match.end() : end], arguments))
        position = end + 1
    pieces.append(template[position:])
    return "".join(pieces)


def list_placeholders(template: str) -> list[str]:
    """The names of the arguments that a text uses, in order."""
    found = (match[1] or match[2] for match in _PLACEHOLDER.finditer(template))
    return list(dict.fromkeys(found))


def _find_closing_brace(template: str, start: int) -> int | None:
    depth = 1
    for index in range(start, len(template)):
        character = template[index]
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return index
    return None
