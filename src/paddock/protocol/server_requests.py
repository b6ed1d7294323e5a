"""Server requests to the client (elicitation, sampling, roots), and their pending answers.

An `async def` handler awaits a `PendingAnswer`. A plain handler calls its `wait` method. The
protocol era determines how the requests are sent.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

from msgspec import Struct

from paddock.errors import PaddockError
from paddock.lazy_modules import LazyModule
from paddock.protocol.errors import MissingCapabilityError
from paddock.protocol.thread_interrupt import HandlerCancelled

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Generator

    from paddock.protocol.request import Request
else:  # 45 ms, and already loaded where coroutines exist
    asyncio = LazyModule("asyncio")

T = TypeVar("T")
Json = dict[str, object]


class AskError(PaddockError):
    """The client declined a question or gave an invalid answer."""

    code = "ask"


class ServerRequest(Struct, frozen=True):
    """A request from the server to the client, such as a handler's question to the user."""

    method: str
    params: Json
    required_capabilities: Json
    """The capabilities that the client must have declared, as in `{"roots": {}}`."""
    parse_result: Callable[[Json], object]
    """Converts the client's result to the value passed to the handler."""

    def check_capabilities(self, declared: Json) -> None:
        """Check that the client supports the request.

        Args:
            declared: The capabilities declared by the client.

        Raises:
            MissingCapabilityError: The client has not declared the required capabilities.
        """
        if not covers_capabilities(declared, self.required_capabilities):
            raise MissingCapabilityError(self.required_capabilities, self.method)

    def parse_answer(self, value: object) -> object:
        """Convert the client's answer to the value passed to the handler.

        Raises:
            AskError: The answer is not a valid result for the request.
        """
        if not isinstance(value, dict):
            raise AskError(
                f"Invalid answer to {self.method}: expected an object, got {value!r:.60}"
            )
        return self.parse_result(value)


def covers_capabilities(declared: Json, required: Json) -> bool:
    """Return whether a client's declared capabilities include all required ones.

    Both are nested objects, such as `{"elicitation": {"form": {}, "url": {}}}`.
    """
    for name, required_settings in required.items():
        declared_settings = declared.get(name)
        if not isinstance(declared_settings, dict):
            return False
        # Before MCP 2025-11-25, questions had no URL mode, and clients declared an empty
        # elicitation capability for forms.
        is_plain_form = name == "elicitation" and not declared_settings
        settings: Json = {"form": {}} if is_plain_form else declared_settings
        if isinstance(required_settings, dict) and not covers_capabilities(
            settings, required_settings
        ):
            return False
    return True


class PendingAnswer(Generic[T]):
    """The answer to a handler's questions, which the handler must wait for or `await`."""

    __slots__ = ("_build_value", "_request", "_requests")

    def __init__(
        self,
        request: Request,
        server_requests: dict[str, ServerRequest],
        build_value: Callable[[Json], T],
    ) -> None:
        self._request = request
        self._requests = server_requests
        self._build_value = build_value

    def wait(self) -> T:
        """Block until the client has answered, and return the answer.

        This is for handlers that are plain functions. Coroutine handlers use `await`.

        Raises:
            AskError: The handler is an `async def` function, where blocking would stop the loop.
        """
        if self._request.async_work is not None:
            raise AskError(
                "wait() in an async def handler would block all other handlers", hint="use await"
            )
        answers = self._request.era.request_input(self._request, self._requests)
        return self._build_value(answers if isinstance(answers, dict) else answers.wait())

    def __await__(self) -> Generator[object, None, T]:
        """Suspend an `async def` handler until the client has answered, and return the answer."""
        answers = self._request.era.request_input(self._request, self._requests)
        if not isinstance(answers, dict):
            answers = yield from answers.wait_async().__await__()
        return self._build_value(answers)

    def __getattr__(self, name: str) -> NoReturn:
        """Raise an error for a handler that uses the answer without waiting for it."""
        raise AttributeError(
            f"The client has not answered yet, so there is no {name!r}: "
            "await the question, or call .wait() in a plain function"
        )


