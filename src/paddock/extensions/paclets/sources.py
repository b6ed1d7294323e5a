"""What a file of Wolfram Language or WXF says, as data and with the place of it.

Nothing is run: of a source file with several expressions the last one counts, as it does when the
file is loaded, and it has to be data already.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import LoadError, PaddockError
from paddock.extensions.definition_files import MAX_BYTES
from paddock.wolfram.data import evaluate, flat_rules
from paddock.wolfram.expressions import Node, has_head, is_symbol
from paddock.wolfram.parser import parse
from paddock.wolfram.wxf import read_wxf

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import Source

_RULES = ("Rule", "RuleDelayed")
_WRITTEN = ("Association", "List", "PacletObject", "LLMTool", "Rule")
"""What data is written with; the right side of a delayed rule is code."""
_PACKED, _UNPACKED = b"8C:", b"8:"


class Content(NamedTuple):
    """The expression that a file is worth, and where it stands."""

    expression: Expression
    where: str
    """The file."""
    source: Source | None = None
    """Its text, if it has one."""

    @property
    def place(self) -> str:
        """The file, with line and column where it has any."""
        return self._place_of(self.expression)

    def _place_of(self, expression: Expression) -> str:
        if self.source is None or expression.start < 0:
            return self.where
        line, column = self.source.position(expression.start)
        return f"{self.where}:{line}:{column}"

    def value(self) -> object:
        """The expression as data; what is none stays an expression.

        Raises:
            LoadError: when it is nested too deeply, or an association in it has a slip.
        """
        self._check_associations()
        try:
            return evaluate(self.expression)
        except PaddockError as error:
            raise LoadError(error.message, where=self.place, hint=error.hint) from None

    def _check_associations(self) -> None:
        """Refuse an association with something that is no rule: it would not be data."""
        waiting = [self.expression]
        while waiting:
            node = waiting.pop()
            if not isinstance(node, Node) or not any(has_head(node, head) for head in _WRITTEN):
                continue
            odd = _odd(node) if has_head(node, "Association") else None
            if odd is not None:
                is_empty = is_symbol(odd, "Null")
                raise LoadError(
                    "the association has something that is no rule",
                    where=self._place_of(node),
                    hint="there is a comma too many" if is_empty else 'expected "key" -> value, …',
                )
            waiting += reversed(node.args)


def _odd(association: Node) -> Expression | None:
    """The first thing in an association that is no rule."""
    rules = flat_rules(association.args)
    return next((arg for arg in rules if not any(has_head(arg, rule) for rule in _RULES)), None)


def read_content(data: bytes, suffix: str, where: str) -> Content:
    """What the content of a file is worth.

    Raises:
        LoadError: when it cannot be read, with its line and column.
    """
    return _from_wxf(data, where) if suffix == ".wxf" else _from_text(data, where)


def source_text(data: bytes, where: str) -> str:
    """The text of a source file.

    Raises:
        LoadError: when it is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LoadError(
            f"is not UTF-8: {error.reason} at byte {error.start}",
            where=where,
            hint="save it as UTF-8",
        ) from None


def _from_text(data: bytes, where: str) -> Content:
    source = parse(source_text(data, where))
    if source.problems:
        problem = source.problems[0]
        line, column = source.position(problem.start)
        raise LoadError(problem.message, where=f"{where}:{line}:{column}")
    if not source.expressions:
        raise LoadError("holds no expression", where=where)
    return Content(_result(source.expressions[-1]), where, source)


def _result(expression: Expression) -> Expression:
    """What an expression is seen to be worth: the last of `a; b`, the `b` of `a = b`."""
    while isinstance(expression, Node) and expression.args:
        if not has_head(expression, "CompoundExpression") and not has_head(expression, "Set"):
            break
        last = expression.args[-1]
        if is_symbol(last, "Null"):
            break
        expression = last
    return expression


def _from_wxf(data: bytes, where: str) -> Content:
    try:
        return Content(read_wxf(_unpacked(data, where), where=where), where)
    except LoadError:
        raise
    except PaddockError as error:
        raise LoadError(f"is not WXF: {error.message}", where=where, hint=error.hint) from None


def _unpacked(data: bytes, where: str) -> bytes:
    """Data that is no longer compressed: of a few bytes could become more than the memory."""
    if not data.startswith(_PACKED):
        return data
    unpacking = zlib.decompressobj()
    try:
        found = unpacking.decompress(data[len(_PACKED) :], MAX_BYTES + 1)
    except zlib.error as error:
        raise LoadError(f"cannot be unpacked: {error}", where=where) from None
    if len(found) > MAX_BYTES:
        raise LoadError(f"unpacks to more than {MAX_BYTES:,} bytes", where=where)
    if not unpacking.eof:
        raise LoadError("ends too early", where=where)
    return _UNPACKED + found
