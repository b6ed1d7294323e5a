"""The YAML front matter of a Markdown file: lenient reading, and changes in place.

People write these files by hand, and not always as valid YAML. Front matter that is not valid YAML
is read line by line. A change leaves all other lines as they are: comments, order, quotes, line
ends and a byte order mark are preserved.
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

# The comment that preserves the name of an agent if the file only has a slug of it.
NAME_COMMENT = "zoo-name"

# Further keys are not parsed as YAML, so that a huge file does not take minutes.
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
    """The lines of one key."""

    start: int
    end: int
    key: str
    value: object
    is_yaml: bool


class FrontMatterFile(NamedTuple):
    """A file in parts, whose concatenation is the file."""

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
        """The line end of the file, judging by its first line."""
        first = re.search(r"\r?\n", self.text)
        return first[0] if first else "\n"

    @property
    def is_yaml(self) -> bool:
        """Whether the front matter is valid YAML."""
        return not self.block.strip() or _parse_yaml(self.block) is not None

    def get_fields(self) -> Json:
        """Return the fields of the front matter.

        If the front matter is not valid YAML, each key is read separately, so that one damaged
        field does not hide the others.
        """
        fields = _parse_yaml(self.block)
        if fields is not None:
            return fields
        return {chunk.key: chunk.value for chunk in _iterate_keys(self.block)}

    def get_name_comment(self) -> str | None:
        """Return the agent's name from its comment, or None."""
        for line in _split_lines(self.block):
            if match := _NAME_COMMENT_PATTERN.fullmatch(line):
                return match[1]
        return None

    def with_fields(
        self, changes: Mapping[str, object], *, removed: tuple[str, ...] = ()
    ) -> FrontMatterFile:
        """Return the file with changed and removed fields.

        Only the lines of these fields are replaced, so comments, order and formatting of the others
        stay as the author wrote them.
        """
        old_fields = self.get_fields()
        fields = {key: value for key, value in old_fields.items() if key not in removed}
        fields.update(changes)
        if fields == old_fields:
            return self
        lines, end = _split_lines(self.block), self.line_end
        chunks = list(_iterate_keys(self.block))
        for chunk in reversed(chunks):  # from the end, so that earlier line numbers stay valid
            if chunk.key in removed:
                del lines[chunk.start : chunk.end]
            elif chunk.key in changes and changes[chunk.key] != chunk.value:
                comment = _find_trailing_comment(lines, chunk)
                line = _format_line(chunk.key, changes[chunk.key])
                lines[chunk.start : chunk.end] = [f"{line}{comment}{end}"]
        present_keys = {chunk.key for chunk in chunks}
        added = [
            _format_line(key, changes[key]) + end for key in changes if key not in present_keys
        ]
        block = "".join([*lines, *added])
        # Unusual YAML, such as anchors, can make an edit in place change other fields too.
        if FrontMatterFile("", block, "", "").get_fields() != fields:
            block = "".join(_format_line(key, value) + end for key, value in fields.items())
        return self._with_block(block)

    def with_name_comment(self, name: str | None) -> FrontMatterFile:
        """Return the file with another name comment, or without one."""
        if self.get_name_comment() == name:
            return self
        lines = _split_lines(self.block)
        lines = [line for line in lines if not _NAME_COMMENT_PATTERN.fullmatch(line)]
        if name is not None:
            lines.insert(0, f"# {NAME_COMMENT}: {name}{self.line_end}")
        return self._with_block("".join(lines))

    def with_body(self, body: str) -> FrontMatterFile:
        """Return the file with another body.

        Blank lines around the present body are kept.
        """
        body = body.replace("\n", self.line_end)
        # In a file without front matter, a body that begins with a rule would be read as front
        # matter.
        if not self.closing and body.startswith("---"):
            return self._with_new_block("").with_body(body)
        old = self.body.strip()
        if old:
            before, _, after = self.body.partition(old)
            return self._replace(body=f"{before}{body}{after}")
        gap = self.line_end if self.closing else ""
        return self._replace(body=f"{gap}{body}{self.line_end}" if body else "")

    def _with_block(self, block: str) -> FrontMatterFile:
        """Return the file with another block, with delimiters if it had no front matter."""
        if self.closing or not block:
            return self._replace(block=block)
        return self._with_new_block(block)

    def _with_new_block(self, block: str) -> FrontMatterFile:
        """Return a file without front matter with new front matter."""
        end = self.line_end
        body = self.body if not self.body or self.body[0] in "\r\n" else f"{end}{self.body}"
        return FrontMatterFile(f"{self.opening}---{end}", block, f"---{end}", body)


