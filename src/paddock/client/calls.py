"""A call that the server has answered with a task: asking how it goes until it has ended.

Whoever waits for the call sees only its outcome. Questions of the task go to the callbacks, as
questions of a call do.

One request to a server, from sending it to its final answer.

In the stateless era a server may answer with questions. They are put to the callbacks, and the
request is repeated with their answers; or with a task, which is followed to its end. Whoever waits
sees only the final result.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from math import isinf
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from paddock.client.connect_options import Json
from paddock.client.errors import (
    AnswerError,
    CallCancelledError,
    PeerError,
    PeerTimeoutError,
)
from paddock.errors import PaddockError
from paddock.protocol.errors import INTERNAL_ERROR
from paddock.protocol.jsonrpc import encode_request

if TYPE_CHECKING:
    from paddock.client.connection import CallOutcome, ClientConnection
    from paddock.client.notifications import NotificationQueue


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

    def __init__(
        self, task: Json, send_task_request: SendTaskRequest, answer_request: AnswerInputRequests
    ) -> None:
        self._id = task.get("taskId")
        self._send_task_request = send_task_request
        self._respond = answer_request
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
        delay = FIRST_POLL_SECONDS
        while not self._stopped.wait(delay):
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
            delay = _get_next_pause(delay, task.get("pollIntervalMs"))
        raise CallCancelledError(f"Task {self._id} was cancelled")

    def cancel(self) -> None:
        """Tell the server to stop, if the task has not ended; does not wait for anything."""
        with self._lock:
            if self._stopped.is_set():
                return
            self._stopped.set()
            with suppress(PaddockError):  # the server is gone
                self._cancel_request = self._send_task_request("tasks/cancel", {"taskId": self._id})
            request = self._pending_request
        if request is not None:
            request.cancel()

    def wait_for_cancellation(self) -> None:
        """Wait until the server has taken notice of the end, if it had to be told."""
        with self._lock:
            cancellation = self._cancel_request
        if cancellation is not None:
            with suppress(PaddockError):
                _wait_for_outcome(cancellation)

    def _request_and_wait(self, method: str, **params: object) -> Json:
        with self._lock:
            if self._stopped.is_set():
                raise CallCancelledError(f"Task {self._id} was cancelled")
            request = self._pending_request = self._send_task_request(
                method, {"taskId": self._id, **params}
            )
        return _wait_for_outcome(request)

    def _answer_questions(self, task: Json) -> None:
        """Answer what has not been answered yet; the server may not have taken all of it in."""
        input_requests = _require_object(task.get("inputRequests", {}))
        new_requests = {
            key: question
            for key, question in input_requests.items()
            if key not in self._answered_keys
        }
        if not new_requests:
            return
        self._answered_keys.update(new_requests)
        responses = self._respond({"inputRequests": new_requests})
        self._request_and_wait("tasks/update", inputResponses=responses)


def _wait_for_outcome(request: TaskRequest) -> Json:
    try:
        return request.outcome()
    except PeerTimeoutError:
        request.cancel("no answer in time")
        raise


def _get_next_pause(delay: float, interval_ms: object) -> float:
    if isinstance(interval_ms, int | float):
        return max(FIRST_POLL_SECONDS, min(interval_ms, MAX_POLL_INTERVAL_MS) / 1000)
    return min(2 * delay, DEFAULT_POLL_SECONDS)


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


AnswerRequest = Callable[[str, Json], Json]
"""Answers a question of the server, given its method and parameters."""

MAX_INPUT_ROUNDS = 16
"""How often a server may answer one request with questions."""


class PendingCall:
    """A request that has been sent."""

    def __init__(
        self,
        connection: ClientConnection,
        notification_queue: NotificationQueue,
        method: str,
        params: Json,
        *,
        timeout: float,
        respond: AnswerRequest | None = None,
    ) -> None:
        self.method = method
        self._connection = connection
        self._notification_queue = notification_queue
        self._params = params
        self._timeout = timeout
        self._answer_request = respond
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._outcome: CallOutcome = {}
        self._notification_mark = 0
        self._rounds = 0
        self._done_callbacks: list[Callable[[], object]] = []
        self._task_follower: TaskFollower | None = None
        self._send_request(params)

    @property
    def is_done(self) -> bool:
        """Whether the final answer is here, or none will come."""
        return self._done.is_set()

    @property
    def is_task(self) -> bool:
        """Whether the server has answered with a task, about which it is asked until it ends."""
        with self._lock:
            return self._task_follower is not None

    def result(self, timeout: float | None = None) -> Json:
        """Wait for the result, by default as long as the peer's timeout says.

        Raises:
            PeerError: the server answered with an error.
            PeerTimeoutError: it has not answered yet; one may wait again, or cancel.
            CallCancelledError: the request was cancelled.
            ConnectError: the server is gone.
        """
        seconds = self._timeout if timeout is None else timeout
        deadline = monotonic() + seconds
        self._wait_until_done(seconds)
        remaining_seconds = None if isinf(seconds) else max(0.0, deadline - monotonic())
        self._notification_queue.wait_until_delivered(self._notification_mark, remaining_seconds)
        return self.outcome(0)

    def outcome(self, timeout: float | None = None) -> Json:
        """The result, like `result`, but without waiting for notifications to be delivered."""
        self._wait_until_done(self._timeout if timeout is None else timeout)
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome

    def when_done(self, callback: Callable[[], object]) -> None:
        """Call a function, which must not block, as soon as `result` will not wait any more."""
        with self._lock:
            if not self.is_done:
                self._done_callbacks.append(callback)
                return
        self._notification_queue.call_after(self._notification_mark, callback)

    def cancel(self, reason: str | None = None) -> None:
        """Tell the server to stop; nothing happens when it has answered already."""
        cancelled = CallCancelledError(f"{self.method} was cancelled: {reason or 'by us'}")
        if not self._finish(cancelled):
            return
        with self._lock:
            follower = self._task_follower
        if follower is not None:
            follower.cancel()
        else:
            self._connection.cancel(self._id, reason)

    def resolve(self, outcome: CallOutcome) -> None:
        """An answer has come."""
        if self._answer_request is not None and isinstance(outcome, dict):
            handler = (
                self._follow_task
                if is_task_result(outcome)
                else self._answer_questions
                if _is_input_required(outcome)
                else None
            )
            if handler is not None:
                arguments = (self._answer_request, outcome)
                threading.Thread(target=handler, args=arguments, daemon=True).start()
                return
        self._finish(outcome)

    def _wait_until_done(self, seconds: float) -> None:
        if not self._done.wait(None if isinf(seconds) else seconds):
            stray = self._connection.last_stray
            raise PeerTimeoutError(
                f"No answer to {self.method} within {seconds:g} s",
                hint=f"the server also sent: {stray}" if stray else None,
            )

    def _send_request(self, params: Json) -> None:
        with self._lock:
            if self.is_done:
                return
            self._id = self._connection.add_waiter(self)
        self._connection.send(encode_request(self._id, self.method, params))

    def _finish(self, outcome: CallOutcome) -> bool:
        """End it like this; whether it had not ended yet."""
        with self._lock:
            if self.is_done:
                return False
            self._outcome = outcome
            self._notification_mark = self._notification_queue.arrived_count
            self._done.set()
            callbacks, self._done_callbacks = self._done_callbacks, []
        for callback in callbacks:
            self._notification_queue.call_after(self._notification_mark, callback)
        return True

    def _answer_questions(self, answer_request: AnswerRequest, result: Json) -> None:
        """Put the server's questions to the callbacks and repeat the request."""
        try:
            self._rounds += 1
            if self._rounds > MAX_INPUT_ROUNDS:
                raise AnswerError(
                    f"{self.method}: more than {MAX_INPUT_ROUNDS} rounds of questions"
                )
            params = {**self._params, "inputResponses": _collect_responses(answer_request, result)}
            if "requestState" in result:
                params["requestState"] = result["requestState"]
            self._send_request(params)
        except Exception as error:  # noqa: BLE001 - what a callback raises is for whoever waits
            self.resolve(error)

    def _follow_task(self, answer_request: AnswerRequest, task: Json) -> None:
        """Wait for the end of a task, which is the answer to this call."""
        follower = TaskFollower(
            task,
            self._send_task_request,
            lambda input_requests: _collect_responses(answer_request, input_requests),
        )
        with self._lock:
            self._task_follower = follower
            is_late = self.is_done
        if is_late:  # it was cancelled meanwhile
            follower.cancel()
        try:
            self._finish(follower.wait_for_result())
        except Exception as error:  # noqa: BLE001 - it is for whoever waits
            follower.cancel()
            self._finish(error)
        follower.wait_for_cancellation()

    def _send_task_request(self, method: str, params: Json) -> PendingCall:
        """Ask about a task in the name of the call that it has come from."""
        meta = self._params.get("_meta")
        if isinstance(meta, dict):
            meta = {key: value for key, value in meta.items() if key != "progressToken"}
            params = {**params, "_meta": meta}
        return PendingCall(
            self._connection, self._notification_queue, method, params, timeout=self._timeout
        )


def _is_input_required(outcome: CallOutcome) -> bool:
    return isinstance(outcome, dict) and outcome.get("resultType") == "input_required"


def _collect_responses(answer_request: AnswerRequest, result: Json) -> Json:
    questions = result.get("inputRequests", {})
    if not isinstance(questions, dict):
        raise AnswerError(f"Expected an object as inputRequests, got {questions!r:.60}")
    responses: Json = {}
    for key, question in questions.items():
        method = question.get("method") if isinstance(question, dict) else None
        if not isinstance(method, str):
            raise AnswerError(f"Expected a question as inputRequests.{key}, got {question!r:.60}")
        params = question.get("params")
        responses[key] = answer_request(method, params if isinstance(params, dict) else {})
    return responses
