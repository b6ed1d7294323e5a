"""Tasks in sessions (2025-11-25), where the client decides whether a call becomes a task.

The client gets the result with `tasks/result`, which waits for the task to end. The handler's
questions are sent on the stream of such a request if there is one.
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
from paddock.protocol.jsonrpc import encode_notification
from paddock.protocol.server_requests import wait_for_callback
from paddock.protocol.tasks import POLL_INTERVAL_MS, is_tool_error
from paddock.protocol.versions import supports_feature

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.protocol.params import CallToolParams, ListParams, TaskParams
    from paddock.protocol.request import Request, TaskSupport
    from paddock.protocol.server_metadata import Json
    from paddock.protocol.server_requests import ResponseCollector
    from paddock.protocol.tasks import CallTask, TaskFactory, TaskStore

META_RELATED_TASK = "io.modelcontextprotocol/related-task"
PAGE_SIZE = 100


def find_task_factory(
    request: Request, task_support: TaskSupport, store: TaskStore
) -> TaskFactory | None:
    """Return the function that turns a tool call into a task, if the client has asked for one.

    Returns None if the call must run as an ordinary request.

    Args:
        request: The tool call.
        task_support: The tool's declaration: `required`, `optional` or `forbidden`.
        store: The store for the new task.

    Raises:
        ProtocolError: The client asks for a task that the tool does not support, or the tool
            requires a task that the client does not ask for.
    """
    if not supports_feature(request.era.get_version(request), "tasks"):
        return None
    task_metadata = cast("CallToolParams", request.params).task
    if task_metadata is UNSET:
        if task_support == "required":
            raise ProtocolError("The tool runs only as a task", rpc_code=METHOD_NOT_FOUND)
        return None
    if task_support == "forbidden":
        raise ProtocolError("The tool cannot run as a task", rpc_code=METHOD_NOT_FOUND)
    client_ttl_ms = task_metadata.ttl
    if client_ttl_ms is not None and client_ttl_ms <= 0:
        raise InvalidParamsError(
            f"params.task.ttl is {client_ttl_ms}; expected milliseconds, above 0"
        )
    return lambda request, ttl_ms, message: store.create(
        request, client_ttl_ms if ttl_ms is None else ttl_ms, message
    )


def make_created_result(task: CallTask) -> Json:
    """Return the result of a call that became a task."""
    return {"task": format_task(task)}


def format_task(task: CallTask) -> Json:
    """Return the JSON description of a task, as defined in the session era of the protocol."""
    status: str = task.status
    # MCP 2025-11-25, Tasks: a tool result with isError makes the task failed, not completed.
    if status == "completed" and task.result is not None and is_tool_error(task.result):
        status = "failed"
    task_json: Json = {
        "taskId": task.id,
        "status": status,
        "createdAt": task.created_at,
        "lastUpdatedAt": task.updated_at,
        "ttl": task.ttl_ms,
        "pollInterval": POLL_INTERVAL_MS,
    }
    if task.message is not None:
        task_json["statusMessage"] = task.message
    return task_json


def make_related_meta(task: CallTask) -> Json:
    """Return the `_meta` of messages that belong to a task."""
    return {META_RELATED_TASK: {"taskId": task.id}}


def send_status(task: CallTask) -> None:
    """Notify the client that a task has changed."""
    if not task.is_stateless:
        frame = encode_notification("notifications/tasks/status", format_task(task))
        task.request.connection.send(frame)


def mark_input_required(task: CallTask, collector: ResponseCollector) -> None:
    """Set the status to `input_required` until all answers have arrived."""
    task.set_status("input_required")
    collector.on_complete(lambda: task.set_status("working"))


def select_sender(task: CallTask) -> Callable[[bytes], None]:
    """Return the function that sends a task's questions to the client.

    Questions are sent on the response of a `tasks/result` request, which waits for the result. If
    the client has not sent one, they are stored until it does. Transports other than HTTP can send
    a question at any time.
    """
    for result_request in reversed(task.result_requests):
        if result_request.exchange is None or not result_request.exchange.is_over:
            return result_request.send
    if task.request.exchange is None:
        return task.request.connection.send
    return task.undelivered_frames.append


def get_task(request: Request, store: TaskStore) -> Json:
    """Answer `tasks/get`."""
    return format_task(_require_task(request, store))


def cancel_task(request: Request, store: TaskStore) -> Json:
    """Answer `tasks/cancel`."""
    task = _require_task(request, store)
    if not task.cancel():
        raise InvalidParamsError(f"Task {task.id} has already ended: {format_task(task)['status']}")
    return format_task(task)


def list_tasks(request: Request, store: TaskStore) -> Json:
    """Answer `tasks/list` with one page of the client's tasks.

    The cursor of the next page is the index of its first task, encoded as base64.
    """
    _check_task_support(request)
    tasks = store.list_tasks(request)
    start = _parse_cursor(cast("ListParams", request.params).cursor)
    end = start + PAGE_SIZE
    page: Json = {"tasks": [format_task(task) for task in tasks[start:end]]}
    if end < len(tasks):
        page["nextCursor"] = binascii.b2a_base64(b"%d" % end, newline=False).decode()
    return page


def begin_task_result(request: Request, store: TaskStore) -> None:
    """Assign the work of a `tasks/result` request, which waits for the task to end.

    Any of the task's questions that could not be sent so far are sent on the response.
    """
    task = _require_task(request, store)

    async def wait_for_result(request: Request) -> Json:
        task.result_requests.append(request)
        queued_frames, task.undelivered_frames = task.undelivered_frames, []
        for frame in queued_frames:
            request.send(frame)
        try:
            await wait_for_callback(task.on_end)
        finally:
            task.result_requests.remove(request)
        return _read_outcome(task)

    request.has_no_deadline = True
    request.async_work = wait_for_result


TASK_METHODS: dict[str, Callable[[Request, TaskStore], Json | None]] = {
    "tasks/get": get_task,
    "tasks/cancel": cancel_task,
    "tasks/list": list_tasks,
    "tasks/result": begin_task_result,
}


def _require_task(request: Request, store: TaskStore) -> CallTask:
    _check_task_support(request)
    return store.require_task(cast("TaskParams", request.params).task_id, request)


def _check_task_support(request: Request) -> None:
    if not supports_feature(request.era.get_version(request), "tasks"):
        raise ProtocolError(f"Method not found: {request.method}", rpc_code=METHOD_NOT_FOUND)


def _read_outcome(task: CallTask) -> Json:
    """Return the result of a task that has ended, or raise its error.

    Raises:
        ProtocolError: The task failed or was cancelled.
    """
    if task.error is not None:
        error = msgspec.json.decode(task.error)
        code = error.get("code", INTERNAL_ERROR)
        raise ProtocolError(error.get("message", ""), rpc_code=code, data=error.get("data"))
    if task.result is None:
        raise InvalidParamsError(f"Task {task.id} was cancelled")
    result: Json = msgspec.json.decode(task.result)
    meta = result.get("_meta")
    result["_meta"] = {**(meta if isinstance(meta, dict) else {}), **make_related_meta(task)}
    return result


def _parse_cursor(cursor: object) -> int:
    if not isinstance(cursor, str):
        return 0
    try:
        return max(0, int(binascii.a2b_base64(cursor, strict_mode=True)))
    except ValueError:
        raise InvalidParamsError(f"Unknown cursor {cursor!r}; list again without one") from None
