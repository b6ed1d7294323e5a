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
    """Convert the content of a notebook cell to text runs, which are pieces of text in one style.

    Args:
        content: Plain text, or an expression such as `TextData[…]`.
        make_placeholder: A function that returns the Markdown placeholder of a graphics box.
    """
    if isinstance(content, str):
        return merge_runs(_text_to_runs(content, PLAIN_STYLE))
    return merge_runs(_RunCollector(make_placeholder).collect(content))


class _StyledContent(NamedTuple):
    """Part of a cell's content to convert to text runs, and the style that applies to it."""

    expression: Expression
    style: TextStyle
    """The style of the text around the content."""
    is_in_boxes: bool
    """True within boxes, where strings have a second pair of quotes."""


class _RunCollector:
    """Converter from cell content to text runs, based on a stack instead of recursion.

    Args:
        make_placeholder: Returns the Markdown placeholder of a graphics box.
    """

    def __init__(self, make_placeholder: Callable[[Node], str]) -> None:
        self._make_placeholder = make_placeholder
        self._runs: list[TextRun] = []
        self._pending: list[_StyledContent] = []

    def collect(self, content: Expression) -> list[TextRun]:
        """Return the text runs of a cell's content, or of an entry in a grid.

        A stack is used instead of recursion, because the content can be nested deeply.
        """
        # Only the entry of a grid can be an atom, and such an atom is a box.
        is_in_boxes = isinstance(content, Atom)
        self._pending.append(_StyledContent(content, PLAIN_STYLE, is_in_boxes))
        while self._pending:
            styled = self._pending.pop()
            if isinstance(styled.expression, Atom):
                text = _get_atom_text(styled.expression, is_in_boxes=styled.is_in_boxes)
                self._runs += _text_to_runs(text, styled.style)
            else:
                self._convert_node(styled, styled.expression)
        return self._runs

    def _convert_node(self, styled: _StyledContent, node: Node) -> None:
        """Convert an element of the content, such as a `StyleBox` or a `Cell`.

        Its text runs are added, or its content is pushed on the stack with the style that the
        element sets.
        """
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
            # Newer notebooks store links in this form.
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
        """Push linked content. Without a target, it keeps the link of the surrounding text."""
        style = styled.style._replace(link=target or styled.style.link)
        self._pending.append(styled._replace(expression=content, style=style))

    def _convert_style_box(self, styled: _StyledContent, options: list[Expression]) -> None:
        """Convert the content of a `StyleBox` to code, a formula, or text with more emphasis.

        The style of the surrounding text remains in effect within the box.

        Args:
            styled: The box content, with the style of the surrounding text.
            options: The box arguments after the content: style names and font options.
        """
        content, style = styled.expression, styled.style
        words = _collect_style_words(options)
        has_code_font = any(font in word.lower() for word in words for font in _CODE_FONTS)
        if UNPARSED_TEX_STYLE in words:
            # This style marks a formula stored as the text `$…$`.
            self._runs.append(TextRun(get_string(content)[1:-1], "formula", style))
        elif words & _CODE_STYLES or has_code_font:
            self._runs.append(TextRun(boxes_to_text(content, form="text"), "code", style))
        else:
            emphasis = {_EMPHASIS_BY_STYLE[word] for word in words if word in _EMPHASIS_BY_STYLE}
            style = style._replace(emphasis=style.emphasis | emphasis)
            self._pending.append(styled._replace(style=style))

    def _convert_inline_cell(self, styled: _StyledContent, cell: Cell) -> None:
        """Convert a cell within text: inline code, a formula, an image or styled text.

        Args:
            styled: The cell as an expression, with the style of the surrounding text.
            cell: The cell.
        """
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
        """Return the text run of a cell with boxes: an image, a formula or code."""
        graphics = find_graphics(boxes)
        if graphics is not None:
            return TextRun(self._make_placeholder(graphics), "raw", style)
        tex = find_formula_tex(cell)
        if tex is not None:
            return TextRun(tex, "formula", style)
        return TextRun(boxes_to_text(boxes, picture=self._make_placeholder), "code", style)


def _get_atom_text(atom: Atom, *, is_in_boxes: bool) -> str:
    """Return an atom's text. A string within boxes has a second pair of quotes around it."""
    text = parse_string(atom.text) if atom.kind == "string" else atom.text
    if is_in_boxes and len(text) > 1 and text[0] == text[-1] == '"':
        return parse_string(text)
    return text


