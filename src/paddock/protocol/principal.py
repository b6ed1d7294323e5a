"""Who a request comes from, once somebody has checked it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Principal:
    """The user or program on whose behalf a request is made.

    Args:
        subject: What the issuer calls them; unique for that issuer.
        issuer: Who says so.
        scopes: What they may do.
        client_id: The program that they use.
        username: What people call them.
        claims: Everything that the token or the issuer says.
        expires_at: Seconds since the epoch after which this counts no more.
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
        """What sessions, tasks and sealed states are bound to."""
        return (self.issuer, self.subject)

    def __repr__(self) -> str:
        return f"Principal({self.subject!r}, issuer={self.issuer!r})"
