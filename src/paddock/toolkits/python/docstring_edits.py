"""Replacement of docstrings in source code.

Comments, formatting and line endings are kept. Every edit is verified: apart from the docstring,
the syntax tree and the comments must be the same as before.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from paddock.authoring.handler_errors import ToolError
from paddock.reports.text import LineIndex
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

DocumentedNode = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_DEFAULT_QUOTES = '"""'
_OVERLOAD_DECORATOR = "overload"


class DocstringError(ToolError):
    """A docstring cannot be read or changed as requested."""

    code = "docstring"


class DocumentedSymbol(NamedTuple):
    """A module, class or function that can have a docstring."""

    name: str
    """A dotted name such as `Class.method`; empty for the module."""
    node: DocumentedNode

    @property
    def line(self) -> int:
        """The line on which the definition starts."""
        return getattr(self.node, "lineno", 1)

    @property
    def docstring(self) -> str | None:
        """The docstring without indentation, or None."""
        return ast.get_docstring(self.node)


def parse_source(text: str, where: str) -> ast.Module:
    """Return the syntax tree of source code.

    Raises:
        DocstringError: The text is not valid Python.
    """
    try:
        return ast.parse(text.removeprefix("\ufeff"))
    except SyntaxError as error:
        problem = f"invalid Python: {error.msg}, line {error.lineno}"
        raise DocstringError(problem, where=where) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise DocstringError(f"the file cannot be parsed: {error}", where=where) from None


def list_symbols(tree: ast.Module) -> Iterator[DocumentedSymbol]:
    """Yield the module and all classes, functions and methods that are not nested in a function."""
    yield DocumentedSymbol("", tree)
    yield from _list_members(tree, "")


