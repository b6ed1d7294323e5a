"""The YAML at the top of a Markdown file: read leniently, changed in place.

People write these files by hand, and not always as YAML wants it. What cannot be read as YAML is
read line by line, and a change leaves every line alone that it does not concern: comments, order,
quotes, line ends and a byte order mark stay.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.frontmatter import encode_frontmatter
from paddock.authoring.frontmatter_parser import parse_frontmatter
from paddock.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = dict[str, Any]

NAME_COMMENT = "zoo-name"
"""The comment that keeps what an agent is called where a file has only a safe name for it."""

MAX_PARSED_KEYS = 200
"""That are looked at one by one; what further ones say is taken as it stands."""
MAX_COMMENT_ATTEMPTS = 20
"""Of finding where the comment behind a value begins; text between quotes may look like one."""

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
_YAML_KEYWORDS = {"null", "true", "false", "y", "n", "yes", "no", "on", "off"}
"""Words that some reader of YAML takes for something else."""
_ERROR_LOCATION = "front matter"


class _KeyLines(NamedTuple):
    """The lines of one key."""

    start: int
    end: int
    key: str
    value: object
    is_yaml: bool


class FrontMatterFile(NamedTuple):
    """A file, taken apart; its parts one after the other are the file."""

    opening: str
    """A byte order mark, where there is one, and the line before the front matter."""
    block: str
    closing: str
    body: str

    @property
    def text(self) -> str:
        """The whole file."""
        return f"{self.opening}{self.block}{self.closing}{self.body}"

    @property
    def line_end(self) -> str:
        """How the file ends its lines, by its first one."""
        first = re.search(r"\r?\n", self.text)
        return first[0] if first else "\n"

    @property
    def is_yaml(self) -> bool:
        """Whether the front matter is what YAML wants it to be."""
        return not self.block.strip() or _parse_yaml(self.block) is not None

    def get_fields(self) -> Json:
        """What the front matter says."""
        whole = _parse_yaml(self.block)
        if whole is not None:
            return whole
        return {chunk.key: chunk.value for chunk in _iterate_keys(self.block)}

    def get_title(self) -> str | None:
        """What the comment says that the agent is called."""
        for line in _split_lines(self.block):
            if found := _NAME_COMMENT_PATTERN.fullmatch(line):
                return found[1]
        return None

    def with_fields(
        self, changes: Mapping[str, object], *, removed: tuple[str, ...] = ()
    ) -> FrontMatterFile:
        """The document with other values for some keys, and without some."""
        before = self.get_fields()
        wanted = {key: value for key, value in before.items() if key not in removed}
        wanted.update(changes)
        if wanted == before:
            return self
        lines, end = _split_lines(self.block), self.line_end
        chunks = list(_iterate_keys(self.block))
        for chunk in reversed(chunks):
            if chunk.key in removed:
                del lines[chunk.start : chunk.end]
            elif chunk.key in changes and changes[chunk.key] != chunk.value:
                comment = _find_end_comment(lines, chunk)
                line = _format_line(chunk.key, changes[chunk.key])
                lines[chunk.start : chunk.end] = [f"{line}{comment}{end}"]
        known = {chunk.key for chunk in chunks}
        added = [_format_line(key, changes[key]) + end for key in changes if key not in known]
        block = "".join([*lines, *added])
        if FrontMatterFile("", block, "", "").get_fields() != wanted:
            block = "".join(_format_line(key, value) + end for key, value in wanted.items())
        return self._with_block(block)

    def with_title(self, name: str | None) -> FrontMatterFile:
        """The document with that comment, or without it."""
        if self.get_title() == name:
            return self
        lines = _split_lines(self.block)
        kept = [line for line in lines if not _NAME_COMMENT_PATTERN.fullmatch(line)]
        if name is not None:
            kept.insert(0, f"# {NAME_COMMENT}: {name}{self.line_end}")
        return self._with_block("".join(kept))

    def with_body(self, body: str) -> FrontMatterFile:
        """The document with another text; blank lines around the old one are kept."""
        body = body.replace("\n", self.line_end)
        if not self.closing and body.startswith("---"):
            return self._with_new_block("").with_body(body)
        old = self.body.strip()
        if old:
            before, _, after = self.body.partition(old)
            return self._replace(body=f"{before}{body}{after}")
        gap = self.line_end if self.closing else ""
        return self._replace(body=f"{gap}{body}{self.line_end}" if body else "")

    def _with_block(self, block: str) -> FrontMatterFile:
        if self.closing or not block:
            return self._replace(block=block)
        return self._with_new_block(block)

    def _with_new_block(self, block: str) -> FrontMatterFile:
        """The document with front matter, which it has had none of."""
        end = self.line_end
        body = self.body if not self.body or self.body[0] in "\r\n" else f"{end}{self.body}"
        return FrontMatterFile(f"{self.opening}---{end}", block, f"---{end}", body)


def parse_front_matter(text: str) -> FrontMatterFile:
    """Take a file apart; one without front matter is all text."""
    found = _DOCUMENT_PATTERN.match(text)
    if found is not None:
        return FrontMatterFile(
            found["opening"], found["block"], found["closing"], text[found.end() :]
        )
    has_mark = text.startswith(_BYTE_ORDER_MARK)
    return FrontMatterFile(
        _BYTE_ORDER_MARK if has_mark else "", "", "", text[1:] if has_mark else text
    )


def _split_lines(text: str) -> list[str]:
    """The lines of a text, ended as editors see it; Python knows other ends too."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _parse_yaml(block: str) -> Json | None:
    """What a block says as YAML; None when it is none."""
    if not re.search(r"^[ \t]*[^#\s]", block, re.M):
        return {}
    try:
        return parse_frontmatter(f"---\n{block}\n---\n".encode(), _ERROR_LOCATION)
    except (DefinitionError, UnicodeEncodeError):
        return None


