"""Mounting a server in another, and taking it out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from paddock.authoring.offering import BaseServer
from paddock.errors import DefinitionError
from paddock.mounting.dialling import UpstreamConnector, get_target_label
from paddock.mounting.mount import Mount
from paddock.mounting.mounts import ServerMounts
from paddock.mounting.naming import ItemPrefix
from paddock.mounting.upstream import UpstreamTimeouts, Upstream
from paddock.peer.settings import DEFAULT_TIMEOUT_SECONDS

if TYPE_CHECKING:
    from paddock.peer.connect import ServerCommand
    from paddock.peer.peer import Peer
    from paddock.peer.settings import ConnectOptions

    MountTarget = BaseServer | Peer | ServerCommand


def mount_server(
    offering: BaseServer,
    target: MountTarget,
    prefix: str | None = None,
    *,
    separator: str = "_",
    list_timeout: float = 2.0,
    call_timeout: float = 300.0,
    **options: Unpack[ConnectOptions],
) -> None:
    """Offer what another server has; see `Server.mount`."""
    naming = ItemPrefix(prefix, separator)
    if isinstance(target, BaseServer):
        if options:
            raise DefinitionError(
                f"a server in this process takes no {', '.join(sorted(options))}",
                hint="options of connect are for servers elsewhere",
            )
        made = Mount(target, naming, offering=target, upstream=None)
    else:
        limits = UpstreamTimeouts(list_timeout, call_timeout, options.get("timeout", DEFAULT_TIMEOUT_SECONDS))
        upstream = _create_upstream(offering, target, naming, limits, options)
        made = Mount(target, naming, offering=None, upstream=upstream)
    mounts = offering.mounts if isinstance(offering.mounts, ServerMounts) else ServerMounts(offering)
    mounts.add(made)


def unmount_server(offering: BaseServer, mounted: str | MountTarget) -> None:
    """Offer no longer what another server has; see `Server.unmount`."""
    mounts = offering.mounts if isinstance(offering.mounts, ServerMounts) else ServerMounts(offering)
    for one in mounts:
        is_meant = one.target is mounted or one.target == mounted
        if is_meant or (isinstance(mounted, str) and one.item_prefix.prefix == mounted):
            mounts.remove(one)
            return
    known = ", ".join(repr(one.item_prefix.prefix or one.target) for one in mounts) or "nothing"
    raise DefinitionError(f"{mounted!r} is not mounted", hint=f"mounted: {known}")


def _create_upstream(
    offering: BaseServer, target: Peer | ServerCommand, naming: ItemPrefix, limits: UpstreamTimeouts, options: ConnectOptions
) -> Upstream:
    info: dict[str, object] = {"name": offering.name, "version": offering.metadata.version}
    given: ConnectOptions = {"client_info": info, **options}
    label = naming.prefix or get_target_label(target)
    return Upstream(label, UpstreamConnector(target, given), limits, offering)