def _text_to_runs(text: str, style: TextStyle) -> list[TextRun]:
    """Convert plain text to text runs. Markdown images become runs of the kind `raw`.

    Notebooks made from Markdown store images as text that must not be escaped.
    """
    text = replace_box_syntax(to_plain_characters(text))
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
    """Return a button's link target: a URL, a documentation page, or a tag in the notebook.

    The result is empty if the button is not a link.
    """
    # The value is `{URL["https://…"], None}`, `"paclet:ref/Sin"`, or the tag of a cell.
    target = read_options(options).get("ButtonData")
    if has_head(target, "RuleDelayed"):
        target = target.args[1]
    if has_head(target, "List") and target.args and isinstance(target.args[0], Node):
        target = target.args[0]
    if has_head(target, "URL") and target.args:
        return get_string(target.args[0])
    page_or_tag = get_string(target)
    is_page = ":" in page_or_tag
    return f"#{page_or_tag}" if page_or_tag and not is_page else page_or_tag


def _get_template_target(target: Expression) -> str:
    """Return the link target of a hyperlink template: `"url"`, or the first item of a list."""
    if isinstance(target, Node) and target.args:
        target = target.args[0]
    return get_string(target).strip('"')


def find_formula_tex(cell: Cell) -> str | None:
    """Return the TeX of a formula cell, or None for other cells and formulas without a TeX form.

    If the cell's metadata contains the TeX it was made from, this TeX is returned, unless a front
    end has edited the formula since.
    """
    if not isinstance(cell.content, Node) or not cell.content.args:
        return None
    boxes = cell.content.args[0]
    is_formula = cell.style.startswith(("DisplayFormula", "Equation", "NumberedEquation"))
    if has_head(boxes, "FormBox") and boxes.args:
        is_formula = is_formula or is_symbol(boxes.args[-1], "TraditionalForm")
        boxes = boxes.args[0]
    if not is_formula:
        return None
    stored_tex = cell.tagging_rules.get(TEX_KEY)
    if isinstance(stored_tex, str):
        stored_boxes = tex_to_boxes(stored_tex)
        if stored_boxes is not None and are_equal(stored_boxes, boxes):
            return stored_tex
    return boxes_to_tex(boxes)


def runs_to_content(runs: Iterable[TextRun]) -> str | Expression:
    """Convert text runs, which are pieces of text in one style, to notebook cell content.

    Plain text becomes a string, as in files that front ends write. Otherwise, the content is
    `TextData[{…}]`.
    """
    expressions = [_run_to_expression(run) for run in merge_runs(runs)]
    if not expressions:
        return ""
    if len(expressions) == 1 and isinstance(expressions[0], Atom):
        return parse_string(expressions[0].text)
    return call("TextData", make_list(expressions))


def _run_to_expression(run: TextRun) -> Expression:
    content = _run_to_content(run)
    if run.style.emphasis:
        content = call("StyleBox", content, *_make_style_options(run.style))
    return _make_link(content, run.style.link) if run.style.link else content


def _run_to_content(run: TextRun) -> Expression:
    """Return the cell content for a text run, without its emphasis and link.

    Code and formulas become inline cells. A formula also stores the TeX it was made from.
    """
    if run.kind == "code":
        return call("Cell", call("BoxData", code_to_boxes(run.text)), ascii_string("InlineCode"))
    if run.kind != "formula":
        return ascii_string(run.text)
    boxes = tex_to_boxes(run.text)
    if boxes is None:
        # The style marks unsupported TeX, which becomes a formula again in Markdown.
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
    """Return the `StyleBox` options for the emphasis of a style, such as `FontWeight -> "Bold"`.

    Links are not included, because `_make_link` creates them.
    """
    font_variations = [make_rule(ascii_string("StrikeThrough"), symbol("True"))]
    options: dict[Emphasis, Expression] = {
        "bold": make_option("FontWeight", "Bold"),
        "italic": make_option("FontSlant", "Italic"),
        "struck": make_option("FontVariations", font_variations),
    }
    return [option for emphasis, option in options.items() if emphasis in style.emphasis]


def _make_link(content: Expression, target: str) -> Expression:
    """Return a `ButtonBox` that links content to a URL, a documentation page or a cell.

    Args:
        content: The text of the link.
        target: The target: `https://…`, `paclet:ref/Sin`, or `#` and the tag of a cell.
    """
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
