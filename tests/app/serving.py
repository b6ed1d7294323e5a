"""The application for tests: in this process, or on a socket of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx
from litestar.testing import TestClient

from paddock.app.application import Application
from paddock.app.authenticators import LocalAuthenticator
from paddock.app.instance import make_instance_info, open_listening_socket
from paddock.app.startup import create_app_server
from paddock.zoo.service import Zoo

Client = httpx.Client
PATIENCE = 30.0
HERE = "http://127.0.0.1:3912"


def make_application(zoo: Zoo, **options: Any) -> Application:
    """The application as `paddock up` makes it, on a zoo."""
    given: dict[str, Any] = {
        "authenticator": LocalAuthenticator(),
        "instance": make_instance_info(zoo),
        "web_directory": Path("/nowhere"),
        **options,
    }
    return Application(zoo, **given)


@contextmanager
def client_of(application: Application) -> Iterator[Client]:
    """A client that asks the application directly, without a socket."""
    app: Any = application
    with TestClient(app, base_url=HERE, raise_server_exceptions=False) as client:
        yield client


@dataclass
class Served:
    """The application on a socket."""

    url: str
    http: httpx.Client
    stop: Any
    """Tells the server to end, as a signal does."""
    thread: Thread

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.url.rpartition(":")[2].strip("/"))


@contextmanager
def served(application: Application) -> Iterator[Served]:
    """The application on uvicorn, in a thread."""
    listening = open_listening_socket("127.0.0.1", 0)
    started = Event()
    server = create_app_server(application, started.set)
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    thread.start()
    assert started.wait(PATIENCE)

    def stop() -> None:
        server.should_exit = True

    with httpx.Client(base_url=url, timeout=PATIENCE) as client:
        try:
            yield Served(url, client, stop, thread)
        finally:
            stop()
            thread.join(PATIENCE)
            assert not thread.is_alive()
