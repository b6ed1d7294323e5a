"""Tasks, which are calls that continue after they have been answered.

A task is created from a request in progress. From then on, the client uses the task's id to request
its state, questions and result. Each era encodes tasks differently.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable
from datetime import UTC, datetime
from os import urandom
from time import monotonic
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
from msgspec import UNSET

from paddock.protocol.connection import ServerConnection
from paddock.protocol.errors import InvalidParamsError, ProtocolError
from paddock.protocol.jsonrpc import decode_frame
from paddock.protocol.server_requests import ResponseCollector

if TYPE_CHECKING:
    from paddock.protocol.request import Request
    from paddock.protocol.server_requests import ServerRequest

TaskStatus = Literal["working", "input_required", "completed", "failed", "cancelled"]
FINAL_STATUSES = frozenset({"completed", "failed", "cancelled"})

DEFAULT_TTL_MS = 3_600_000
MAX_TTL_MS = 86_400_000
POLL_INTERVAL_MS = 1000
MAX_TASKS = 10_000
SWEEP_INTERVAL_SECONDS = 1.0
"""Interval between searches for expired tasks."""

TaskWatcher = Callable[["CallTask"], None]
TaskFactory = Callable[["Request", int | None, str | None], "CallTask"]
"""A function that creates a task from a request, a time to live in milliseconds, and a message."""


class OpenQuestion(NamedTuple):
    """A task's question that the client has not answered yet."""

    request: ServerRequest
    collector: ResponseCollector
    handler_key: str
    """The handler's key for the question. The client sees another key, unique within the task."""


