"""Formatted text in cells: conversion between `TextData` and text runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import (
    Atom,
    Node,
    are_equal,
    call,
    get_head_name,
    has_head,
    is_symbol,
    symbol,
)
from paddock.wolfram.literals import parse_string
from paddock.wolfram.notebooks.box_builder import code_to_boxes
from paddock.wolfram.notebooks.box_text import boxes_to_text, find_graphics, replace_box_syntax
from paddock.wolfram.notebooks.character_encoding import ascii_string, to_plain_characters
from paddock.wolfram.notebooks.inline_parser import IMAGE_PATTERN
from paddock.wolfram.notebooks.model import (
    PLAIN_STYLE,
    TextRun,
    TextStyle,
    get_string,
    make_list,
    make_option,
    make_rule,
    merge_runs,
    read_options,
)
from paddock.wolfram.notebooks.nb_format import to_cell
from paddock.wolfram.notebooks.tex_parser import tex_to_boxes
from paddock.wolfram.notebooks.tex_writer import boxes_to_tex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.notebooks.model import Cell, Emphasis

UNPARSED_TEX_STYLE = "TeXFormula"
"""Style of a formula that could not be parsed and is kept as TeX."""
TEX_KEY = "TeX"
"""Tagging rule that holds the TeX source of a formula cell."""
_CODE_STYLES = frozenset(
    ("InlineCode", "InlineFormula", "Code", "Input", "Program", "MR", "InlineInput")
)
_EMPHASIS_BY_STYLE: dict[str, Emphasis] = {
    **dict.fromkeys(("TI", "Emphasis", "Italic"), "italic"),
    **dict.fromkeys(("Strong", "Bold", "TB"), "bold"),
    "StrikeThrough": "struck",
}
"""Emphasis by the name of a style or the value of a font option."""
_CODE_FONTS = ("courier", "mono", "source code")
_TRANSPARENT_HEADS = frozenset(
    ("TextData", "BoxData", "RowBox", "TagBox", "AdjustmentBox", "FrameBox")
)


def to_runs(content: str | Expression, make_placeholder: Callable[[Node], str]) -> list[TextRun]:
    """Convert the content of a cell to text runs, for example to write it as Markdown.

    Args:
        content: The content.
        make_placeholder: Returns the Markdown placeholder of a graphics box.
    """
    if isinstance(content, str):
        return merge_runs(_text_to_runs(content, PLAIN_STYLE))
    return merge_runs(_RunCollector(make_placeholder).collect(content))


class _StyledContent(NamedTuple):
    """Content that is still to be converted to text runs."""

    expression: Expression
    style: TextStyle
    """The style of the text around the content."""
    is_in_boxes: bool
    """True within boxes, where strings have a second pair of quotes."""


class _RunCollector:
    """Conversion of the content of a cell to text runs, with a stack and not by recursion.

    Args:
        make_placeholder: Returns the Markdown placeholder of a graphics box.
    """

    def __init__(self, make_placeholder: Callable[[Node], str]) -> None:
        self._make_placeholder = make_placeholder
        self._runs: list[TextRun] = []
        self._pending: list[_StyledContent] = []

    def collect(self, content: Expression) -> list[TextRun]:
        """Return the runs of a cell's content."""
        # A lone atom is an element of a grid, and thus a box.
        self._pending.append(_StyledContent(content, PLAIN_STYLE, isinstance(content, Atom)))
        while self._pending:
            styled = self._pending.pop()
            if isinstance(styled.expression, Atom):
                text = _get_atom_text(styled.expression, is_in_boxes=styled.is_in_boxes)
                self._runs += _text_to_runs(text, styled.style)
            else:
                self._convert_node(styled, styled.expression)
        return self._runs

    def _convert_node(self, styled: _StyledContent, node: Node) -> None:
        """Add the runs of a node, or push its content with the style that the node sets."""
        match get_head_name(node), node.args:
            case "List", items:
                self._pending += [styled._replace(expression=item) for item in reversed(items)]
            case head, [content, *_] if head in _TRANSPARENT_HEADS:
                is_in_boxes = head == "BoxData" or (styled.is_in_boxes and head != "TextData")
                self._pending.append(_StyledContent(content, styled.style, is_in_boxes))
            case "StyleBox", [content, *options]:
                self._convert_style_box(styled._replace(expression=content), options)
            case "ButtonBox", [content, *options]:
                self._push_link(styled, content, _get_button_target(options))
            # The form of links in newer notebooks.
            case "TemplateBox", [Node(args=[content, target, *_]), Atom(text=name), *_] if (
                name.startswith('"Hyperlink')
            ):
                self._push_link(styled, content, _get_template_target(target))
            case "Cell", _:
                self._convert_inline_cell(styled, to_cell(node))
            case _:
                text = boxes_to_text(node, form="text", picture=self._make_placeholder)
                self._runs += _text_to_runs(text, styled.style)

    def _push_link(self, styled: _StyledContent, content: Expression, target: str) -> None:
        """Push linked content. Without a target, it keeps the link of the text around it."""
        style = styled.style._replace(link=target or styled.style.link)
        self._pending.append(styled._replace(expression=content, style=style))

    def _convert_style_box(self, styled: _StyledContent, options: list[Expression]) -> None:
        """Convert the content of a style box to code, a formula, or text with more emphasis.

        Styles of the enclosing text remain in effect within the box.
        """
        content, style = styled.expression, styled.style
        words = _collect_style_words(options)
        if UNPARSED_TEX_STYLE in words:
            # The style marks a formula that is stored as the text `$…$`.
            self._runs.append(TextRun(get_string(content)[1:-1], "formula", style))
        elif words & _CODE_STYLES or any(
            font in word.lower() for word in words for font in _CODE_FONTS
        ):
            self._runs.append(TextRun(boxes_to_text(content, form="text"), "code", style))
        else:
            emphasis = {_EMPHASIS_BY_STYLE[word] for word in words if word in _EMPHASIS_BY_STYLE}
            style = style._replace(emphasis=style.emphasis | emphasis)
            self._pending.append(styled._replace(style=style))

    def _convert_inline_cell(self, styled: _StyledContent, cell: Cell) -> None:
        """Convert a cell within text. Only plain text depends on the style of the cell."""
        content = cell.content
        if isinstance(content, str) and set(cell.styles) & _CODE_STYLES:
            self._runs.append(TextRun(content, "code", styled.style))
        elif isinstance(content, str):
            self._runs += _text_to_runs(content, styled.style)
        elif has_head(content, "BoxData"):
            self._runs.append(self._make_box_run(cell, content, styled.style))
        else:
            self._pending.append(styled._replace(expression=content))

    def _make_box_run(self, cell: Cell, boxes: Node, style: TextStyle) -> TextRun:
        """Return the run of a cell of boxes: an image, a formula or code."""
        graphics = find_graphics(boxes)
        if graphics is not None:
            return TextRun(self._make_placeholder(graphics), "raw", style)
        tex = find_formula_tex(cell)
        if tex is not None:
            return TextRun(tex, "formula", style)
        return TextRun(boxes_to_text(boxes, picture=self._make_placeholder), "code", style)


