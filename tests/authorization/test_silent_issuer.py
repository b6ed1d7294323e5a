"""An authorization server that takes connections and does not answer is given up."""

import asyncio
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import urllib3

from paddock import Authorization, IntrospectionValidator, JwksValidator
from paddock.auth.errors import UnauthorizedError
from tests.authorization.protected import Client

RESOURCE = "http://127.0.0.1:8642/mcp"
TOKEN = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.e30.AAAA"  # noqa: S105 - not signed


class Silent:
    """Takes connections, and sends one byte again and again, or nothing."""

    def __init__(self, drip: bytes) -> None:
        self._drip = drip
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ended = threading.Event()
        self.asked = threading.Event()
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while not self._ended.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.asked.set()
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


def test_requests_are_refused_in_the_end_and_others_are_served_in_the_meantime(
    silent: Silent,
) -> None:
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


PROGRAM = """
import sys
from paddock import Authorization, IntrospectionValidator, Limits, Server

validator = IntrospectionValidator(sys.argv[1], client_id="a", client_secret="b")
server = Server("notes", version="1.0", authorization=Authorization(validator))
server.run(http="127.0.0.1:0", limits=Limits(drain_seconds=0.1))
"""


def test_a_server_still_ends_when_it_is_asked_to(silent: Silent, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, str(program), silent.url]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            client = Client(process.stderr.readline().split()[-1])
            callers = [threading.Thread(target=call, args=(client, n)) for n in range(100)]
            for caller in callers:
                caller.start()
            assert silent.asked.wait(20)
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0
        finally:
            process.kill()
        for caller in callers:
            caller.join()


def call(client: Client, number: int) -> None:
    """Send a request that gets no answer."""
    with suppress(urllib3.exceptions.HTTPError):
        client.call("whoami", f"token{number}")