class CallTask:
    """A call that continues after it has been answered. Its result is fetched later."""

    def __init__(
        self, request: Request, store: TaskStore, ttl_ms: int, message: str | None
    ) -> None:
        self._store = store
        self._lock = allocate_lock()
        self._expires_at = monotonic() + ttl_ms / 1000
        # The handler's questions, by the keys that the client sees.
        self._used_keys: set[str] = set()
        self._open_questions: dict[str, OpenQuestion] = {}
        self._end_callbacks: list[Callable[[], None]] = []
        self.request = request
        self.result_requests: list[Request] = []
        """The `tasks/result` requests that are waiting for the result."""
        self.undelivered_frames: list[bytes] = []
        """The messages to send with the first such request."""
        self.owner = store.get_owner(request)
        self.is_stateless = request.era.is_stateless
        # Without authentication, the id alone gives access to the task, so it must not be
        # guessable.
        self.id = urandom(24).hex()
        self.ttl_ms = ttl_ms
        self.status: TaskStatus = "working"
        self.message = message
        self.result: bytes | None = None
        self.error: bytes | None = None
        self.created_at = self.updated_at = _format_now()

    @property
    def has_ended(self) -> bool:
        """Whether the task is completed, failed or cancelled."""
        return self.status in FINAL_STATUSES

    @property
    def has_expired(self) -> bool:
        """Whether the task's time to live is over."""
        return monotonic() > self._expires_at

    @property
    def is_orphaned(self) -> bool:
        """Whether the session that could request the task has ended."""
        return isinstance(self.owner, ServerConnection) and self.owner.is_closed

    @property
    def input_requests(self) -> dict[str, ServerRequest]:
        """The questions that the client has not answered yet."""
        return {key: question.request for key, question in list(self._open_questions.items())}

    def set_status_message(self, message: str) -> None:
        """Set the message that describes the progress."""
        if not self.has_ended:
            self.message = message
            self._change_status(self.status)

    def add_answer(self, answer: bytes | None) -> None:
        """Store the call's answer as the task's result or error, which ends the task.

        Without the task, the answer would be sent to the client.

        Args:
            answer: The encoded answer, or None if the call was cancelled.
        """
        # A task may be stored for a day, so the encoded request, which may be large, is discarded.
        self.request.discard_body()
        if self.has_ended:
            return
        if answer is None:
            self._change_status("cancelled")
            return
        frame = decode_frame(answer)
        if frame.error is not UNSET:
            self.error = bytes(frame.error)
            self._change_status("failed")
        else:
            self.result = b"{}" if frame.result is UNSET else bytes(frame.result)
            self._change_status("completed")

    def cancel(self) -> bool:
        """Cancel the task and its work. Return False if the task has already ended."""
        with self._lock:
            if self.has_ended:
                return False
            # The status is set before the work is cancelled, so that an answer cannot complete the
            # task in between.
            self.status = "cancelled"
        self._change_status("cancelled")
        self.request.cancel("the task was cancelled")
        return True

    def request_input(self, server_requests: dict[str, ServerRequest]) -> ResponseCollector:
        """Add a handler's questions to the task, so that the client can fetch them.

        Returns:
            The collector that will receive the client's answers.

        Raises:
            MissingCapabilityError: The client has not declared that it can answer a question.
        """
        for server_request in server_requests.values():
            server_request.check_capabilities(
                self.request.era.get_client_capabilities(self.request)
            )
        collector = ResponseCollector(self.request, server_requests)
        with self._lock:
            for key, server_request in server_requests.items():
                question = OpenQuestion(server_request, collector, key)
                self._open_questions[self._make_unique_key(key)] = question
        self._change_status("input_required")
        return collector

    def submit_responses(self, responses: dict[str, object]) -> None:
        """Pass the client's answers to the handler that is waiting for them.

        Answers to unknown questions are ignored.

        Args:
            responses: The answers by question key.

        Raises:
            InvalidParamsError: An answer is not an object.
        """
        # All answers are checked first, so that an invalid answer has no effect.
        for key, response in responses.items():
            if key in self._open_questions and not isinstance(response, dict):
                raise InvalidParamsError(f"inputResponses.{key} is not an object")
        with self._lock:
            deliveries = [
                (self._open_questions.pop(key), response)
                for key, response in responses.items()
                if key in self._open_questions
            ]
            has_all_answers = bool(deliveries) and not self._open_questions
        if has_all_answers:
            self._change_status("working")
        # The answers are delivered outside the lock, because they may wake the handler.
        for question, response in deliveries:
            question.collector.receive_response(question.handler_key, response, None)

    def on_end(self, callback: Callable[[], None]) -> None:
        """Call a function when the task ends, or now if it already has."""
        with self._lock:
            if not self.has_ended:
                self._end_callbacks.append(callback)
                return
        callback()

    def set_status(self, status: TaskStatus) -> None:
        """Set the status, unless the task has ended."""
        if not self.has_ended:
            self._change_status(status)

    def _make_unique_key(self, key: str) -> str:
        """Return a key for a question that this task has not used before, such as `color-2`."""
        unique_key, number = key, 1
        while unique_key in self._used_keys:
            number += 1
            unique_key = f"{key}-{number}"
        self._used_keys.add(unique_key)
        return unique_key

    def _change_status(self, status: TaskStatus) -> None:
        """Set the status and notify the watchers. For a final status, call the end callbacks.

        A task that has ended keeps its status.
        """
        with self._lock:
            # For example, a handler's answer may arrive after its task was cancelled.
            if self.status in FINAL_STATUSES and status != self.status:
                return
            self.status = status
            self.updated_at = _format_now()
            end_callbacks: list[Callable[[], None]] = []
            if status in FINAL_STATUSES:
                end_callbacks, self._end_callbacks = self._end_callbacks, []
        self._store.notify_watchers(self)
        for callback in end_callbacks:
            callback()


