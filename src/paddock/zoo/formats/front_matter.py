"""YAML front matter in Markdown files: lenient reading, and changes in place.

People write these files by hand, and not always as valid YAML. Front matter that is not valid YAML
is read line by line. A change leaves all other lines as they are: comments, order, quotes, line
endings and a byte order mark are preserved.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.frontmatter import encode_frontmatter, parse_frontmatter
from paddock.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = dict[str, Any]

# The comment that preserves an agent's name if the file only has a slug of it.
NAME_COMMENT = "zoo-name"

# Any more keys are not parsed as YAML, so a huge file does not take minutes.
MAX_PARSED_KEYS = 200
# Candidates for the start of a comment after a value. Quoted text may look like one.
MAX_COMMENT_ATTEMPTS = 20

_DOCUMENT_PATTERN = re.compile(
    r"(?P<opening>\ufeff?---[ \t]*\r?\n)(?P<block>(?:.*\r?\n)*?)(?P<closing>---[ \t]*(?:\r?\n|\Z))"
)
_BYTE_ORDER_MARK = "\ufeff"
_KEY_PATTERN = re.compile(
    r"""(?P<key>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#\[\]{}&*!|>'"%@`,?:-][^:\r\n]*?)"""
    r"[ \t]*:(?=\s|$)[ \t]*"
)
_NAME_COMMENT_PATTERN = re.compile(rf"# {NAME_COMMENT}:[ \t]*(.*?)[ \t]*\r?\n?")
_PLAIN_VALUE_PATTERN = re.compile(r"[^\W\d_](?:[^\n\r]*[^\s:])?")
# Words that some YAML parsers do not read as strings.
_YAML_KEYWORDS = {"null", "true", "false", "y", "n", "yes", "no", "on", "off"}
_ERROR_LOCATION = "front matter"


class _KeyLines(NamedTuple):
    """A top-level key in the front matter, and the lines that it occupies."""

    start: int
    """Index of the first line."""
    end: int
    """Index of the line after the last one."""
    key: str
    value: object
    is_yaml: bool
    """Whether the value is valid YAML. Otherwise it was read as plain text."""


class FrontMatterFile(NamedTuple):
    """A file split into parts. Concatenated, they give the file again."""

    opening: str
    """A byte order mark, if there is one, and the delimiter before the front matter."""
    block: str
    closing: str
    body: str

    @property
    def text(self) -> str:
        """The complete file."""
        return f"{self.opening}{self.block}{self.closing}{self.body}"

    @property
    def line_end(self) -> str:
        """The line ending of the file, judging by its first line."""
        first = re.search(r"\r?\n", self.text)
        return first[0] if first else "\n"

    @property
    def is_yaml(self) -> bool:
        """Whether the front matter is valid YAML."""
        return not self.block.strip() or _parse_yaml(self.block) is not None

    def get_fields(self) -> Json:
        """Return the front matter fields.

        If the front matter is not valid YAML, each key is read separately, so one damaged field
        does not hide the others.
        """
        fields = _parse_yaml(self.block)
        if fields is not None:
            return fields
        return {key_lines.key: key_lines.value for key_lines in _iterate_keys(self.block)}

    def get_name_comment(self) -> str | None:
        """Return the display name from the comment `# zoo-name: …`, or None if it is missing."""
        for line in _split_lines(self.block):
            if match := _NAME_COMMENT_PATTERN.fullmatch(line):
                return match[1]
        return None

    def with_fields(
        self, changes: Mapping[str, object], *, removed: tuple[str, ...] = ()
    ) -> FrontMatterFile:
        """Return the file with changed and removed fields in its front matter.

        Only the lines of these fields are replaced, so the comments, order and formatting of all
        others stay as the author wrote them.

        Args:
            changes: New values for existing fields, and new fields to append.
            removed: The keys of fields to remove.
        """
        old_fields = self.get_fields()
        fields = {key: value for key, value in old_fields.items() if key not in removed}
        fields.update(changes)
        if fields == old_fields:
            return self
        lines, line_end = _split_lines(self.block), self.line_end
        existing = list(_iterate_keys(self.block))
        # Edit from the end, so earlier line numbers stay valid.
        for key_lines in reversed(existing):
            key, start, end = key_lines.key, key_lines.start, key_lines.end
            if key in removed:
                del lines[start:end]
            elif key in changes and changes[key] != key_lines.value:
                comment = _find_trailing_comment(lines, key_lines)
                lines[start:end] = [f"{_format_line(key, changes[key])}{comment}{line_end}"]
        existing_keys = {key_lines.key for key_lines in existing}
        added_lines = [
            f"{_format_line(key, value)}{line_end}"
            for key, value in changes.items()
            if key not in existing_keys
        ]
        block = "".join([*lines, *added_lines])
        # Unusual YAML, such as anchors, can cause an in-place edit to change other fields too. In
        # that case, the whole block is rewritten, which loses its comments.
        if FrontMatterFile("", block, "", "").get_fields() != fields:
            block = "".join(
                f"{_format_line(key, value)}{line_end}" for key, value in fields.items()
            )
        return self._with_block(block)

    def with_name_comment(self, name: str | None) -> FrontMatterFile:
        """Return the file with a comment `# zoo-name: …`, or without one if `name` is None.

        The comment preserves the display name if the field `name` must be a slug.
        """
        if self.get_name_comment() == name:
            return self
        lines = _split_lines(self.block)
        lines = [line for line in lines if not _NAME_COMMENT_PATTERN.fullmatch(line)]
        if name is not None:
            lines.insert(0, f"# {NAME_COMMENT}: {name}{self.line_end}")
        return self._with_block("".join(lines))

    def with_body(self, body: str) -> FrontMatterFile:
        """Return the file with a different body, keeping the blank lines around the current one."""
        body = body.replace("\n", self.line_end)
        # In a file without front matter, a body that begins with `---` would be read as front
        # matter. Empty front matter before it prevents that.
        if not self.closing and body.startswith("---"):
            return self._with_new_block("").with_body(body)
        old_text = self.body.strip()
        if old_text:
            leading_space, _, trailing_space = self.body.partition(old_text)
            return self._replace(body=f"{leading_space}{body}{trailing_space}")
        gap = self.line_end if self.closing else ""
        return self._replace(body=f"{gap}{body}{self.line_end}" if body else "")

    def _with_block(self, block: str) -> FrontMatterFile:
        """Return the file with a different block, adding delimiters if it had no front matter."""
        if self.closing or not block:
            return self._replace(block=block)
        return self._with_new_block(block)

    def _with_new_block(self, block: str) -> FrontMatterFile:
        """Return a file that had no front matter, with new front matter."""
        end = self.line_end
        body = self.body if not self.body or self.body[0] in "\r\n" else f"{end}{self.body}"
        return FrontMatterFile(f"{self.opening}---{end}", block, f"---{end}", body)


