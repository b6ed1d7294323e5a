"""Pending calls, each of which follows a request until its final result.

A stateless server may answer a request with questions or with a task. Questions are passed to the
callbacks, and the request is repeated with their answers. Tasks are polled until they end. The
caller only sees the final result.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from math import isinf
from time import monotonic
from typing import TYPE_CHECKING

from paddock.client.connect_options import Json
from paddock.client.errors import AnswerError, CallCancelledError, PeerTimeoutError, make_peer_error
from paddock.errors import PaddockError
from paddock.protocol.jsonrpc import encode_request

if TYPE_CHECKING:
    from paddock.client.connection import CallOutcome, ClientConnection
    from paddock.client.notifications import NotificationQueue


SendTaskRequest = Callable[[str, Json], "PendingCall"]
"""Sends a request with a method and parameters."""
AnswerInputRequests = Callable[[Json], Json]
"""Answers the questions in a result, by their keys."""

FIRST_POLL_SECONDS = 0.05
"""Seconds before the first poll, and the minimum polling interval."""
DEFAULT_POLL_SECONDS = 1.0
"""Interval in seconds that polling slows down to if the server does not suggest one."""
MAX_POLL_INTERVAL_MS = 86_400_000


def is_task_result(outcome: object) -> bool:
    """Return whether a result indicates that the call continues as a task."""
    return isinstance(outcome, dict) and outcome.get("resultType") == "task"


class TaskFollower:
    """Polls one task until it ends."""

    def __init__(
        self,
        task: Json,
        send_task_request: SendTaskRequest,
        answer_input_requests: AnswerInputRequests,
    ) -> None:
        self._id = task.get("taskId")
        self._send_task_request = send_task_request
        self._answer_input_requests = answer_input_requests
        self._answered_keys: set[str] = set()
        """The keys of the task's questions that have been answered."""
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        """Set when the task has ended or is cancelled."""
        self._pending_request: PendingCall | None = None
        """The latest request about the task, which `cancel` cancels."""
        self._cancel_request: PendingCall | None = None
        """The `tasks/cancel` request, once it has been sent."""

    def wait_for_result(self) -> Json:
        """Poll the task until it ends and return its result.

        Raises:
            PeerError: The task failed.
            CallCancelledError: The task was cancelled.
        """
        delay = FIRST_POLL_SECONDS
        while not self._stopped.wait(delay):
            task = self._request_and_wait("tasks/get")
            status = task.get("status")
            if status in ("completed", "failed", "cancelled"):
                self._stopped.set()  # Makes a later cancel() a no-op.
            if status == "completed":
                return _require_object(task.get("result"))
            if status == "failed":
                raise make_peer_error(_require_object(task.get("error")), "The task failed")
            if status == "input_required":
                self._answer_new_questions(task)
            delay = _get_next_delay(delay, task.get("pollIntervalMs"))
        raise CallCancelledError(f"Task {self._id} was cancelled")

    def cancel(self) -> None:
        """Ask the server to cancel the task, unless the task has ended.

        Returns without waiting for the server's answer.
        """
        # Under the lock, so that no poll is sent after tasks/cancel.
        with self._lock:
            if self._stopped.is_set():
                return
            self._stopped.set()
            with suppress(PaddockError):  # If the connection has ended, there is nothing to cancel.
                self._cancel_request = self._send_task_request("tasks/cancel", {"taskId": self._id})
            request = self._pending_request
        if request is not None:
            request.cancel()

    def wait_for_cancellation(self) -> None:
        """Wait for the server's answer to `tasks/cancel`, if that was sent."""
        with self._lock:
            cancellation = self._cancel_request
        if cancellation is not None:
            with suppress(PaddockError):
                _wait_for_outcome(cancellation)

    def _request_and_wait(self, method: str, **params: object) -> Json:
        """Send a request such as `tasks/get` for this task, and wait for its result.

        Args:
            method: The request method.
            params: The request parameters in addition to the task's id.

        Raises:
            CallCancelledError: The task was cancelled in the meantime.
        """
        with self._lock:
            if self._stopped.is_set():
                raise CallCancelledError(f"Task {self._id} was cancelled")
            request = self._pending_request = self._send_task_request(
                method, {"taskId": self._id, **params}
            )
        return _wait_for_outcome(request)

    def _answer_new_questions(self, task: Json) -> None:
        """Answer the task's input requests, which are questions for the user or a model.

        The callbacks answer them. A server may repeat a question until it receives the answer, so
        each key is only answered once.
        """
        input_requests = _require_object(task.get("inputRequests", {}))
        new_requests = {
            key: request
            for key, request in input_requests.items()
            if key not in self._answered_keys
        }
        if not new_requests:
            return
        self._answered_keys.update(new_requests)
        responses = self._answer_input_requests({"inputRequests": new_requests})
        self._request_and_wait("tasks/update", inputResponses=responses)