class TaskStore:
    """The tasks of one server, kept until they expire."""

    def __init__(self, limit: int = MAX_TASKS) -> None:
        self._limit = limit
        self._tasks: dict[str, CallTask] = {}
        self._watchers: list[TaskWatcher] = []
        self._next_sweep = 0.0

    def __len__(self) -> int:
        return len(self._tasks)

    def add_watcher(self, watcher: TaskWatcher) -> None:
        """Call a function whenever a task changes."""
        self._watchers.append(watcher)

    def notify_watchers(self, task: CallTask) -> None:
        """Report a changed task to the watchers."""
        for watcher in self._watchers:
            watcher(task)

    def create(self, request: Request, ttl_ms: int | None, message: str | None = None) -> CallTask:
        """Create a task from a request, and store it.

        Args:
            request: The call in progress.
            ttl_ms: The task's time to live in milliseconds, or None for the default.
            message: The status message of the new task.

        Raises:
            ProtocolError: The store is full.
        """
        # A full store first removes expired tasks. If there are not any, it removes the owner's
        # oldest task that has ended.
        if len(self._tasks) >= self._limit or monotonic() > self._next_sweep:
            self.remove_expired()
        if len(self._tasks) >= self._limit:
            self._evict_oldest(self.get_owner(request))
        if len(self._tasks) >= self._limit:
            raise ProtocolError(f"The server already has {self._limit} tasks; try again later")
        ttl = DEFAULT_TTL_MS if ttl_ms is None else max(1, min(ttl_ms, MAX_TTL_MS))
        task = CallTask(request, self, ttl, message)
        self._tasks[task.id] = task
        return task

    def require_task(self, task_id: str, request: Request) -> CallTask:
        """Return the task with an id if it belongs to the client that sent a request.

        Raises:
            InvalidParamsError: The task does not exist or belongs to another client.
        """
        task = self._tasks.get(task_id)
        if task is not None and self._remove_if_expired(task):
            task = None
        is_owner = task is not None and task.owner == self.get_owner(request)
        if task is None or not is_owner or task.is_stateless != request.era.is_stateless:
            raise InvalidParamsError(f"The task {task_id!r:.80} does not exist or has expired")
        return task

    def list_tasks(self, request: Request) -> list[CallTask]:
        """List the tasks of the client that sent a request, oldest first."""
        self.remove_expired()
        owner, is_stateless = self.get_owner(request), request.era.is_stateless
        tasks = list(self._tasks.values())
        return [task for task in tasks if task.owner == owner and task.is_stateless == is_stateless]

    def get_owner(self, request: Request) -> object:
        """Return the owner of tasks created by a request: its principal, or else its session.

        Stateless clients without a principal cannot be distinguished, so None is the owner of all
        their tasks. Only their ids, which cannot be guessed, protect these tasks.
        """
        principal = request.principal
        if principal is not None:
            return principal.key
        return None if request.era.is_stateless else request.connection

    def remove_expired(self) -> None:
        """Remove ended tasks that have expired, and cancel expired ones that wait for answers."""
        self._next_sweep = monotonic() + SWEEP_INTERVAL_SECONDS
        for task in list(self._tasks.values()):
            self._remove_if_expired(task)

    def abandon_owner(self, owner: object) -> None:
        """Cancel and remove the tasks of a session that has ended."""
        for task in list(self._tasks.values()):
            if task.owner is owner:
                self._remove_if_expired(task)

    def close(self) -> None:
        """Cancel all tasks, because the server stops."""
        for task in list(self._tasks.values()):
            task.cancel()

    def _evict_oldest(self, owner: object) -> None:
        """Remove the owner's oldest task that has ended."""
        for task in self._tasks.values():
            if task.owner == owner and task.has_ended:
                del self._tasks[task.id]
                return

    def _remove_if_expired(self, task: CallTask) -> bool:
        """Remove a task that has ended and expired, or whose session has ended.

        An expired task whose work is still running is kept. An expired task that is waiting for
        answers is cancelled, because they may never arrive.

        Returns:
            True if the task was removed.
        """
        if not (task.has_expired or task.is_orphaned):
            return False
        if task.status == "input_required" or task.is_orphaned:
            task.cancel()
        if task.has_ended:
            self._tasks.pop(task.id, None)
        return task.has_ended


def is_tool_error(result: bytes) -> bool:
    """Return whether a tool result has `isError` set."""
    return bool(_decode_tool_error(result).is_error)


class _ToolErrorFlag(msgspec.Struct):
    is_error: bool = msgspec.field(default=False, name="isError")


_decode_tool_error = msgspec.json.Decoder(_ToolErrorFlag).decode


def _format_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
