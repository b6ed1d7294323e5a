"""Options of tests whose values are code, such as `TimeConstraint -> 1/2`: worked out in a kernel.

What comes of it is put into the test; what is of no use is told, and not applied.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paddock.wolfram import parse
from paddock.wolfram.verification import get_number, get_atom_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram import Expression
    from paddock.wolfram.verification import WolframTest

    EvaluateText = Callable[[str], str | None]


def apply_computed_options(test: WolframTest, evaluate: EvaluateText) -> tuple[WolframTest, list[str]]:
    """A test with the values of its options, and what is to be told about the others.

    `evaluate` gives the text of a value, or None when there is none.
    """
    complaints = []
    for name, code in test.computed.items():
        found = _parse_value(evaluate(f"({code}\n)" if name == "TestID" else f"N[({code}\n)]"))
        if name == "TestID" and found is not None and get_atom_text(found):
            test = replace(test, test_id=get_atom_text(found))
            continue
        number = None if name == "TestID" else get_number(found)
        if number is not None and name == "TimeConstraint":
            test = replace(test, seconds=number)
        elif number is not None:
            test = replace(test, memory_bytes=int(number))
        elif found is None or get_atom_text(found) != "Infinity":
            complaints.append(f"{name} -> {code} has no value that can be used")
    return test, complaints


def _parse_value(text: str | None) -> Expression | None:
    source = parse(text or "")
    return source.expressions[0] if len(source.expressions) == 1 else None
