"""All rules, and what they are looked for with.

Checks by the head of an expression are made during the walk, the others when everything has been
seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.inspection import (
    comments,
    control,
    definitions,
    lines,
    names,
    operators,
    packages,
    scopes,
    syntax,
    values,
)
from paddock.wolfram.inspection.inspecting import merged

if TYPE_CHECKING:
    from paddock.wolfram.inspection.inspecting import Afterwards

SUBJECTS = {
    "Syntax": syntax.RULES,
    "Operators": operators.RULES,
    "Control flow": control.RULES,
    "Definitions": definitions.RULES,
    "Local names": scopes.RULES,
    "Values and arguments": values.RULES,
    "Symbols": names.RULES,
    "Packages": packages.RULES,
    "Comments": comments.RULES,
    "Lines": lines.RULES,
}
RULES = {rule.tag: rule for rules in SUBJECTS.values() for rule in rules}
"""Every rule by its tag."""
# Lists of variables come first: they say which assignments are initial values.
CHECKS = merged(
    [scopes.CHECKS, control.CHECKS, operators.CHECKS, definitions.CHECKS, values.CHECKS]
)
ALWAYS: tuple[Afterwards, ...] = (*syntax.ALWAYS, *comments.ALWAYS)
"""What is checked wherever something cannot be read, too."""
AFTERWARDS: tuple[Afterwards, ...] = (
    *control.AFTERWARDS,
    *operators.AFTERWARDS,
    *definitions.AFTERWARDS,
    *scopes.AFTERWARDS,
    *values.AFTERWARDS,
    *packages.AFTERWARDS,
)
NAMES = names.AFTERWARDS
"""What is checked in patterns for code, too."""
