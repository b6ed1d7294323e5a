"""In what two versions of an agent differ, and in a few words what a change was."""

from __future__ import annotations

from typing import Any

import msgspec

from paddock.zoo.model import Agent, FieldChange

_BOOKKEEPING_FIELDS = frozenset({"version", "createdAt", "updatedAt"})
_LIST_FIELDS = ("skills", "skillCategories")


def diff_agents(before: Agent, after: Agent) -> list[FieldChange]:
    """Every field that is not the same; skills and categories one by one, and their order."""
    old, new = msgspec.to_builtins(before), msgspec.to_builtins(after)
    found: list[FieldChange] = []
    for key in new:
        if key in _BOOKKEEPING_FIELDS or old[key] == new[key]:
            continue
        if key in _LIST_FIELDS:
            found += _diff_items(key, old[key], new[key])
        else:
            found.append(FieldChange(field=key, before=old[key], after=new[key]))
    return found


def _diff_items(
    key: str, before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> list[FieldChange]:
    old, new = ({item["id"]: item for item in items} for items in (before, after))
    found: list[FieldChange] = []
    for one in {**old, **new}:
        if one in old and one in new:
            found += [
                FieldChange(field=f"{key}.{one}.{name}", before=old[one][name], after=value)
                for name, value in new[one].items()
                if value != old[one][name]
            ]
        else:
            found.append(FieldChange(field=f"{key}.{one}", before=old.get(one), after=new.get(one)))
    order = [[one for one in items if one in old and one in new] for items in (old, new)]
    if order[0] != order[1]:
        found.append(FieldChange(field=f"{key}.order", before=list(old), after=list(new)))
    return found


def summarize_changes(changes: list[FieldChange]) -> str:
    """As in `changed name, skills.testing.enabled and 2 more`."""
    fields = [change.field for change in changes]
    if not fields:
        return "no change"
    shown = ", ".join(fields[:3])
    more = len(fields) - 3
    return f"changed {shown} and {more} more" if more > 0 else f"changed {shown}"
