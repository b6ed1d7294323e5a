"""How an upstream is reached: a command, a file, a URL, or a connection that is open already."""

from __future__ import annotations

import threading
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from paddock import connecting
from paddock.errors import ConnectError, DefinitionError
from paddock.mounting.circle import build_mount_environment
from paddock.peer.connect import URL_OPTIONS, build_command, connect_channel, is_server_url
from paddock.peer.peer import Peer
from paddock.peer.process import ProcessChannel
from paddock.peer.settings import ConnectSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.peer.connect import ServerCommand
    from paddock.peer.settings import ConnectOptions

    Json = dict[str, Any]
    NotificationHandler = Callable[[str, Json], None]
    QuestionHandler = Callable[[str, Json], Json]

CLIENT_OPTIONS = frozenset(
    {
        *("on_elicit", "on_sample", "on_question", "on_log", "on_progress", "on_notification"),
        *("roots", "record", "tasks"),
    }
)
"""Options of `connect` that are the client's business, which calls through us."""
ALL_CAPABILITIES: Json = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
"""What we tell sessions that they may ask: whether it can be answered depends on who calls."""


class UpstreamConnector:
    """Opens and closes the connections to one upstream."""

    def __init__(self, target: ServerCommand | Peer, options: ConnectOptions) -> None:
        refused = CLIENT_OPTIONS & set(options)
        if refused:
            raise DefinitionError(
                f"mount has no option {', '.join(sorted(refused))}",
                hint="questions and notifications are passed on to the client that calls",
            )
        strange = set() if is_server_url(target) else {*URL_OPTIONS} & set(options)
        if strange:
            raise DefinitionError(f"{', '.join(sorted(strange))}: only for servers behind a URL")
        self._target = target
        self._options: Any = {"client_capabilities": ALL_CAPABILITIES, **options}
        self._pending_channel: ProcessChannel | None = None
        self._end_reason: str | None = None
        self.receives_notifications = not isinstance(target, Peer)
        """Whether what the upstream says of itself comes to us; an open peer has callbacks."""
        if isinstance(target, Peer):
            target.when_ended(self._record_end)

    def connect(self, hear: NotificationHandler, answer: QuestionHandler) -> Peer:
        """Open a connection.

        Raises:
            ConnectError: when that does not work.
            DefinitionError: when the server would be mounted in itself.
        """
        target = self._target
        if isinstance(target, Peer):
            if self._end_reason is not None:
                raise ConnectError(f"The peer that was mounted has ended: {self._end_reason}")
            return target
        options = {**self._options, "on_notification": hear, "on_question": answer}
        if is_server_url(target):
            return connecting.connect(str(target), **cast("ConnectOptions", options))
        command = build_command(target)
        options["env"] = {**(options.get("env") or {}), **build_mount_environment(command)}
        settings = ConnectSettings(**options)
        channel = ProcessChannel(command, settings)
        self._pending_channel = channel
        try:
            return connect_channel(channel, settings)
        finally:
            self._pending_channel = None

    def _record_end(self, reason: str) -> None:
        self._end_reason = reason

    def cancel_connect(self) -> None:
        """Give up a connection that is just being opened."""
        channel = self._pending_channel
        if channel is not None:
            threading.Thread(target=channel.close, daemon=True).start()

    def disconnect(self, peer: Peer) -> None:
        """Close a connection, if it is ours to close."""
        if peer is not self._target:
            peer.close()


def get_target_label(target: object) -> str:
    """What to call an upstream that has no prefix."""
    if isinstance(target, Peer):
        return str(target.server_info.get("name", "peer"))
    if isinstance(target, str | PathLike):
        return str(target)
    return " ".join(map(str, target)) if isinstance(target, list | tuple) else repr(target)
