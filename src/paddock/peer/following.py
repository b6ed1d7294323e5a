"""A call that the server has answered with a task: asking how it goes until it has ended.

Whoever waits for the call sees only its outcome. Questions of the task go to the callbacks, as
questions of a call do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from paddock.peer.errors import AnswerError, CallCancelledError, PeerError
from paddock.protocol.errors import INTERNAL_ERROR

if TYPE_CHECKING:
    from paddock.peer.settings import Json

Request = Callable[[str, "Json"], "Json"]
"""Sends a request of a method with parameters, and waits for its result."""
Respond = Callable[["Json"], "Json"]
"""Answers the questions of a result, by their keys."""

FIRST_PAUSE = 0.02
"""Seconds until the first question how it goes; each further pause is twice as long."""
MAX_PAUSE = 5.0
DEFAULT_INTERVAL_MS = 1000


def is_task(outcome: object) -> bool:
    """Whether an answer says that the call goes on as a task."""
    return isinstance(outcome, dict) and outcome.get("resultType") == "task"


class Following:
    """Follows one task to its end."""

    def __init__(self, task: Json, request: Request, respond: Respond) -> None:
        self._id = task.get("taskId")
        self._request = request
        self._respond = respond
        self._answered: set[str] = set()
        self._stopped = threading.Event()

    def result(self) -> Json:
        """Wait for the end of the task; its result.

        Raises:
            PeerError: the task has failed.
            CallCancelledError: it was cancelled.
        """
        pause = FIRST_PAUSE
        while True:
            task = self._request("tasks/get", {"taskId": self._id})
            status = task.get("status")
            if status == "completed":
                return _object(task.get("result"))
            if status == "failed":
                raise _failure(_object(task.get("error")))
            if status == "cancelled" or self._stopped.is_set():
                raise CallCancelledError(f"Task {self._id} was cancelled")
            if status == "input_required":
                self._answer(task)
            interval = task.get("pollIntervalMs")
            longest = (interval if isinstance(interval, int) else DEFAULT_INTERVAL_MS) / 1000
            self._stopped.wait(min(pause, longest, MAX_PAUSE))
            pause *= 2

    def cancel(self) -> None:
        """Tell the server to stop."""
        self._stopped.set()
        self._request("tasks/cancel", {"taskId": self._id})

    def _answer(self, task: Json) -> None:
        """Answer what has not been answered yet; the server may not have taken all of it in."""
        asked = _object(task.get("inputRequests", {}))
        fresh = {key: question for key, question in asked.items() if key not in self._answered}
        if not fresh:
            return
        self._answered.update(fresh)
        responses = self._respond({"inputRequests": fresh})
        self._request("tasks/update", {"taskId": self._id, "inputResponses": responses})


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
