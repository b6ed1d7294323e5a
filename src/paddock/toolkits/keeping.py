"""How long sessions are kept, as the options of an evaluator say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.kernels.sessions import RetentionPolicy
from paddock.toolkits.ages import parse_duration

if TYPE_CHECKING:
    from collections.abc import Mapping


def read_retention_policy(options: Mapping[str, Any]) -> RetentionPolicy:
    """The bounds that options set."""
    return RetentionPolicy(
        max_age_seconds=parse_duration(options["MaxSessionAge"]),
        max_sessions=options["MaxSessionCount"],
        max_total_bytes=options["MaxSessionBytes"],
    )
