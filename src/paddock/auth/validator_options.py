"""What to say when a validator is made without the libraries that it needs.

What users say to validators, checked where they say it.
"""

from __future__ import annotations

import math
from contextlib import contextmanager

from paddock.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def explain_missing_package(validator: str) -> Iterator[None]:
    """Around imports: a library that is not installed becomes an error that says what to do."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise DefinitionError(
            f"{validator} needs the package {error.name}, which is not installed",
            hint="pip install 'paddock[http]'",
        ) from error


if TYPE_CHECKING:
    from collections.abc import Iterable


def parse_audience(audience: str | Iterable[str] | None, where: str) -> tuple[str, ...]:
    """Whom tokens must be meant for; empty for the server's own URL."""
    if audience is None:
        return ()
    named = (audience,) if isinstance(audience, str) else tuple(audience)
    if not named or not all(isinstance(one, str) and one for one in named):
        raise DefinitionError(
            f"audience is {audience!r}",
            where=where,
            hint="one name or several; leave it out for the server's own URL",
        )
    return named


def validate_seconds(seconds: object, where: str) -> float:
    """A time span that a user has given."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise DefinitionError(f"expected a number of seconds, got {seconds!r}", where=where)
    if not math.isfinite(seconds) or seconds < 0:
        raise DefinitionError(f"{seconds!r} is not a time span", where=where, hint="0 or more")
    return float(seconds)
