"""Parser for the docstrings of handlers.

It separates the description of a function from those of its parameters, in Google, NumPy and Sphinx
style. Text outside the sections of these styles belongs to the description.
"""

from __future__ import annotations

import re

# The patterns are compiled with the first docstring, because calls do not need descriptions.
_SECTION = (
    r"^(Args|Arguments|Parameters|Params|Returns?|Raises|Yields?|Examples?|Notes?|Warnings?|"
    r"See Also|Attributes|References|Todo):?\s*$"
)
_GOOGLE_ITEM = r"^(\s*)\*{0,2}(\w+)\s*(?:\(.*?\))?\s*:\s*(.*)$"
_NUMPY_ITEM = r"^\*{0,2}(\w+)\s*(?::.*)?$"
_SPHINX_ITEM = r"^\s*:(?:param|parameter|arg|argument)\s+(?:[^:]*\s)?\*{0,2}(\w+):\s*(.*)$"
_SPHINX_FIELD = r"^\s*:\w+[^:]*:"
_PARAMETER_SECTIONS = frozenset({"Args", "Arguments", "Parameters", "Params"})


def parse_docstring(text: str | None) -> tuple[str, dict[str, str]]:
    """Split a docstring into its description and the descriptions of parameters.

    Sections about return values, exceptions and the like are left out.

    Returns:
        The description of the function, and those of its parameters by name.
    """
    if not text:
        return "", {}
    first_line, _, remaining_text = text.strip("\n").partition("\n")
    lines = [first_line.strip(), *_dedent_lines(remaining_text)]
    summary: list[str] = []
    descriptions: dict[str, str] = {}
    index = 0
    while index < len(lines):
        line = lines[index]
        # An indented heading is part of other text.
        section = re.match(_SECTION, line.strip()) if line == line.lstrip() or not index else None
        if section:
            block, index = _read_section(lines, index + 1)
            if section[1] in _PARAMETER_SECTIONS:
                descriptions.update(_parse_parameter_descriptions(block))
            continue
        if re.match(_SPHINX_FIELD, line):
            block, index = _read_sphinx_field(lines, index)
            descriptions.update(_parse_sphinx_field(block))
            continue
        summary.append(line)
        index += 1
    return "\n".join(summary).strip(), descriptions


def _dedent_lines(text: str) -> list[str]:
    lines = text.expandtabs().splitlines()
    margin = min((_count_indent(line) for line in lines if line.strip()), default=0)
    return [line[margin:] for line in lines]


def _read_section(lines: list[str], start: int) -> tuple[list[str], int]:
    """Return the lines of the section that begins at `start`, and the index of the next one."""
    is_numpy = start < len(lines) and set(lines[start].strip()) == {"-"}
    index = start + 1 if is_numpy else start
    block: list[str] = []
    while index < len(lines):
        line = lines[index]
        if re.match(_SECTION, line) or (not is_numpy and line and not line[0].isspace()):
            break
        block.append(line)
        index += 1
    return block, index


def _parse_parameter_descriptions(block: list[str]) -> dict[str, str]:
    """Return the descriptions in the lines of a parameter section, by parameter name."""
    text_lines = [line for line in block if line.strip()]
    if not text_lines:
        return {}
    margin = min(_count_indent(line) for line in text_lines)
    # Google style indents items below the heading, NumPy style does not.
    pattern = _GOOGLE_ITEM if margin else _NUMPY_ITEM
    texts_by_name: dict[str, list[str]] = {}
    current_texts: list[str] | None = None
    for line in text_lines:
        match = re.match(pattern, line[margin:]) if _count_indent(line) == margin else None
        if match:
            name, text = (match[2], match[3]) if margin else (match[1], "")
            current_texts = texts_by_name.setdefault(name, [])
            current_texts.append(text)
        elif current_texts is not None:
            current_texts.append(line.strip())
    return {name: " ".join(texts).strip() for name, texts in texts_by_name.items()}


def _count_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _read_sphinx_field(lines: list[str], start: int) -> tuple[list[str], int]:
    index = start + 1
    while index < len(lines) and lines[index].strip() and not re.match(_SPHINX_FIELD, lines[index]):
        index += 1
    return lines[start:index], index


def _parse_sphinx_field(block: list[str]) -> dict[str, str]:
    match = re.match(_SPHINX_ITEM, block[0])
    if not match:
        return {}
    return {match[1]: " ".join([match[2], *(line.strip() for line in block[1:])]).strip()}
