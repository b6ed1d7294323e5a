"""Formatted text in cells: conversion between `TextData` and text runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from paddock.wolfram.notebooks.box_forms import unwrap_box
from paddock.wolfram.notebooks.box_text import boxes_to_text, replace_box_syntax
from paddock.wolfram.notebooks.character_encoding import ascii_string, to_plain_characters
from paddock.wolfram.notebooks.inline_parser import IMAGE_PATTERN
from paddock.wolfram.notebooks.model import (
    PLAIN_STYLE,
    TextRun,
    TextStyle,
    make_list,
    make_rule,
    merge_runs,
    to_expression,
)
from paddock.wolfram.notebooks.reader import to_cell
from paddock.wolfram.notebooks.tex_parser import tex_to_boxes
from paddock.wolfram.notebooks.tex_writer import boxes_to_tex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.notebooks.model import Cell

    ConvertedItems = list[TextRun | tuple[Expression, TextStyle]]
    """Finished runs, and content to convert in the given style."""

UNPARSED_TEX_STYLE = "TeXFormula"
"""Style of a formula that could not be parsed and is kept as TeX."""
TEX_KEY = "TeX"
"""Tagging rule that holds the TeX source of a formula cell."""
_CODE_STYLES = frozenset(
    ("InlineCode", "InlineFormula", "Code", "Input", "Program", "MR", "InlineInput")
)
_ITALIC_STYLES = frozenset(("TI", "Emphasis", "Italic"))
_BOLD_STYLES = frozenset(("Strong", "Bold", "TB"))
_CODE_FONTS = ("courier", "mono", "source code")
_GRAPHICS_HEADS = ("GraphicsBox", "Graphics3DBox", "GraphicsData")
_TRANSPARENT_HEADS = frozenset(
    ("TextData", "BoxData", "RowBox", "List", "TagBox", "AdjustmentBox", "FrameBox")
)


def to_runs(content: str | Expression, make_placeholder: Callable[[Node], str]) -> list[TextRun]:
    """Convert the content of a cell to text runs, for example to write it as Markdown.

    Args:
        content: The content.
        make_placeholder: Returns the Markdown placeholder of a graphics box.
    """
    if isinstance(content, str):
        return merge_runs(_text_to_runs(content, PLAIN_STYLE))
    runs: list[TextRun] = []
    # A lone atom is an element of a grid, and thus a box. Quotes of strings in boxes are not shown.
    pending = [(content, PLAIN_STYLE, isinstance(content, Atom))]
    while pending:
        expression, style, in_boxes = pending.pop()
        if isinstance(expression, Atom):
            runs += _text_to_runs(_get_atom_text(expression, in_boxes=in_boxes), style)
            continue
        name = get_head_name(expression)
        if name in _TRANSPARENT_HEADS:
            parts = expression.args if name == "List" else expression.args[:1]
            in_boxes = name == "BoxData" or (in_boxes and name != "TextData")
            pending += [(part, style, in_boxes) for part in reversed(parts)]
        elif name in _INLINE_CONVERTERS:
            converted = _INLINE_CONVERTERS[name](expression, style, make_placeholder)
            runs += [item for item in converted if isinstance(item, TextRun)]
            pending += [
                (*item, in_boxes) for item in reversed(converted) if not isinstance(item, TextRun)
            ]
        else:
            runs += _text_to_runs(
                boxes_to_text(expression, form="text", picture=make_placeholder), style
            )
    return merge_runs(runs)


def _get_atom_text(atom: Atom, *, in_boxes: bool) -> str:
    """Return the text of an atom. A string within boxes has a second pair of quotes around it."""
    text = parse_string(atom.text) if atom.kind == "string" else atom.text
    if in_boxes and len(text) > 1 and text[0] == text[-1] == '"':
        return parse_string(text)
    return text


def _text_to_runs(text: str, style: TextStyle) -> list[TextRun]:
    """Return runs for plain text. Markdown images in it become raw runs."""
    text = to_plain_characters(text)
    if "\\!\\(" in text:
        text = replace_box_syntax(text, lambda boxes: boxes_to_text(boxes, form="text"))
    # Notebooks made from Markdown store images as text, which must not be escaped.
    if "![" not in text:
        return [TextRun(text, "text", style)]
    runs, position = [], 0
    for match in IMAGE_PATTERN.finditer(text):
        before = text[position : match.start()]
        runs += [TextRun(before, "text", style), TextRun(match[0], "raw", style)]
        position = match.end()
    return [*runs, TextRun(text[position:], "text", style)]


def _convert_style_box(node: Node, style: TextStyle, _make_placeholder: object) -> ConvertedItems:
    """Convert a style box: its style names and options become code, a formula or emphasis.

    Styles of the enclosing text remain in effect within the box.
    """
    if not node.args:
        return []
    inner, style_words = node.args[0], _collect_style_words(node.args[1:])
    if UNPARSED_TEX_STYLE in style_words:
        tex = parse_string(inner.text)[1:-1] if isinstance(inner, Atom) else ""
        return [TextRun(tex, "formula", style)]
    if style_words & _CODE_STYLES or any(
        font in word.lower() for word in style_words for font in _CODE_FONTS
    ):
        return [TextRun(boxes_to_text(inner, form="text"), "code", style)]
    style = style._replace(
        is_bold=style.is_bold or bool(style_words & _BOLD_STYLES),
        is_italic=style.is_italic or bool(style_words & _ITALIC_STYLES),
        is_struck=style.is_struck or "StrikeThrough" in style_words,
    )
    return [(inner, style)]


def _collect_style_words(args: list[Expression]) -> set[str]:
    """Return the style names and the values of font options that can mean code or emphasis."""
    words: set[str] = set()
    for arg in args:
        if has_head(arg, "Rule") and len(arg.args) == 2:
            key, value = arg.args
            if isinstance(key, Atom) and key.text in ("FontWeight", "FontSlant", "FontFamily"):
                words.add(value.text.strip('"') if isinstance(value, Atom) else "")
            elif is_symbol(key, "FontVariations") and isinstance(value, Node):
                words |= {
                    parse_string(rule.args[0].text)
                    for rule in value.args
                    if isinstance(rule, Node)
                    and len(rule.args) == 2
                    and is_symbol(rule.args[1], "True")
                    if isinstance(rule.args[0], Atom)
                }
        elif isinstance(arg, Atom):
            words.add(arg.text.strip('"'))
    return words


def _convert_button(node: Node, style: TextStyle, _make_placeholder: object) -> ConvertedItems:
    """Convert a button to its content, linked to the target of the button if it has one."""
    if not node.args:
        return []
    data = next(
        (
            arg.args[1]
            for arg in node.args[1:]
            if isinstance(arg, Node) and len(arg.args) == 2 and is_symbol(arg.args[0], "ButtonData")
        ),
        None,
    )
    target = _get_link_target(data) if data is not None else ""
    return [(node.args[0], style._replace(link=target or style.link))]


def _get_link_target(data: Expression) -> str:
    """Return the target of a button: a URL, a documentation page, or a tag in the notebook."""
    if isinstance(data, Atom):
        text = parse_string(data.text) if data.kind == "string" else ""
        return text if not text or ":" in text else f"#{text}"
    if has_head(data, "List") and data.args:
        element = data.args[0]
        return _get_link_target(element) if isinstance(element, Node) else ""
    if has_head(data, "URL") and data.args and isinstance(data.args[0], Atom):
        return parse_string(data.args[0].text)
    return ""


def _convert_template(
    node: Node, style: TextStyle, make_placeholder: Callable[[Node], str]
) -> ConvertedItems:
    """Convert a hyperlink template, the form of links in newer notebooks."""
    name = node.args[1] if len(node.args) > 1 else None
    args = node.args[0].args if node.args and isinstance(node.args[0], Node) else []
    is_link = isinstance(name, Atom) and name.text.startswith('"Hyperlink')
    if not is_link or len(args) < 2:
        return [*_text_to_runs(boxes_to_text(node, form="text", picture=make_placeholder), style)]
    target_box = args[1].args[0] if isinstance(args[1], Node) and args[1].args else args[1]
    target = parse_string(target_box.text) if isinstance(target_box, Atom) else ""
    return [(args[0], style._replace(link=target.strip('"') or style.link))]


def _convert_inline_cell(
    node: Node, style: TextStyle, make_placeholder: Callable[[Node], str]
) -> ConvertedItems:
    """Convert a cell within text to code, a formula, an image or more text.

    The result depends on the content of the cell, and only for plain text on its style.
    """
    cell = to_cell(node)
    if isinstance(cell.content, str):
        if set(cell.styles) & _CODE_STYLES:
            return [TextRun(cell.content, "code", style)]
        return [*_text_to_runs(cell.content, style)]
    if not has_head(cell.content, "BoxData"):
        return [(cell.content, style)]
    inner = unwrap_box(cell.content)
    if (
        isinstance(inner, Node)
        and isinstance(inner.head, Atom)
        and inner.head.text in _GRAPHICS_HEADS
    ):
        return [TextRun(make_placeholder(inner), "raw", style)]
    tex = find_formula_tex(cell)
    if tex is not None:
        return [TextRun(tex, "formula", style)]
    return [TextRun(boxes_to_text(cell.content, picture=make_placeholder), "code", style)]


def find_formula_tex(cell: Cell) -> str | None:
    """Return the TeX of a formula cell, or None for other cells.

    The stored source is returned if the boxes have not changed since; otherwise TeX is
    generated.
    """
    content = cell.content
    if isinstance(content, str) or not isinstance(content, Node) or not content.args:
        return None
    inner = content.args[0]
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


_INLINE_CONVERTERS: dict[
    str, Callable[[Node, TextStyle, Callable[[Node], str]], ConvertedItems]
] = {
    "StyleBox": _convert_style_box,
    "ButtonBox": _convert_button,
    "TemplateBox": _convert_template,
    "Cell": _convert_inline_cell,
}


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
    options = _make_style_options(run.style)
    if options:
        content = call("StyleBox", content, *options)
    return _make_link(content, run.style.link) if run.style.link else content


def _run_to_content(run: TextRun) -> Expression:
    """Return the content of a run without its emphasis and link."""
    if run.kind == "text":
        return ascii_string(run.text)
    if run.kind == "code":
        return call("Cell", call("BoxData", code_to_boxes(run.text)), ascii_string("InlineCode"))
    if run.kind == "formula":
        boxes = tex_to_boxes(run.text)
        if boxes is not None:
            return _make_formula_cell(boxes, run.text)
        # Marked by a style, so that it becomes a formula again in Markdown.
        return call("StyleBox", ascii_string(f"${run.text}$"), ascii_string(UNPARSED_TEX_STYLE))
    return ascii_string(run.text)


def _make_formula_cell(boxes: Expression, tex: str) -> Expression:
    return call(
        "Cell",
        make_traditional_form(boxes),
        make_rule(symbol("FormatType"), symbol("TraditionalForm")),
        make_rule(symbol("TaggingRules"), to_expression({TEX_KEY: tex})),
    )


def make_traditional_form(boxes: Expression) -> Expression:
    """Return the cell content for the boxes of a formula."""
    return call("BoxData", call("FormBox", boxes, symbol("TraditionalForm")))


def _make_style_options(style: TextStyle) -> list[Expression]:
    """Return the font options for a style. Links are not options: see `_make_link`."""
    options: list[Expression] = []
    if style.is_bold:
        options.append(make_rule(symbol("FontWeight"), ascii_string("Bold")))
    if style.is_italic:
        options.append(make_rule(symbol("FontSlant"), ascii_string("Italic")))
    if style.is_struck:
        struck = make_list([make_rule(ascii_string("StrikeThrough"), symbol("True"))])
        options.append(make_rule(symbol("FontVariations"), struck))
    return options


def _make_link(content: Expression, target: str) -> Expression:
    """Return a button that links the content to a URL, a documentation page or a cell tag."""
    # Documentation links have their own style, because front ends open them without a browser.
    if target.startswith("paclet:"):
        data: Expression = ascii_string(target)
        style, tooltip = "Link", None
    elif target.startswith("#") and ":" not in target:
        data, style, tooltip = ascii_string(target[1:]), "Hyperlink", None
    else:
        address = call("URL", ascii_string(target))
        data = make_list([address, symbol("None")])
        style, tooltip = "Hyperlink", target
    options: list[Expression] = [
        make_rule(symbol("BaseStyle"), ascii_string(style)),
        make_rule(symbol("ButtonData"), data),
    ]
    if tooltip is not None:
        options.append(make_rule(symbol("ButtonNote"), ascii_string(tooltip)))
    return call("ButtonBox", content, *options)
