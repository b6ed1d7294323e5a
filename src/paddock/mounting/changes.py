"""What is to be asked of an upstream again, and of what it is to tell us."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from paddock.errors import ConnectError, PaddockError
from paddock.mounting.lists import LIST_METHODS
from paddock.protocol.versions import STATELESS_VERSIONS

if TYPE_CHECKING:
    from paddock.peer.listening import Subscription
    from paddock.peer.peer import Peer

MAX_WATCHED_RESOURCES = 10_000
"""Resources of one upstream that clients can want to hear of at once."""


class UpstreamChangeTracker:
    """The changes of one upstream.

    `subscribe` and `taken` belong to the thread that keeps the connection, the others may
    be called by any.
    """

    def __init__(self, *, are_heard: bool) -> None:
        self._receives_notifications = are_heard
        self._lock = threading.Lock()
        self._due_lists: set[str] = set()
        self._watched_uris: set[str] = set()
        self._subscribed_uris: set[str] = set()
        self._subscription: Subscription | None = None
        self._is_new_connection = False

    def reset(self, peer: Peer) -> None:
        """A connection has been opened, or has to be looked at anew: nothing is known of it."""
        with self._lock:
            self._due_lists = set(LIST_METHODS)
            self._subscribed_uris = set()
            self._is_new_connection = self._receives_notifications and peer.protocol_version in STATELESS_VERSIONS

    @property
    def has_pending_changes(self) -> bool:
        """Whether there is something to ask."""
        return bool(self._due_lists) or self._is_new_connection or self._watched_uris != self._subscribed_uris

    def add_list(self, kind: str) -> None:
        """The upstream has said that a list has changed."""
        with self._lock:
            self._due_lists.add(kind)

    def add_unannounced_lists(self, peer: Peer) -> bool:
        """Ask again for lists whose changes the upstream does not tell; whether there are any."""
        with self._lock:
            untold = {kind for kind in LIST_METHODS if not self._is_announced(peer, kind)}
            self._due_lists |= untold
            return bool(untold)

    def watch_resource(self, uri: str) -> bool:
        """A client wants to hear of a resource; whether that is new."""
        with self._lock:
            if not self._receives_notifications or uri in self._watched_uris or len(self._watched_uris) >= MAX_WATCHED_RESOURCES:
                return False
            self._watched_uris = {*self._watched_uris, uri}
            return True

    def unwatch_resource(self, uri: str) -> None:
        """Nobody wants to hear of a resource any more."""
        with self._lock:
            self._watched_uris = self._watched_uris - {uri}

    def take_due_lists(self) -> set[str]:
        """What is to be asked for now."""
        with self._lock:
            due, self._due_lists = self._due_lists, set()
            return due

    def update_subscriptions(self, peer: Peer) -> None:
        """Have the upstream tell of what is wanted, as far as it can.

        Raises:
            ConnectError: when it is gone.
        """
        with self._lock:
            wanted, subscribed = self._watched_uris, self._subscribed_uris
            self._subscribed_uris = wanted
            is_new, self._is_new_connection = self._is_new_connection, False
        try:
            if peer.protocol_version in STATELESS_VERSIONS:
                if is_new or wanted != subscribed:
                    self._open_subscription(peer, wanted)
                return
            for uri in wanted - subscribed:
                peer.subscribe(uri)
            for uri in subscribed - wanted:
                peer.unsubscribe(uri)
        except ConnectError:
            raise
        except PaddockError:  # it cannot tell, so lists are asked for again now and then
            return

    def _open_subscription(self, peer: Peer, uris: set[str]) -> None:
        earlier, self._subscription = self._subscription, None
        self._subscription = peer.listen(
            tools=True, prompts=True, resources=True, uris=sorted(uris) or None
        )
        if earlier is not None:
            earlier.close()

    def _is_announced(self, peer: Peer, kind: str) -> bool:
        if not self._receives_notifications:
            return False
        if peer.protocol_version in STATELESS_VERSIONS:
            listening = self._subscription
            honoured = listening.acknowledged_filter if listening is not None and listening.is_open else None
            return bool(honoured and honoured.get(f"{kind}ListChanged"))
        declared = peer.server_capabilities.get(kind)
        return not isinstance(declared, dict) or bool(declared.get("listChanged"))
