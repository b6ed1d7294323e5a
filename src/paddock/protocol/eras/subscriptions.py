"""Streams of `subscriptions/listen`, which report the changes requested by a client."""

from __future__ import annotations

from _thread import allocate_lock
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from paddock.protocol.eras.stateless_tasks import format_detailed_task
from paddock.protocol.errors import INVALID_REQUEST, InvalidParamsError, ProtocolError
from paddock.protocol.jsonrpc import encode_notification
from paddock.protocol.request import Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.protocol.jsonrpc import RequestId
    from paddock.protocol.params import ListenParams, SubscriptionFilter
    from paddock.protocol.server_metadata import Json, ServerMetadata
    from paddock.protocol.tasks import CallTask, TaskStore

META_SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"
LIST_KINDS = ("tools", "prompts", "resources")
MAX_STREAMS = 64
MAX_STREAM_URIS = 256
MAX_STREAM_TASKS = 256


class SubscriptionStream(Struct):
    """A client's open stream, on which the server reports changes to some objects."""

    request: Request
    """The `subscriptions/listen` request that opened the stream."""
    kinds: set[str]
    """The lists whose changes are reported: `tools`, `prompts` and `resources`."""
    uris: list[str]
    """The resources whose changes are reported."""
    task_ids: list[str]
    """The tasks whose changes are reported."""

    def to_filter(self) -> Json:
        """Return the reported changes as a filter, such as `{"toolsListChanged": true}`."""
        stream_filter: Json = {f"{kind}ListChanged": True for kind in sorted(self.kinds)}
        if self.uris:
            stream_filter["resourceSubscriptions"] = self.uris
        if self.task_ids:
            stream_filter["taskIds"] = self.task_ids
        return stream_filter

    def accepts_change(self, kind: str, uri: str | None) -> bool:
        """Return whether the stream reports changes to a list or, given a URI, to a resource."""
        if uri is None:
            return kind in self.kinds
        return kind == "resources" and uri in self.uris


class SubscriptionRegistry:
    """The open streams of a server."""

    def __init__(self, limit: int = MAX_STREAMS) -> None:
        self._limit = limit
        self._streams: dict[tuple[object, RequestId], SubscriptionStream] = {}
        self._watched_stores: list[TaskStore] = []
        self._lock = allocate_lock()

    def __len__(self) -> int:
        return len(self._streams)

    def open_stream(
        self, request: Request, metadata: ServerMetadata, tasks: TaskStore | None = None
    ) -> None:
        """Open a stream for the changes that a client has requested.

        The first message on the stream lists the changes that it will report. These may be fewer
        than requested, because the server only reports changes that it has declared.

        Args:
            request: The `subscriptions/listen` request, which is answered when the stream ends.
            metadata: The metadata with the server's capabilities.
            tasks: The tasks that can be watched, or None if the server has none.

        Raises:
            ProtocolError: The client reuses a request id, or too many streams are open.
        """
        key = (request.origin, request.id)
        if key in self._streams:
            text = f"A stream with the request id {request.id!r} is already open"
            raise ProtocolError(text, rpc_code=INVALID_REQUEST)
        if len(self._streams) >= self._limit:
            raise ProtocolError(f"The server already has {self._limit} open streams")
        requested_filter = cast("ListenParams", request.params).notifications
        kinds = {
            kind
            for kind in LIST_KINDS
            if getattr(requested_filter, kind) and _declares_flag(metadata, kind, "listChanged")
        }
        can_subscribe = _declares_flag(metadata, "resources", "subscribe")
        uris = requested_filter.uris[:MAX_STREAM_URIS] if can_subscribe else []
        watched_tasks = _find_tasks(request, requested_filter, tasks)
        stream = SubscriptionStream(request, kinds, uris, [task.id for task in watched_tasks])
        if watched_tasks:
            self._watch_tasks(tasks)
        # The lock ensures that a concurrent change is reported on the new stream, and that the
        # report follows the acknowledgement.
        with self._lock:
            self._streams[key] = stream
            _send_notification(
                stream,
                "notifications/subscriptions/acknowledged",
                {"notifications": stream.to_filter()},
            )
        for task in watched_tasks:
            _send_notification(stream, "notifications/tasks", format_detailed_task(task))

    def announce_change(self, kind: str, uri: str | None) -> int:
        """Report a change on every stream whose client requested it.

        Args:
            kind: `tools`, `prompts` or `resources`.
            uri: The URI of the changed resource. None if a list has changed.

        Returns:
            The number of these streams.
        """
        streams = self._select_streams(lambda stream: stream.accepts_change(kind, uri))
        for stream in streams:
            if uri is None:
                _send_notification(stream, f"notifications/{kind}/list_changed", {})
            else:
                _send_notification(stream, "notifications/resources/updated", {"uri": uri})
        return len(streams)

    def _watch_tasks(self, tasks: TaskStore | None) -> None:
        if tasks is not None and tasks not in self._watched_stores:
            self._watched_stores.append(tasks)
            tasks.add_watcher(self._announce_task)

    def _announce_task(self, task: CallTask) -> None:
        for stream in self._select_streams(lambda stream: task.id in stream.task_ids):
            _send_notification(stream, "notifications/tasks", format_detailed_task(task))

    def _select_streams(
        self, is_selected: Callable[[SubscriptionStream], bool]
    ) -> list[SubscriptionStream]:
        with self._lock:
            return [stream for stream in self._streams.values() if is_selected(stream)]

    def remove_stream(self, origin: object, request_id: RequestId) -> None:
        """Remove a stream that the client ended."""
        self._streams.pop((origin, request_id), None)

    def close(self) -> None:
        """End all streams because the server stops.

        The MCP specification asks for a cancellation in one place, and for a result in another.
        Over HTTP, each stream has its own response, which ends with the result. Transports where
        all requests share one channel get both, in this order.
        """
        with self._lock:
            streams, self._streams = list(self._streams.values()), {}
        for stream in streams:
            request = stream.request
            final_reply = request.era.encode_reply(
                request, {"_meta": {META_SUBSCRIPTION_ID: request.id}}
            )
            if request.exchange is not None:
                request.exchange.finish(request, final_reply)
            else:
                params = {"requestId": request.id}
                request.send(encode_notification("notifications/cancelled", params))
                request.send(final_reply)


def _find_tasks(
    request: Request, requested_filter: SubscriptionFilter, tasks: TaskStore | None
) -> list[CallTask]:
    """Return the tasks that a stream should watch, which must belong to its client.

    Unknown ids, and the ids of other clients' tasks, are ignored.
    """
    if tasks is None or not isinstance(requested_filter.task_ids, list):
        return []
    watched_tasks = []
    for task_id in requested_filter.task_ids[:MAX_STREAM_TASKS]:
        try:
            watched_tasks.append(tasks.require_task(task_id, request))
        except InvalidParamsError:
            continue
    return watched_tasks


def _send_notification(stream: SubscriptionStream, method: str, params: Json) -> None:
    tagged_params = {**params, "_meta": {META_SUBSCRIPTION_ID: stream.request.id}}
    stream.request.send(encode_notification(method, tagged_params))


def _declares_flag(metadata: ServerMetadata, capability: str, flag: str) -> bool:
    settings = metadata.capabilities.get(capability)
    return isinstance(settings, dict) and bool(settings.get(flag))
