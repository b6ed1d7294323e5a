"""Reading a function's docstring: its summary, and what it says about each parameter.

Understands the Google, NumPy and Sphinx styles; what is in none of them is all summary.
"""

from __future__ import annotations

import re

_SECTION = re.compile(
    r"^(Args|Arguments|Parameters|Params|Returns?|Raises|Yields?|Examples?|Notes?|Warnings?|"
    r"See Also|Attributes|References|Todo):?\s*$"
)
_GOOGLE_ITEM = re.compile(r"^(\s*)\*{0,2}(\w+)\s*(?:\(.*?\))?\s*:\s*(.*)$")
_NUMPY_ITEM = re.compile(r"^\*{0,2}(\w+)\s*(?::.*)?$")
_SPHINX_ITEM = re.compile(
    r"^\s*:(?:param|parameter|arg|argument)\s+(?:[^:]*\s)?\*{0,2}(\w+):\s*(.*)$"
)
_SPHINX_FIELD = re.compile(r"^\s*:\w+[^:]*:")
_PARAMETER_SECTIONS = frozenset({"Args", "Arguments", "Parameters", "Params"})


def parse_docstring(text: str | None) -> tuple[str, dict[str, str]]:
    """The description of the function, and of its parameters by name."""
    if not text:
        return "", {}
    first, _, rest = text.strip("\n").partition("\n")
    lines = [first.strip(), *_dedent_lines(rest)]
    summary: list[str] = []
    described: dict[str, str] = {}
    index = 0
    while index < len(lines):
        line = lines[index]
        section = _SECTION.match(line.strip()) if line == line.lstrip() or not index else None
        if section:
            block, index = _read_section(lines, index + 1)
            if section[1] in _PARAMETER_SECTIONS:
                described.update(_parse_parameter_descriptions(block))
            continue
        if _SPHINX_FIELD.match(line):
            block, index = _read_sphinx_field(lines, index)
            described.update(_parse_sphinx_field(block))
            continue
        summary.append(line)
        index += 1
    return "\n".join(summary).strip(), described


def _dedent_lines(text: str) -> list[str]:
    lines = text.expandtabs().splitlines()
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[margin:] for line in lines]


def _read_section(lines: list[str], start: int) -> tuple[list[str], int]:
    """The lines of a section that begins at `start`, and where the next one begins."""
    is_numpy = start < len(lines) and set(lines[start].strip()) == {"-"}
    index = start + 1 if is_numpy else start
    block: list[str] = []
    while index < len(lines):
        line = lines[index]
        if _SECTION.match(line) or (not is_numpy and line and not line[0].isspace()):
            break
        block.append(line)
        index += 1
    return block, index


def _parse_parameter_descriptions(block: list[str]) -> dict[str, str]:
    filled = [line for line in block if line.strip()]
    if not filled:
        return {}
    margin = min(len(line) - len(line.lstrip()) for line in filled)
    pattern = _GOOGLE_ITEM if margin else _NUMPY_ITEM
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in filled:
        match = pattern.match(line[margin:]) if len(line) - len(line.lstrip()) == margin else None
        if match:
            name, text = (match[2], match[3]) if margin else (match[1], "")
            current = found.setdefault(name, [])
            current.append(text)
        elif current is not None:
            current.append(line.strip())
    return {name: " ".join(parts).strip() for name, parts in found.items()}


def _read_sphinx_field(lines: list[str], start: int) -> tuple[list[str], int]:
    index = start + 1
    while index < len(lines) and lines[index].strip() and not _SPHINX_FIELD.match(lines[index]):
        index += 1
    return lines[start:index], index


def _parse_sphinx_field(block: list[str]) -> dict[str, str]:
    match = _SPHINX_ITEM.match(block[0])
    if not match:
        return {}
    return {match[1]: " ".join([match[2], *(line.strip() for line in block[1:])]).strip()}
