"""Wolfram Language as text: reading, writing and understanding it without running anything.

`parse` gives expressions with exact places in the source; `input_form` and `full_form` write them;
`evaluate` works out what literal expressions are worth; `read_wxf` and `write_wxf` are for the
binary form. Evaluation is left to kernels. Standard library only.
"""

from paddock.wolfram.assignments import Assignment, iter_assignments, iter_statements
from paddock.wolfram.data import DataError, UnevaluatedExpression, RuleValue, StringTemplate, evaluate
from paddock.wolfram.expressions import (
    Atom,
    Expression,
    Node,
    call,
    has_head,
    is_symbol,
    quote_string,
    are_equal,
    string,
    symbol,
    walk,
)
from paddock.wolfram.letters import escape_private_characters
from paddock.wolfram.parser import parse, parse_strict
from paddock.wolfram.printer import full_form, input_form, value_form
from paddock.wolfram.readable import format_expression
from paddock.wolfram.source import SyntaxProblem, ParsedSource, WolframSyntaxError
from paddock.wolfram.text import parse_number, format_real, parse_string, parse_symbol_name
from paddock.wolfram.wxf import WxfError, read_wxf, write_wxf

__all__ = [
    "Assignment",
    "Atom",
    "DataError",
    "Expression",
    "UnevaluatedExpression",
    "Node",
    "SyntaxProblem",
    "RuleValue",
    "ParsedSource",
    "StringTemplate",
    "WolframSyntaxError",
    "WxfError",
    "iter_assignments",
    "call",
    "evaluate",
    "full_form",
    "has_head",
    "input_form",
    "is_symbol",
    "parse_number",
    "parse",
    "parse_strict",
    "quote_string",
    "read_wxf",
    "format_expression",
    "format_real",
    "are_equal",
    "escape_private_characters",
    "iter_statements",
    "string",
    "parse_string",
    "symbol",
    "parse_symbol_name",
    "value_form",
    "walk",
    "write_wxf",
]
