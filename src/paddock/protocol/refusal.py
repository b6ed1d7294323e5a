"""A request that is not let in, as HTTP tells it.

It is here so that a transport can answer with it without knowing who refuses, and why.
"""

from __future__ import annotations

from paddock.errors import PaddockError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class RefusalError(PaddockError):
    """Whoever sent a request may not send it.

    `status`, `headers` and `body` are the answer: a status code, pairs of names and values, and
    JSON. What stands in `message` is for the log, and the sender is not told.
    """

    code = "refusal"

    def __init__(
        self,
        message: str,
        *,
        status: int,
        headers: Sequence[tuple[str, str]] = (),
        body: bytes = b"",
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = list(headers)
        self.body = body
