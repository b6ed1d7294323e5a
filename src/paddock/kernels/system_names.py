"""Which symbols an engine brings along: the names in its context ``System` ``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.kernels.engines.engine import Engine

SYSTEM_NAMES_CODE = 'Names["System`*"]'
_QUOTED_NAME = re.compile(r'"(?:System`)?([^"`]+)"')
_names_by_engine: dict[tuple[str, str], frozenset[str]] = {}


def get_system_names(engine: Engine, ask: Callable[[str], str | None]) -> frozenset[str]:
    """The names of all built-in symbols of an engine; asked for once in a process.

    An engine may list names that it knows nothing else about. `ask` evaluates an expression in any
    of the engine's kernels and gives the text of its value.
    """
    key = (engine.name, engine.version)
    if key not in _names_by_engine:
        found = frozenset(_QUOTED_NAME.findall(ask(SYSTEM_NAMES_CODE) or ""))
        if not found:
            return found
        _names_by_engine[key] = found
    return _names_by_engine[key]
