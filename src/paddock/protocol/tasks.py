"""Calls that go on after they have been answered: tasks.

A task is made of a request that is being worked on. From then on its outcome, its questions and
its end belong to the task, which the client asks about by its id. The wire is the eras' business.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable
from datetime import UTC, datetime
from os import urandom
from time import monotonic
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import UNSET

from paddock.protocol.connection import ServerConnection
from paddock.protocol.errors import InvalidParamsError, ProtocolError
from paddock.protocol.jsonrpc import decode_frame
from paddock.protocol.pending_requests import ResponseCollector

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
"""Between two looks at all tasks."""

TaskWatcher = Callable[["CallTask"], None]


class CallTask:
    """One call that is worked on in its own time."""

    def __init__(
        self, request: Request, store: TaskStore, ttl_ms: int, message: str | None
    ) -> None:
        self._store = store
        self._lock = allocate_lock()
        self._expires = monotonic() + ttl_ms / 1000
        self._used_keys: set[str] = set()
        self._open_requests: dict[str, tuple[ServerRequest, ResponseCollector, str]] = {}
        self._end_callbacks: list[Callable[[], None]] = []
        self.request = request
        self.result_requests: list[Request] = []
        self.undelivered_frames: list[bytes] = []
        """What is to be told to the first who waits for the result."""
        self.owner = store.get_owner(request)
        self.is_stateless = request.era.is_stateless
        self.id = urandom(24).hex()
        self.ttl_ms = ttl_ms
        self.status: TaskStatus = "working"
        self.message = message
        self.result: bytes | None = None
        self.error: bytes | None = None
        self.created_at = self.updated_at = _format_now()

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.status in FINAL_STATUSES

    @property
    def has_expired(self) -> bool:
        """Whether it may be forgotten."""
        return monotonic() > self._expires

    @property
    def is_orphaned(self) -> bool:
        """Whether nobody can ask about it any more: its session has ended."""
        return isinstance(self.owner, ServerConnection) and self.owner.is_closed

    @property
    def input_requests(self) -> dict[str, ServerRequest]:
        """What the client has yet to answer."""
        return {
            key: server_request for key, (server_request, _, _) in list(self._open_requests.items())
        }

    def set_status_message(self, message: str) -> None:
        """Say in words how it goes."""
        if not self.has_ended:
            self.message = message
            self._change_status(self.status)

    def add_answer(self, answer: bytes | None) -> None:
        """Take the outcome of the call, in the place of the peer."""
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
        """Stop it; False when it has ended already."""
        with self._lock:
            if self.has_ended:
                return False
            self.status = "cancelled"
        self._change_status("cancelled")
        self.request.cancel("the task was cancelled")
        return True

    def request_input(self, server_requests: dict[str, ServerRequest]) -> ResponseCollector:
        """Put questions to whoever looks after the task; the work waits for the answers."""
        for server_request in server_requests.values():
            server_request.check_capabilities(
                self.request.era.get_client_capabilities(self.request)
            )
        answers = ResponseCollector(self.request, server_requests)
        with self._lock:
            for key, server_request in server_requests.items():
                self._open_requests[self._make_unique_key(key)] = (server_request, answers, key)
        self._change_status("input_required")
        return answers

    def submit_responses(self, responses: dict[str, object]) -> None:
        """Take answers; what nobody has asked is ignored.

        Raises:
            InvalidParamsError: when something is no answer at all.
        """
        for key, response in responses.items():
            if key in self._open_requests and not isinstance(response, dict):
                raise InvalidParamsError(f"Expected an object as inputResponses.{key}")
        answered = []
        with self._lock:
            for key, response in responses.items():
                if key in self._open_requests:
                    answered.append((self._open_requests.pop(key), response))
            is_answered = bool(answered) and not self._open_requests
        if is_answered:
            self._change_status("working")
        for (_, answers, asked), response in answered:
            answers.receive_response(asked, response, None)

    def on_end(self, call: Callable[[], None]) -> None:
        """Call a function once it has ended; at once when it has."""
        with self._lock:
            if not self.has_ended:
                self._end_callbacks.append(call)
                return
        call()

    def set_status(self, status: TaskStatus) -> None:
        """Something outside has changed what the task waits for."""
        if not self.has_ended:
            self._change_status(status)

    def _make_unique_key(self, key: str) -> str:
        """A key that was never used in this task."""
        name, number = key, 1
        while name in self._used_keys:
            number += 1
            name = f"{key}-{number}"
        self._used_keys.add(name)
        return name

    def _change_status(self, status: TaskStatus) -> None:
        with self._lock:
            if self.status in FINAL_STATUSES and status != self.status:
                return
            self.status = status
            self.updated_at = _format_now()
            waiting: list[Callable[[], None]] = []
            if status in FINAL_STATUSES:
                waiting, self._end_callbacks = self._end_callbacks, []
        self._store.notify_watchers(self)
        for call in waiting:
            call()


class TaskStore:
    """The tasks of one server, each for as long as its time to live."""

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
        """A task has changed."""
        for watcher in self._watchers:
            watcher(task)

    def create(self, request: Request, ttl_ms: int | None, message: str | None = None) -> CallTask:
        """Make a task of a request.

        Raises:
            ProtocolError: when there are too many.
        """
        if len(self._tasks) >= self._limit or monotonic() > self._next_sweep:
            self.remove_expired()
        if len(self._tasks) >= self._limit:
            self._evict_oldest(self.get_owner(request))
        if len(self._tasks) >= self._limit:
            raise ProtocolError(f"The server keeps {self._limit} tasks already: try again later")
        ttl = DEFAULT_TTL_MS if ttl_ms is None else max(1, min(ttl_ms, MAX_TTL_MS))
        task = CallTask(request, self, ttl, message)
        self._tasks[task.id] = task
        return task

    def require_task(self, task_id: str, request: Request) -> CallTask:
        """The task of this id, if the client of a request may know of it.

        Raises:
            InvalidParamsError: when there is none, or it is somebody else's.
        """
        task = self._tasks.get(task_id)
        if task is not None and self._remove_if_expired(task):
            task = None
        is_theirs = task is not None and task.owner == self.get_owner(request)
        if task is None or not is_theirs or task.is_stateless != request.era.is_stateless:
            raise InvalidParamsError(f"There is no task {task_id!r:.80}, or not any more")
        return task

    def list_tasks(self, request: Request) -> list[CallTask]:
        """The tasks that the client of a request may know of, oldest first."""
        self.remove_expired()
        owner, is_stateless = self.get_owner(request), request.era.is_stateless
        tasks = list(self._tasks.values())
        return [task for task in tasks if task.owner == owner and task.is_stateless == is_stateless]

    def get_owner(self, request: Request) -> object:
        """Whose tasks a request makes and sees: its principal's, else its session's."""
        principal = request.principal
        if principal is not None:
            return principal.key
        return None if request.era.is_stateless else request.connection

    def remove_expired(self) -> None:
        """Forget what has ended and expired; give up what waits for answers beyond its time."""
        self._next_sweep = monotonic() + SWEEP_INTERVAL_SECONDS
        for task in list(self._tasks.values()):
            self._remove_if_expired(task)

    def abandon_owner(self, owner: object) -> None:
        """Stop the tasks of a client that cannot come back for them."""
        for task in list(self._tasks.values()):
            if task.owner is owner:
                self._remove_if_expired(task)

    def close(self) -> None:
        """Stop everything: the server ends."""
        for task in list(self._tasks.values()):
            task.cancel()

    def _evict_oldest(self, owner: object) -> None:
        """Forget the oldest outcome of whoever wants a further task."""
        for task in self._tasks.values():
            if task.owner == owner and task.has_ended:
                del self._tasks[task.id]
                return

    def _remove_if_expired(self, task: CallTask) -> bool:
        if not (task.has_expired or task.is_orphaned):
            return False
        if task.status == "input_required" or task.is_orphaned:
            task.cancel()
        if task.has_ended:
            self._tasks.pop(task.id, None)
        return task.has_ended


class BoundTaskFactory:
    """That a request may become a task, and on what conditions."""

    __slots__ = ("_store", "ttl_ms")

    def __init__(self, store: TaskStore, ttl_ms: int | None = None) -> None:
        self._store = store
        self.ttl_ms = ttl_ms

    def create(self, request: Request, ttl_ms: int | None, message: str | None) -> CallTask:
        """Make the task."""
        ttl = self.ttl_ms if ttl_ms is None else ttl_ms
        return self._store.create(request, ttl, message)


def is_tool_error(result: bytes) -> bool:
    """Whether a result of a tool says that it failed."""
    return bool(_decode_tool_error(result).is_error)


class _ToolErrorFlag(msgspec.Struct):
    is_error: bool = msgspec.field(default=False, name="isError")


_decode_tool_error = msgspec.json.Decoder(_ToolErrorFlag).decode


def _format_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