def _get_atom_text(atom: Atom, *, is_in_boxes: bool) -> str:
    """Return the text of an atom. A string within boxes has a second pair of quotes around it."""
    text = parse_string(atom.text) if atom.kind == "string" else atom.text
    if is_in_boxes and len(text) > 1 and text[0] == text[-1] == '"':
        return parse_string(text)
    return text


def _text_to_runs(text: str, style: TextStyle) -> list[TextRun]:
    """Return runs for plain text. Markdown images in it become raw runs."""
    text = replace_box_syntax(to_plain_characters(text))
    # Notebooks made from Markdown store images as text, which must not be escaped.
    if "![" not in text:
        return [TextRun(text, "text", style)]
    runs, position = [], 0
    for match in IMAGE_PATTERN.finditer(text):
        before = text[position : match.start()]
        runs += [TextRun(before, "text", style), TextRun(match[0], "raw", style)]
        position = match.end()
    return [*runs, TextRun(text[position:], "text", style)]


def _collect_style_words(args: list[Expression]) -> set[str]:
    """Return the style names and the values of font options that can mean code or emphasis.

    For example, the words of `StyleBox["x", "TI", FontWeight -> "Bold"]` are `{"TI", "Bold"}`.

    Args:
        args: The arguments of the style box after its content.
    """
    options = read_options(args)
    fonts = [options.get(name) for name in ("FontWeight", "FontSlant", "FontFamily")]
    words = {part.text.strip('"') for part in (*args, *fonts) if isinstance(part, Atom)}
    variations = options.get("FontVariations")
    if isinstance(variations, Node):
        is_set_by_name = read_options(variations.args)
        words |= {name for name, is_set in is_set_by_name.items() if is_symbol(is_set, "True")}
    return words


