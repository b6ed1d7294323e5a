import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from paddock.transports.http import executor
from paddock.transports.http.executor import LoopMailbox

PATIENCE = 20


class Interrupted(BaseException):
    """What a cancelled handler's thread is hit by."""


class InterruptedLoop:
    """An event loop that a thread is interrupted in, once."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.is_armed = True

    def call_soon_threadsafe(self, call: Callable[..., object], *arguments: Any) -> object:
        if self.is_armed:
            self.is_armed = False
            raise Interrupted
        return self._loop.call_soon_threadsafe(call, *arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)


def test_a_thread_that_is_interrupted_while_it_posts_does_not_silence_the_others() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        mailbox = LoopMailbox(InterruptedLoop(loop))  # type: ignore[arg-type]  # it acts like one
        with pytest.raises(Interrupted):
            mailbox.post(print)
        heard = asyncio.Event()
        thread = threading.Thread(target=mailbox.post, args=(heard.set,))
        thread.start()
        await asyncio.wait_for(heard.wait(), PATIENCE)
        thread.join()

    asyncio.run(main())


def test_a_message_that_fails_does_not_hold_up_the_next(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        mailbox = LoopMailbox(asyncio.get_running_loop())
        heard = asyncio.Event()

        def fail() -> None:
            raise ValueError("no")

        mailbox.post(fail)
        mailbox.post(heard.set)
        await asyncio.wait_for(heard.wait(), PATIENCE)

    asyncio.run(main())
    assert [record.message for record in caplog.records] == ["A message could not be sent"]


def test_a_thread_that_says_too_much_waits_for_the_loop() -> None:
    async def main() -> None:
        mailbox = LoopMailbox(asyncio.get_running_loop())
        for _ in range(executor.MAX_POSTED_CALLS + 1):
            mailbox.post(int)
        passed = threading.Event()

        def wait() -> None:
            mailbox.wait_for_room()
            passed.set()

        thread = threading.Thread(target=wait)
        thread.start()
        assert not passed.is_set()
        await asyncio.to_thread(passed.wait, PATIENCE)
        assert passed.is_set()
        thread.join()

    asyncio.run(main())
