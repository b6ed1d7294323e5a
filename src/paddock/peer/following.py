"""A call that the server has answered with a task: asking how it goes until it has ended.

Whoever waits for the call sees only its outcome. Questions of the task go to the callbacks, as
questions of a call do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from paddock.errors import PaddockError
from paddock.peer.errors import AnswerError, CallCancelledError, PeerError, PeerTimeoutError
from paddock.protocol.errors import INTERNAL_ERROR

if TYPE_CHECKING:
    from paddock.peer.settings import Json


class Inquiry(Protocol):
    """A request about a task."""

    def outcome(self) -> Json:
        """Wait for its result."""

    def cancel(self, reason: str | None = None) -> None:
        """Do without it."""


Inquire = Callable[[str, "Json"], Inquiry]
"""Sends a request of a method with parameters."""
Respond = Callable[["Json"], "Json"]
"""Answers the questions of a result, by their keys."""

FIRST_PAUSE = 0.05
"""Seconds until the first question how it goes; no server is asked more often."""
DEFAULT_INTERVAL = 1.0
"""Seconds between two questions in the end, when the server names no interval."""
LONGEST_MS = 86_400_000


def is_task(outcome: object) -> bool:
    """Whether an answer says that the call goes on as a task."""
    return isinstance(outcome, dict) and outcome.get("resultType") == "task"


class Following:
    """Follows one task to its end."""

    def __init__(self, task: Json, inquire: Inquire, respond: Respond) -> None:
        self._id = task.get("taskId")
        self._inquire = inquire
        self._respond = respond
        self._answered: set[str] = set()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._inquiry: Inquiry | None = None
        self._cancellation: Inquiry | None = None

    def result(self) -> Json:
        """Wait for the end of the task; its result.

        Raises:
            PeerError: the task has failed.
            CallCancelledError: it was cancelled.
        """
        pause = FIRST_PAUSE
        while not self._stopped.wait(pause):
            task = self._ask("tasks/get")
            status = task.get("status")
            if status in ("completed", "failed", "cancelled"):
                self._stopped.set()  # there is nothing left to cancel
            if status == "completed":
                return _object(task.get("result"))
            if status == "failed":
                raise _failure(_object(task.get("error")))
            if status == "input_required":
                self._answer(task)
            pause = _next_pause(pause, task.get("pollIntervalMs"))
        raise CallCancelledError(f"Task {self._id} was cancelled")

    def cancel(self) -> None:
        """Tell the server to stop, if the task has not ended; does not wait for anything."""
        with self._lock:
            if self._stopped.is_set():
                return
            self._stopped.set()
            with suppress(PaddockError):  # the server is gone
                self._cancellation = self._inquire("tasks/cancel", {"taskId": self._id})
            inquiry = self._inquiry
        if inquiry is not None:
            inquiry.cancel()

    def finish(self) -> None:
        """Wait until the server has taken notice of the end, if it had to be told."""
        with self._lock:
            cancellation = self._cancellation
        if cancellation is not None:
            with suppress(PaddockError):
                _awaited(cancellation)

    def _ask(self, method: str, **more: object) -> Json:
        with self._lock:
            if self._stopped.is_set():
                raise CallCancelledError(f"Task {self._id} was cancelled")
            inquiry = self._inquiry = self._inquire(method, {"taskId": self._id, **more})
        return _awaited(inquiry)

    def _answer(self, task: Json) -> None:
        """Answer what has not been answered yet; the server may not have taken all of it in."""
        asked = _object(task.get("inputRequests", {}))
        fresh = {key: question for key, question in asked.items() if key not in self._answered}
        if not fresh:
            return
        self._answered.update(fresh)
        responses = self._respond({"inputRequests": fresh})
        self._ask("tasks/update", inputResponses=responses)


def _awaited(inquiry: Inquiry) -> Json:
    try:
        return inquiry.outcome()
    except PeerTimeoutError:
        inquiry.cancel("no answer in time")
        raise


def _next_pause(pause: float, interval_ms: object) -> float:
    if isinstance(interval_ms, int | float):
        return max(FIRST_PAUSE, min(interval_ms, LONGEST_MS) / 1000)
    return min(2 * pause, DEFAULT_INTERVAL)


def _object(value: object) -> Json:
    if isinstance(value, dict):
        return value
    raise AnswerError(f"Expected an object in the description of a task, got {value!r:.60}")


def _failure(error: Json) -> PeerError:
    code = error.get("code")
    return PeerError(
        str(error.get("message", "The task has failed")),
        rpc_code=code if isinstance(code, int) else INTERNAL_ERROR,
        data=error.get("data"),
    )
