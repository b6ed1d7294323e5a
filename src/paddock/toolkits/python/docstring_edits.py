"""Docstrings in source text: where they are, and how one is put in the place of another.

Nothing but the docstring changes: comments, formatting and ends of lines stay, and the code means
the same afterwards, which is made sure of.
"""

from __future__ import annotations

import ast
import inspect
import io
import tokenize
from typing import TYPE_CHECKING, NamedTuple

from paddock.authoring.handler_errors import ToolError
from paddock.reports.text import LineIndex
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

DocumentedNode = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_DEFAULT_QUOTES = '"""'
_OVERLOAD_DECORATOR = "overload"


class DocstringError(ToolError):
    """A docstring cannot be had or changed as it was asked for."""

    code = "docstring"


class DocumentedSymbol(NamedTuple):
    """Something that can have a docstring."""

    name: str
    """As in `Class.method`; empty for the module."""
    node: DocumentedNode

    @property
    def line(self) -> int:
        """Where it begins."""
        return getattr(self.node, "lineno", 1)

    @property
    def docstring(self) -> str | None:
        """What its docstring says, without its indentation."""
        return ast.get_docstring(self.node)


def parse_source(text: str, where: str) -> ast.Module:
    """The syntax tree of a text.

    Raises:
        DocstringError: when it is not Python.
    """
    try:
        return ast.parse(text.removeprefix("\ufeff"))
    except SyntaxError as error:
        raise DocstringError(
            f"It is not Python that can be read: {error.msg}, line {error.lineno}", where=where
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise DocstringError(f"It cannot be read: {error}", where=where) from None


def list_symbols(tree: ast.Module) -> Iterator[DocumentedSymbol]:
    """The module, and all classes, functions and methods in it that have a name of their own."""
    yield DocumentedSymbol("", tree)
    yield from _list_members(tree, "")


def _list_members(parent: ast.AST, within: str) -> Iterator[DocumentedSymbol]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield DocumentedSymbol(f"{within}{node.name}", node)
            if isinstance(node, ast.ClassDef):
                yield from _list_members(node, f"{within}{node.name}.")
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            yield from _list_members(node, within)


def require_symbol(tree: ast.Module, name: str, where: str) -> DocumentedSymbol:
    """The symbol of a name; of several, the first that is no overload.

    Raises:
        DocstringError: when there is none.
    """
    symbols = list(list_symbols(tree))
    found = [symbol for symbol in symbols if symbol.name == name]
    if not found:
        near = did_you_mean(name, [symbol.name for symbol in symbols if symbol.name])
        hint = near or "give a name such as function or Class.method; of the module, none"
        raise DocstringError(f"There is no {name!r} in it", where=where, hint=hint)
    return next((symbol for symbol in found if not _is_overload(symbol.node)), found[0])


def _is_overload(node: DocumentedNode) -> bool:
    decorators = getattr(node, "decorator_list", ())
    return any(ast.unparse(one).rpartition(".")[2] == _OVERLOAD_DECORATOR for one in decorators)


def replace_docstring(text: str, name: str, docstring: str | None, where: str) -> str:
    """A text in which a symbol has another docstring, or none.

    Raises:
        DocstringError: when that cannot be done without changing something else.
    """
    tree = parse_source(text, where)
    symbol = require_symbol(tree, name, where)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    source = _SourceEditor(text.removeprefix("\ufeff"))
    changed = source.set_docstring(
        symbol, None if docstring is None else inspect.cleandoc(docstring)
    )
    _check_only_docstring_changed(source.text, changed, name, docstring, where)
    return mark + changed


class _SourceEditor:
    """A text with the places of its tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._line_index = LineIndex(text)
        self._newline = "\r\n" if "\r\n" in text else "\n"

    def set_docstring(self, symbol: DocumentedSymbol, docstring: str | None) -> str:
        """The text with another docstring for a symbol."""
        node = symbol.node
        old = _find_docstring_node(node)
        if old is not None:
            return self._replace_docstring(node, old, docstring)
        if docstring is None:
            return self.text
        if isinstance(node, ast.Module):
            return self._add_module_docstring(docstring)
        return self._add_docstring(node, docstring)

    def _get_offset(self, line: int, column: int) -> int:
        """The place of a node's position, whose columns are bytes."""
        start, _ = self._line_index.get_line_span(line)
        end = self._line_index.get_line_span(line)[1]
        return start + len(self.text[start:end].encode()[:column].decode())

    def _replace_docstring(self, node: DocumentedNode, old: ast.Expr, docstring: str | None) -> str:
        start = self._get_offset(old.lineno, old.col_offset)
        end = self._get_offset(old.end_lineno or old.lineno, old.end_col_offset or 0)
        if docstring is None:
            return self._remove_docstring(node, start, end)
        indent = self._get_indent(start)
        literal = self._format_literal(docstring, indent, self.text[start:end])
        return self.text[:start] + literal + self.text[end:]

    def _remove_docstring(self, node: DocumentedNode, start: int, end: int) -> str:
        if len(node.body) == 1 and not isinstance(node, ast.Module):
            return f"{self.text[:start]}...{self.text[end:]}"
        line_start = self.text.rfind("\n", 0, start) + 1
        line_end = self.text.find("\n", end)
        line_end = len(self.text) if line_end < 0 else line_end + 1
        alone = self.text[line_start:start] + self.text[end:line_end]
        if alone.strip():  # something else is on the line
            return self.text[:start] + self.text[end:].lstrip(" ;")
        return self.text[:line_start] + self.text[line_end:]

    def _get_indent(self, offset: int) -> str:
        line = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        return line[: len(line) - len(line.lstrip())]

    def _format_literal(self, docstring: str, indent: str, old: str = "") -> str:
        """A docstring as source text, in the form of the one before it."""
        lines = docstring.split("\n")
        begins_below = _starts_on_new_line(old) and len(lines) > 1
        first = 1 if not begins_below else 0
        body = lines[:first] + [f"{indent}{line}".rstrip() for line in lines[first:]]
        text = "\n".join(body)
        quotes = "'''" if old.lower().lstrip("ru").startswith("'''") else _DEFAULT_QUOTES
        prefix = ""
        if "\\" in text:
            can_be_raw = quotes not in text and not text.endswith(("\\", quotes[0]))
            prefix = "r" if can_be_raw else ""
            text = text if can_be_raw else text.replace("\\", "\\\\")
        if not prefix:
            text = text.replace(quotes, "\\" + "\\".join(quotes))
        below = f"\n{indent}" if len(lines) > 1 else ""
        if not below and text.endswith(quotes[0]):
            text = f"{text[:-1]}\\{quotes[0]}"
        above = "\n" if begins_below else ""
        return f"{prefix}{quotes}{above}{text}{below}{quotes}".replace("\n", self._newline)

    def _add_docstring(
        self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, docstring: str
    ) -> str:
        own = self._get_indent(self._get_offset(node.lineno, node.col_offset))
        first = node.body[0]
        begin = min([first.lineno, *(one.lineno for one in getattr(first, "decorator_list", ()))])
        header_end = self._find_header_end(node)
        if self._get_offset(first.lineno, first.col_offset) < header_end:
            # The body stands on the line of the header.
            at = self._get_offset(first.lineno, first.col_offset)
            indent = own + "    "
            head = self.text[:at].rstrip(" \t\r\n\\")
            added = f"{indent}{self._format_literal(docstring, indent)}"
            return self._newline.join([head, added, f"{indent}{self.text[at:]}"])
        start, end = self._line_index.get_line_span(begin)
        line = self.text[start:end]
        indent = line[: len(line) - len(line.lstrip())]
        added = f"{indent}{self._format_literal(docstring, indent)}{self._newline}"
        return self.text[:header_end] + added + self.text[header_end:]

    def _find_header_end(self, node: ast.AST) -> int:
        """Where the line after the header of a definition begins."""
        line = getattr(node, "lineno", 1)
        start, _ = self._line_index.get_line_span(line)
        tokens = tokenize.generate_tokens(io.StringIO(self.text[start:], newline="").readline)
        for token in tokens:
            if token.type == tokenize.NEWLINE:
                row = line + token.end[0] - 1
                count = self._line_index.line_count
                return self._line_index.get_line_span(row + 1)[0] if row < count else len(self.text)
        return len(self.text)

    def _add_module_docstring(self, docstring: str) -> str:
        at = 0
        for number in range(1, self._line_index.line_count + 1):
            start, end = self._line_index.get_line_span(number)
            if not self.text[start:end].startswith("#"):
                at = start
                break
            at = (
                self._line_index.get_line_span(number + 1)[0]
                if number < self._line_index.line_count
                else len(self.text)
            )
        literal = self._format_literal(docstring, "")
        before, after = self.text[:at], self.text[at:]
        if before and not before.endswith("\n"):
            before += self._newline
        gap = self._newline if after.strip() and not after.startswith(("\n", "\r\n")) else ""
        return f"{before}{literal}{self._newline}{gap}{after}"


def _starts_on_new_line(old: str) -> bool:
    """Whether a docstring has its first line below its quotes."""
    text = old.lstrip("rRuU")
    return text[3:].lstrip(" \t").startswith(("\n", "\r\n")) and text[:3] in (
        _DEFAULT_QUOTES,
        "'''",
    )


def _find_docstring_node(node: DocumentedNode) -> ast.Expr | None:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return first if isinstance(first.value.value, str) else None
    return None


def _check_only_docstring_changed(
    before: str, after: str, name: str, docstring: str | None, where: str
) -> None:
    """Make sure that nothing but the docstring is another one."""
    told = "Only the docstring was to change, and that cannot be done here"
    try:
        trees = ast.parse(before), ast.parse(after)
        comments = [_list_comments(text) for text in (before, after)]
    except (SyntaxError, ValueError, tokenize.TokenError) as error:
        raise DocstringError(f"{told}: {error}", where=where) from None
    symbols = [require_symbol(tree, name, where) for tree in trees]
    wanted = None if docstring is None else inspect.cleandoc(docstring)
    if symbols[1].docstring != wanted and not (wanted == "" and symbols[1].docstring == ""):
        raise DocstringError(f"{told}: it would say something else", where=where)
    for symbol in symbols:
        old = _find_docstring_node(symbol.node)
        if old is not None:
            symbol.node.body.remove(old)
        if not isinstance(symbol.node, ast.Module) and _is_empty_body(symbol.node):
            symbol.node.body = [ast.Pass()]
    if ast.dump(trees[0]) != ast.dump(trees[1]) or comments[0] != comments[1]:
        raise DocstringError(told, where=where)


def _is_empty_body(node: DocumentedNode) -> bool:
    """Whether a body is nothing, or the dots that stand where a docstring was all there was."""
    return not node.body or (len(node.body) == 1 and ast.unparse(node.body[0]) in ("...", "pass"))


def _list_comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]
