"""Adding, replacing and cutting whole lines of a text, for formats whose entries stand on lines.

Whatever is added can be cut again and leaves the text as it was: lines go in right after a line
that is not blank, with at most one blank line before them, and that one is cut with them. A file
without a line end at its end keeps none. Knows nothing of any format but `#` comments.
"""

from __future__ import annotations


def find_line_start(text: str, offset: int) -> int:
    """Where the line begins that a character stands on."""
    return text.rfind("\n", 0, offset) + 1


def find_line_end(text: str, offset: int) -> int:
    """Where the line ends that a character stands on, after its line end."""
    found = text.find("\n", offset)
    return len(text) if found < 0 else found + 1


def is_blank(text: str, start: int, end: int) -> bool:
    """Whether there is nothing but white space between two places."""
    return not text[start:end].strip()


def get_indent(text: str, offset: int) -> str:
    """The white space at the beginning of the line that a character stands on."""
    start = find_line_start(text, offset)
    rest = text[start : find_line_end(text, offset)]
    return rest[: len(rest) - len(rest.lstrip(" \t"))]


def has_blank_line_above(text: str, offset: int) -> bool:
    """Whether a blank line stands before a line and the comments right above it."""
    start = find_line_start(text, offset)
    while start:
        above = find_line_start(text, start - 1)
        if is_blank(text, above, start):
            return True
        if not text[above:start].lstrip().startswith("#"):
            return False
        start = above
    return True


def find_content_end(text: str, end: int) -> int:
    """The place right after the last line before `end` that is not blank."""
    content = len(text[:end].rstrip())
    return min(find_line_end(text, content), end) if content else 0


def skip_attached_comments(text: str, at: int, *, column: int = 0) -> int:
    """The place after the comment lines at a line's start that belong to what stands above them.

    They follow without a blank line, and are indented by `column` at least. Those that go on
    without a blank line to the next content, at its own indentation, belong to that.
    """
    lines: list[tuple[int, int]] = []
    place = at
    while place < len(text) and text.startswith("#", place + len(get_indent(text, place))):
        lines.append((len(get_indent(text, place)), find_line_end(text, place)))
        place = find_line_end(text, place)
    attached = not is_blank(text, place, find_line_end(text, place))
    next_column = len(get_indent(text, place)) if attached else -1
    while lines and attached and lines[-1][0] <= next_column:
        lines.pop()
    for indent, end in lines:
        if indent < column:
            break
        at = end
    return at


def insert_lines(text: str, at: int, lines: list[str], *, newline: str, blank: bool) -> str:
    """The text with lines added at a place, which is the beginning of a line or the text's end."""
    body = newline.join(lines)
    gap = newline if blank and at else ""
    if at and not text[:at].endswith("\n"):
        return f"{text[:at]}{newline}{gap}{body}{text[at:]}"
    return f"{text[:at]}{gap}{body}{newline}{text[at:]}"


def replace_lines(text: str, start: int, end: int, lines: list[str], *, newline: str) -> str:
    """The text with other lines in the place of the whole lines between two places."""
    before = text[:start]
    if before and not before.endswith("\n"):
        before += newline
    is_open = end == len(text) and not text.endswith("\n")
    return f"{before}{newline.join(lines)}{'' if is_open else newline}{text[end:]}"


def remove_lines(
    text: str, start: int, end: int, *, floor: int = 0, is_first: bool = False
) -> str:
    """The text without the whole lines between two places, and without a blank line before them.

    The blank line stays when it begins before `floor`. Where there is none, the lines are the
    first of their kind and more follows, a blank line after them goes.
    """
    is_open = end == len(text) and not text.endswith("\n")
    blank = find_line_start(text, start - 1) if start else 0
    if start and blank >= floor and is_blank(text, blank, start):
        start = blank
    elif is_first and is_blank(text, end, find_line_end(text, end)) and text[end:].strip():
        end = find_line_end(text, end)
    if is_open and start:
        start -= 2 if text[:start].endswith("\r\n") else 1
    return text[:start] + text[end:]