def get_text(data: Mapping[str, Any], key: str) -> str:
    """Return a value that should be text, or an empty string if it is anything else."""
    value = data.get(key)
    return value if isinstance(value, str) else ""


def parse_front_matter(text: str) -> FrontMatterFile:
    """Split a file's text into its front matter and its body.

    Without front matter, everything after a byte order mark is the body.
    """
    match = _DOCUMENT_PATTERN.match(text)
    if match is not None:
        return FrontMatterFile(
            opening=match["opening"],
            block=match["block"],
            closing=match["closing"],
            body=text[match.end() :],
        )
    opening = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    return FrontMatterFile(opening, block="", closing="", body=text.removeprefix(opening))


def _split_lines(text: str) -> list[str]:
    """Split a text at LF only.

    `str.splitlines` would split at other characters too.
    """
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _parse_yaml(block: str) -> Json | None:
    """Parse the lines between the delimiters, or return None if they are not valid YAML."""
    # Blank lines and comments alone mean an empty mapping. The decoder would reject them.
    has_fields = re.search(r"^[ \t]*[^#\s]", block, re.M) is not None
    if not has_fields:
        return {}
    try:
        return parse_frontmatter(f"---\n{block}\n---\n".encode(), _ERROR_LOCATION)
    except (DefinitionError, UnicodeEncodeError):
        return None


def _iterate_keys(block: str) -> Iterator[_KeyLines]:
    """Yield the top-level keys in front matter, each with its lines and its value.

    Keys are found by pattern and parsed one at a time, which also works if the block as a whole is
    not valid YAML. A repeated key is yielded only once.
    """
    lines = _split_lines(block)
    starts = [
        (index, match) for index, line in enumerate(lines) if (match := _KEY_PATTERN.match(line))
    ]
    seen: set[str] = set()
    for number, (start, match) in enumerate(starts, 1):
        # A key ends where the next one starts. Because `number` counts from 1, it is the index of
        # the next key.
        end = starts[number][0] if number < len(starts) else len(lines)
        # Comments and blank lines before a key belong to it, not to the key before them.
        while end > start + 1 and _is_blank_or_comment(lines[end - 1]):
            end -= 1
        text = "".join(lines[start:end])
        # A value that is not valid YAML is read as plain text.
        fields = _parse_yaml(text) if number <= MAX_PARSED_KEYS else None
        if fields is not None and len(fields) == 1:
            ((key, value),) = fields.items()
            is_yaml = True
        else:
            key, is_yaml = match["key"].strip("\"'"), False
            value = " ".join(text[match.end() :].split())
        if key not in seen:
            seen.add(key)
            yield _KeyLines(start, end, key, value, is_yaml)


def _is_blank_or_comment(line: str) -> bool:
    return not line.strip() or line.startswith("#")


def _find_trailing_comment(lines: list[str], key_lines: _KeyLines) -> str:
    """Return the comment that follows a value on the same line, with the space before it.

    A `#` may belong to the value. It starts a comment only if the text before it parses to the same
    value. The result is empty if there is no comment.
    """
    is_one_line = key_lines.end == key_lines.start + 1
    if not is_one_line or not key_lines.is_yaml:
        return ""
    line = lines[key_lines.start].rstrip("\r\n")
    for match in islice(re.finditer(r"[ \t]+#", line), MAX_COMMENT_ATTEMPTS):
        if _parse_yaml(line[: match.start()] + "\n") == {key_lines.key: key_lines.value}:
            return line[match.start() :]
    return ""


def _format_line(key: str, value: object) -> str:
    """Format a key and its value as one line of YAML, such as `description: Writes tests`.

    A string is written without quotes if every parser reads it the same way, because the YAML
    encoder's quotes look out of place in files written by hand.
    """
    # The encoder writes the delimiters `---` in the lines before and after.
    quoted_line = encode_frontmatter({key: value}, _ERROR_LOCATION).decode().split("\n")[1]
    if not isinstance(value, str) or not _PLAIN_VALUE_PATTERN.fullmatch(value):
        return quoted_line
    if value.lower() in _YAML_KEYWORDS or not value.isprintable() or " #" in value:
        return quoted_line
    encoded_key = quoted_line.partition(": ")[0]
    plain_line = f"{encoded_key}: {value}"
    return plain_line if _parse_yaml(plain_line) == {key: value} else quoted_line
