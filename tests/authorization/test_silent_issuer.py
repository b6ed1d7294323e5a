"""An authorization server that takes connections and does not answer is given up."""

import asyncio
import socket
import threading
from collections.abc import Iterator

import pytest

from paddock import Authorization, IntrospectionValidator, JwksValidator
from paddock.authorization.errors import UnauthorizedError

RESOURCE = "http://127.0.0.1:8642/mcp"
TOKEN = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.e30.AAAA"  # noqa: S105 - signed by nobody


class Silent:
    """Takes connections, and sends one byte again and again, or nothing."""

    def __init__(self, drip: bytes) -> None:
        self._drip = drip
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ended = threading.Event()
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while not self._ended.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._hold, args=(connection,), daemon=True).start()

    def _hold(self, connection: socket.socket) -> None:
        with connection:
            while not self._ended.wait(1):
                try:
                    connection.sendall(self._drip)
                except OSError:
                    return

    def close(self) -> None:
        self._ended.set()
        self._listener.close()


@pytest.fixture(params=[b"", b"H"], ids=["silent", "dripping"])
def silent(request: pytest.FixtureRequest) -> Iterator[Silent]:
    server = Silent(request.param)
    yield server
    server.close()


def test_requests_are_refused_in_the_end_and_others_are_served_meanwhile(silent: Silent) -> None:
    authorization = Authorization(JwksValidator(silent.url), resource=RESOURCE)
    asking = Authorization(
        IntrospectionValidator(silent.url, client_id="a", client_secret="b"),  # noqa: S106 - none
        resource=RESOURCE,
    )

    async def refused(one: Authorization) -> int:
        with pytest.raises(UnauthorizedError) as error:
            await one.authenticate([f"Bearer {TOKEN}"])
        return error.value.status

    async def main() -> list[int]:
        waiting = [asyncio.ensure_future(refused(one)) for one in (authorization, asking) * 20]
        await asyncio.sleep(0)
        without_a_token = [await one_without(one) for one in (authorization, asking)]
        assert not any(one.done() for one in waiting)
        return [*without_a_token, *await asyncio.gather(*waiting)]

    async def one_without(one: Authorization) -> int:
        with pytest.raises(UnauthorizedError) as error:
            await one.authenticate([])
        return error.value.status

    assert asyncio.run(main()) == [401, 401] + [503] * 40