def get_text(data: Mapping[str, Any], key: str) -> str:
    """Return a value of a file that should be text, or an empty text if it is anything else."""
    value = data.get(key)
    return value if isinstance(value, str) else ""


def parse_front_matter(text: str) -> FrontMatterFile:
    """Split a file into its parts. Without front matter, all of it is the body."""
    match = _DOCUMENT_PATTERN.match(text)
    if match is not None:
        return FrontMatterFile(
            match["opening"], match["block"], match["closing"], text[match.end() :]
        )
    has_mark = text.startswith(_BYTE_ORDER_MARK)
    return FrontMatterFile(
        _BYTE_ORDER_MARK if has_mark else "", "", "", text[1:] if has_mark else text
    )


def _split_lines(text: str) -> list[str]:
    """Split a text at LF only.

    `str.splitlines` would split at other characters too.
    """
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _parse_yaml(block: str) -> Json | None:
    """Parse a block, or return None if it is not valid YAML."""
    if not re.search(r"^[ \t]*[^#\s]", block, re.M):
        return {}
    try:
        return parse_frontmatter(f"---\n{block}\n---\n".encode(), _ERROR_LOCATION)
    except (DefinitionError, UnicodeEncodeError):
        return None


def _iterate_keys(block: str) -> Iterator[_KeyLines]:
    """Yield the top-level keys of a block, each with its lines.

    Keys are found by pattern and parsed one at a time, which also works if the block as a whole is
    not valid YAML.
    """
    lines = _split_lines(block)
    starts = [
        (number, match) for number, line in enumerate(lines) if (match := _KEY_PATTERN.match(line))
    ]
    seen: set[str] = set()
    for number, (start, match) in enumerate(starts, 1):
        end = starts[number][0] if number < len(starts) else len(lines)
        # Comments and blank lines before a key belong to it, not to the key before them.
        while end > start + 1 and _is_separator_line(lines[end - 1]):
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


def _is_separator_line(line: str) -> bool:
    """Return whether a line after a key belongs to the next key instead."""
    return not line.strip() or line.startswith("#")


def _find_trailing_comment(lines: list[str], chunk: _KeyLines) -> str:
    """Return the comment that follows a value on the same line, or an empty string.

    A `#` may belong to the value. It starts a comment only if the text before it parses to the same
    value.
    """
    if chunk.end != chunk.start + 1 or not chunk.is_yaml:
        return ""
    line = lines[chunk.start].rstrip("\r\n")
    for match in islice(re.finditer(r"[ \t]+#", line), MAX_COMMENT_ATTEMPTS):
        if _parse_yaml(line[: match.start()] + "\n") == {chunk.key: chunk.value}:
            return line[match.start() :]
    return ""


def _format_line(key: str, value: object) -> str:
    """Format a key and its value on one line, unquoted if every parser reads it the same."""
    # The YAML encoder quotes every string, which looks foreign in files written by hand.
    quoted = encode_frontmatter({key: value}, _ERROR_LOCATION).decode().split("\n")[1]
    if not isinstance(value, str) or not _PLAIN_VALUE_PATTERN.fullmatch(value):
        return quoted
    if value.lower() in _YAML_KEYWORDS or not value.isprintable():
        return quoted
    name = quoted.partition(": ")[0]
    plain = f"{name}: {value}"
    return plain if " #" not in value and _parse_yaml(plain) == {key: value} else quoted