def _wait_for_outcome(request: PendingCall) -> Json:
    try:
        return request.outcome()
    except PeerTimeoutError:
        request.cancel("no answer in time")
        raise


def _get_next_delay(delay: float, interval_ms: object) -> float:
    if isinstance(interval_ms, int | float):
        return max(FIRST_POLL_SECONDS, min(interval_ms, MAX_POLL_INTERVAL_MS) / 1000)
    # Quick tasks are noticed early, and slow ones do not need many requests.
    return min(2 * delay, DEFAULT_POLL_SECONDS)


def _require_object(value: object) -> Json:
    if isinstance(value, dict):
        return value
    raise AnswerError(f"Invalid task: expected an object, got {value!r:.60}")


AnswerRequest = Callable[[str, Json], Json]
"""Answers a question from the server, given its method and parameters."""

MAX_INPUT_ROUNDS = 16
"""Number of question rounds after which a request fails, in case a server keeps asking forever."""


class PendingCall:
    """A request that was sent and may still be waiting for its answer."""

    def __init__(
        self,
        connection: ClientConnection,
        notification_queue: NotificationQueue,
        method: str,
        params: Json,
        *,
        timeout: float,
        answer_request: AnswerRequest | None = None,
    ) -> None:
        self.method = method
        self._connection = connection
        self._notification_queue = notification_queue
        self._params = params
        self._timeout = timeout
        self._answer_request = answer_request
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._outcome: CallOutcome = {}
        self._notification_mark = 0
        """The number of notifications that arrived before the outcome."""
        self._rounds = 0
        """The number of answers so far that were questions instead of a result."""
        self._done_callbacks: list[Callable[[], object]] = []
        self._task_follower: TaskFollower | None = None
        self._send_request(params)

    @property
    def is_done(self) -> bool:
        """Whether the call has its result or has failed."""
        return self._done.is_set()

    @property
    def is_task(self) -> bool:
        """Whether the server answered with a task, which is being polled."""
        with self._lock:
            return self._task_follower is not None

    def result(self, timeout: float | None = None) -> Json:
        """Wait for the result, by default for the peer's timeout.

        Does not return until the callbacks have handled all notifications that arrived before the
        answer.

        Raises:
            PeerError: The server answered with an error.
            PeerTimeoutError: No answer arrived in time. The caller may wait again, or cancel.
            CallCancelledError: The request was cancelled.
            ConnectError: The connection has ended.
        """
        seconds = self._timeout if timeout is None else timeout
        deadline = monotonic() + seconds
        self._wait_until_done(seconds)
        remaining_seconds = None if isinf(seconds) else max(0.0, deadline - monotonic())
        self._notification_queue.wait_until_delivered(self._notification_mark, remaining_seconds)
        return self.outcome(0)

    def outcome(self, timeout: float | None = None) -> Json:
        """Wait for the result as `result` does, but not for the callbacks."""
        self._wait_until_done(self._timeout if timeout is None else timeout)
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome

    def when_done(self, callback: Callable[[], object]) -> None:
        """Call `callback` as soon as `result` would return immediately. It must not block."""
        with self._lock:
            if not self.is_done:
                self._done_callbacks.append(callback)
                return
        self._notification_queue.call_after(self._notification_mark, callback)

    def cancel(self, reason: str | None = None) -> None:
        """Cancel the call, and notify the server. Does nothing if the call is done.

        Args:
            reason: The reason given in the error message and the server's log.
        """
        error = CallCancelledError(f"{self.method} was cancelled: {reason or 'by the client'}")
        if not self._finish(error):
            return
        with self._lock:
            follower = self._task_follower
        if follower is not None:
            follower.cancel()
        else:
            self._connection.cancel(self._id, reason)

    def resolve(self, outcome: CallOutcome) -> None:
        """Finish the call with the server's answer, or continue it if the answer is not final.

        The reader thread of the connection calls this, so it must not block.
        """
        continue_call = self._find_continuation(outcome)
        if continue_call is None:
            self._finish(outcome)
        else:
            # The continuation calls the user's callbacks, which may block.
            arguments = (self._answer_request, outcome)
            threading.Thread(target=continue_call, args=arguments, daemon=True).start()

    def _find_continuation(
        self, outcome: CallOutcome
    ) -> Callable[[AnswerRequest, Json], None] | None:
        """Return the method that continues a call whose answer is not final, or None.

        An answer is not final if it creates a task or contains questions for the client.
        """
        if self._answer_request is None or not isinstance(outcome, dict):
            return None
        if is_task_result(outcome):
            return self._follow_task
        return self._answer_questions if outcome.get("resultType") == "input_required" else None

    def _wait_until_done(self, seconds: float) -> None:
        if not self._done.wait(None if isinf(seconds) else seconds):
            stray = self._connection.last_stray
            raise PeerTimeoutError(
                f"No answer to {self.method} within {seconds:g} s",
                hint=f"the server also sent: {stray}" if stray else None,
            )

    def _send_request(self, params: Json) -> None:
        """Send the request under a new id. Called again with answers to questions."""
        with self._lock:
            if self.is_done:  # Cancelled before its questions were answered: do not repeat it.
                return
            self._id = self._connection.add_waiter(self)
        self._connection.send(encode_request(self._id, self.method, params))

    def _finish(self, outcome: CallOutcome) -> bool:
        """Set the outcome of the call, and schedule its callbacks.

        The answer, a cancellation and a callback error can race. Only the first one counts.

        Returns:
            False if the call already had an outcome.
        """
        with self._lock:
            if self.is_done:
                return False
            self._outcome = outcome
            # Notifications up to here arrived before the answer, so result() waits for them.
            self._notification_mark = self._notification_queue.arrived_count
            self._done.set()
            callbacks, self._done_callbacks = self._done_callbacks, []
        for callback in callbacks:
            self._notification_queue.call_after(self._notification_mark, callback)
        return True

    def _answer_questions(self, answer_request: AnswerRequest, result: Json) -> None:
        """Repeat the request with answers to the questions in the server's result.

        Runs in its own thread, because the callbacks that answer the questions may block.

        Args:
            answer_request: Calls the callback for a question.
            result: The server's result, with the questions in `inputRequests`.
        """
        try:
            self._rounds += 1
            if self._rounds > MAX_INPUT_ROUNDS:
                raise AnswerError(
                    f"{self.method} was answered with questions more than {MAX_INPUT_ROUNDS} times"
                )
            params = {**self._params, "inputResponses": _collect_responses(answer_request, result)}
            if "requestState" in result:
                params["requestState"] = result["requestState"]
            self._send_request(params)
        except Exception as error:  # noqa: BLE001 - re-raised in the thread that waits
            self.resolve(error)

    def _follow_task(self, answer_request: AnswerRequest, task: Json) -> None:
        """Poll the task that the server created for this call, and finish the call with its result.

        Runs in its own thread.

        Args:
            answer_request: Calls the callback for one of the task's questions.
            task: The server's result, which describes the task.
        """
        follower = TaskFollower(
            task,
            self._send_task_request,
            lambda input_requests: _collect_responses(answer_request, input_requests),
        )
        with self._lock:
            self._task_follower = follower
            is_already_cancelled = self.is_done
        if is_already_cancelled:  # The cancellation came before the call was known to be a task.
            follower.cancel()
        try:
            self._finish(follower.wait_for_result())
        except Exception as error:  # noqa: BLE001 - re-raised in the thread that waits
            follower.cancel()
            self._finish(error)
        follower.wait_for_cancellation()

    def _send_task_request(self, method: str, params: Json) -> PendingCall:
        """Send a request about this call's task, with the call's `_meta`.

        The progress token is omitted, because it must be unique among the open requests.
        """
        meta = self._params.get("_meta")
        if isinstance(meta, dict):
            meta = {key: value for key, value in meta.items() if key != "progressToken"}
            params = {**params, "_meta": meta}
        return PendingCall(
            self._connection, self._notification_queue, method, params, timeout=self._timeout
        )


def _collect_responses(answer_request: AnswerRequest, result: Json) -> Json:
    """Answer the questions in a server's result, and return the answers by question key.

    Args:
        answer_request: Calls the callback for a question, given its method and parameters.
        result: The result, such as `{"inputRequests": {"name": {"method": …, "params": …}}}`.

    Raises:
        AnswerError: The server's questions are malformed.
    """
    questions = result.get("inputRequests", {})
    if not isinstance(questions, dict):
        raise AnswerError(f"Invalid inputRequests: expected an object, got {questions!r:.60}")
    responses: Json = {}
    for key, question in questions.items():
        method = question.get("method") if isinstance(question, dict) else None
        if not isinstance(method, str):
            raise AnswerError(
                f"Invalid inputRequests.{key}: expected an object with a method, "
                f"got {question!r:.60}"
            )
        params = question.get("params")
        responses[key] = answer_request(method, params if isinstance(params, dict) else {})
    return responses
