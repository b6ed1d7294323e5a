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

from paddock.protocol.asking import Answers
from paddock.protocol.connection import Connection
from paddock.protocol.errors import InvalidParamsError, ProtocolError
from paddock.protocol.jsonrpc import decode_frame

if TYPE_CHECKING:
    from paddock.protocol.ask import Ask
    from paddock.protocol.request import Request

Status = Literal["working", "input_required", "completed", "failed", "cancelled"]
ENDED = frozenset({"completed", "failed", "cancelled"})

DEFAULT_TTL_MS = 3_600_000
MAX_TTL_MS = 86_400_000
POLL_INTERVAL_MS = 1000
MAX_TASKS = 10_000
SWEEP_SECONDS = 1.0
"""Between two looks at all tasks."""

Watch = Callable[["Task"], None]


class Task:
    """One call that is worked on in its own time."""

    def __init__(
        self, request: Request, store: TaskStore, ttl_ms: int, message: str | None
    ) -> None:
        self._store = store
        self._lock = allocate_lock()
        self._expires = monotonic() + ttl_ms / 1000
        self._asked: set[str] = set()
        self._open: dict[str, tuple[Ask, Answers, str]] = {}
        self._waiting: list[Callable[[], None]] = []
        self.request = request
        self.readers: list[Request] = []
        self.held: list[bytes] = []
        """What is to be told to the first who waits for the result."""
        self.owner = store.owner_of(request)
        self.is_stateless = request.era.is_stateless
        self.id = urandom(24).hex()
        self.ttl_ms = ttl_ms
        self.status: Status = "working"
        self.message = message
        self.result: bytes | None = None
        self.error: bytes | None = None
        self.created = self.updated = _now()

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.status in ENDED

    @property
    def has_expired(self) -> bool:
        """Whether it may be forgotten."""
        return monotonic() > self._expires

    @property
    def is_out_of_reach(self) -> bool:
        """Whether nobody can ask about it any more: its session has ended."""
        return isinstance(self.owner, Connection) and self.owner.is_closed

    @property
    def questions(self) -> dict[str, Ask]:
        """What the client has yet to answer."""
        return {key: ask for key, (ask, _, _) in list(self._open.items())}

    def say(self, message: str) -> None:
        """Say in words how it goes."""
        if not self.has_ended:
            self.message = message
            self._changed(self.status)

    def add(self, answer: bytes | None) -> None:
        """Take the outcome of the call, in the place of the peer."""
        self.request.let_go_of_body()
        if self.has_ended:
            return
        if answer is None:
            self._changed("cancelled")
            return
        frame = decode_frame(answer)
        if frame.error is not UNSET:
            self.error = bytes(frame.error)
            self._changed("failed")
        else:
            self.result = b"{}" if frame.result is UNSET else bytes(frame.result)
            self._changed("completed")

    def cancel(self) -> bool:
        """Stop it; False when it has ended already."""
        with self._lock:
            if self.has_ended:
                return False
            self.status = "cancelled"
        self._changed("cancelled")
        self.request.cancel("the task was cancelled")
        return True

    def ask(self, asks: dict[str, Ask]) -> Answers:
        """Put questions to whoever looks after the task; the work waits for the answers."""
        for ask in asks.values():
            ask.check(self.request.era.client_capabilities(self.request))
        answers = Answers(self.request, asks)
        with self._lock:
            for key, ask in asks.items():
                self._open[self._fresh(key)] = (ask, answers, key)
        self._changed("input_required")
        return answers

    def answer(self, responses: dict[str, object]) -> None:
        """Take answers; what nobody has asked is ignored.

        Raises:
            InvalidParamsError: when something is no answer at all.
        """
        for key, response in responses.items():
            if key in self._open and not isinstance(response, dict):
                raise InvalidParamsError(f"Expected an object as inputResponses.{key}")
        given = []
        with self._lock:
            for key, response in responses.items():
                if key in self._open:
                    given.append((self._open.pop(key), response))
            is_answered = bool(given) and not self._open
        if is_answered:
            self._changed("working")
        for (_, answers, asked), response in given:
            answers.receive(asked, response, None)

    def when_ended(self, call: Callable[[], None]) -> None:
        """Call a function once it has ended; at once when it has."""
        with self._lock:
            if not self.has_ended:
                self._waiting.append(call)
                return
        call()

    def mark(self, status: Status) -> None:
        """Something outside has changed what the task waits for."""
        if not self.has_ended:
            self._changed(status)

    def _fresh(self, key: str) -> str:
        """A key that was never used in this task."""
        name, number = key, 1
        while name in self._asked:
            number += 1
            name = f"{key}-{number}"
        self._asked.add(name)
        return name

    def _changed(self, status: Status) -> None:
        with self._lock:
            if self.status in ENDED and status != self.status:
                return
            self.status = status
            self.updated = _now()
            waiting: list[Callable[[], None]] = []
            if status in ENDED:
                waiting, self._waiting = self._waiting, []
        self._store.changed(self)
        for call in waiting:
            call()


