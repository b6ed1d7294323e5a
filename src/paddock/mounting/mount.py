"""One server that is mounted in another: where it is, and what its items are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.authoring.operations import ServerMethods

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.mounted import MountSource
    from paddock.authoring.offering import BaseServer
    from paddock.mounting.naming import ItemPrefix
    from paddock.mounting.upstream import Upstream

    MountChangeCallback = Callable[["Mount", str, str | None], int]


class Mount:
    """A mounted server: an offering in this process, or an upstream elsewhere."""

    def __init__(
        self,
        target: object,
        naming: ItemPrefix,
        *,
        offering: BaseServer | None,
        upstream: Upstream | None,
    ) -> None:
        self.target = target
        self.item_prefix = naming
        self.local_server = offering
        self.upstream = upstream
        self.source: MountSource = _create_source(offering, upstream)
        self._change_callback: MountChangeCallback | None = None

    def set_change_callback(self, changed: MountChangeCallback) -> None:
        """Have changes of the server told to the one that it is mounted in."""
        self._change_callback = changed
        if self.local_server is not None:
            self.local_server.add_connection(self.announce_change, None)
        if self.upstream is not None:
            self.upstream.on_change = self.announce_change

    def clear_change_callback(self) -> None:
        """Undo `connect`."""
        self._change_callback = None
        if self.local_server is not None:
            self.local_server.remove_connection(self.announce_change)
        if self.upstream is not None:
            self.upstream.on_change = None

    def announce_change(self, kind: str, uri: str | None = None) -> int:
        """Something has changed there; how many clients were told."""
        return 0 if self._change_callback is None else self._change_callback(self, kind, uri)

    def __repr__(self) -> str:
        return repr(self.upstream if self.local_server is None else self.local_server)


def _create_source(offering: BaseServer | None, upstream: Upstream | None) -> MountSource:
    if offering is not None:
        return ServerMethods(offering)
    if upstream is None:
        raise TypeError("a mount is either local or remote")
    return upstream
