"""What can go wrong between a server and one that is mounted in it."""

from __future__ import annotations

from paddock.errors import PaddockError


class UpstreamError(PaddockError):
    """A mounted server that is elsewhere cannot be reached, or has not answered."""

    code = "upstream"

    def __init__(self, label: str, reason: str) -> None:
        super().__init__(f"The upstream {label!r} is not available: {reason}")
        self.label = label
