"""Questions to the client that are on their way.

`await` a `Pending` in an `async def` handler, call `wait()` in a plain one. How the questions
travel is the era's business.
"""

from __future__ import annotations

from _thread import allocate_lock
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

from paddock.protocol.ask import AskError
from paddock.protocol.interruption import HandlerCancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from paddock.protocol.ask import Ask
    from paddock.protocol.request import Request

T = TypeVar("T")
Json = dict[str, object]


class Pending(Generic[T]):
    """Questions asked of the client whose answers are not here yet."""

    __slots__ = ("_asks", "_finish", "_request")

    def __init__(self, request: Request, asks: dict[str, Ask], finish: Callable[[Json], T]) -> None:
        self._request = request
        self._asks = asks
        self._finish = finish

    def wait(self) -> T:
        """Block until the client has answered. For handlers that are plain functions.

        Raises:
            AskError: in an `async def` handler, where it would block everybody.
        """
        if self._request.async_work is not None:
            raise AskError("wait() in an async def handler would block all others", hint="await it")
        answers = self._request.era.ask(self._request, self._asks)
        return self._finish(answers if isinstance(answers, dict) else answers.wait())

    def __await__(self) -> Generator[object, None, T]:
        """Suspend until the client has answered. For `async def` handlers."""
        answers = self._request.era.ask(self._request, self._asks)
        if not isinstance(answers, dict):
            answers = yield from answers.wait_async().__await__()
        return self._finish(answers)

    def __getattr__(self, name: str) -> NoReturn:
        """Nothing else: a hint for whoever forgot to wait."""
        raise AttributeError(
            f"The client has not answered yet, so there is no {name!r}: "
            "await the question, or call .wait() in a plain function"
        )


class Answers:
    """Collects the client's answers to questions sent as requests of ours."""

    def __init__(self, request: Request, asks: dict[str, Ask]) -> None:
        self._request = request
        self._asks = asks
        self._found: Json = {}
        self._refused: str | None = None
        self._missing = len(asks)
        self._lock = allocate_lock()
        self._done: Callable[[], None] | None = None
        self._then: Callable[[], None] | None = None
        self.withdrawals: list[Callable[[], None]] = []

    def receive(self, key: str, result: object, error: object) -> None:
        """The client answered one question."""
        with self._lock:
            self._missing -= 1
            if error is not None:
                self._refused = f"The client refused {self._asks[key].method}: {_message(error)}"
            self._found[key] = result
            is_complete = self._is_complete()
        if is_complete and self._then is not None:
            self._then()
        if is_complete and self._done is not None:
            self._done()

    def when_answered(self, call: Callable[[], None]) -> None:
        """Also call a function when all answers are in."""
        self._then = call

    def wait(self) -> Json:
        """Block until all answers are in, or the request is cancelled."""
        gate = allocate_lock()
        gate.acquire()

        def finish() -> None:
            try:
                gate.release()
            except RuntimeError:  # an answer and a cancellation at once
                return

        self._when_done(finish)
        self._request.on_cancel(finish)
        gate.acquire()
        return self._read()

    async def wait_async(self) -> Json:
        """Suspend until all answers are in; cancelling the request cancels the task itself."""
        import asyncio  # noqa: PLC0415 - only a running event loop gets here

        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def finish() -> None:
            loop.call_soon_threadsafe(lambda: None if done.done() else done.set_result(None))

        self._when_done(finish)
        if self._request.is_cancelled:  # and the handler goes on all the same
            finish()
        try:
            await done
        except BaseException:
            self._withdraw()
            raise
        return self._read()

    def _when_done(self, done: Callable[[], None]) -> None:
        with self._lock:
            self._done = done
            is_complete = self._is_complete()
        if is_complete:
            done()

    def _withdraw(self) -> None:
        """Tell the client that nobody waits for its answers any more."""
        for withdraw in self.withdrawals:
            withdraw()

    def _is_complete(self) -> bool:
        return self._missing == 0 or self._refused is not None

    def _read(self) -> Json:
        if self._request.is_cancelled:
            raise HandlerCancelled
        if self._refused is not None:
            self._withdraw()
            raise AskError(self._refused)
        return {key: ask.answer(self._found[key]) for key, ask in self._asks.items()}


def _message(error: object) -> str:
    return str(error.get("message", error)) if isinstance(error, dict) else str(error)
