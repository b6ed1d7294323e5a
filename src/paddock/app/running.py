"""Running the application: on uvicorn, from a socket that is there, to an end in good order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import uvicorn

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from types import FrameType

    from paddock.app.application import Application

DRAIN_TIMEOUT_SECONDS = 10
"""What is under way may take so long when the server is told to end."""


class AppServer(uvicorn.Server):
    """uvicorn, which tells the application of the end before it waits for its streams.

    The signals to end are an order and no accident: the process ends with exit code 0.
    """

    def __init__(
        self, application: Application, on_start: Callable[[], None], config: uvicorn.Config
    ) -> None:
        super().__init__(config)
        self._application = application
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, and say so."""
        await super().startup(sockets)
        self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams that would go on for ever, then let the rest finish."""
        self._application.close_streams()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Told to end; told a second time, at once."""
        super().handle_exit(sig, frame)
        self._captured_signals.clear()


def create_app_server(application: Application, on_start: Callable[[], None]) -> AppServer:
    """A server for the application; `on_start` is called when it has begun."""
    config = uvicorn.Config(
        _as_asgi_app(application),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        ws="none",
        timeout_keep_alive=75,
        timeout_graceful_shutdown=DRAIN_TIMEOUT_SECONDS,
    )
    return AppServer(application, on_start, config)


def run_application(application: Application, listening: socket.socket, on_start: Callable[[], None]) -> None:
    """Answer on a socket until a signal ends it."""
    create_app_server(application, on_start).run([listening])


def _as_asgi_app(application: Application) -> Any:
    """The application, in the types that uvicorn has for it."""
    return application
