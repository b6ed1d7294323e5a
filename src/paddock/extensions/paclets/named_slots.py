"""`#name` as `#1["name"]`, which means the same, for engines that do not know the short form."""

from __future__ import annotations

from paddock.wolfram import Atom, Node, has_head, parse, walk

ENGINES_WITHOUT_NAMED_SLOTS = ("mathics",)
"""The engines that this is for."""


def expand_named_slots(code: str) -> str:
    """Code without named slots; what cannot be read stays as it is."""
    source = parse(code)
    if source.problems or "#" not in code:
        return code
    pieces: list[str] = []
    at = 0
    slots = [part for one in source.expressions for part in walk(one) if _is_named_slot(part)]
    for slot in sorted(slots, key=lambda one: one.start):
        name = source.text[slot.start : slot.end].strip('#"')
        pieces += [source.text[at : slot.start], f'#1["{name}"]']
        at = slot.end
    return "".join([*pieces, source.text[at:]])


def _is_named_slot(part: object) -> bool:
    if not isinstance(part, Node) or not has_head(part, "Slot") or part.form == "call":
        return False
    name = part.args[0] if part.args else None
    return isinstance(name, Atom) and name.kind == "string" and part.start >= 0
