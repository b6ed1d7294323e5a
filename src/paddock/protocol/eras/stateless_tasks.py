"""Tasks in the stateless era: the extension `io.modelcontextprotocol/tasks`.

The server decides whether a call becomes a task, and only if the client declares the extension in
the same request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from msgspec import Raw

from paddock.protocol.early_handshake import TASKS_EXTENSION
from paddock.protocol.errors import MissingCapabilityError
from paddock.protocol.tasks import POLL_INTERVAL_MS

if TYPE_CHECKING:
    from paddock.protocol.params import TaskParams, UpdateTaskParams
    from paddock.protocol.request import Request, TaskSupport
    from paddock.protocol.server_metadata import Json
    from paddock.protocol.tasks import CallTask, TaskFactory, TaskStore

REQUIRED_CAPABILITIES: Json = {"extensions": {TASKS_EXTENSION: {}}}


def has_tasks_extension(request: Request) -> bool:
    """Return whether the client declares the extension."""
    extensions = request.era.get_client_capabilities(request).get("extensions")
    return isinstance(extensions, dict) and isinstance(extensions.get(TASKS_EXTENSION), dict)


def require_tasks_extension(request: Request) -> None:
    """Check that the client declared the tasks extension in its request.

    Raises:
        MissingCapabilityError: The client has not declared the extension.
    """
    if not has_tasks_extension(request):
        raise MissingCapabilityError(REQUIRED_CAPABILITIES, request.method)


def find_task_factory(
    request: Request, task_support: TaskSupport, store: TaskStore
) -> TaskFactory | None:
    """Return the function that turns a tool call into a task, if client and tool allow it.

    Returns None if the call must run as an ordinary request.

    Args:
        request: The tool call.
        task_support: The tool's declaration: `required`, `optional` or `forbidden`.
        store: The store for the new task.

    Raises:
        MissingCapabilityError: The tool requires a task, and the client does not support tasks.
    """
    if task_support == "forbidden":
        return None
    if task_support == "required":
        require_tasks_extension(request)
    return store.create if has_tasks_extension(request) else None


def make_created_result(task: CallTask) -> Json:
    """Return the result of a call that became a task."""
    return {"resultType": "task", **_format_task(task)}


def format_detailed_task(task: CallTask) -> Json:
    """Return the JSON description of a task with its open questions, result or error."""
    task_json = _format_task(task)
    if task.status == "input_required":
        task_json["inputRequests"] = {
            key: {"method": server_request.method, "params": server_request.params}
            for key, server_request in task.input_requests.items()
        }
    elif task.status == "completed" and task.result is not None:
        task_json["result"] = Raw(task.result)
    elif task.status == "failed" and task.error is not None:
        task_json["error"] = Raw(task.error)
    return task_json


def get_task(request: Request, store: TaskStore) -> Json:
    """Answer `tasks/get`."""
    return format_detailed_task(_require_task(request, store))


def update_task(request: Request, store: TaskStore) -> Json:
    """Answer `tasks/update`."""
    _require_task(request, store).submit_responses(
        cast("UpdateTaskParams", request.params).input_responses
    )
    return {}


def cancel_task(request: Request, store: TaskStore) -> Json:
    """Answer `tasks/cancel`."""
    _require_task(request, store).cancel()
    return {}


TASK_METHODS = {"tasks/get": get_task, "tasks/update": update_task, "tasks/cancel": cancel_task}


def _require_task(request: Request, store: TaskStore) -> CallTask:
    require_tasks_extension(request)
    return store.require_task(cast("TaskParams", request.params).task_id, request)


def _format_task(task: CallTask) -> Json:
    """Return the members common to all JSON descriptions of a task."""
    task_json: Json = {
        "taskId": task.id,
        "status": task.status,
        "createdAt": task.created_at,
        "lastUpdatedAt": task.updated_at,
        "ttlMs": task.ttl_ms,
        "pollIntervalMs": POLL_INTERVAL_MS,
    }
    if task.message is not None:
        task_json["statusMessage"] = task.message
    return task_json
