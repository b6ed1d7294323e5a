"""The authenticated sender of a request."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Principal:
    """The user or program on whose behalf a request is made.

    Args:
        subject: Identifier of the user or program, unique within the issuer.
        issuer: Identifier of the authority that authenticated the subject.
        scopes: Granted scopes.
        client_id: The OAuth client in use.
        username: Display name.
        claims: All claims of the token.
        expires_at: Expiry in seconds since the epoch.
    """

    __slots__ = ("claims", "client_id", "expires_at", "issuer", "scopes", "subject", "username")

    def __init__(
        self,
        subject: str,
        *,
        issuer: str = "",
        scopes: Iterable[str] = (),
        client_id: str | None = None,
        username: str | None = None,
        claims: Mapping[str, object] | None = None,
        expires_at: float | None = None,
    ) -> None:
        self.subject = subject
        self.issuer = issuer
        self.scopes = frozenset(scopes)
        self.client_id = client_id
        self.username = username
        self.claims = dict(claims or {})
        self.expires_at = expires_at

    @property
    def key(self) -> tuple[str, str]:
        """The identity to which sessions, tasks and sealed states are bound."""
        return (self.issuer, self.subject)

    def __repr__(self) -> str:
        return f"Principal({self.subject!r}, issuer={self.issuer!r})"
