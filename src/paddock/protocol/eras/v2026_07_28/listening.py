"""`subscriptions/listen`: streams of changes that a client asks for one by one."""

from __future__ import annotations

from _thread import allocate_lock
from typing import TYPE_CHECKING, cast

from paddock.protocol.errors import INVALID_REQUEST, InvalidParamsError, ProtocolError
from paddock.protocol.jsonrpc import notification_frame

if TYPE_CHECKING:
    from paddock.protocol.facts import Json, ServerFacts
    from paddock.protocol.jsonrpc import RequestId
    from paddock.protocol.model.params import Filter, ListenParams
    from paddock.protocol.request import Request
    from paddock.protocol.tasks import Task, TaskStore

META_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
KINDS = ("tools", "prompts", "resources")
MAX_LISTENERS = 64
MAX_URIS = 256
MAX_TASKS = 256


class Listener:
    """One open stream: what it wants to hear."""

    __slots__ = ("kinds", "request", "task_ids", "uris")

    def __init__(
        self, request: Request, kinds: set[str], uris: list[str], task_ids: list[str]
    ) -> None:
        self.request = request
        self.kinds = kinds
        self.uris = uris
        self.task_ids = task_ids

    def wants(self, kind: str, uri: str | None) -> bool:
        """Whether a change is one that it asked for."""
        if uri is None:
            return kind in self.kinds
        return kind == "resources" and uri in self.uris


class Listeners:
    """The open streams of a server."""

    def __init__(self, limit: int = MAX_LISTENERS) -> None:
        self._limit = limit
        self._open: dict[tuple[object, RequestId], Listener] = {}
        self._watched: list[TaskStore] = []
        self._lock = allocate_lock()

    def __len__(self) -> int:
        return len(self._open)

    def begin(self, request: Request, facts: ServerFacts, tasks: TaskStore | None = None) -> None:
        """Open a stream; its first message says which of the wishes will be honoured."""
        key = (request.origin, request.id)
        if key in self._open:
            text = f"Id {request.id!r} is listening already"
            raise ProtocolError(text, rpc_code=INVALID_REQUEST)
        if len(self._open) >= self._limit:
            raise ProtocolError(f"Only {self._limit} may listen at once")
        wanted = cast("ListenParams", request.params).notifications
        kinds = {kind for kind in KINDS if _honours(facts, wanted, kind)}
        uris = wanted.uris[:MAX_URIS] if _can(facts, "resources", "subscribe") else []
        known = _known_tasks(request, wanted, tasks)
        listener = Listener(request, kinds, uris, [task.id for task in known])
        honoured: Json = {f"{kind}ListChanged": True for kind in sorted(kinds)}
        if uris:
            honoured["resourceSubscriptions"] = uris
        if known:
            honoured["taskIds"] = listener.task_ids
            self._watch(tasks)
        # Whoever announces a change meanwhile must neither miss the listener nor forestall the
        # acknowledgement.
        with self._lock:
            self._open[key] = listener
            _send(listener, "notifications/subscriptions/acknowledged", {"notifications": honoured})
        for task in known:
            _send(listener, "notifications/tasks", _detailed(task))

    def announce(self, kind: str, uri: str | None) -> int:
        """Tell the listeners that asked for it; how many they were."""
        with self._lock:
            told = [one for one in list(self._open.values()) if one.wants(kind, uri)]
        for listener in told:
            if uri is None:
                _send(listener, f"notifications/{kind}/list_changed", {})
            else:
                _send(listener, "notifications/resources/updated", {"uri": uri})
        return len(told)

    def _watch(self, tasks: TaskStore | None) -> None:
        if tasks is not None and tasks not in self._watched:
            self._watched.append(tasks)
            tasks.watch(self._task_changed)

    def _task_changed(self, task: Task) -> None:
        with self._lock:
            told = [one for one in list(self._open.values()) if task.id in one.task_ids]
        for listener in told:
            _send(listener, "notifications/tasks", _detailed(task))

    def drop(self, origin: object, request_id: RequestId) -> None:
        """A client wants to hear no more."""
        self._open.pop((origin, request_id), None)

    def close(self) -> None:
        """End all streams from our side.

        The specification asks in one place for a cancellation, in another for a result: on a
        channel that several requests share both are sent, in that order.
        """
        with self._lock:
            closing, self._open = list(self._open.values()), {}
        for listener in closing:
            request = listener.request
            end = request.era.reply(request, {"_meta": {META_SUBSCRIPTION: request.id}})
            if request.exchange is not None:
                request.exchange.finish(request, end)
            else:
                params = {"requestId": request.id}
                request.send(notification_frame("notifications/cancelled", params))
                request.send(end)


def _known_tasks(request: Request, wanted: Filter, tasks: TaskStore | None) -> list[Task]:
    """The tasks that a client asks about and may know of; others are passed over."""
    if tasks is None or not isinstance(wanted.task_ids, list):
        return []
    found = []
    for task_id in wanted.task_ids[:MAX_TASKS]:
        try:
            found.append(tasks.find(task_id, request))
        except InvalidParamsError:
            continue
    return found


def _detailed(task: Task) -> Json:
    from paddock.protocol.eras.v2026_07_28.tasks import detailed  # noqa: PLC0415 - few have any

    return detailed(task)


def _send(listener: Listener, method: str, params: Json) -> None:
    tagged = {**params, "_meta": {META_SUBSCRIPTION: listener.request.id}}
    listener.request.send(notification_frame(method, tagged))


def _honours(facts: ServerFacts, wanted: Filter, kind: str) -> bool:
    return bool(getattr(wanted, kind)) and _can(facts, kind, "listChanged")


def _can(facts: ServerFacts, capability: str, flag: str) -> bool:
    declared = facts.capabilities.get(capability)
    return isinstance(declared, dict) and bool(declared.get(flag))
