"""Validation of options that validators share."""

from __future__ import annotations

import math
from contextlib import contextmanager

from paddock.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from paddock.auth.json_fetcher import JsonFetcher


@contextmanager
def explain_missing_package(validator: str) -> Iterator[None]:
    """Turn a failed import in the `with` block into an error that names the missing package.

    Args:
        validator: The name of the validator that needs the package, for the message.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise DefinitionError(
            f"{validator} needs the package {error.name}, which is not installed",
            hint="pip install 'paddock[http]'",
        ) from error


def create_json_fetcher(validator: str, *, allow_insecure_http: bool) -> JsonFetcher:
    """Return an HTTP client for a validator, if urllib3 is installed."""
    with explain_missing_package(validator):
        from paddock.auth.json_fetcher import JsonFetcher  # urllib3 is optional
    return JsonFetcher(allow_insecure_http=allow_insecure_http)


def parse_audience(audience: str | Iterable[str] | None, where: str) -> tuple[str, ...]:
    """Return the names of this server that a token may have in its `aud` claim.

    An empty tuple means that only the server's own URL is accepted.
    """
    if audience is None:
        return ()
    names = (audience,) if isinstance(audience, str) else tuple(audience)
    if not names or not all(isinstance(name, str) and name for name in names):
        raise DefinitionError(
            f"audience is {audience!r}",
            where=where,
            hint="expected one or several names; leave it out for the server's own URL",
        )
    return names


def validate_seconds(seconds: object, where: str) -> float:
    """Return a time span in seconds from the configuration."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise DefinitionError(f"expected a number of seconds, got {seconds!r}", where=where)
    if not math.isfinite(seconds) or seconds < 0:
        raise DefinitionError(f"{seconds!r} is not a time span", where=where, hint="0 or more")
    return float(seconds)