class TaskStore:
    """The tasks of one server, each for as long as its time to live."""

    def __init__(self, limit: int = MAX_TASKS) -> None:
        self._limit = limit
        self._tasks: dict[str, Task] = {}
        self._watchers: list[Watch] = []
        self._next_sweep = 0.0

    def __len__(self) -> int:
        return len(self._tasks)

    def watch(self, watcher: Watch) -> None:
        """Call a function whenever a task changes."""
        self._watchers.append(watcher)

    def changed(self, task: Task) -> None:
        """A task has changed."""
        for watcher in self._watchers:
            watcher(task)

    def create(self, request: Request, ttl_ms: int | None, message: str | None = None) -> Task:
        """Make a task of a request.

        Raises:
            ProtocolError: when there are too many.
        """
        if len(self._tasks) >= self._limit or monotonic() > self._next_sweep:
            self.sweep()
        if len(self._tasks) >= self._limit:
            self._make_room(self.owner_of(request))
        if len(self._tasks) >= self._limit:
            raise ProtocolError(f"The server keeps {self._limit} tasks already: try again later")
        ttl = DEFAULT_TTL_MS if ttl_ms is None else max(1, min(ttl_ms, MAX_TTL_MS))
        task = Task(request, self, ttl, message)
        self._tasks[task.id] = task
        return task

    def find(self, task_id: str, request: Request) -> Task:
        """The task of this id, if the client of a request may know of it.

        Raises:
            InvalidParamsError: when there is none, or it is somebody else's.
        """
        task = self._tasks.get(task_id)
        if task is not None and self._forgets(task):
            task = None
        is_theirs = task is not None and task.owner == self.owner_of(request)
        if task is None or not is_theirs or task.is_stateless != request.era.is_stateless:
            raise InvalidParamsError(f"There is no task {task_id!r:.80}, or not any more")
        return task

    def all_of(self, request: Request) -> list[Task]:
        """The tasks that the client of a request may know of, oldest first."""
        self.sweep()
        owner, is_stateless = self.owner_of(request), request.era.is_stateless
        tasks = list(self._tasks.values())
        return [t for t in tasks if t.owner == owner and t.is_stateless == is_stateless]

    def owner_of(self, request: Request) -> object:
        """Whose tasks a request makes and sees: its principal's, else its session's."""
        principal = request.principal
        if principal is not None:
            return principal.key
        return None if request.era.is_stateless else request.connection

    def sweep(self) -> None:
        """Forget what has ended and expired; give up what waits for answers beyond its time."""
        self._next_sweep = monotonic() + SWEEP_SECONDS
        for task in list(self._tasks.values()):
            self._forgets(task)

    def abandon(self, owner: object) -> None:
        """Stop the tasks of a client that cannot come back for them."""
        for task in list(self._tasks.values()):
            if task.owner is owner:
                self._forgets(task)

    def close(self) -> None:
        """Stop everything: the server ends."""
        for task in list(self._tasks.values()):
            task.cancel()

    def _make_room(self, owner: object) -> None:
        """Forget the oldest outcome of whoever wants a further task."""
        for task in self._tasks.values():
            if task.owner == owner and task.has_ended:
                del self._tasks[task.id]
                return

    def _forgets(self, task: Task) -> bool:
        if not (task.has_expired or task.is_out_of_reach):
            return False
        if task.status == "input_required" or task.is_out_of_reach:
            task.cancel()
        if task.has_ended:
            self._tasks.pop(task.id, None)
        return task.has_ended


class TaskTerms:
    """That a request may become a task, and on what conditions."""

    __slots__ = ("_store", "ttl_ms")

    def __init__(self, store: TaskStore, ttl_ms: int | None = None) -> None:
        self._store = store
        self.ttl_ms = ttl_ms

    def create(self, request: Request, ttl_ms: int | None, message: str | None) -> Task:
        """Make the task."""
        wanted = self.ttl_ms if ttl_ms is None else ttl_ms
        return self._store.create(request, wanted, message)


def is_tool_error(result: bytes) -> bool:
    """Whether a result of a tool says that it failed."""
    return bool(_decode_failure(result).is_error)


class _Failure(msgspec.Struct):
    is_error: bool = msgspec.field(default=False, name="isError")


_decode_failure = msgspec.json.Decoder(_Failure).decode


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
