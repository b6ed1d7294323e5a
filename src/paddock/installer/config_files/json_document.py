"""JSON documents, with or without comments, edited as text.

Clients' files contain comments and formatting that would be lost if the data were rewritten. So a
change replaces only a few spans of the text, and the new text follows the style of the file.
Insertions and removals both begin right after a character that is not a space, so that removing an
inserted item restores the text. Every changed text is parsed again, and must contain the old data
with that change only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paddock.installer.config_files.data_changes import (
    FIX_BY_HAND_HINT,
    describe_type,
    find_value,
    put_value,
)
from paddock.installer.config_files.document import (
    MISSING,
    ConfigurationError,
    JsonDialect,
    NamedElementStep,
    detect_newline,
    format_path,
)
from paddock.installer.config_files.editable_document import EditableDocument
from paddock.installer.config_files.json_layout import (
    BLANK_CHARACTERS,
    JsonContainer,
    JsonItem,
    JsonStyle,
    detect_style,
    find_line_start,
    get_indent,
    has_line_break,
    is_after_line_comment,
    is_first_on_line,
    parse_container,
    rewind_blanks,
    skip_blanks,
    skip_trailing_comments,
)
from paddock.installer.config_files.json_reader import parse_json

if TYPE_CHECKING:
    from paddock.installer.config_files.document import DocumentPath


@dataclass(frozen=True)
class JsonTextEdit:
    """The replacement of one span of a text."""

    start: int
    end: int
    replacement: str = ""


def apply_text_edits(text: str, edits: list[JsonTextEdit]) -> str:
    """Apply edits to a text. They can be in any order, but must not overlap."""
    parts: list[str] = []
    offset = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        parts += [text[offset : edit.start], edit.replacement]
        offset = edit.end
    return "".join([*parts, text[offset:]])


@dataclass(frozen=True)
class JsonItemInsertion:
    """A new item at the end of a container."""

    key: str | None
    value: object
    style: JsonStyle

    def plan_edits(
        self, text: str, container: JsonContainer, *, may_unfold: bool
    ) -> list[JsonTextEdit]:
        """Return the text edits that add the item at the end of an object or list.

        Args:
            text: The text of the document.
            container: The object or list.
            may_unfold: Put the item on a line of its own if it is added to `{}` or `[]`.
        """
        if container.items:
            return self._append_to_items(text, container)
        return [self._insert_into_empty(text, container, may_unfold=may_unfold)]

    def _append_to_items(self, text: str, container: JsonContainer) -> list[JsonTextEdit]:
        """Return the text edits that add the item after the last one, with the same layout.

        The item has a line of its own if the last one has, and a trailing comma if the last one
        has.
        """
        last_item = container.items[-1]
        item_end = last_item.end if last_item.comma is None else last_item.comma + 1
        # The item is inserted after the comments next to the last item, because they belong to it.
        offset = skip_trailing_comments(text, item_end)
        ends_line = has_line_break(text[offset : offset + 1]) if offset > item_end else False
        if is_first_on_line(text, last_item.start) or ends_line:
            indent: str | None = self._find_sibling_indent(text, container)
            separator = f"{self.style.newline}{indent}"
        else:
            spans_lines = has_line_break(text[last_item.value_start : last_item.end])
            indent = get_indent(text, last_item.start) if spans_lines else None
            separator = self.style.item_gap
        new_text = separator + self.style.format_member(self.key, self.value, indent)
        if last_item.comma is not None:
            return [JsonTextEdit(offset, offset, new_text + ",")]
        return [
            JsonTextEdit(last_item.end, last_item.end, ","),
            JsonTextEdit(offset, offset, new_text),
        ]

    def _find_sibling_indent(self, text: str, container: JsonContainer) -> str:
        # The new item is aligned with the last one. If the container begins on the same line as
        # the last item, that line has the container's indentation, and one level is added.
        last = container.items[-1]
        if find_line_start(text, last.start) > container.start:
            return get_indent(text, last.start)
        return get_indent(text, container.start) + self.style.indent_unit

    def _insert_into_empty(
        self, text: str, container: JsonContainer, *, may_unfold: bool
    ) -> JsonTextEdit:
        """Return the text edit that adds the item to an object or list without items.

        The container can contain whitespace and comments. With `may_unfold`, the item is put on a
        line of its own in `{}` or `[]`, and the closing bracket on the next line.
        """
        outer_indent = get_indent(text, container.start)
        offset = rewind_blanks(text, container.end)
        blanks = text[offset : container.end]
        has_no_content = container.end == container.start + 1
        if has_line_break(blanks) or (has_no_content and may_unfold):
            indent = self._find_inner_indent(text, container, offset)
            item = self.style.format_member(self.key, self.value, indent)
            closing = self.style.newline + outer_indent if has_no_content else ""
            return JsonTextEdit(offset, offset, f"{self.style.newline}{indent}{item}{closing}")
        has_comment = offset > container.start + 1
        separator = blanks or " " if has_comment else blanks
        item = self.style.format_member(self.key, self.value, None)
        return JsonTextEdit(offset, offset, separator + item)

    def _find_inner_indent(self, text: str, container: JsonContainer, content_end: int) -> str:
        # The indentation of a comment on a line of its own, or else one level more than outside.
        start = skip_blanks(text, container.start + 1)
        if start < content_end and is_first_on_line(text, start):
            return get_indent(text, start)
        return get_indent(text, container.start) + self.style.indent_unit


def plan_item_removal(
    text: str, blanked_text: str, container: JsonContainer, index: int
) -> list[JsonTextEdit]:
    """Return the text edits that remove an item of an object or list.

    Its comma and the comments on its line are removed too.

    Args:
        text: The text of the document.
        blanked_text: The text with its comments replaced with spaces.
        container: The object or list that contains the item.
        index: The index of the item.
    """
    item = container.items[index]
    is_last = index == len(container.items) - 1
    edits: list[JsonTextEdit] = []
    start, end = rewind_blanks(text, item.start), _find_item_end(text, item)
    if item.comma is not None and item.comma >= end:
        edits.append(JsonTextEdit(item.comma, item.comma + 1))
    if is_last and index > 0 and item.comma is None:
        # The previous item becomes the last one, and must not have a comma.
        previous_comma = container.items[index - 1].comma or 0
        if start == previous_comma + 1:
            start = rewind_blanks(text, previous_comma)
        else:
            edits.append(JsonTextEdit(previous_comma, previous_comma + 1))
    cut = JsonTextEdit(start, end)
    if _must_keep_blanks_before(text, blanked_text, cut, is_followed=not is_last):
        start, end = item.start, skip_blanks(text, end)
    elif len(container.items) == 1 and start == container.start + 1:
        end = _find_only_item_end(text, container, end)
    return [*edits, JsonTextEdit(start, end)]


def _find_item_end(text: str, item: JsonItem) -> int:
    """Return the offset just after an item, its comma and the comments on its line.

    If comments on other lines are between the item and its comma, the comma is not included.
    """
    if item.comma is None:
        return skip_trailing_comments(text, item.end)
    before_comma = text[item.end : item.comma]
    if before_comma.strip(BLANK_CHARACTERS) and has_line_break(before_comma):
        return skip_trailing_comments(text, item.end)
    return skip_trailing_comments(text, item.comma + 1)


def _must_keep_blanks_before(
    text: str, blanked_text: str, cut: JsonTextEdit, *, is_followed: bool
) -> bool:
    """Return whether the removal of an item must keep the whitespace before it.

    The whitespace after the item is removed instead. This is necessary for the first of several
    items on a line, and after a `//` comment, because the text after the item would otherwise
    become part of the comment.

    Args:
        text: The text of the document.
        blanked_text: The text with its comments replaced with spaces.
        cut: The span to remove, including the whitespace before the item.
        is_followed: True if the item is not the last one.
    """
    if blanked_text[cut.start - 1] in "{[":
        next_item = skip_blanks(text, cut.end)
        return is_followed and not has_line_break(text[cut.end : next_item])
    next_character = text[cut.end : cut.end + 1]
    return is_after_line_comment(text, blanked_text, cut.start) and not has_line_break(
        next_character
    )


def _find_only_item_end(text: str, container: JsonContainer, end: int) -> int:
    """Return the end of the span to remove for the only item of an object or list.

    If the item was probably inserted into `{}` by `JsonItemInsertion`, the span extends to the
    closing bracket, so that `{}` is restored. Otherwise, the user has written the line break before
    the bracket, and it is kept.

    Args:
        text: The text of the document.
        container: The object or list.
        end: The end of the item, with its comma and comments.
    """
    item = container.items[0]
    tail = text[end : container.end]
    is_unfolded = has_line_break(text[container.start + 1 : item.start])
    closing = detect_newline(tail) + get_indent(text, container.start)
    return container.end if is_unfolded and tail == closing else end


def read(text: str, *, where: str, dialect: JsonDialect = "jsonc") -> JsonDocument:
    """Parse the text of a JSON file, whose root must be an object or a list. It can be empty.

    Args:
        text: The text of the file.
        where: The path of the file, for errors.
        dialect: The dialect of JSON, which decides whether comments are allowed.

    Raises:
        ConfigurationError: The text is not valid; `where` has line and column.
    """
    document = JsonDocument(text, where, dialect)
    if document.data is not MISSING and not isinstance(document.data, dict | list):
        raise ConfigurationError(
            f"the whole file is {describe_type(document.data)}, expected a mapping",
            where=document.format_container_location(()),
            hint=FIX_BY_HAND_HINT,
        )
    return document


@dataclass(frozen=True)
class _PathLevel:
    """An object or list on a path into a document, with the items that the next step leads to."""

    container: JsonContainer
    match_indices: list[int]
    """The indices of the items: more than one if a key is duplicated."""

    @property
    def item(self) -> JsonItem | None:
        """The item that the next step leads to, or None. For a duplicate key, it is the last."""
        return self.container.items[self.match_indices[-1]] if self.match_indices else None


class JsonDocument(EditableDocument):
    """A JSON document.

    Removing a value that was just added restores the text, with three exceptions, because another
    text has the same result. Brackets that contain only a line ending become `{}`, a file that
    consists of one line ending becomes empty, and a file that consists of comments keeps a `{}`.
    """

    def __init__(self, text: str, where: str, dialect: JsonDialect) -> None:
        super().__init__(text, where)
        self._dialect = dialect
        self._parsed_json = parse_json(text, where=where, dialect=dialect)

    @property
    def data(self) -> object:
        """The data, which must not be modified; `MISSING` if the text contains none."""
        return self._parsed_json.data

    def _parse(self, text: str) -> JsonDocument:
        return JsonDocument(text, self.where, self._dialect)

    def _write_value(self, path: DocumentPath, value: object) -> str:
        try:
            return self._put_text(path, value)
        except (TypeError, ValueError, RecursionError) as error:
            raise self._make_uneditable_error(
                f"{format_path(path)} cannot be written as JSON: {error}"
            ) from None

    def is_prunable(self, path: DocumentPath) -> bool:
        """Return whether the object or list at a path is empty, so that it can be removed.

        It must not contain comments. If it is the root, there must not be comments around it
        either. The value of a duplicate key is kept, because removing the key would remove its
        other values too.
        """
        levels = self._find_levels((*path, ""))
        is_missing = len(levels) <= len(path)
        if is_missing or any(len(level.match_indices) > 1 for level in levels[-2:-1]):
            return False
        container = levels[-1].container
        has_content = rewind_blanks(self.text, container.end) > container.start + 1
        if has_content:
            return False
        text_around = self.text[: container.start] + self.text[container.end + 1 :]
        is_root = not path
        return not is_root or not text_around.strip()

    def _put_text(self, path: DocumentPath, value: object) -> str:
        """Return the text of the document with a value added or replaced.

        If objects on the path are missing, a new member of the innermost existing object contains
        them and the value.
        """
        levels = self._find_levels(path)
        if not levels:
            return self._put_root_text(put_value(MISSING, path, value))
        item = levels[-1].item
        style = self._detect_style(levels)
        if item is not None:
            missing_steps = path[len(levels) :]  # present if a null is replaced with a container
            value = put_value(MISSING, missing_steps, value) if missing_steps else value
            return apply_text_edits(self.text, [self._make_replacement(item, value, style)])
        missing_steps = path[len(levels) - 1 :]
        data = put_value(MISSING, missing_steps, value)
        key = None if isinstance(missing_steps[0], NamedElementStep) else missing_steps[0]
        insertion = JsonItemInsertion(key, find_value(data, missing_steps[:1]), style)
        # `{}` is split into lines only if it begins a line, and not within a compact object.
        parent = levels[-2].item if len(levels) > 1 else None
        may_unfold = parent is None or is_first_on_line(self.text, parent.start)
        edits = insertion.plan_edits(self.text, levels[-1].container, may_unfold=may_unfold)
        return apply_text_edits(self.text, edits)

    def _detect_style(self, levels: list[_PathLevel]) -> JsonStyle:
        """Detect the style for a new value: its indentation, line endings and spaces.

        The style is taken from the value to be replaced, or from the last value next to the new
        one, or else from the containers around it.

        Args:
            levels: The objects and lists on the path of the value, the outermost first.
        """
        *containers, innermost = [level.container for level in levels]
        sibling = levels[-1].item or next(reversed(innermost.items), None)
        if sibling:
            sibling_container = parse_container(self._parsed_json.blanked_text, sibling.value_start)
            if sibling_container:
                containers.append(sibling_container)
        return detect_style(self.text, [*containers, innermost])

    def _put_root_text(self, root: object) -> str:
        """Return the text of a document that had no data, with a root added.

        The document is empty or contains only comments, which are kept above the root.
        """
        style = detect_style(self.text, [])
        root_text = style.format_value(root, "")
        if not self.text.strip():
            line_end = "" if has_line_break(self.text) else style.newline
            return root_text + line_end + self.text
        separator = "" if self.text.endswith(("\r", "\n")) else style.newline
        return f"{self.text}{separator}{root_text}{style.newline}"

    def _make_replacement(self, item: JsonItem, value: object, style: JsonStyle) -> JsonTextEdit:
        """Return the text edit that replaces the value of an item.

        An object or list that was written on one line stays on one line.
        """
        old_text = self.text[item.value_start : item.end]
        spans_lines = has_line_break(old_text)
        is_short_container = old_text[0] in "{[" and old_text[1:-1].strip() and not spans_lines
        is_on_own_line = is_first_on_line(self.text, item.start)
        stays_on_line = is_short_container or not (is_on_own_line or spans_lines)
        indent = None if stays_on_line else get_indent(self.text, item.value_start)
        return JsonTextEdit(item.value_start, item.end, style.format_value(value, indent))

    def delete_text(self, path: DocumentPath) -> str:
        """Return the text of the document without the value at a path.

        Comments on the value's line are removed too. For a duplicate key, only the last value
        is removed. An empty path means the root.
        """
        if not path:
            blanks = self.text.replace(self.text.strip(), "", 1)
            return "" if blanks in ("\n", "\r\n", "\r") else blanks
        level = self._find_levels(path)[-1]
        edits = plan_item_removal(
            self.text, self._parsed_json.blanked_text, level.container, level.match_indices[-1]
        )
        return apply_text_edits(self.text, edits)

    def _find_levels(self, path: DocumentPath) -> list[_PathLevel]:
        """Return the objects and lists on a path, from the root to the last one that exists.

        For the path `("mcpServers", "charts")`, these are the root and the value of `mcpServers`.
        """
        blanked_text, data = self._parsed_json.blanked_text, self._parsed_json.data
        levels: list[_PathLevel] = []
        start = skip_blanks(blanked_text, 0)
        for depth, step in enumerate(path):
            container = parse_container(blanked_text, start)
            if container is None:
                break
            container_data = find_value(data, path[:depth])
            level = _PathLevel(container, _find_matches(step, container, container_data))
            levels.append(level)
            if level.item is None:
                break
            start = level.item.value_start
        return levels

    def _find_offset(self, path: DocumentPath) -> int:
        offset = skip_blanks(self._parsed_json.blanked_text, 0)
        for level in self._find_levels(path):
            offset = level.item.value_start if level.item else offset
        return offset


def _find_matches(
    step: str | NamedElementStep, container: JsonContainer, data: object
) -> list[int]:
    """Return the indices of the items in an object or list that a path step leads to.

    There is more than one if a key is duplicated.

    Args:
        step: A key of an object, or a `NamedElementStep` for an element of a list.
        container: The object or list in the text.
        data: The value of the object or list.
    """
    if isinstance(step, str):
        return [index for index, item in enumerate(container.items) if item.key == step]
    elements = data if isinstance(data, list) else []
    return [index for index, element in enumerate(elements) if step.matches(element)]
