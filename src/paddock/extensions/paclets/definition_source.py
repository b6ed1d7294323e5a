"""Reading of definition files in Wolfram Language or WXF as data with source locations.

No code is run. Of several expressions in a source file, the last one is used, as when a kernel
loads the file. It must be data already.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import LoadError, PaddockError
from paddock.extensions.definition_files import MAX_DEFINITION_BYTES
from paddock.wolfram.expressions import Node, has_any_head, has_head, is_symbol
from paddock.wolfram.literals import evaluate, iter_rules
from paddock.wolfram.parser import parse
from paddock.wolfram.wxf import read_wxf

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import ParsedSource

_RULE_HEADS = ("Rule", "RuleDelayed")
_DATA_HEADS = ("Association", "List", "PacletObject", "LLMTool", "Rule")
"""Heads of expressions that are data. The right side of `RuleDelayed` is code."""
_COMPRESSED_HEADER, _UNCOMPRESSED_HEADER = b"8C:", b"8:"


class DefinitionContent(NamedTuple):
    """The expression that a file evaluates to, with its location."""

    expression: Expression
    where: str
    """The path of the file."""
    source: ParsedSource | None = None
    """The source text, or None for WXF."""

    @property
    def location(self) -> str:
        """The path of the file, with line and column of source text."""
        return self._format_location(self.expression)

    def _format_location(self, expression: Expression) -> str:
        if self.source is None or expression.start < 0:
            return self.where
        line, column = self.source.get_position(expression.start)
        return f"{self.where}:{line}:{column}"

    def to_data(self) -> object:
        """Convert the Wolfram expression to dictionaries, lists, strings and numbers.

        Nothing is evaluated: code in the expression, such as a function, becomes an
        `UnevaluatedExpression`.

        Raises:
            LoadError: The expression is nested too deeply, or has a malformed association.
        """
        self._check_associations()
        try:
            return evaluate(self.expression)
        except PaddockError as error:
            raise LoadError(error.message, where=self.location, hint=error.hint) from None

    def _check_associations(self) -> None:
        """Reject an association with an element that is not a rule, which is not data."""
        pending = [self.expression]
        while pending:
            node = pending.pop()
            if not has_any_head(node, _DATA_HEADS):
                continue
            non_rule = _find_non_rule(node) if has_head(node, "Association") else None
            if non_rule is not None:
                is_empty = is_symbol(non_rule, "Null")
                raise LoadError(
                    "the association has an element that is not a rule",
                    where=self._format_location(node),
                    hint="remove the extra comma" if is_empty else 'expected "key" -> value, …',
                )
            pending += reversed(node.args)


def _find_non_rule(association: Node) -> Expression | None:
    """Return the first element of an association that is not a rule, or None."""
    elements = iter_rules(association.args)
    return next((element for element in elements if not has_any_head(element, _RULE_HEADS)), None)


def parse_content(data: bytes, suffix: str, where: str) -> DefinitionContent:
    """Parse the content of a definition file.

    Raises:
        LoadError: The content cannot be parsed. The error contains line and column.
    """
    return _parse_wxf(data, where) if suffix == ".wxf" else _parse_text(data, where)


def decode_source(data: bytes, where: str) -> str:
    """Decode the text of a source file.

    Raises:
        LoadError: The data is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LoadError(
            f"is not UTF-8: {error.reason} at byte {error.start}",
            where=where,
            hint="save the file as UTF-8",
        ) from None


def _parse_text(data: bytes, where: str) -> DefinitionContent:
    """Parse source text, and return the value of its last expression."""
    source = parse(decode_source(data, where))
    if source.problems:
        problem = source.problems[0]
        line, column = source.get_position(problem.start)
        raise LoadError(problem.message, where=f"{where}:{line}:{column}")
    if not source.expressions:
        raise LoadError("contains no expression", where=where)
    return DefinitionContent(_get_final_expression(source.expressions[-1]), where, source)


def _get_final_expression(expression: Expression) -> Expression:
    """Return the part that gives the value: `b` in `a; b` and in `a = b`."""
    while has_any_head(expression, ("CompoundExpression", "Set")) and expression.args:
        last = expression.args[-1]
        if is_symbol(last, "Null"):
            break
        expression = last
    return expression


def _parse_wxf(data: bytes, where: str) -> DefinitionContent:
    """Parse a file in the binary format WXF, which may be compressed."""
    try:
        return DefinitionContent(read_wxf(_decompress(data, where), where=where), where)
    except LoadError:
        raise
    except PaddockError as error:
        raise LoadError(f"is not WXF: {error.message}", where=where, hint=error.hint) from None


def _decompress(data: bytes, where: str) -> bytes:
    """Decompress WXF data, up to a limit: a small file could otherwise fill the memory."""
    if not data.startswith(_COMPRESSED_HEADER):
        return data
    decompressor = zlib.decompressobj()
    try:
        content = decompressor.decompress(data[len(_COMPRESSED_HEADER) :], MAX_DEFINITION_BYTES + 1)
    except zlib.error as error:
        raise LoadError(f"cannot be unpacked: {error}", where=where) from None
    if len(content) > MAX_DEFINITION_BYTES:
        raise LoadError(f"unpacks to more than {MAX_DEFINITION_BYTES:,} bytes", where=where)
    if not decompressor.eof:
        raise LoadError("ends too early", where=where)
    return _UNCOMPRESSED_HEADER + content
