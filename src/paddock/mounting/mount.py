"""One server that is mounted in another: where it is, and what its items are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.authoring.operations import CatalogueOperations

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.mounted import Source
    from paddock.authoring.offering import Offering
    from paddock.mounting.naming import Naming
    from paddock.mounting.upstream import Upstream

    Changed = Callable[["Mount", str, str | None], int]


class Mount:
    """A mounted server: an offering in this process, or an upstream elsewhere."""

    def __init__(
        self,
        target: object,
        naming: Naming,
        *,
        offering: Offering | None,
        upstream: Upstream | None,
    ) -> None:
        self.target = target
        self.naming = naming
        self.offering = offering
        self.upstream = upstream
        self.source: Source = _source(offering, upstream)
        self._changed: Changed | None = None

    def connect(self, changed: Changed) -> None:
        """Have changes of the server told to the one that it is mounted in."""
        self._changed = changed
        if self.offering is not None:
            self.offering.attach(self.announce, None)
        if self.upstream is not None:
            self.upstream.announce = self.announce

    def disconnect(self) -> None:
        """Undo `connect`."""
        self._changed = None
        if self.offering is not None:
            self.offering.detach(self.announce)
        if self.upstream is not None:
            self.upstream.announce = None

    def announce(self, kind: str, uri: str | None = None) -> int:
        """Something has changed there; how many clients were told."""
        return 0 if self._changed is None else self._changed(self, kind, uri)

    def __repr__(self) -> str:
        return repr(self.upstream if self.offering is None else self.offering)


def _source(offering: Offering | None, upstream: Upstream | None) -> Source:
    if offering is not None:
        return CatalogueOperations(offering)
    if upstream is None:
        raise TypeError("a mount is either local or remote")
    return upstream
