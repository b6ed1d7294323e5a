"""Running text in cells: `TextData` as runs, and runs as `TextData`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, call, has_head, is_symbol, same, symbol
from paddock.wolfram.notebooks.box_syntax import without_box_syntax
from paddock.wolfram.notebooks.boxing import boxes
from paddock.wolfram.notebooks.encoding import literal
from paddock.wolfram.notebooks.linear import boxes_to_text
from paddock.wolfram.notebooks.linear_forms import unwrapped
from paddock.wolfram.notebooks.model import expression_of, listed, rule
from paddock.wolfram.notebooks.reading import cell_of
from paddock.wolfram.notebooks.runs import PLAIN, Look, Run, joined
from paddock.wolfram.notebooks.signs import in_plain_characters
from paddock.wolfram.notebooks.spans import PICTURE
from paddock.wolfram.notebooks.tex_reading import tex_to_boxes
from paddock.wolfram.notebooks.tex_writing import boxes_to_tex
from paddock.wolfram.text import string_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.notebooks.model import Cell

UNKNOWN_TEX = "TeXFormula"
"""The style of a formula that could not be understood and stays as it was written."""
TEX = "TeX"
"""Under which name the source of a formula is kept in the tagging rules of its cell."""
_CODE_STYLES = frozenset(
    ("InlineCode", "InlineFormula", "Code", "Input", "Program", "MR", "InlineInput")
)
_ITALIC_STYLES = frozenset(("TI", "Emphasis", "Italic"))
_BOLD_STYLES = frozenset(("Strong", "Bold", "TB"))
_CODE_FONTS = ("courier", "mono", "source code")
_PICTURES = ("GraphicsBox", "Graphics3DBox", "GraphicsData")
_TRANSPARENT = frozenset(
    ("TextData", "BoxData", "RowBox", "List", "TagBox", "AdjustmentBox", "FrameBox")
)


def runs_of(content: str | Expression, picture: Callable[[Node], str]) -> list[Run]:
    """The runs of what a cell holds; `picture` says what stands for graphics."""
    if isinstance(content, str):
        return joined(_texts(content, PLAIN))
    runs: list[Run] = []
    # What stands alone is an entry of a grid: in boxes strings have quotes that are not shown.
    waiting = [(content, PLAIN, isinstance(content, Atom))]
    while waiting:
        expression, look, in_boxes = waiting.pop()
        if isinstance(expression, Atom):
            runs += _texts(_shown(expression, in_boxes=in_boxes), look)
            continue
        name = expression.head.text if isinstance(expression.head, Atom) else ""
        if name in _TRANSPARENT:
            inner = expression.args if name == "List" else expression.args[:1]
            in_boxes = name == "BoxData" or (in_boxes and name != "TextData")
            waiting += [(part, look, in_boxes) for part in reversed(inner)]
        elif name in _INLINE:
            found = _INLINE[name](expression, look, picture)
            runs += [one for one in found if isinstance(one, Run)]
            waiting += [(*one, in_boxes) for one in reversed(found) if not isinstance(one, Run)]
        else:
            runs += _texts(boxes_to_text(expression, form="text", picture=picture), look)
    return joined(runs)


def _shown(atom: Atom, *, in_boxes: bool) -> str:
    text = string_value(atom.text) if atom.kind == "string" else atom.text
    if in_boxes and len(text) > 1 and text[0] == text[-1] == '"':
        return string_value(text)
    return text


def _texts(text: str, look: Look) -> list[Run]:
    """Text; a picture in it stays one."""
    text = in_plain_characters(text)
    if "\\!\\(" in text:
        text = without_box_syntax(text, lambda found: boxes_to_text(found, form="text"))
    if "![" not in text:
        return [Run(text, "text", look)]
    runs, at = [], 0
    for found in PICTURE.finditer(text):
        runs += [Run(text[at : found.start()], "text", look), Run(found[0], "raw", look)]
        at = found.end()
    return [*runs, Run(text[at:], "text", look)]


def _style(node: Node, look: Look, _picture: object) -> list[Run | tuple[Expression, Look]]:
    if not node.args:
        return []
    inner, words = node.args[0], _words(node.args[1:])
    if UNKNOWN_TEX in words:
        tex = string_value(inner.text)[1:-1] if isinstance(inner, Atom) else ""
        return [Run(tex, "formula", look)]
    if words & _CODE_STYLES or any(font in word.lower() for word in words for font in _CODE_FONTS):
        return [Run(boxes_to_text(inner, form="text"), "code", look)]
    look = look._replace(
        is_bold=look.is_bold or bool(words & _BOLD_STYLES),
        is_italic=look.is_italic or bool(words & _ITALIC_STYLES),
        is_struck=look.is_struck or "StrikeThrough" in words,
    )
    return [(inner, look)]


def _words(args: list[Expression]) -> set[str]:
    """Names of styles, and the values of options that say how a text looks."""
    words: set[str] = set()
    for arg in args:
        if isinstance(arg, Node) and has_head(arg, "Rule") and len(arg.args) == 2:
            key, value = arg.args
            if isinstance(key, Atom) and key.text in ("FontWeight", "FontSlant", "FontFamily"):
                words.add(value.text.strip('"') if isinstance(value, Atom) else "")
            elif is_symbol(key, "FontVariations") and isinstance(value, Node):
                words |= {
                    string_value(one.args[0].text)
                    for one in value.args
                    if isinstance(one, Node)
                    and len(one.args) == 2
                    and is_symbol(one.args[1], "True")
                    if isinstance(one.args[0], Atom)
                }
        elif isinstance(arg, Atom):
            words.add(arg.text.strip('"'))
    return words


def _button(node: Node, look: Look, _picture: object) -> list[Run | tuple[Expression, Look]]:
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
    target = _target(data) if data is not None else ""
    return [(node.args[0], look._replace(link=target or look.link))]


def _target(data: Expression) -> str:
    """Where a button leads: an address, a page of the documentation, or a tag in the notebook."""
    if isinstance(data, Atom):
        text = string_value(data.text) if data.kind == "string" else ""
        return text if not text or ":" in text else f"#{text}"
    if has_head(data, "List") and data.args:
        first = data.args[0]
        return _target(first) if isinstance(first, Node) else ""
    if has_head(data, "URL") and data.args and isinstance(data.args[0], Atom):
        return string_value(data.args[0].text)
    return ""


def _template(
    node: Node, look: Look, picture: Callable[[Node], str]
) -> list[Run | tuple[Expression, Look]]:
    """Links are templates in newer notebooks."""
    name = node.args[1] if len(node.args) > 1 else None
    args = node.args[0].args if node.args and isinstance(node.args[0], Node) else []
    is_link = isinstance(name, Atom) and name.text.startswith('"Hyperlink')
    if not is_link or len(args) < 2:
        return [*_texts(boxes_to_text(node, form="text", picture=picture), look)]
    text = args[1].args[0] if isinstance(args[1], Node) and args[1].args else args[1]
    target = string_value(text.text) if isinstance(text, Atom) else ""
    return [(args[0], look._replace(link=target.strip('"') or look.link))]


def _cell(
    node: Node, look: Look, picture: Callable[[Node], str]
) -> list[Run | tuple[Expression, Look]]:
    """A cell in a text: code, a formula, a picture or more text."""
    cell = cell_of(node)
    if isinstance(cell.content, str):
        kind = "code" if set(cell.styles) & _CODE_STYLES else "text"
        return (
            [Run(cell.content, "code", look)] if kind == "code" else [*_texts(cell.content, look)]
        )
    if not has_head(cell.content, "BoxData"):
        return [(cell.content, look)]
    inner = unwrapped(cell.content)
    if isinstance(inner, Node) and isinstance(inner.head, Atom) and inner.head.text in _PICTURES:
        return [Run(picture(inner), "raw", look)]
    tex = formula_of(cell)
    if tex is not None:
        return [Run(tex, "formula", look)]
    return [Run(boxes_to_text(cell.content, picture=picture), "code", look)]


def formula_of(cell: Cell) -> str | None:
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
    written = cell.tagging_rules.get(TEX)
    if isinstance(written, str):
        again = tex_to_boxes(written)
        if again is not None and same(again, inner):
            return written
    return boxes_to_tex(inner)


_INLINE: dict[
    str, Callable[[Node, Look, Callable[[Node], str]], list[Run | tuple[Expression, Look]]]
] = {
    "StyleBox": _style,
    "ButtonBox": _button,
    "TemplateBox": _template,
    "Cell": _cell,
}


def content_of(runs: Iterable[Run]) -> str | Expression:
    """What a cell holds for runs: a string if they are nothing but text."""
    made = [_expression(run) for run in joined(runs)]
    if not made:
        return ""
    if len(made) == 1 and isinstance(made[0], Atom):
        return string_value(made[0].text)
    return call("TextData", listed(made))


def _expression(run: Run) -> Expression:
    found = _content(run)
    options = _look_options(run.look)
    if options:
        found = call("StyleBox", found, *options)
    return _linked(found, run.look.link) if run.look.link else found


def _content(run: Run) -> Expression:
    if run.kind == "text":
        return literal(run.text)
    if run.kind == "code":
        return call("Cell", call("BoxData", boxes(run.text)), literal("InlineCode"))
    if run.kind == "formula":
        made = tex_to_boxes(run.text)
        if made is not None:
            return _formula(made, run.text)
        return call("StyleBox", literal(f"${run.text}$"), literal(UNKNOWN_TEX))
    return literal(run.text)


def _formula(made: Expression, tex: str) -> Expression:
    return call(
        "Cell",
        traditional(made),
        rule(symbol("FormatType"), symbol("TraditionalForm")),
        rule(symbol("TaggingRules"), expression_of({TEX: tex})),
    )


def traditional(made: Expression) -> Expression:
    """The boxes of a formula as the content of a cell."""
    return call("BoxData", call("FormBox", made, symbol("TraditionalForm")))


def _look_options(look: Look) -> list[Expression]:
    options: list[Expression] = []
    if look.is_bold:
        options.append(rule(symbol("FontWeight"), literal("Bold")))
    if look.is_italic:
        options.append(rule(symbol("FontSlant"), literal("Italic")))
    if look.is_struck:
        struck = listed([rule(literal("StrikeThrough"), symbol("True"))])
        options.append(rule(symbol("FontVariations"), struck))
    return options


def _linked(found: Expression, target: str) -> Expression:
    if target.startswith("paclet:"):
        data: Expression = literal(target)
        style, note = "Link", None
    elif target.startswith("#") and ":" not in target:
        data, style, note = literal(target[1:]), "Hyperlink", None
    else:
        address = call("URL", literal(target))
        data = listed([address, symbol("None")])
        style, note = "Hyperlink", target
    options: list[Expression] = [
        rule(symbol("BaseStyle"), literal(style)),
        rule(symbol("ButtonData"), data),
    ]
    if note is not None:
        options.append(rule(symbol("ButtonNote"), literal(note)))
    return call("ButtonBox", found, *options)
