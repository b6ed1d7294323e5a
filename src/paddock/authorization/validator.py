"""What a validator is, and how one that users write becomes one."""

from __future__ import annotations

import inspect
from typing import Protocol

from paddock.authorization.blocking import BlockingCallPool
from paddock.authorization.errors import InvalidTokenError
from paddock.errors import DefinitionError
from paddock.protocol.principal import Principal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    TokenVerdict = Principal | None
    CustomValidator = Callable[[str], TokenVerdict | Awaitable[TokenVerdict]]


class TokenValidator(Protocol):
    """Turns a token into the principal that it stands for."""

    async def validate(self, token: str, resource: str) -> Principal:
        """Who the bearer of a token is, if it is good and meant for a resource.

        Raises:
            InvalidTokenError: It is not.
        """
        ...


class UserValidator:
    """A validator whose `validate` may be plain, and may return None for no."""

    def __init__(self, validate: Callable[[str, str], TokenVerdict | Awaitable[TokenVerdict]]) -> None:
        self._validate = validate
        self._call_pool = None if inspect.iscoroutinefunction(validate) else BlockingCallPool()

    async def validate(self, token: str, resource: str) -> Principal:
        """Who the bearer is; a plain function runs in a thread, since it may wait."""
        if self._call_pool is None:
            verdict = self._validate(token, resource)
        else:
            verdict = await self._call_pool.run(object(), lambda: self._validate(token, resource))
        if inspect.isawaitable(verdict):
            verdict = await verdict
        if verdict is None:
            raise InvalidTokenError("your validator says no")
        if not isinstance(verdict, Principal):
            kind = type(verdict).__name__
            raise TypeError(f"expected a Principal or None from your validator, got a {kind}")
        return verdict


def to_validator(given: object) -> TokenValidator:
    """A validator from what a user has given: one of ours, an object like it, or a function.

    Raises:
        DefinitionError: It is neither.
    """
    validate = getattr(given, "validate", None)
    if callable(validate):
        return UserValidator(validate)
    if callable(given):
        return UserValidator(_ignore_resource(given))
    raise DefinitionError(
        f"{given!r} is no validator",
        where="Authorization",
        hint="JwksValidator(…) or another of ours, an object with validate(token, resource), "
        "or a function of a token",
    )


def _ignore_resource(
    function: CustomValidator,
) -> Callable[[str, str], TokenVerdict | Awaitable[TokenVerdict]]:
    if inspect.iscoroutinefunction(function):

        async def validate_token(token: str, _resource: str) -> TokenVerdict:
            verdict: TokenVerdict = await function(token)
            return verdict

        return validate_token
    return lambda token, _resource: function(token)
