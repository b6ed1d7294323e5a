"""Mounting a server in another, and taking it out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from paddock.authoring.offering import Offering
from paddock.errors import DefinitionError
from paddock.mounting.dialling import Dialling, label_of
from paddock.mounting.mount import Mount
from paddock.mounting.mounts import Mounts
from paddock.mounting.naming import Naming
from paddock.mounting.upstream import Limits, Upstream
from paddock.peer.settings import DEFAULT_TIMEOUT

if TYPE_CHECKING:
    from paddock.peer.connect import Command
    from paddock.peer.peer import Peer
    from paddock.peer.settings import Options

    Target = Offering | Peer | Command


def mount(
    offering: Offering,
    target: Target,
    prefix: str | None = None,
    *,
    separator: str = "_",
    list_timeout: float = 2.0,
    call_timeout: float = 300.0,
    **options: Unpack[Options],
) -> None:
    """Offer what another server has; see `Server.mount`."""
    naming = Naming(prefix, separator)
    if isinstance(target, Offering):
        if options:
            raise DefinitionError(
                f"a server in this process takes no {', '.join(sorted(options))}",
                hint="options of connect are for servers elsewhere",
            )
        made = Mount(target, naming, offering=target, upstream=None)
    else:
        limits = Limits(list_timeout, call_timeout, options.get("timeout", DEFAULT_TIMEOUT))
        upstream = _upstream(offering, target, naming, limits, options)
        made = Mount(target, naming, offering=None, upstream=upstream)
    mounts = offering.mounts if isinstance(offering.mounts, Mounts) else Mounts(offering)
    mounts.add(made)


def unmount(offering: Offering, mounted: str | Target) -> None:
    """Offer no longer what another server has; see `Server.unmount`."""
    mounts = offering.mounts if isinstance(offering.mounts, Mounts) else Mounts(offering)
    for one in mounts:
        is_meant = one.target is mounted or one.target == mounted
        if is_meant or (isinstance(mounted, str) and one.naming.prefix == mounted):
            mounts.remove(one)
            return
    known = ", ".join(repr(one.naming.prefix or one.target) for one in mounts) or "nothing"
    raise DefinitionError(f"{mounted!r} is not mounted", hint=f"mounted: {known}")


def _upstream(
    offering: Offering, target: Peer | Command, naming: Naming, limits: Limits, options: Options
) -> Upstream:
    info: dict[str, object] = {"name": offering.name, "version": offering.facts.version}
    given: Options = {"client_info": info, **options}
    label = naming.prefix or label_of(target)
    return Upstream(label, Dialling(target, given), limits, offering)
