"""What can go wrong with a named server.

Loaded before the first answer, so it needs nothing but the interpreter.
"""

from __future__ import annotations

from paddock.errors import DefinitionError, PaddockError


class ServerExistsError(PaddockError):
    """There is a server of that name already."""

    code = "server-exists"


class ServerNotFoundError(PaddockError):
    """There is no server of that name."""

    code = "server-not-found"


class ServerDefinitionError(DefinitionError):
    """A server definition cannot be read, or says what it cannot say."""

    code = "invalid-server-definition"


class BuiltInServerError(PaddockError):
    """A server that comes with Paddock or with an extension is not the user's to change."""

    code = "built-in-server"
