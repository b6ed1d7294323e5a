"""`subscriptions/listen`: streams of changes that a client asks for one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from paddock.protocol.connection import Listener
from paddock.protocol.errors import INTERNAL_ERROR, INVALID_REQUEST, ProtocolError
from paddock.protocol.jsonrpc import notification_frame

if TYPE_CHECKING:
    from paddock.protocol.connection import Connection
    from paddock.protocol.facts import Json, ServerFacts
    from paddock.protocol.model.params import Filter, ListenParams
    from paddock.protocol.request import Request

META_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
MAX_LISTENERS = 64
MAX_URIS = 256


def begin(connection: Connection, request: Request, facts: ServerFacts) -> None:
    """Open a stream; its first message says which of the wishes will be honoured."""
    wanted = cast("ListenParams", request.params).notifications
    if request.id in connection.listeners:
        raise ProtocolError(f"Id {request.id!r} is listening already", rpc_code=INVALID_REQUEST)
    if len(connection.listeners) >= MAX_LISTENERS:
        raise ProtocolError(f"Only {MAX_LISTENERS} may listen at once", rpc_code=INTERNAL_ERROR)
    kinds = {kind for kind in ("tools", "prompts", "resources") if _honours(facts, wanted, kind)}
    uris = wanted.uris[:MAX_URIS] if _can(facts, "resources", "subscribe") else []
    listener = Listener(request, kinds, set(uris))
    honoured: Json = {f"{kind}ListChanged": True for kind in sorted(kinds)}
    if uris:
        honoured["resourceSubscriptions"] = uris
    _send(listener, "notifications/subscriptions/acknowledged", {"notifications": honoured})
    connection.listeners[request.id] = listener


def announce(connection: Connection, kind: str, uri: str | None) -> int:
    """Tell the listeners that asked for it; how many they were."""
    listeners = list(connection.listeners.values())
    if uri is not None:
        told = [listener for listener in listeners if uri in listener.uris]
        for listener in told:
            _send(listener, "notifications/resources/updated", {"uri": uri})
        return len(told)
    told = [listener for listener in listeners if kind in listener.kinds]
    for listener in told:
        _send(listener, f"notifications/{kind}/list_changed", {})
    return len(told)


def end(connection: Connection, listener: Listener) -> None:
    """End a stream from our side.

    The specification asks in one place for a cancellation, in another for a result: on a shared
    channel both are sent, in that order.
    """
    request = listener.request
    connection.listeners.pop(request.id, None)
    request.send(notification_frame("notifications/cancelled", {"requestId": request.id}))
    request.send(request.era.reply(request, {"_meta": {META_SUBSCRIPTION: request.id}}))


def _send(listener: Listener, method: str, params: Json) -> None:
    tagged = {**params, "_meta": {META_SUBSCRIPTION: listener.request.id}}
    listener.request.send(notification_frame(method, tagged))


def _honours(facts: ServerFacts, wanted: Filter, kind: str) -> bool:
    return bool(getattr(wanted, kind)) and _can(facts, kind, "listChanged")


def _can(facts: ServerFacts, capability: str, flag: str) -> bool:
    declared = facts.capabilities.get(capability)
    return isinstance(declared, dict) and bool(declared.get(flag))
