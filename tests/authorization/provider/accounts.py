"""Who is registered at the provider, in its database and for the tests that log in."""

from typing import NamedTuple


class Account(NamedTuple):
    """A name and how to prove it."""

    name: str
    secret: str


USER = Account("ada", "difference engine")
MACHINE = Account("machine", "secret of the machine")
"""A program that acts for itself: client credentials."""
BROWSER = Account("browser", "")
"""A public program that acts for its user: authorization code with PKCE."""
RESOURCE_SERVER = Account("notes-server", "secret: of the server/100%")
"""We: allowed to ask about tokens."""
REDIRECT = "http://127.0.0.1/callback"
