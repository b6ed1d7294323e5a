"""Tells an MCP endpoint whose zoo its calls are about.

Who sends a request has been found out before it gets there, and each owner has an endpoint of
their own; so there is nothing left to check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.protocol.principal import Principal

if TYPE_CHECKING:
    from collections.abc import Iterable

PRINCIPAL_ISSUER = "paddock"


class MissingScopesError(Exception):
    """What was asked for needs rights that nobody has here."""

    def __init__(self, scopes: Iterable[str]) -> None:
        super().__init__(f"needs {', '.join(scopes)}")
        self.status = 403
        self.headers: list[tuple[str, str]] = []
        self.body = b""


class OwnerAuthorization:
    """Takes every request for one of an owner's."""

    def __init__(self, owner: str) -> None:
        self._principal = Principal(owner, issuer=PRINCIPAL_ISSUER)

    @property
    def resource(self) -> str:
        """No document tells of the endpoint."""
        return ""

    @property
    def metadata_url(self) -> str:
        """The same."""
        return ""

    def bind(self, resource: str) -> None:
        """Nothing depends on where the endpoint is."""

    async def authenticate(self, _values: list[str], /) -> Principal:
        """The owner."""
        return self._principal

    def insufficient(self, scopes: Iterable[str], _principal: Principal) -> Exception:
        """The refusal of what needs scopes."""
        return MissingScopesError(scopes)

    def metadata(self) -> dict[str, object]:
        """Nothing."""
        return {}
