"""Rules about associations and the arguments of specific functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import (
    Atom,
    get_list_items,
    has_any_head,
    has_head,
    is_atom,
    is_symbol,
)
from paddock.wolfram.inspection.inspection import IssueFix, TextSpan, find_text_end
from paddock.wolfram.inspection.rule_set import RuleSet
from paddock.wolfram.literals import parse_string

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression, Node
    from paddock.wolfram.inspection.inspection import Inspection

CALLS = RuleSet()


@CALLS.check_nodes("Association")
def _check_association_rules(inspection: Inspection, node: Node) -> None:
    """Report duplicate literal keys in an association, as in `<|"a" -> 1, "a" -> 2|>`.

    `Nothing` as a value is reported too, because associations do not remove it, unlike lists.
    """
    start_by_key: dict[str, int] = {}
    # `Association[{…}]` takes its rules as a list.
    args = get_list_items(node.args[0]) if len(node.args) == 1 else node.args
    for rule in args:
        if not has_any_head(rule, ("Rule", "RuleDelayed")) or len(rule.args) != 2:
            continue
        key_expression, value = rule.args
        if is_symbol(value, "Nothing"):
            inspection.report_issue(
                "NothingValueInAssociation", rule, "An association keeps `Nothing` as a value."
            )
        key = _get_literal_key(key_expression)
        # A key that must be evaluated could have any value, so it is not compared.
        if key is None:
            continue
        first_start = start_by_key.setdefault(key, rule.start)
        if first_start != rule.start:
            line, _ = inspection.source.get_position(first_start)
            inspection.report_issue(
                "DuplicateKeys",
                key_expression,
                f"The key {inspection.quote_code(key_expression)} is already in line {line}; "
                "only the last value is used.",
            )


def _get_literal_key(key: Expression) -> str | None:
    """Return text that identifies a literal key, or None for a key that must be evaluated."""
    if not isinstance(key, Atom) or key.kind not in ("string", "number", "symbol"):
        return None
    # The quote distinguishes the string "a" from the symbol a.
    return f'"{parse_string(key.text)}' if key.kind == "string" else key.text


@CALLS.check_nodes("ReadString")
def _check_read_string_option(inspection: Inspection, node: Node) -> None:
    """Report a `ReadString` call with `CharacterEncoding`, an option that it does not have."""
    for arg in node.args:
        if (
            has_head(arg, "Rule")
            and len(arg.args) == 2
            and is_symbol(arg.args[0], "CharacterEncoding")
            and is_atom(arg.args[1], "string")
        ):
            inspection.report_issue(
                "ReadStringCharacterEncoding",
                arg,
                "`ReadString` has no option `CharacterEncoding`; pass it to `OpenRead`, or use "
                '`ByteArrayToString[ReadByteArray[…], "…"]`.',
            )


@CALLS.check_nodes("KeyExistsQ")
def _check_key_path(inspection: Inspection, node: Node) -> None:
    """Report a list as the key in `KeyExistsQ[association, {"a", "b"}]`.

    The list is a single key, but its author probably meant a path to a nested key.
    """
    if len(node.args) == 2 and has_head(node.args[1], "List"):
        inspection.report_issue(
            "KeyExistsQNestedKeyPath",
            node,
            "`KeyExistsQ` treats a list as a single key; it does not search nested associations.",
        )


@CALLS.check_source
def _check_superfluous_commas(inspection: Inspection) -> None:
    """Report superfluous commas, where an expression is missing: `f[a, , b]`."""
    text = inspection.text
    for position in inspection.symbol_positions.get("Null", ()):
        # The parser inserts `Null` for a missing argument. An explicit `Null` is intentional.
        if text.startswith("Null", position) or position in inspection.omitted_arguments:
            continue
        before = find_text_end(text, position)
        if text.startswith(",", before - 1):
            comma = before - 1
        elif text.startswith(",", position) and not text.startswith(";", before - 1):
            comma = position
        else:
            continue
        place = TextSpan(comma, comma + 1)
        inspection.report_issue(
            "Comma",
            place,
            "An expression is missing before or after this comma.",
            fixes=[IssueFix("Remove the `,`", place, "")],
        )
