"""What a file of Wolfram Language or WXF says, as data and with the place of it.

Nothing is run: of a source file with several expressions the last one counts, as it does when the
file is loaded, and it has to be data already.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import LoadError, PaddockError
from paddock.extensions.definition_files import MAX_DEFINITION_BYTES
from paddock.wolfram.expressions import Node, has_head, is_symbol
from paddock.wolfram.literals import evaluate, iter_rules
from paddock.wolfram.parser import parse
from paddock.wolfram.wxf import read_wxf

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import ParsedSource

_RULE_HEADS = ("Rule", "RuleDelayed")
_DATA_HEADS = ("Association", "List", "PacletObject", "LLMTool", "Rule")
"""What data is written with; the right side of a delayed rule is code."""
_COMPRESSED_HEADER, _UNCOMPRESSED_HEADER = b"8C:", b"8:"


class DefinitionContent(NamedTuple):
    """The expression that a file is worth, and where it stands."""

    expression: Expression
    where: str
    """The file."""
    source: ParsedSource | None = None
    """Its text, if it has one."""

    @property
    def location(self) -> str:
        """The file, with line and column where it has any."""
        return self._format_location(self.expression)

    def _format_location(self, expression: Expression) -> str:
        if self.source is None or expression.start < 0:
            return self.where
        line, column = self.source.get_position(expression.start)
        return f"{self.where}:{line}:{column}"

    def to_data(self) -> object:
        """The expression as data; what is none stays an expression.

        Raises:
            LoadError: when it is nested too deeply, or an association in it has a slip.
        """
        self._check_associations()
        try:
            return evaluate(self.expression)
        except PaddockError as error:
            raise LoadError(error.message, where=self.location, hint=error.hint) from None

    def _check_associations(self) -> None:
        """Refuse an association with something that is no rule: it would not be data."""
        waiting = [self.expression]
        while waiting:
            node = waiting.pop()
            if not isinstance(node, Node) or not any(has_head(node, head) for head in _DATA_HEADS):
                continue
            odd = _find_non_rule(node) if has_head(node, "Association") else None
            if odd is not None:
                is_empty = is_symbol(odd, "Null")
                raise LoadError(
                    "the association has something that is no rule",
                    where=self._format_location(node),
                    hint="there is a comma too many" if is_empty else 'expected "key" -> value, …',
                )
            waiting += reversed(node.args)


def _find_non_rule(association: Node) -> Expression | None:
    """The first thing in an association that is no rule."""
    rules = iter_rules(association.args)
    return next(
        (arg for arg in rules if not any(has_head(arg, rule) for rule in _RULE_HEADS)), None
    )


def parse_content(data: bytes, suffix: str, where: str) -> DefinitionContent:
    """What the content of a file is worth.

    Raises:
        LoadError: when it cannot be read, with its line and column.
    """
    return _parse_wxf(data, where) if suffix == ".wxf" else _parse_text(data, where)


def decode_source(data: bytes, where: str) -> str:
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


def _parse_text(data: bytes, where: str) -> DefinitionContent:
    source = parse(decode_source(data, where))
    if source.problems:
        problem = source.problems[0]
        line, column = source.get_position(problem.start)
        raise LoadError(problem.message, where=f"{where}:{line}:{column}")
    if not source.expressions:
        raise LoadError("holds no expression", where=where)
    return DefinitionContent(_get_final_expression(source.expressions[-1]), where, source)


def _get_final_expression(expression: Expression) -> Expression:
    """What an expression is seen to be worth: the last of `a; b`, the `b` of `a = b`."""
    while isinstance(expression, Node) and expression.args:
        if not has_head(expression, "CompoundExpression") and not has_head(expression, "Set"):
            break
        last = expression.args[-1]
        if is_symbol(last, "Null"):
            break
        expression = last
    return expression


def _parse_wxf(data: bytes, where: str) -> DefinitionContent:
    try:
        return DefinitionContent(read_wxf(_decompress(data, where), where=where), where)
    except LoadError:
        raise
    except PaddockError as error:
        raise LoadError(f"is not WXF: {error.message}", where=where, hint=error.hint) from None


def _decompress(data: bytes, where: str) -> bytes:
    """Data that is no longer compressed: of a few bytes could become more than the memory."""
    if not data.startswith(_COMPRESSED_HEADER):
        return data
    unpacking = zlib.decompressobj()
    try:
        found = unpacking.decompress(data[len(_COMPRESSED_HEADER) :], MAX_DEFINITION_BYTES + 1)
    except zlib.error as error:
        raise LoadError(f"cannot be unpacked: {error}", where=where) from None
    if len(found) > MAX_DEFINITION_BYTES:
        raise LoadError(f"unpacks to more than {MAX_DEFINITION_BYTES:,} bytes", where=where)
    if not unpacking.eof:
        raise LoadError("ends too early", where=where)
    return _UNCOMPRESSED_HEADER + found
