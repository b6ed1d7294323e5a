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


class TaskRequest(Protocol):
    """A request about a task."""

    def outcome(self) -> Json:
        """Wait for its result."""

    def cancel(self, reason: str | None = None) -> None:
        """Do without it."""


SendTaskRequest = Callable[[str, "Json"], TaskRequest]
"""Sends a request of a method with parameters."""
AnswerInputRequests = Callable[["Json"], "Json"]
"""Answers the questions of a result, by their keys."""

FIRST_POLL_SECONDS = 0.05
"""Seconds until the first question how it goes; no server is asked more often."""
DEFAULT_POLL_SECONDS = 1.0
"""Seconds between two questions in the end, when the server names no interval."""
MAX_POLL_INTERVAL_MS = 86_400_000


def is_task_result(outcome: object) -> bool:
    """Whether an answer says that the call goes on as a task."""
    return isinstance(outcome, dict) and outcome.get("resultType") == "task"


class TaskFollower:
    """Follows one task to its end."""

    def __init__(self, task: Json, inquire: SendTaskRequest, respond: AnswerInputRequests) -> None:
        self._id = task.get("taskId")
        self._send_task_request = inquire
        self._respond = respond
        self._answered_keys: set[str] = set()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._pending_request: TaskRequest | None = None
        self._cancel_request: TaskRequest | None = None

    def wait_for_result(self) -> Json:
        """Wait for the end of the task; its result.

        Raises:
            PeerError: the task has failed.
            CallCancelledError: it was cancelled.
        """
        pause = FIRST_POLL_SECONDS
        while not self._stopped.wait(pause):
            task = self._request_and_wait("tasks/get")
            status = task.get("status")
            if status in ("completed", "failed", "cancelled"):
                self._stopped.set()  # there is nothing left to cancel
            if status == "completed":
                return _require_object(task.get("result"))
            if status == "failed":
                raise _make_task_error(_require_object(task.get("error")))
            if status == "input_required":
                self._answer_questions(task)
            pause = _get_next_pause(pause, task.get("pollIntervalMs"))
        raise CallCancelledError(f"Task {self._id} was cancelled")

    def cancel(self) -> None:
        """Tell the server to stop, if the task has not ended; does not wait for anything."""
        with self._lock:
            if self._stopped.is_set():
                return
            self._stopped.set()
            with suppress(PaddockError):  # the server is gone
                self._cancel_request = self._send_task_request("tasks/cancel", {"taskId": self._id})
            inquiry = self._pending_request
        if inquiry is not None:
            inquiry.cancel()

    def wait_for_cancellation(self) -> None:
        """Wait until the server has taken notice of the end, if it had to be told."""
        with self._lock:
            cancellation = self._cancel_request
        if cancellation is not None:
            with suppress(PaddockError):
                _wait_for_outcome(cancellation)

    def _request_and_wait(self, method: str, **more: object) -> Json:
        with self._lock:
            if self._stopped.is_set():
                raise CallCancelledError(f"Task {self._id} was cancelled")
            inquiry = self._pending_request = self._send_task_request(method, {"taskId": self._id, **more})
        return _wait_for_outcome(inquiry)

    def _answer_questions(self, task: Json) -> None:
        """Answer what has not been answered yet; the server may not have taken all of it in."""
        asked = _require_object(task.get("inputRequests", {}))
        fresh = {key: question for key, question in asked.items() if key not in self._answered_keys}
        if not fresh:
            return
        self._answered_keys.update(fresh)
        responses = self._respond({"inputRequests": fresh})
        self._request_and_wait("tasks/update", inputResponses=responses)


def _wait_for_outcome(inquiry: TaskRequest) -> Json:
    try:
        return inquiry.outcome()
    except PeerTimeoutError:
        inquiry.cancel("no answer in time")
        raise


def _get_next_pause(pause: float, interval_ms: object) -> float:
    if isinstance(interval_ms, int | float):
        return max(FIRST_POLL_SECONDS, min(interval_ms, MAX_POLL_INTERVAL_MS) / 1000)
    return min(2 * pause, DEFAULT_POLL_SECONDS)


def _require_object(value: object) -> Json:
    if isinstance(value, dict):
        return value
    raise AnswerError(f"Expected an object in the description of a task, got {value!r:.60}")


def _make_task_error(error: Json) -> PeerError:
    code = error.get("code")
    return PeerError(
        str(error.get("message", "The task has failed")),
        rpc_code=code if isinstance(code, int) else INTERNAL_ERROR,
        data=error.get("data"),
    )
