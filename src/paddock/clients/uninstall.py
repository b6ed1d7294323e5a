"""Taking servers out of clients again, so that their files are as they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from os import PathLike

    from paddock.clients.install import ServerName
    from paddock.clients.plan import Outcome


class NotInstalledError(PaddockError):
    """There is nothing of ours to take out."""

    code = "not-installed"


def uninstall(
    client: str | None = None,
    server: ServerName | None = None,
    *,
    project: str | PathLike[str] | None = None,
    file: str | PathLike[str] | None = None,
    name: str | None = None,
    dry_run: bool = False,
) -> list[Outcome]:
    """Take a server out of a client, of all clients, or all servers out of one client."""
    raise NotImplementedError
