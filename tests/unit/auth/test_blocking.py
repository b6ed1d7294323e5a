"""Checks of tokens that hang: who waits for them, and what ends regardless."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest

from paddock import IntrospectionValidator, InvalidTokenError
from paddock.auth.token_lookup import MAX_PENDING_CALLS, MAX_THREADS
from tests.unit.auth.local_server import Answer, Asked, LocalServer

RESOURCE = "https://example.org/mcp"

PROGRAM = """
import asyncio, threading
from paddock import Authorization

begun = threading.Event()

def hangs(token):
    begun.set()
    threading.Event().wait()

async def main():
    authorization = Authorization(hangs, resource="https://example.org/mcp")
    waiting = [
        asyncio.ensure_future(authorization.authenticate([f"Bearer {number}"]))
        for number in range(40)
    ]
    await asyncio.to_thread(begun.wait)
    for one in waiting:
        one.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)

asyncio.run(main())
print("over", flush=True)
"""


def test_a_check_that_never_ends_does_not_keep_the_program_from_ending() -> None:
    program = [sys.executable, "-c", PROGRAM]
    ended = subprocess.run(program, capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "over\n", "")


class Busy:
    """An issuer that knows no token but those called good, and thinks long about all others."""

    def __init__(self, server: LocalServer) -> None:
        self.decided = threading.Semaphore(0)
        self.thinking = threading.Semaphore(0)
        self._server = server
        server.answers["/ask"] = self._answer
        self.validator = IntrospectionValidator(
            endpoint=f"{server.url}/ask",
            client_id="notes",
            client_secret="secret",  # noqa: S106 - not a real secret
            cache_seconds=0,
        )

    def _answer(self, asked: Asked) -> Answer:
        is_good = b"token=good" in asked.body
        if not is_good:
            self.thinking.release()
            assert self.decided.acquire(timeout=20)
        said = {"active": is_good, "sub": "ada", "aud": RESOURCE}
        return 200, {}, json.dumps(said).encode()

    def asked_about(self) -> list[str]:
        return [parse_qs(asked.body.decode())["token"][0] for asked in self._server.asked]

    async def present(self, token: str) -> str:
        """The name of who comes with a token, or what is stated against it."""
        try:
            return (await self.validator.validate(token, RESOURCE)).subject
        except InvalidTokenError as error:
            return error.code

    async def flood(self, count: int) -> list[asyncio.Task[str]]:
        """So many tokens that are invalid, of which as many as possible are being checked."""
        junk = [asyncio.create_task(self.present(f"junk{one}")) for one in range(count)]
        for _ in range(MAX_THREADS):
            await asyncio.to_thread(self.thinking.acquire, timeout=20)
        return junk


@pytest.fixture
def busy(server: LocalServer) -> Iterator[Busy]:
    one = Busy(server)
    yield one
    one.decided.release(MAX_PENDING_CALLS)


def test_a_flood_of_bad_tokens_does_not_hold_up_who_was_authorized_before(busy: Busy) -> None:
    async def main() -> str:
        assert await busy.present("good") == "ada"
        junk = await busy.flood(600)
        known = await busy.present("good")
        for one in junk:
            one.cancel()
        return known

    assert asyncio.run(main()) == "ada"


def test_a_new_token_does_not_wait_for_a_flood_of_bad_ones_before_it(busy: Busy) -> None:
    async def main() -> str:
        junk = await busy.flood(100)
        new = asyncio.ensure_future(busy.present("good"))
        await asyncio.sleep(0)
        busy.decided.release()
        found = await new
        for one in junk:
            one.cancel()
        return found

    assert asyncio.run(main()) == "ada"


def test_no_one_is_asked_about_a_token_whose_request_is_gone(busy: Busy) -> None:
    async def main() -> None:
        junk = await busy.flood(100)
        for one in junk:
            one.cancel()
        await asyncio.gather(*junk, return_exceptions=True)
        busy.decided.release()
        assert await busy.present("good") == "ada"

    asyncio.run(main())
    assert len(busy.asked_about()) == MAX_THREADS + 1


def test_when_the_queue_is_full_the_oldest_request_is_asked_to_retry(busy: Busy) -> None:
    async def main() -> tuple[str, set[str]]:
        junk = await busy.flood(MAX_THREADS + MAX_PENDING_CALLS)
        new = asyncio.ensure_future(busy.present("good"))
        told, _ = await asyncio.wait(junk, return_when=asyncio.FIRST_COMPLETED)
        given_up = {one.result() for one in told}
        for one in junk:
            one.cancel()
        busy.decided.release()
        return await new, given_up

    assert asyncio.run(main()) == ("ada", {"undecided"})
