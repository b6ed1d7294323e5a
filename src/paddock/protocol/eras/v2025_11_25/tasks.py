"""Tasks as sessions of 2025-11-25 have them: the client asks for a call to be one.

Its outcome is fetched with `tasks/result`, which waits for it. Questions of the handler go to the
client as always, on the stream of whoever waits for the result if there is one.
"""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING, cast

import msgspec
from msgspec import UNSET

from paddock.protocol.errors import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    InvalidParamsError,
    ProtocolError,
)
from paddock.protocol.jsonrpc import notification_frame
from paddock.protocol.tasks import POLL_INTERVAL_MS, TaskTerms, is_tool_error
from paddock.protocol.versions import supports

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.protocol.asking import Answers
    from paddock.protocol.facts import Json
    from paddock.protocol.model.params import CallToolParams, ListParams, TaskParams
    from paddock.protocol.request import Request, Support
    from paddock.protocol.tasks import Task, TaskStore

META_RELATED = "io.modelcontextprotocol/related-task"
PAGE = 100


def terms(request: Request, support: Support, store: TaskStore) -> TaskTerms | None:
    """Whether a call is to become a task.

    Raises:
        ProtocolError: when the client asks for what the tool does not do, or the other way round.
    """
    if not supports(request.era.version(request), "tasks"):
        return None
    wanted = cast("CallToolParams", request.params).task
    if wanted is UNSET:
        if support == "required":
            raise ProtocolError("The tool can only run as a task", rpc_code=METHOD_NOT_FOUND)
        return None
    if support == "forbidden":
        raise ProtocolError("The tool cannot run as a task", rpc_code=METHOD_NOT_FOUND)
    ttl = wanted.ttl
    if isinstance(ttl, int) and ttl <= 0:
        raise InvalidParamsError(f"params.task.ttl is {ttl}: expected milliseconds")
    return TaskTerms(store, ttl if isinstance(ttl, int) else None)


def created(task: Task) -> Json:
    """The result of a call that has become a task."""
    return {"task": fields(task)}


def fields(task: Task) -> Json:
    """A task as this era shows it."""
    status: str = task.status
    if status == "completed" and task.result is not None and is_tool_error(task.result):
        status = "failed"
    found: Json = {
        "taskId": task.id,
        "status": status,
        "createdAt": task.created,
        "lastUpdatedAt": task.updated,
        "ttl": task.ttl_ms,
        "pollInterval": POLL_INTERVAL_MS,
    }
    if task.message is not None:
        found["statusMessage"] = task.message
    return found


def related(task: Task) -> Json:
    """The `_meta` of what belongs to a task."""
    return {META_RELATED: {"taskId": task.id}}


def tell(task: Task) -> None:
    """Tell the client of a task that it has changed."""
    if not task.is_stateless:
        frame = notification_frame("notifications/tasks/status", fields(task))
        task.request.connection.send(frame)


def await_input(task: Task, answers: Answers) -> None:
    """Show that a task waits for answers, until they are there."""
    task.mark("input_required")
    answers.when_answered(lambda: task.mark("working"))


def outlet(task: Task) -> Callable[[bytes], None]:
    """Where questions of a task are sent: to whoever waits for its result.

    Over HTTP they wait for such a reader; elsewhere the session has only one way to be told.
    """
    for reader in reversed(task.readers):
        if reader.exchange is None or not reader.exchange.is_over:
            return reader.send
    if task.request.exchange is None:
        return task.request.connection.send
    return task.held.append


def get(request: Request, store: TaskStore) -> Json:
    """Answer `tasks/get`."""
    return fields(_named(request, store))


def cancel(request: Request, store: TaskStore) -> Json:
    """Answer `tasks/cancel`."""
    task = _named(request, store)
    if not task.cancel():
        raise InvalidParamsError(f"Task {task.id} has ended already: {fields(task)['status']}")
    return fields(task)


def list_all(request: Request, store: TaskStore) -> Json:
    """Answer `tasks/list`."""
    _check_version(request)
    tasks = store.all_of(request)
    start = _offset(cast("ListParams", request.params).cursor)
    page: Json = {"tasks": [fields(task) for task in tasks[start : start + PAGE]]}
    if start + PAGE < len(tasks):
        page["nextCursor"] = binascii.b2a_base64(b"%d" % (start + PAGE), newline=False).decode()
    return page


def result(request: Request, store: TaskStore) -> None:
    """Begin `tasks/result`, which is answered when the task has ended."""
    task = _named(request, store)

    async def wait(request: Request) -> Json:
        task.readers.append(request)
        held, task.held = task.held, []
        for frame in held:
            request.send(frame)
        try:
            await _ended(task)
        finally:
            task.readers.remove(request)
        return _outcome(task)

    request.is_unhurried = True
    request.async_work = wait


METHODS: dict[str, Callable[[Request, TaskStore], Json | None]] = {
    "tasks/get": get,
    "tasks/cancel": cancel,
    "tasks/list": list_all,
    "tasks/result": result,
}


def _named(request: Request, store: TaskStore) -> Task:
    _check_version(request)
    return store.find(cast("TaskParams", request.params).task_id, request)


def _check_version(request: Request) -> None:
    if not supports(request.era.version(request), "tasks"):
        raise ProtocolError(f"Method not found: {request.method}", rpc_code=METHOD_NOT_FOUND)


async def _ended(task: Task) -> None:
    import asyncio  # noqa: PLC0415 - only a running event loop gets here

    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()

    def end() -> None:
        loop.call_soon_threadsafe(lambda: None if ended.done() else ended.set_result(None))

    task.when_ended(end)
    await ended


def _outcome(task: Task) -> Json:
    if task.error is not None:
        error = msgspec.json.decode(task.error)
        code = error.get("code", INTERNAL_ERROR)
        raise ProtocolError(error.get("message", ""), rpc_code=code, data=error.get("data"))
    if task.result is None:
        raise InvalidParamsError(f"Task {task.id} was cancelled")
    found: Json = msgspec.json.decode(task.result)
    meta = found.get("_meta")
    found["_meta"] = {**(meta if isinstance(meta, dict) else {}), **related(task)}
    return found


def _offset(cursor: object) -> int:
    if not isinstance(cursor, str):
        return 0
    try:
        return max(0, int(binascii.a2b_base64(cursor, strict_mode=True)))
    except ValueError:
        raise InvalidParamsError(f"Unknown cursor {cursor!r}: list again without one") from None
