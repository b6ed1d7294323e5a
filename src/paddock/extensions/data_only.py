"""Definitions that may hold data only: nothing that stands in them leads to Python.

A paclet is read and never run, so what its servers list has to be names, and definitions that are
written out. What a name leads to is another extension's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from paddock.extensions.errors import SpecificationError
from paddock.extensions.keys import normalize_key
from paddock.extensions.properties import shorten_repr
from paddock.extensions.references import is_reference

if TYPE_CHECKING:
    from paddock.extensions.extension import Extension

_CODE_PROPERTIES = ("function", "handler", "initialization", "file", "pickle")
"""Properties whose text leads to something that is not in the definition."""
_DATA_ONLY_HINT = "a paclet is not run: write the name of a tool or prompt, or define it on the spot"


def reject_python(spec: object, owner: Extension | None, where: str) -> None:
    """Refuse what leads to Python where the extension that it stands in is not run.

    Raises:
        SpecificationError: for a reference, a stored object, or a table that has one in it.
    """
    if owner is None or owner.allows_python:
        return
    found = _find_code_reference(spec)
    if found is not None:
        raise SpecificationError(
            f"{shorten_repr(found)} leads to Python or to another file", where=where, hint=_DATA_ONLY_HINT
        )


def _find_code_reference(spec: object) -> object:
    if isinstance(spec, str):
        return spec if is_reference(spec) else None
    if not isinstance(spec, Mapping):
        return None
    table = {normalize_key(str(key)): value for key, value in spec.items()}
    is_function = str(table.get("type", "")).lower() == "function"
    for key in (*_CODE_PROPERTIES, "content") if is_function else _CODE_PROPERTIES:
        # What has been made of Wolfram Language is no text any more.
        if isinstance(table.get(key), str | Mapping):
            return table[key]
    return None
