"""What is wrong with docstrings: none, or one that says other things than the code."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from paddock.toolkits.python.docstring_places import DocumentedSymbol, list_symbols
from paddock.toolkits.python.docstring_styles import list_documented_names, split_sections, detect_style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.toolkits.python.docstring_styles import DocstringStyle

_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_EXEMPT_DECORATORS = frozenset({"override", "overload", "setter", "deleter"})


class DocstringFinding(NamedTuple):
    """Something that is wrong with a docstring."""

    symbol: str
    line: int
    text: str


def detect_file_style(tree: ast.Module) -> DocstringStyle | None:
    """The style of the docstrings of a file."""
    return detect_style(symbol.docstring or "" for symbol in list_symbols(tree))


def check_module_docstrings(tree: ast.Module, style: DocstringStyle | None) -> Iterator[DocstringFinding]:
    """What is wrong with the docstrings of a module and all in it that is public."""
    for symbol in list_symbols(tree):
        for text in check_symbol_docstring(symbol, style):
            yield DocstringFinding(symbol.name, symbol.line, text)


def check_symbol_docstring(symbol: DocumentedSymbol, style: DocstringStyle | None) -> Iterator[str]:
    """What is wrong with one docstring."""
    docstring = symbol.docstring
    if docstring is None:
        if _is_public(symbol) and not _inherits_docstring(symbol.node):
            yield "has no docstring"
        return
    if not docstring.strip():
        yield "has an empty docstring"
        return
    own = detect_style([docstring])
    if own and style and own != style:
        yield f"is in the style {own}, and the file in {style}"
    if own:
        yield from _check_parameters(symbol.node, docstring, own)


def _check_parameters(node: ast.AST, docstring: str, style: DocstringStyle) -> Iterator[str]:
    function = _find_function(node)
    if function is None:
        return
    described = list_documented_names(docstring, style) + list_documented_names(
        docstring, style, "Keyword Args"
    )
    there = _list_parameters(function)
    takes_any = function.args.kwarg is not None
    for name in dict.fromkeys(described):
        if name not in there and not takes_any:
            yield f"describes `{name}`, which is no parameter"
    for name in sorted({name for name in described if described.count(name) > 1}):
        yield f"describes `{name}` more than once"
    missing = [name for name in there if name not in described and not name.startswith("_")]
    stars = {one.arg for one in (function.args.vararg, function.args.kwarg) if one}
    if described and node is function:
        for name in missing:
            if name not in stars:
                yield f"does not describe `{name}`"
    sections = {section.name for section in split_sections(docstring, style)}
    if "Returns" in sections and node is function and not _has_return_value(function):
        yield "describes what it returns, and returns nothing"


def _find_function(node: ast.AST) -> _FunctionNode | None:
    """What a docstring describes the parameters of: of a class, its constructor."""
    if isinstance(node, ast.ClassDef):
        found = [one for one in node.body if isinstance(one, _FunctionNode) and one.name == "__init__"]
        return found[0] if found else None
    return node if isinstance(node, _FunctionNode) else None


def _list_parameters(function: _FunctionNode) -> list[str]:
    arguments = function.args
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    names += [one.arg for one in (arguments.vararg, arguments.kwarg) if one]
    return [name for name in names if name not in ("self", "cls")]


def _has_return_value(function: _FunctionNode) -> bool:
    """Whether a function has a value, or is only declared."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            return True
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Raise):
            return True
        if not isinstance(node, _FunctionNode | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    last = function.body[-1]
    return isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant)


def _is_public(symbol: DocumentedSymbol) -> bool:
    return not any(part.startswith("_") for part in symbol.name.split("."))


def _inherits_docstring(node: ast.AST) -> bool:
    """Whether something is documented elsewhere."""
    decorators = getattr(node, "decorator_list", ())
    return any(ast.unparse(one).rpartition(".")[2] in _EXEMPT_DECORATORS for one in decorators)
