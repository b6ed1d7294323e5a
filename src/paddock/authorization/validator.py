"""What a validator is, and how one that users write becomes one."""

from __future__ import annotations

import inspect
from typing import Protocol

from paddock.authorization.blocking import BlockingCalls
from paddock.authorization.errors import InvalidTokenError
from paddock.errors import DefinitionError
from paddock.protocol.principal import Principal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Verdict = Principal | None
    OwnValidator = Callable[[str], Verdict | Awaitable[Verdict]]


class Validator(Protocol):
    """Turns a token into the principal that it stands for."""

    async def validate(self, token: str, resource: str) -> Principal:
        """Who the bearer of a token is, if it is good and meant for a resource.

        Raises:
            InvalidTokenError: It is not.
        """
        ...


class OwnMethod:
    """A validator whose `validate` may be plain, and may return None for no."""

    def __init__(self, validate: Callable[[str, str], Verdict | Awaitable[Verdict]]) -> None:
        self._validate = validate
        self._calls = None if inspect.iscoroutinefunction(validate) else BlockingCalls()

    async def validate(self, token: str, resource: str) -> Principal:
        """Who the bearer is; a plain function runs in a thread, since it may wait."""
        if self._calls is None:
            verdict = self._validate(token, resource)
        else:
            verdict = await self._calls.run(object(), lambda: self._validate(token, resource))
        if inspect.isawaitable(verdict):
            verdict = await verdict
        if verdict is None:
            raise InvalidTokenError("your validator says no")
        if not isinstance(verdict, Principal):
            kind = type(verdict).__name__
            raise TypeError(f"expected a Principal or None from your validator, got a {kind}")
        return verdict


def as_validator(given: object) -> Validator:
    """A validator from what a user has given: one of ours, an object like it, or a function.

    Raises:
        DefinitionError: It is neither.
    """
    validate = getattr(given, "validate", None)
    if callable(validate):
        return OwnMethod(validate)
    if callable(given):
        return OwnMethod(_taking_the_token_only(given))
    raise DefinitionError(
        f"{given!r} is no validator",
        where="Authorization",
        hint="JwksValidator(…) or another of ours, an object with validate(token, resource), "
        "or a function of a token",
    )


def _taking_the_token_only(
    function: OwnValidator,
) -> Callable[[str, str], Verdict | Awaitable[Verdict]]:
    if inspect.iscoroutinefunction(function):

        async def asked(token: str, _resource: str) -> Verdict:
            verdict: Verdict = await function(token)
            return verdict

        return asked
    return lambda token, _resource: function(token)