def _list_members(parent: ast.AST, prefix: str) -> Iterator[DocumentedSymbol]:
    """Yield the classes and functions of a module or class, with their dotted names.

    Definitions in `if`, `try` and `with` blocks belong to the enclosing scope. Nested functions
    are not included.

    Args:
        parent: The syntax tree of the module, class or block.
        prefix: The dotted name of the enclosing class with a trailing dot, such as `Session.`.
    """
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield DocumentedSymbol(f"{prefix}{node.name}", node)
            if isinstance(node, ast.ClassDef):
                yield from _list_members(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            yield from _list_members(node, prefix)


def require_symbol(tree: ast.Module, name: str, where: str) -> DocumentedSymbol:
    """Return the module, class or function with a dotted name.

    If a function has overloads, its implementation is returned.

    Raises:
        DocstringError: The module has no such symbol.
    """
    symbols = list(list_symbols(tree))
    matches = [symbol for symbol in symbols if symbol.name == name]
    if not matches:
        suggestion = did_you_mean(name, [symbol.name for symbol in symbols if symbol.name])
        hint = suggestion or "give a name such as function or Class.method, or none for the module"
        raise DocstringError(f"{name!r} is not defined in the file", where=where, hint=hint)
    implementations = (
        symbol for symbol in matches if not has_decorator(symbol.node, (_OVERLOAD_DECORATOR,))
    )
    return next(implementations, matches[0])


def has_decorator(node: DocumentedNode, names: Collection[str]) -> bool:
    """Return True if a function has a decorator with one of the names, such as `typing.overload`.

    Names have no dots.
    """
    decorators = getattr(node, "decorator_list", ())
    return any(ast.unparse(decorator).rpartition(".")[2] in names for decorator in decorators)


def replace_docstring(text: str, name: str, docstring: str | None, where: str) -> str:
    """Return source code with a symbol's docstring replaced or removed.

    Args:
        text: The source code.
        name: The dotted name of the symbol; empty for the module.
        docstring: The new docstring, or None to remove it.
        where: The path of the file, for error messages.

    Raises:
        DocstringError: The symbol does not exist, or the edit would change something else.
    """
    tree = parse_source(text, where)
    symbol = require_symbol(tree, name, where)
    byte_order_mark = "\ufeff" if text.startswith("\ufeff") else ""
    docstring = None if docstring is None else inspect.cleandoc(docstring)
    editor = _SourceEditor(text.removeprefix("\ufeff"))
    edited = editor.set_docstring(symbol, docstring)
    _check_only_docstring_changed(editor.text, edited, name, docstring, where)
    return byte_order_mark + edited


class _SourceEditor:
    """Source code with the positions of its lines.

    Edits replace parts of the text because generating code from the syntax tree would lose
    comments and formatting.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._line_index = LineIndex(text)
        self._newline = "\r\n" if "\r\n" in text else "\n"

    def set_docstring(self, symbol: DocumentedSymbol, docstring: str | None) -> str:
        """Return the source with a symbol's docstring set or removed.

        Args:
            symbol: The module, class or function.
            docstring: The new docstring, or None to remove the current one.
        """
        node = symbol.node
        current = _find_docstring_node(node)
        if current is not None:
            return self._replace_docstring(node, current, docstring)
        if docstring is None:
            return self.text
        if isinstance(node, ast.Module):
            return self._add_module_docstring(docstring)
        return self._add_docstring(node, docstring)

    def _get_offset(self, line: int, column: int) -> int:
        """Convert a syntax node's position, whose column is in UTF-8 bytes, to an offset."""
        start, end = self._line_index.get_line_span(line)
        return start + len(self.text[start:end].encode()[:column].decode())

    def _replace_docstring(
        self, node: DocumentedNode, current: ast.Expr, docstring: str | None
    ) -> str:
        """Return the source with the current docstring replaced, or removed if the new one is None.

        Args:
            node: The module, class or function.
            current: The statement that contains the current docstring.
            docstring: The new docstring, or None.
        """
        start = self._get_offset(current.lineno, current.col_offset)
        end = self._get_offset(current.end_lineno or current.lineno, current.end_col_offset or 0)
        if docstring is None:
            return self._remove_docstring(node, start, end)
        indent = self._get_indent(start)
        literal = self._format_literal(docstring, indent, self.text[start:end])
        return self.text[:start] + literal + self.text[end:]

    def _remove_docstring(self, node: DocumentedNode, start: int, end: int) -> str:
        """Return the source without the docstring between two offsets.

        The whole line is removed if nothing else is on it.
        """
        # Only a module may have an empty body.
        if len(node.body) == 1 and not isinstance(node, ast.Module):
            return f"{self.text[:start]}...{self.text[end:]}"
        line_start = self.text.rfind("\n", 0, start) + 1
        line_end = self.text.find("\n", end)
        line_end = len(self.text) if line_end < 0 else line_end + 1
        other_code = self.text[line_start:start] + self.text[end:line_end]
        has_other_statement = bool(other_code.strip())
        if has_other_statement:
            return self.text[:start] + self.text[end:].lstrip(" ;")
        return self.text[:line_start] + self.text[line_end:]

    def _get_indent(self, offset: int) -> str:
        line = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        return line[: len(line) - len(line.lstrip())]

    def _format_literal(self, docstring: str, indent: str, current: str = "") -> str:
        """Return a docstring as source code, in the quotes and layout of the current one.

        Args:
            docstring: The text, without indentation.
            indent: The indentation of the definition's body.
            current: The literal to replace; empty for a new docstring.
        """
        lines = docstring.split("\n")
        starts_on_new_line = _starts_on_new_line(current) and len(lines) > 1
        # A first line directly after the opening quotes is not indented.
        unindented_count = 0 if starts_on_new_line else 1
        indented_lines = [f"{indent}{line}".rstrip() for line in lines[unindented_count:]]
        text = "\n".join([*lines[:unindented_count], *indented_lines])
        quotes = "'''" if current.lower().lstrip("ru").startswith("'''") else _DEFAULT_QUOTES
        prefix = ""
        if "\\" in text:
            # A raw literal keeps backslashes readable, but cannot end with one or escape quotes.
            can_be_raw = quotes not in text and not text.endswith(("\\", quotes[0]))
            prefix = "r" if can_be_raw else ""
            text = text if can_be_raw else text.replace("\\", "\\\\")
        if not prefix:
            text = text.replace(quotes, "\\" + "\\".join(quotes))
        closing_line = f"\n{indent}" if len(lines) > 1 else ""
        if not closing_line and text.endswith(quotes[0]):
            text = f"{text[:-1]}\\{quotes[0]}"
        opening_line = "\n" if starts_on_new_line else ""
        return f"{prefix}{quotes}{opening_line}{text}{closing_line}{quotes}".replace(
            "\n", self._newline
        )

    def _add_docstring(
        self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, docstring: str
    ) -> str:
        """Return the source with a new docstring as the first statement of a class or function.

        A body on the header's line, as in `def f(): pass`, is moved to its own line.
        """
        header_end = self._find_header_end(node)
        body_start = self._get_offset(node.body[0].lineno, node.body[0].col_offset)
        is_one_line = body_start < header_end
        if is_one_line:
            indent = self._get_indent(self._get_offset(node.lineno, node.col_offset)) + "    "
            header = self.text[:body_start].rstrip(" \t\r\n\\")
            literal = f"{indent}{self._format_literal(docstring, indent)}"
            return self._newline.join([header, literal, f"{indent}{self.text[body_start:]}"])
        indent = self._get_indent(body_start)
        literal = f"{indent}{self._format_literal(docstring, indent)}{self._newline}"
        return self.text[:header_end] + literal + self.text[header_end:]

    def _find_header_end(self, node: ast.AST) -> int:
        """Return the offset of the line after a definition's header.

        The header may span multiple lines and contain comments. The tokenizer finds its end
        because it emits a NEWLINE token only at the end of a logical line.
        """
        first_line = getattr(node, "lineno", 1)
        start, _ = self._line_index.get_line_span(first_line)
        tokens = tokenize.generate_tokens(io.StringIO(self.text[start:], newline="").readline)
        for token in tokens:
            if token.type != tokenize.NEWLINE:
                continue
            last_line = first_line + token.end[0] - 1
            if last_line < self._line_index.line_count:
                return self._line_index.get_line_span(last_line + 1)[0]
            break
        return len(self.text)

    def _add_module_docstring(self, docstring: str) -> str:
        """Return the source with a new docstring at the start of the module."""
        # An initial block of comments, such as a shebang or licence, stays above the docstring.
        lines = io.StringIO(self.text, newline="")
        comments = takewhile(lambda line: line.startswith("#"), lines)
        insertion_offset = sum(map(len, comments))
        literal = self._format_literal(docstring, "")
        before, after = self.text[:insertion_offset], self.text[insertion_offset:]
        if before and not before.endswith("\n"):
            before += self._newline
        blank_line = self._newline if after.strip() and not after.startswith(("\n", "\r\n")) else ""
        return f"{before}{literal}{self._newline}{blank_line}{after}"


def _starts_on_new_line(literal: str) -> bool:
    """Return True if a docstring's text starts on the line after its opening quotes."""
    return re.match(r"[rRuU]*(\"\"\"|''')[ \t]*\r?\n", literal) is not None


def _find_docstring_node(node: DocumentedNode) -> ast.Expr | None:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return first if isinstance(first.value.value, str) else None
    return None


def _check_only_docstring_changed(
    before: str, after: str, name: str, docstring: str | None, where: str
) -> None:
    """Raise an error if an edit changed more than the docstring.

    The symbol's docstring is removed from both syntax trees, which must then be equal.
    Comments are compared separately because they are not part of the syntax tree.
    """
    message = "the docstring cannot be changed here without changing other code"
    try:
        old_tree, new_tree = ast.parse(before), ast.parse(after)
        has_same_comments = _list_comments(before) == _list_comments(after)
    except (SyntaxError, ValueError, tokenize.TokenError) as error:
        raise DocstringError(f"{message}: {error}", where=where) from None
    old_symbol = require_symbol(old_tree, name, where)
    new_symbol = require_symbol(new_tree, name, where)
    if new_symbol.docstring != docstring:
        raise DocstringError(f"{message}: the new docstring reads differently", where=where)
    for symbol in (old_symbol, new_symbol):
        docstring_node = _find_docstring_node(symbol.node)
        if docstring_node is not None:
            symbol.node.body.remove(docstring_node)
        # If the body consists of the docstring only, removing it leaves an empty body in one tree
        # and a placeholder such as `...` in the other.
        if not isinstance(symbol.node, ast.Module) and _is_empty_body(symbol.node):
            symbol.node.body = [ast.Pass()]
    if ast.dump(old_tree) != ast.dump(new_tree) or not has_same_comments:
        raise DocstringError(message, where=where)


def _is_empty_body(node: DocumentedNode) -> bool:
    """Return True if a body is empty or has only the placeholder that replaces a docstring."""
    return not node.body or (len(node.body) == 1 and ast.unparse(node.body[0]) in ("...", "pass"))


def _list_comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]
