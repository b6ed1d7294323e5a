"""How long sessions are kept, as the options of an evaluator say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.kernels.sessions import Keeping
from paddock.toolkits.ages import seconds_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def keeping_of(options: Mapping[str, Any]) -> Keeping:
    """The bounds that options set."""
    return Keeping(
        seconds=seconds_of(options["MaxSessionAge"]),
        count=options["MaxSessionCount"],
        size_bytes=options["MaxSessionBytes"],
    )
