"""Reads Wolfram Language and WXF definition files as data with source locations.

No code is run. If a source file contains multiple expressions, the last one is used, as when a
kernel loads the file. It must already be data.
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
"""Heads of expressions that are data. The right-hand side of `RuleDelayed` is code."""
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
        """The path of the file, with the line and column if it is source text."""
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
        """Reject an association `<|…|>` with an element that is not a rule `key -> value`.

        Wolfram leaves such an association unevaluated, and it has no equivalent as a dictionary.
        The usual reason is an extra comma, which the parser reads as a `Null` element.

        Raises:
            LoadError: There is such an association.
        """
        unchecked_nodes = [self.expression]
        while unchecked_nodes:
            node = unchecked_nodes.pop()
            if not has_any_head(node, _DATA_HEADS):
                continue
            non_rule = _find_non_rule(node) if has_head(node, "Association") else None
            if non_rule is not None:
                is_extra_comma = is_symbol(non_rule, "Null")
                raise LoadError(
                    "the association has an element that is not a rule",
                    where=self._format_location(node),
                    hint="remove the extra comma"
                    if is_extra_comma
                    else 'expected "key" -> value, …',
                )
            unchecked_nodes += reversed(node.args)


def _find_non_rule(association: Node) -> Expression | None:
    """Return the first element of an association that is not a rule, or None."""
    elements = iter_rules(association.args)
    return next((element for element in elements if not has_any_head(element, _RULE_HEADS)), None)


def parse_content(data: bytes, suffix: str, where: str) -> DefinitionContent:
    """Parse the contents of a definition file.

    Raises:
        LoadError: The contents cannot be parsed. The error contains the line and column.
    """
    return _parse_wxf(data, where) if suffix == ".wxf" else _parse_source_code(data, where)


def decode_source(data: bytes, where: str) -> str:
    """Decode the text of a Wolfram Language file as UTF-8, without a byte order mark.

    Args:
        data: The contents of the file.
        where: The path of the file, for errors.

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


def _parse_source_code(data: bytes, where: str) -> DefinitionContent:
    """Parse a Wolfram Language file and select the expression that determines its value.

    This is the last expression, as when a kernel loads the file. Nothing is evaluated.

    Raises:
        LoadError: The text has a syntax error or contains no expression.
    """
    source = parse(decode_source(data, where))
    if source.problems:
        problem = source.problems[0]
        line, column = source.get_position(problem.start)
        raise LoadError(problem.message, where=f"{where}:{line}:{column}")
    if not source.expressions:
        raise LoadError("contains no expression", where=where)
    return DefinitionContent(_get_final_expression(source.expressions[-1]), where, source)


def _get_final_expression(expression: Expression) -> Expression:
    """Return the part of an expression that determines its value: `b` in `a; b` and in `a = b`."""
    while has_any_head(expression, ("CompoundExpression", "Set")) and expression.args:
        last_part = expression.args[-1]
        ends_with_semicolon = is_symbol(last_part, "Null")
        if ends_with_semicolon:
            break
        expression = last_part
    return expression


def _parse_wxf(data: bytes, where: str) -> DefinitionContent:
    """Parse a file in WXF, Wolfram's binary expression format. It may be compressed.

    Raises:
        LoadError: The data is not WXF, or is too large.
    """
    try:
        return DefinitionContent(read_wxf(_decompress(data, where), where=where), where)
    except LoadError:
        raise
    except PaddockError as error:
        raise LoadError(f"is not WXF: {error.message}", where=where, hint=error.hint) from None


def _decompress(data: bytes, where: str) -> bytes:
    """Decompress WXF data. Uncompressed data is returned unchanged.

    Raises:
        LoadError: The data is corrupt, or decompresses to more than `MAX_DEFINITION_BYTES`. Without
            this limit, a small file could exhaust the memory.
    """
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
