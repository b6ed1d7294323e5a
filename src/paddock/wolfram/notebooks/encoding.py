r"""Text in the characters that a notebook file may hold: ASCII, and escapes for all others.

An alpha is written `\[Alpha]`, what has no name `\:4e2d`, and beyond the first plane `\|01f600`.
"""

from __future__ import annotations

import re

from paddock.wolfram.expressions import Atom
from paddock.wolfram.letters import name_of

_OTHER = re.compile(r"[^\x20-\x7e]")
_FOREIGN = re.compile(r"[^\x00-\x7e]")
_QUOTED = re.compile(r'[\\"]|[^\x20-\x7e]')
_SIMPLE = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_FIRST_PLANE = 0xFFFF
_BYTE = 0xFF


def literal(value: str) -> Atom:
    """A string as an expression that is written in ASCII."""
    if _QUOTED.search(value) is not None:
        value = _QUOTED.sub(_escaped, value)
    return Atom("string", f'"{value}"')


def in_ascii(text: str) -> str:
    """A piece of source text with its foreign characters escaped; line ends stay."""
    return text if text.isascii() else _FOREIGN.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return _SIMPLE.get(found[0]) or _code(found[0])


def _code(character: str) -> str:
    name = name_of(character)
    if name is not None:
        return f"\\[{name}]"
    code = ord(character)
    if code > _FIRST_PLANE:
        return f"\\|{code:06x}"
    return f"\\:{code:04x}" if code > _BYTE else f"\\.{code:02x}"