class ResponseCollector:
    """Collects the client's answers to the requests of one handler."""

    def __init__(self, request: Request, server_requests: dict[str, ServerRequest]) -> None:
        self._request = request
        self._requests = server_requests
        # The answers by question name, and the error if the client refused a question.
        self._results: Json = {}
        self._refusal: str | None = None
        self._missing_count = len(server_requests)
        self._lock = allocate_lock()
        self._wake_waiter: Callable[[], None] | None = None
        self._on_complete: Callable[[], None] | None = None
        self.withdrawals: list[Callable[[], None]] = []
        """Functions that cancel the questions if the handler no longer waits for them."""

    def receive_response(self, key: str, result: object, error: object) -> None:
        """Store the client's answer to one question, and wake the handler if it was the last one.

        Args:
            key: The name of the question.
            result: The client's result, which is still unchecked.
            error: The JSON-RPC error if the client refused the question, otherwise None.
        """
        with self._lock:
            self._missing_count -= 1
            if error is not None:
                self._refusal = (
                    f"The client refused {self._requests[key].method}: {_get_error_message(error)}"
                )
            self._results[key] = result
            is_complete = self._is_complete()
        # Outside the lock, because the callbacks take locks of their own.
        if is_complete and self._on_complete is not None:
            self._on_complete()
        if is_complete and self._wake_waiter is not None:
            self._wake_waiter()

    def on_complete(self, call: Callable[[], None]) -> None:
        """Call a function when all answers have arrived."""
        self._on_complete = call

    def wait(self) -> Json:
        """Block until all answers have arrived or the request is cancelled, and return the answers.

        Raises:
            HandlerCancelled: The request was cancelled.
            AskError: The client refused a question, or an answer is invalid.
        """
        # The lock serves as an event: the second `acquire` blocks until `wake` releases it.
        lock = allocate_lock()
        lock.acquire()

        def wake() -> None:
            try:
                lock.release()
            except RuntimeError:  # An answer or a cancellation has already released the lock.
                return

        self._set_waiter(wake)
        self._request.on_cancel(wake)
        lock.acquire()
        return self._read_answers()

    async def wait_async(self) -> Json:
        """Suspend the coroutine until all answers have arrived, and return them.

        If the request is cancelled, its asyncio task is cancelled too, and the questions are
        withdrawn.
        """

        def register_wake(wake: Callable[[], None]) -> None:
            self._set_waiter(wake)
            # A handler that caught its cancellation and asks again must not wait.
            if self._request.is_cancelled:
                wake()

        try:
            await wait_for_callback(register_wake)
        except BaseException:
            self._withdraw_requests()
            raise
        return self._read_answers()

    def _set_waiter(self, wake: Callable[[], None]) -> None:
        """Store the function that wakes the waiting handler when all answers have arrived.

        If they have already arrived, the function is called immediately.
        """
        with self._lock:
            self._wake_waiter = wake
            is_complete = self._is_complete()
        if is_complete:
            wake()

    def _withdraw_requests(self) -> None:
        """Notify the client that its answers are no longer needed."""
        for withdraw in self.withdrawals:
            withdraw()

    def _is_complete(self) -> bool:
        return self._missing_count == 0 or self._refusal is not None

    def _read_answers(self) -> Json:
        """Return the converted answers to all questions, by question name.

        Raises:
            HandlerCancelled: The request was cancelled while its handler was waiting.
            AskError: The client refused a question, or an answer is invalid.
        """
        if self._request.is_cancelled:
            raise HandlerCancelled
        if self._refusal is not None:
            self._withdraw_requests()
            raise AskError(self._refusal)
        return {
            key: server_request.parse_answer(self._results[key])
            for key, server_request in self._requests.items()
        }


async def wait_for_callback(register: Callable[[Callable[[], None]], None]) -> None:
    """Suspend a coroutine until a callback is called, which may happen in any thread.

    Args:
        register: Function that takes the callback and stores it for the code that will call it. It
            may also call it immediately.
    """
    loop = asyncio.get_running_loop()
    completed: asyncio.Future[None] = loop.create_future()

    def complete() -> None:
        if not completed.done():
            completed.set_result(None)

    def schedule_completion() -> None:
        loop.call_soon_threadsafe(complete)

    register(schedule_completion)
    await completed


def _get_error_message(error: object) -> str:
    return str(error.get("message", error)) if isinstance(error, dict) else str(error)
