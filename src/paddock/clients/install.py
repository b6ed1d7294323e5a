"""Installing a server into a client, or into all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from paddock.clients.plan import Outcome, Plan
    from paddock.servers.named_server import NamedServer

    ServerName = str | PathLike[str] | NamedServer


def install(
    client: str | None,
    server: ServerName | None = None,
    *,
    project: str | PathLike[str] | None = None,
    file: str | PathLike[str] | None = None,
    name: str | None = None,
    env: Mapping[str, str] | None = None,
    http: str | None = None,
    headers: Mapping[str, str] | None = None,
    options: Mapping[str, Mapping[str, object]] | None = None,
    replace: bool = False,
    check: bool = True,
    dry_run: bool = False,
) -> Plan:
    """Write a server into a client's configuration."""
    raise NotImplementedError


def install_all(
    server: ServerName | None = None,
    *,
    name: str | None = None,
    env: Mapping[str, str] | None = None,
    http: str | None = None,
    headers: Mapping[str, str] | None = None,
    options: Mapping[str, Mapping[str, object]] | None = None,
    replace: bool = False,
    check: bool = True,
    dry_run: bool = False,
) -> list[Outcome]:
    """Install into every detected client; go on after one that fails."""
    raise NotImplementedError
