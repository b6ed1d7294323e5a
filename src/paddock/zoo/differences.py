"""In what two versions of an agent differ, and in a few words what a change was."""

from __future__ import annotations

from typing import Any

import msgspec

from paddock.zoo.model import Agent, FieldChange

_COUNTED = frozenset({"version", "createdAt", "updatedAt"})
_LISTS = ("skills", "skillCategories")


def differences(before: Agent, after: Agent) -> list[FieldChange]:
    """Every field that is not the same; skills and categories one by one, and their order."""
    old, new = msgspec.to_builtins(before), msgspec.to_builtins(after)
    found: list[FieldChange] = []
    for key in new:
        if key in _COUNTED or old[key] == new[key]:
            continue
        if key in _LISTS:
            found += _in_list(key, old[key], new[key])
        else:
            found.append(FieldChange(field=key, before=old[key], after=new[key]))
    return found


def _in_list(
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


def in_few_words(changes: list[FieldChange]) -> str:
    """As in `changed name, skills.testing.enabled and 2 more`."""
    fields = [change.field for change in changes]
    if not fields:
        return "no change"
    shown = ", ".join(fields[:3])
    more = len(fields) - 3
    return f"changed {shown} and {more} more" if more > 0 else f"changed {shown}"
