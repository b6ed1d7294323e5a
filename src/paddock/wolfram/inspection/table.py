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
from paddock.wolfram.inspection.inspecting import merge_checks

if TYPE_CHECKING:
    from paddock.wolfram.inspection.inspecting import SourceCheck

RULES_BY_SUBJECT = {
    "Syntax": syntax.SYNTAX_RULES,
    "Operators": operators.OPERATOR_RULES,
    "Control flow": control.CONTROL_RULES,
    "Definitions": definitions.DEFINITION_RULES,
    "Local names": scopes.SCOPE_RULES,
    "Values and arguments": values.CALL_RULES,
    "Symbols": names.SYMBOL_RULES,
    "Packages": packages.PACKAGE_RULES,
    "Comments": comments.COMMENT_RULES,
    "Lines": lines.LINE_RULES,
}
RULES = {rule.tag: rule for rules in RULES_BY_SUBJECT.values() for rule in rules}
"""Every rule by its tag."""
# Lists of variables come first: they say which assignments are initial values.
NODE_CHECKS = merge_checks(
    [scopes.SCOPE_NODE_CHECKS, control.CONTROL_NODE_CHECKS, operators.OPERATOR_NODE_CHECKS, definitions.DEFINITION_NODE_CHECKS, values.CALL_NODE_CHECKS]
)
UNCONDITIONAL_CHECKS: tuple[SourceCheck, ...] = (*syntax.SYNTAX_CHECKS, *comments.COMMENT_CHECKS)
"""What is checked wherever something cannot be read, too."""
SOURCE_CHECKS: tuple[SourceCheck, ...] = (
    *control.CONTROL_SOURCE_CHECKS,
    *operators.OPERATOR_SOURCE_CHECKS,
    *definitions.DEFINITION_SOURCE_CHECKS,
    *scopes.SCOPE_SOURCE_CHECKS,
    *values.CALL_SOURCE_CHECKS,
    *packages.PACKAGE_SOURCE_CHECKS,
)
NAME_CHECKS = names.SYMBOL_SOURCE_CHECKS
"""What is checked in patterns for code, too."""
