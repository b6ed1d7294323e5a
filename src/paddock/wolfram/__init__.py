"""Wolfram Language as text: reading, writing and understanding it without running anything.

`parse` gives expressions with exact places in the source; `input_form` and `full_form` write them;
`evaluate` works out what literal expressions are worth; `read_wxf` and `write_wxf` are for the
binary form. Evaluation is left to kernels. Standard library only.
"""

from paddock.wolfram.assignments import Assignment, assignments, statements
from paddock.wolfram.data import DataError, Held, Rule, Template, evaluate
from paddock.wolfram.expressions import (
    Atom,
    Expression,
    Node,
    call,
    has_head,
    is_symbol,
    quoted,
    same,
    string,
    symbol,
    walk,
)
from paddock.wolfram.letters import spelled_out
from paddock.wolfram.parser import parse, parse_strict
from paddock.wolfram.printer import full_form, input_form, value_form
from paddock.wolfram.readable import readable
from paddock.wolfram.source import Problem, Source, WolframSyntaxError
from paddock.wolfram.text import number_value, real_text, string_value, symbol_name
from paddock.wolfram.wxf import WxfError, read_wxf, write_wxf

__all__ = [
    "Assignment",
    "Atom",
    "DataError",
    "Expression",
    "Held",
    "Node",
    "Problem",
    "Rule",
    "Source",
    "Template",
    "WolframSyntaxError",
    "WxfError",
    "assignments",
    "call",
    "evaluate",
    "full_form",
    "has_head",
    "input_form",
    "is_symbol",
    "number_value",
    "parse",
    "parse_strict",
    "quoted",
    "read_wxf",
    "readable",
    "real_text",
    "same",
    "spelled_out",
    "statements",
    "string",
    "string_value",
    "symbol",
    "symbol_name",
    "value_form",
    "walk",
    "write_wxf",
]
