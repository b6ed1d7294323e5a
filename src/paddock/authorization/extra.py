"""What to say when a validator is made without the libraries that it needs."""

from __future__ import annotations

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
