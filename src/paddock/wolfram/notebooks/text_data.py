"""Running text in cells: `TextData` as runs, and runs as `TextData`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, are_equal, call, has_head, is_symbol, symbol
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

UNPARSED_TEX_STYLE = "TeXFormula"
"""The style of a formula that could not be understood and stays as it was written."""
TEX_KEY = "TeX"
"""Under which name the source of a formula is kept in the tagging rules of its cell."""
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


def to_runs(content: str | Expression, picture: Callable[[Node], str]) -> list[TextRun]:
    """The runs of what a cell holds; `picture` says what stands for graphics."""
    if isinstance(content, str):
        return merge_runs(_text_to_runs(content, PLAIN_STYLE))
    runs: list[TextRun] = []
    # What stands alone is an entry of a grid: in boxes strings have quotes that are not shown.
    waiting = [(content, PLAIN_STYLE, isinstance(content, Atom))]
    while waiting:
        expression, look, in_boxes = waiting.pop()
        if isinstance(expression, Atom):
            runs += _text_to_runs(_get_atom_text(expression, in_boxes=in_boxes), look)
            continue
        name = expression.head.text if isinstance(expression.head, Atom) else ""
        if name in _TRANSPARENT_HEADS:
            inner = expression.args if name == "List" else expression.args[:1]
            in_boxes = name == "BoxData" or (in_boxes and name != "TextData")
            waiting += [(part, look, in_boxes) for part in reversed(inner)]
        elif name in _INLINE_CONVERTERS:
            found = _INLINE_CONVERTERS[name](expression, look, picture)
            runs += [one for one in found if isinstance(one, TextRun)]
            waiting += [(*one, in_boxes) for one in reversed(found) if not isinstance(one, TextRun)]
        else:
            runs += _text_to_runs(boxes_to_text(expression, form="text", picture=picture), look)
    return merge_runs(runs)


def _get_atom_text(atom: Atom, *, in_boxes: bool) -> str:
    text = parse_string(atom.text) if atom.kind == "string" else atom.text
    if in_boxes and len(text) > 1 and text[0] == text[-1] == '"':
        return parse_string(text)
    return text


def _text_to_runs(text: str, look: TextStyle) -> list[TextRun]:
    """Text; a picture in it stays one."""
    text = to_plain_characters(text)
    if "\\!\\(" in text:
        text = replace_box_syntax(text, lambda found: boxes_to_text(found, form="text"))
    if "![" not in text:
        return [TextRun(text, "text", look)]
    runs, at = [], 0
    for found in IMAGE_PATTERN.finditer(text):
        runs += [TextRun(text[at : found.start()], "text", look), TextRun(found[0], "raw", look)]
        at = found.end()
    return [*runs, TextRun(text[at:], "text", look)]


def _convert_style_box(
    node: Node, look: TextStyle, _picture: object
) -> list[TextRun | tuple[Expression, TextStyle]]:
    if not node.args:
        return []
    inner, words = node.args[0], _collect_style_words(node.args[1:])
    if UNPARSED_TEX_STYLE in words:
        tex = parse_string(inner.text)[1:-1] if isinstance(inner, Atom) else ""
        return [TextRun(tex, "formula", look)]
    if words & _CODE_STYLES or any(font in word.lower() for word in words for font in _CODE_FONTS):
        return [TextRun(boxes_to_text(inner, form="text"), "code", look)]
    look = look._replace(
        is_bold=look.is_bold or bool(words & _BOLD_STYLES),
        is_italic=look.is_italic or bool(words & _ITALIC_STYLES),
        is_struck=look.is_struck or "StrikeThrough" in words,
    )
    return [(inner, look)]


def _collect_style_words(args: list[Expression]) -> set[str]:
    """Names of styles, and the values of options that say how a text looks."""
    words: set[str] = set()
    for arg in args:
        if isinstance(arg, Node) and has_head(arg, "Rule") and len(arg.args) == 2:
            key, value = arg.args
            if isinstance(key, Atom) and key.text in ("FontWeight", "FontSlant", "FontFamily"):
                words.add(value.text.strip('"') if isinstance(value, Atom) else "")
            elif is_symbol(key, "FontVariations") and isinstance(value, Node):
                words |= {
                    parse_string(one.args[0].text)
                    for one in value.args
                    if isinstance(one, Node)
                    and len(one.args) == 2
                    and is_symbol(one.args[1], "True")
                    if isinstance(one.args[0], Atom)
                }
        elif isinstance(arg, Atom):
            words.add(arg.text.strip('"'))
    return words


def _convert_button(
    node: Node, look: TextStyle, _picture: object
) -> list[TextRun | tuple[Expression, TextStyle]]:
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
    return [(node.args[0], look._replace(link=target or look.link))]


def _get_link_target(data: Expression) -> str:
    """Where a button leads: an address, a page of the documentation, or a tag in the notebook."""
    if isinstance(data, Atom):
        text = parse_string(data.text) if data.kind == "string" else ""
        return text if not text or ":" in text else f"#{text}"
    if has_head(data, "List") and data.args:
        first = data.args[0]
        return _get_link_target(first) if isinstance(first, Node) else ""
    if has_head(data, "URL") and data.args and isinstance(data.args[0], Atom):
        return parse_string(data.args[0].text)
    return ""


def _convert_template(
    node: Node, look: TextStyle, picture: Callable[[Node], str]
) -> list[TextRun | tuple[Expression, TextStyle]]:
    """Links are templates in newer notebooks."""
    name = node.args[1] if len(node.args) > 1 else None
    args = node.args[0].args if node.args and isinstance(node.args[0], Node) else []
    is_link = isinstance(name, Atom) and name.text.startswith('"Hyperlink')
    if not is_link or len(args) < 2:
        return [*_text_to_runs(boxes_to_text(node, form="text", picture=picture), look)]
    text = args[1].args[0] if isinstance(args[1], Node) and args[1].args else args[1]
    target = parse_string(text.text) if isinstance(text, Atom) else ""
    return [(args[0], look._replace(link=target.strip('"') or look.link))]


def _convert_inline_cell(
    node: Node, look: TextStyle, picture: Callable[[Node], str]
) -> list[TextRun | tuple[Expression, TextStyle]]:
    """A cell in a text: code, a formula, a picture or more text."""
    cell = to_cell(node)
    if isinstance(cell.content, str):
        kind = "code" if set(cell.styles) & _CODE_STYLES else "text"
        return (
            [TextRun(cell.content, "code", look)]
            if kind == "code"
            else [*_text_to_runs(cell.content, look)]
        )
    if not has_head(cell.content, "BoxData"):
        return [(cell.content, look)]
    inner = unwrap_box(cell.content)
    if (
        isinstance(inner, Node)
        and isinstance(inner.head, Atom)
        and inner.head.text in _GRAPHICS_HEADS
    ):
        return [TextRun(picture(inner), "raw", look)]
    tex = find_formula_tex(cell)
    if tex is not None:
        return [TextRun(tex, "formula", look)]
    return [TextRun(boxes_to_text(cell.content, picture=picture), "code", look)]


def find_formula_tex(cell: Cell) -> str | None:
    """The TeX of a cell that holds a formula; as it was written, if it has not changed since."""
    content = cell.content
    if isinstance(content, str) or not isinstance(content, Node) or not content.args:
        return None
    inner = content.args[0]
    is_formula = cell.style.startswith(("DisplayFormula", "Equation", "NumberedEquation"))
    if isinstance(inner, Node) and has_head(inner, "FormBox") and inner.args:
        is_formula = is_formula or is_symbol(inner.args[-1], "TraditionalForm")
        inner = inner.args[0]
    if not is_formula:
        return None
    written = cell.tagging_rules.get(TEX_KEY)
    if isinstance(written, str):
        again = tex_to_boxes(written)
        if again is not None and are_equal(again, inner):
            return written
    return boxes_to_tex(inner)


_INLINE_CONVERTERS: dict[
    str,
    Callable[
        [Node, TextStyle, Callable[[Node], str]], list[TextRun | tuple[Expression, TextStyle]]
    ],
] = {
    "StyleBox": _convert_style_box,
    "ButtonBox": _convert_button,
    "TemplateBox": _convert_template,
    "Cell": _convert_inline_cell,
}


def runs_to_content(runs: Iterable[TextRun]) -> str | Expression:
    """What a cell holds for runs: a string if they are nothing but text."""
    made = [_run_to_expression(run) for run in merge_runs(runs)]
    if not made:
        return ""
    if len(made) == 1 and isinstance(made[0], Atom):
        return parse_string(made[0].text)
    return call("TextData", make_list(made))


def _run_to_expression(run: TextRun) -> Expression:
    found = _run_to_content(run)
    options = _make_style_options(run.style)
    if options:
        found = call("StyleBox", found, *options)
    return _make_link(found, run.style.link) if run.style.link else found


def _run_to_content(run: TextRun) -> Expression:
    if run.kind == "text":
        return ascii_string(run.text)
    if run.kind == "code":
        return call("Cell", call("BoxData", code_to_boxes(run.text)), ascii_string("InlineCode"))
    if run.kind == "formula":
        made = tex_to_boxes(run.text)
        if made is not None:
            return _make_formula_cell(made, run.text)
        return call("StyleBox", ascii_string(f"${run.text}$"), ascii_string(UNPARSED_TEX_STYLE))
    return ascii_string(run.text)


def _make_formula_cell(made: Expression, tex: str) -> Expression:
    return call(
        "Cell",
        make_traditional_form(made),
        make_rule(symbol("FormatType"), symbol("TraditionalForm")),
        make_rule(symbol("TaggingRules"), to_expression({TEX_KEY: tex})),
    )


def make_traditional_form(made: Expression) -> Expression:
    """The boxes of a formula as the content of a cell."""
    return call("BoxData", call("FormBox", made, symbol("TraditionalForm")))


def _make_style_options(look: TextStyle) -> list[Expression]:
    options: list[Expression] = []
    if look.is_bold:
        options.append(make_rule(symbol("FontWeight"), ascii_string("Bold")))
    if look.is_italic:
        options.append(make_rule(symbol("FontSlant"), ascii_string("Italic")))
    if look.is_struck:
        struck = make_list([make_rule(ascii_string("StrikeThrough"), symbol("True"))])
        options.append(make_rule(symbol("FontVariations"), struck))
    return options


def _make_link(found: Expression, target: str) -> Expression:
    if target.startswith("paclet:"):
        data: Expression = ascii_string(target)
        style, note = "Link", None
    elif target.startswith("#") and ":" not in target:
        data, style, note = ascii_string(target[1:]), "Hyperlink", None
    else:
        address = call("URL", ascii_string(target))
        data = make_list([address, symbol("None")])
        style, note = "Hyperlink", target
    options: list[Expression] = [
        make_rule(symbol("BaseStyle"), ascii_string(style)),
        make_rule(symbol("ButtonData"), data),
    ]
    if note is not None:
        options.append(make_rule(symbol("ButtonNote"), ascii_string(note)))
    return call("ButtonBox", found, *options)