def _iterate_keys(block: str) -> Iterator[_KeyLines]:
    """The keys that stand at the left margin, each with the lines below that belong to it."""
    lines = _split_lines(block)
    starts = [
        (number, found) for number, line in enumerate(lines) if (found := _KEY_PATTERN.match(line))
    ]
    seen: set[str] = set()
    for number, (start, found) in enumerate(starts, 1):
        end = starts[number][0] if number < len(starts) else len(lines)
        while end > start + 1 and _is_separator_line(lines[end - 1]):
            end -= 1
        text = "".join(lines[start:end])
        said = _parse_yaml(text) if number <= MAX_PARSED_KEYS else None
        if said is not None and len(said) == 1:
            ((key, value),) = said.items()
            is_yaml = True
        else:
            key, is_yaml = found["key"].strip("\"'"), False
            value = " ".join(text[found.end() :].split())
        if key not in seen:
            seen.add(key)
            yield _KeyLines(start, end, key, value, is_yaml)


def _is_separator_line(line: str) -> bool:
    """Whether a line at the end of a key's lines belongs to what comes after them."""
    return not line.strip() or line.startswith("#")


def _find_end_comment(lines: list[str], chunk: _KeyLines) -> str:
    """The comment behind a value that stands on one line."""
    if chunk.end != chunk.start + 1 or not chunk.is_yaml:
        return ""
    line = lines[chunk.start].rstrip("\r\n")
    for found in islice(re.finditer(r"[ \t]+#", line), MAX_COMMENT_ATTEMPTS):
        if _parse_yaml(line[: found.start()] + "\n") == {chunk.key: chunk.value}:
            return line[found.start() :]
    return ""


def _format_line(key: str, value: object) -> str:
    """A key and its value as a line, plainly where every reader takes it for the same."""
    quoted = encode_frontmatter({key: value}, _ERROR_LOCATION).decode().split("\n")[1]
    if not isinstance(value, str) or not _PLAIN_VALUE_PATTERN.fullmatch(value):
        return quoted
    if value.lower() in _YAML_KEYWORDS or not value.isprintable():
        return quoted
    name = quoted.partition(": ")[0]
    plain = f"{name}: {value}"
    return plain if " #" not in value and _parse_yaml(plain) == {key: value} else quoted
