"""What is to be asked of an upstream again, and of what it is to tell us."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from paddock.errors import ConnectError, PaddockError
from paddock.mounting.lists import FETCHED
from paddock.protocol.versions import STATELESS_VERSIONS

if TYPE_CHECKING:
    from paddock.peer.listening import Listening
    from paddock.peer.peer import Peer

MAX_WATCHED = 10_000
"""Resources of one upstream that clients can want to hear of at once."""


class Changes:
    """The changes of one upstream.

    `subscribe` and `taken` belong to the thread that keeps the connection, the others may
    be called by any.
    """

    def __init__(self, *, are_heard: bool) -> None:
        self._are_heard = are_heard
        self._lock = threading.Lock()
        self._due: set[str] = set()
        self._wanted: set[str] = set()
        self._subscribed: set[str] = set()
        self._listening: Listening | None = None
        self._is_new = False

    def begin(self, peer: Peer) -> None:
        """A connection has been opened, or has to be looked at anew: nothing is known of it."""
        with self._lock:
            self._due = set(FETCHED)
            self._subscribed = set()
            self._is_new = self._are_heard and peer.protocol_version in STATELESS_VERSIONS

    @property
    def are_due(self) -> bool:
        """Whether there is something to ask."""
        return bool(self._due) or self._is_new or self._wanted != self._subscribed

    def add(self, kind: str) -> None:
        """The upstream has said that a list has changed."""
        with self._lock:
            self._due.add(kind)

    def add_untold(self, peer: Peer) -> bool:
        """Ask again for lists whose changes the upstream does not tell; whether there are any."""
        with self._lock:
            untold = {kind for kind in FETCHED if not self._is_told(peer, kind)}
            self._due |= untold
            return bool(untold)

    def want(self, uri: str) -> bool:
        """A client wants to hear of a resource; whether that is new."""
        with self._lock:
            if not self._are_heard or uri in self._wanted or len(self._wanted) >= MAX_WATCHED:
                return False
            self._wanted = {*self._wanted, uri}
            return True

    def forget(self, uri: str) -> None:
        """Nobody wants to hear of a resource any more."""
        with self._lock:
            self._wanted = self._wanted - {uri}

    def taken(self) -> set[str]:
        """What is to be asked for now."""
        with self._lock:
            due, self._due = self._due, set()
            return due

    def subscribe(self, peer: Peer) -> None:
        """Have the upstream tell of what is wanted, as far as it can.

        Raises:
            ConnectError: when it is gone.
        """
        with self._lock:
            wanted, subscribed = self._wanted, self._subscribed
            self._subscribed = wanted
            is_new, self._is_new = self._is_new, False
        try:
            if peer.protocol_version in STATELESS_VERSIONS:
                if is_new or wanted != subscribed:
                    self._listen(peer, wanted)
                return
            for uri in wanted - subscribed:
                peer.subscribe(uri)
            for uri in subscribed - wanted:
                peer.unsubscribe(uri)
        except ConnectError:
            raise
        except PaddockError:  # it cannot tell, so lists are asked for again now and then
            return

    def _listen(self, peer: Peer, uris: set[str]) -> None:
        earlier, self._listening = self._listening, None
        self._listening = peer.listen(
            tools=True, prompts=True, resources=True, uris=sorted(uris) or None
        )
        if earlier is not None:
            earlier.close()

    def _is_told(self, peer: Peer, kind: str) -> bool:
        if not self._are_heard:
            return False
        if peer.protocol_version in STATELESS_VERSIONS:
            listening = self._listening
            honoured = listening.honoured if listening is not None and listening.is_open else None
            return bool(honoured and honoured.get(f"{kind}ListChanged"))
        declared = peer.server_capabilities.get(kind)
        return not isinstance(declared, dict) or bool(declared.get("listChanged"))