def _get_button_target(options: list[Expression]) -> str:
    """Return the link target of a button: a URL, a documentation page, or a tag in the notebook.

    The result is empty for a button that is not a link.
    """
    data = read_options(options).get("ButtonData")
    if has_head(data, "RuleDelayed"):
        data = data.args[1]
    if has_head(data, "List") and data.args and isinstance(data.args[0], Node):
        data = data.args[0]
    if has_head(data, "URL") and data.args:
        return get_string(data.args[0])
    text = get_string(data)
    return text if not text or ":" in text else f"#{text}"


def _get_template_target(target: Expression) -> str:
    """Return the link target of a hyperlink template: `"url"`, or the first item of a list."""
    if isinstance(target, Node) and target.args:
        target = target.args[0]
    return get_string(target).strip('"')


def find_formula_tex(cell: Cell) -> str | None:
    """Return the TeX of a formula cell, or None for other cells.

    The stored source is returned if the boxes have not changed since; otherwise TeX is
    generated.
    """
    if not isinstance(cell.content, Node) or not cell.content.args:
        return None
    inner = cell.content.args[0]
    is_formula = cell.style.startswith(("DisplayFormula", "Equation", "NumberedEquation"))
    if has_head(inner, "FormBox") and inner.args:
        is_formula = is_formula or is_symbol(inner.args[-1], "TraditionalForm")
        inner = inner.args[0]
    if not is_formula:
        return None
    source_tex = cell.tagging_rules.get(TEX_KEY)
    if isinstance(source_tex, str):
        # The stored TeX is outdated if a front end has edited the boxes since.
        source_boxes = tex_to_boxes(source_tex)
        if source_boxes is not None and are_equal(source_boxes, inner):
            return source_tex
    return boxes_to_tex(inner)


def runs_to_content(runs: Iterable[TextRun]) -> str | Expression:
    """Return the cell content for text runs: a string if they are plain text only."""
    items = [_run_to_expression(run) for run in merge_runs(runs)]
    if not items:
        return ""
    # Plain text stays a string, as front ends write it.
    if len(items) == 1 and isinstance(items[0], Atom):
        return parse_string(items[0].text)
    return call("TextData", make_list(items))


def _run_to_expression(run: TextRun) -> Expression:
    content = _run_to_content(run)
    if run.style.emphasis:
        content = call("StyleBox", content, *_make_style_options(run.style))
    return _make_link(content, run.style.link) if run.style.link else content


def _run_to_content(run: TextRun) -> Expression:
    """Return the content of a run without its emphasis and link."""
    if run.kind == "code":
        return call("Cell", call("BoxData", code_to_boxes(run.text)), ascii_string("InlineCode"))
    if run.kind != "formula":
        return ascii_string(run.text)
    boxes = tex_to_boxes(run.text)
    if boxes is None:
        # Marked by a style, so that it becomes a formula again in Markdown.
        return call("StyleBox", ascii_string(f"${run.text}$"), ascii_string(UNPARSED_TEX_STYLE))
    return call(
        "Cell",
        make_traditional_form(boxes),
        make_option("FormatType", symbol("TraditionalForm")),
        make_option("TaggingRules", {TEX_KEY: run.text}),
    )


def make_traditional_form(boxes: Expression) -> Expression:
    """Return the cell content for the boxes of a formula."""
    return call("BoxData", call("FormBox", boxes, symbol("TraditionalForm")))


def _make_style_options(style: TextStyle) -> list[Expression]:
    """Return the font options for a style. Links are not options: see `_make_link`."""
    struck = [make_rule(ascii_string("StrikeThrough"), symbol("True"))]
    options: dict[Emphasis, Expression] = {
        "bold": make_option("FontWeight", "Bold"),
        "italic": make_option("FontSlant", "Italic"),
        "struck": make_option("FontVariations", struck),
    }
    return [option for emphasis, option in options.items() if emphasis in style.emphasis]


def _make_link(content: Expression, target: str) -> Expression:
    """Return a button that links the content to a URL, a documentation page or a cell tag."""
    # Documentation links have their own style, because front ends open them without a browser.
    options: dict[str, object]
    if target.startswith("paclet:"):
        options = {"BaseStyle": "Link", "ButtonData": target}
    elif target.startswith("#") and ":" not in target:
        options = {"BaseStyle": "Hyperlink", "ButtonData": target[1:]}
    else:
        address = [call("URL", ascii_string(target)), symbol("None")]
        options = {"BaseStyle": "Hyperlink", "ButtonData": address, "ButtonNote": target}
    return call("ButtonBox", content, *(make_option(*option) for option in options.items()))
