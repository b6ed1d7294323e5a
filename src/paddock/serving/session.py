"""One connection to an offering, from its first byte to its last.

The offering may still be on its way when the connection opens: what can be answered without it
is answered at once, the rest waits. Loading it, entering its lifespan and leaving it happen in
the serving thread, which is the main thread of a stdio server.
"""

from __future__ import annotations

import threading  # noqa: F401 - whichever thread loads it first, it takes for the main thread
from typing import TYPE_CHECKING, Any, NoReturn

from paddock.authoring.failures import log_failure
from paddock.authoring.operations import CatalogueOperations
from paddock.errors import PaddockError
from paddock.protocol.dispatch import Dispatcher, Eras, Held
from paddock.protocol.errors import ProtocolError
from paddock.telemetry.settings import observers_of
from paddock.transports.stream import MAX_LINE, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.offering import Offering
    from paddock.protocol.connection import Connection
    from paddock.protocol.eras.contract import Operations
    from paddock.protocol.facts import ServerFacts
    from paddock.protocol.request import Request
    from paddock.transports.contract import Channel

    Load = Callable[[], Offering]


class Unavailable:
    """Stands in for operations that cannot be had, yet or at all."""

    def __init__(self, facts: ServerFacts, reason: Exception) -> None:
        self.facts = facts
        self._reason = reason

    @property
    def state_key(self) -> bytes:
        """None is to be had, so nothing can be checked with it."""
        raise self._reason

    @property
    def tasks(self) -> NoReturn:
        """There are none, since nothing can be called."""
        raise self._reason

    def _refuse(self, _request: Request) -> NoReturn:
        raise self._reason

    list_tools = call_tool = list_prompts = get_prompt = _refuse
    list_resources = list_templates = read_resource = complete = _refuse
    list_skills = get_skill = read_directory = _refuse

    def watch(self, _uri: str) -> None:
        """Nothing to watch, yet or at all."""
        raise self._reason


class Listing(CatalogueOperations):
    """Answers lists, and lets everything else wait for the lifespan of the offering."""

    def _hold(self, request: Request) -> None:
        raise Held

    call_tool = get_prompt = read_resource = complete = read_directory = get_skill = _hold


class Session:
    """Serves one connection."""

    def __init__(
        self,
        channel: Channel,
        connection: Connection,
        facts: ServerFacts,
        *,
        max_line: int = MAX_LINE,
    ) -> None:
        waiting: Operations = Unavailable(facts, Held())
        self._facts = facts
        self._dispatcher = Dispatcher(connection, Eras(waiting))
        self.stream = Stream(channel, self._dispatcher, max_line)
        self._offering: Offering | None = None
        self._lifespan: Any = None

    def start(self) -> None:
        """Begin to answer what can be answered without the offering."""
        self.stream.start()

    def open(self, load: Load) -> None:
        """Get the offering and enter its lifespan; a failure is told to the client."""
        try:
            offering = load()
            if offering.lists_early:
                self._list_early(offering)
            self._enter_lifespan(offering)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client must be told
            self.fail(error)
            return
        self.adopt(offering)

    def _list_early(self, offering: Offering) -> None:
        """Answer lists while the lifespan is being entered, which may take its time."""
        self.stream.replay(self._dispatcher.adopt(Listing(offering), is_ready=False))

    def adopt(self, offering: Offering) -> None:
        """Answer from an offering, beginning with what had to wait for it."""
        self._offering = offering
        self.stream.limit_lines(offering.max_message)
        # First: what changes after a client has seen a list must be told to it.
        offering.attach(self._dispatcher.announce, self.stream.stop)
        observers = observers_of(offering.tracing)
        self.stream.replay(self._dispatcher.adopt(CatalogueOperations(offering), observers))

    def replace(self, offering: Offering) -> None:
        """Put a newly loaded offering in the place of the one that is served."""
        if self._offering is None:
            self.adopt(offering)
            for kind in ("tools", "prompts", "resources"):
                self._dispatcher.announce(kind)
        else:
            self._offering.adopt(offering)

    def fail(self, error: Exception) -> None:
        """Answer everything that needs the offering with the reason why there is none."""
        is_known = isinstance(error, PaddockError)
        reason = str(error) if is_known else f"{type(error).__name__}: {error}"
        fault = error.__cause__ if is_known else error
        log_failure(fault, f"Starting the server: {reason}")
        refusal = ProtocolError(f"The server could not be started: {reason}")
        self.stream.replay(self._dispatcher.adopt(Unavailable(self._facts, refusal)))

    def run(self) -> None:
        """Serve until the connection ends and what was under way has ended too."""
        try:
            self.stream.run()
        finally:
            if self._offering is not None:
                self._offering.detach(self._dispatcher.announce)

    def close(self) -> None:
        """Leave the lifespan, and let go of the rest."""
        self._leave_lifespan()
        self.stream.close()

    def _enter_lifespan(self, offering: Offering) -> None:
        if offering.lifespan is None:
            return
        manager = offering.lifespan(offering)
        if hasattr(manager, "__aenter__"):
            state = self.stream.event_loop().complete(manager.__aenter__())
        else:
            state = manager.__enter__()
        self._dispatcher.connection.state = state
        self._lifespan = manager

    def _leave_lifespan(self) -> None:
        manager, self._lifespan = self._lifespan, None
        if manager is None:
            return
        try:
            if hasattr(manager, "__aexit__"):
                self.stream.event_loop().complete(manager.__aexit__(None, None, None))
            else:
                manager.__exit__(None, None, None)
        except Exception as error:  # noqa: BLE001 - the process is ending: only the log is left
            log_failure(error, "Leaving the lifespan failed")
