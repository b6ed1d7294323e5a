"""How an upstream is reached: a command, a file, a URL, or a connection that is open already."""

from __future__ import annotations

import threading
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from paddock import connecting
from paddock.errors import ConnectError, DefinitionError
from paddock.mounting.circle import environment
from paddock.peer.connect import URL_OPTIONS, command_for, connect_channel, is_url
from paddock.peer.peer import Peer
from paddock.peer.process import ProcessChannel
from paddock.peer.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.peer.connect import Command
    from paddock.peer.settings import Options

    Json = dict[str, Any]
    Hear = Callable[[str, Json], None]
    Answer = Callable[[str, Json], Json]

OURS = frozenset(
    {
        *("on_elicit", "on_sample", "on_question", "on_log", "on_progress", "on_notification"),
        *("roots", "record", "tasks"),
    }
)
"""Options of `connect` that are the client's business, which calls through us."""
EVERYTHING: Json = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
"""What we tell sessions that they may ask: whether it can be answered depends on who calls."""


class Dialling:
    """Opens and closes the connections to one upstream."""

    def __init__(self, target: Command | Peer, options: Options) -> None:
        refused = OURS & set(options)
        if refused:
            raise DefinitionError(
                f"mount has no option {', '.join(sorted(refused))}",
                hint="questions and notifications are passed on to the client that calls",
            )
        strange = set() if is_url(target) else {*URL_OPTIONS} & set(options)
        if strange:
            raise DefinitionError(f"{', '.join(sorted(strange))}: only for servers behind a URL")
        self._target = target
        self._options: Any = {"client_capabilities": EVERYTHING, **options}
        self._opening: ProcessChannel | None = None
        self._ending: str | None = None
        self.is_heard = not isinstance(target, Peer)
        """Whether what the upstream says of itself comes to us; an open peer has callbacks."""
        if isinstance(target, Peer):
            target.when_ended(self._ended)

    def connect(self, hear: Hear, answer: Answer) -> Peer:
        """Open a connection.

        Raises:
            ConnectError: when that does not work.
            DefinitionError: when the server would be mounted in itself.
        """
        target = self._target
        if isinstance(target, Peer):
            if self._ending is not None:
                raise ConnectError(f"The peer that was mounted has ended: {self._ending}")
            return target
        options = {**self._options, "on_notification": hear, "on_question": answer}
        if is_url(target):
            return connecting.connect(str(target), **cast("Options", options))
        command = command_for(target)
        options["env"] = {**(options.get("env") or {}), **environment(command)}
        settings = Settings(**options)
        channel = ProcessChannel(command, settings)
        self._opening = channel
        try:
            return connect_channel(channel, settings)
        finally:
            self._opening = None

    def _ended(self, reason: str) -> None:
        self._ending = reason

    def abandon(self) -> None:
        """Give up a connection that is just being opened."""
        channel = self._opening
        if channel is not None:
            threading.Thread(target=channel.close, daemon=True).start()

    def hang_up(self, peer: Peer) -> None:
        """Close a connection, if it is ours to close."""
        if peer is not self._target:
            peer.close()


def label_of(target: object) -> str:
    """What to call an upstream that has no prefix."""
    if isinstance(target, Peer):
        return str(target.server_info.get("name", "peer"))
    if isinstance(target, str | PathLike):
        return str(target)
    return " ".join(map(str, target)) if isinstance(target, list | tuple) else repr(target)
