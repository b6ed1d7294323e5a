"""Wolfram Language parser, printers and data reader that work without a kernel.

`parse` returns expressions with their exact source positions. `input_form` and `full_form` print
them, `evaluate` converts literal data to Python values, and `read_wxf` and `write_wxf` handle the
binary format. The package uses the standard library only and reads no files but its own tables.
"""

from paddock.wolfram.assignments import Assignment, iter_assignments, iter_statements
from paddock.wolfram.expressions import (
    Atom,
    Expression,
    Node,
    are_equal,
    call,
    has_head,
    is_symbol,
    quote_string,
    string,
    symbol,
    walk,
)
from paddock.wolfram.literals import (
    DataError,
    RuleValue,
    StringTemplate,
    UnevaluatedExpression,
    evaluate,
    format_real,
    parse_number,
    parse_string,
    parse_symbol_name,
)
from paddock.wolfram.named_characters import escape_private_characters
from paddock.wolfram.parser import parse, parse_strict
from paddock.wolfram.printer import format_expression, full_form, input_form, value_form
from paddock.wolfram.source import ParsedSource, SyntaxProblem, WolframSyntaxError
from paddock.wolfram.wxf import WxfError, read_wxf, write_wxf

__all__ = [
    "Assignment",
    "Atom",
    "DataError",
    "Expression",
    "Node",
    "ParsedSource",
    "RuleValue",
    "StringTemplate",
    "SyntaxProblem",
    "UnevaluatedExpression",
    "WolframSyntaxError",
    "WxfError",
    "are_equal",
    "call",
    "escape_private_characters",
    "evaluate",
    "format_expression",
    "format_real",
    "full_form",
    "has_head",
    "input_form",
    "is_symbol",
    "iter_assignments",
    "iter_statements",
    "parse",
    "parse_number",
    "parse_strict",
    "parse_string",
    "parse_symbol_name",
    "quote_string",
    "read_wxf",
    "string",
    "symbol",
    "value_form",
    "walk",
    "write_wxf",
]
