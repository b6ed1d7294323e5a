"""Telling a model what is wrong with the arguments of a call, and what was expected instead."""

from __future__ import annotations

import re
from typing import Any

Json = dict[str, Any]

_ERROR_PATH = re.compile(r"- at `\$(.*)`$")
_PATH_STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")


def explain_error(fault: Exception, schema: Json) -> str:
    """What a decoder says about wrong arguments, with the choices or the parameters there are."""
    text = str(fault)
    if text.startswith("Invalid enum value"):
        choices = _find_subschema(schema, text).get("enum")
        if choices:
            text += f", expected one of {', '.join(map(repr, choices))}"
    names = schema.get("properties")
    known = ", ".join(names) if isinstance(names, dict) and names else "none"
    return f"{text}. Parameters: {known}."


def get_error_path(fault: Exception) -> str:
    """Where in the arguments it is that a decoder complains about, as in `$.items[0]`."""
    found = _ERROR_PATH.search(str(fault))
    return f"${found[1]}" if found else ""


def _find_subschema(schema: Json, text: str) -> Json:
    """The part of a schema that describes the place a decoder complains about."""
    found = _ERROR_PATH.search(text)
    place = schema
    for step in _PATH_STEP.finditer(found[1]) if found else ():
        place = _resolve_subschema(place, schema)
        inner = place.get("properties", {}).get(step[1]) if step[1] else place.get("items")
        place = inner if isinstance(inner, dict) else {}
    return _resolve_subschema(place, schema)


def _resolve_subschema(place: Json, schema: Json) -> Json:
    for option in place.get("anyOf", ()):
        if isinstance(option, dict) and option.get("type") != "null":
            place = option
            break
    reference = place.get("$ref")
    if isinstance(reference, str):
        target = schema.get("$defs", {}).get(reference.rpartition("/")[2])
        return target if isinstance(target, dict) else {}
    return place
