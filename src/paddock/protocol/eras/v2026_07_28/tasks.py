"""Tasks as the extension `io.modelcontextprotocol/tasks` has them.

The server alone decides that a call becomes a task, and only for a client that has declared, in
the same request, that it knows what that is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from msgspec import Raw

from paddock.protocol.eras.v2026_07_28.discovery import TASKS
from paddock.protocol.errors import MissingCapabilityError
from paddock.protocol.tasks import POLL_INTERVAL_MS, TaskTerms

if TYPE_CHECKING:
    from paddock.protocol.facts import Json
    from paddock.protocol.model.params import TaskParams, UpdateTaskParams
    from paddock.protocol.request import Request, Support
    from paddock.protocol.tasks import Task, TaskStore

NEEDED: Json = {"extensions": {TASKS: {}}}


def is_declared(request: Request) -> bool:
    """Whether the client of a request knows tasks."""
    extensions = request.era.client_capabilities(request).get("extensions")
    return isinstance(extensions, dict) and isinstance(extensions.get(TASKS), dict)


def require(request: Request) -> None:
    """Refuse a client that does not know tasks.

    Raises:
        MissingCapabilityError: naming the extension.
    """
    if not is_declared(request):
        raise MissingCapabilityError(NEEDED, request.method)


def terms(request: Request, support: Support, store: TaskStore) -> TaskTerms | None:
    """Whether a call may become a task.

    Raises:
        MissingCapabilityError: when it can only be one, and the client does not know them.
    """
    if support == "forbidden":
        return None
    if support == "required":
        require(request)
    return TaskTerms(store) if is_declared(request) else None


def created(task: Task) -> Json:
    """The result of a call that has become a task."""
    return {"resultType": "task", **_fields(task)}


def detailed(task: Task) -> Json:
    """A task with what there is of its outcome."""
    found = _fields(task)
    if task.status == "input_required":
        found["inputRequests"] = {
            key: {"method": ask.method, "params": ask.params} for key, ask in task.questions.items()
        }
    elif task.status == "completed" and task.result is not None:
        found["result"] = Raw(task.result)
    elif task.status == "failed" and task.error is not None:
        found["error"] = Raw(task.error)
    return found


def get(request: Request, store: TaskStore) -> Json:
    """Answer `tasks/get`."""
    return detailed(_named(request, store))


def update(request: Request, store: TaskStore) -> Json:
    """Answer `tasks/update`."""
    _named(request, store).answer(cast("UpdateTaskParams", request.params).input_responses)
    return {}


def cancel(request: Request, store: TaskStore) -> Json:
    """Answer `tasks/cancel`."""
    _named(request, store).cancel()
    return {}


METHODS = {"tasks/get": get, "tasks/update": update, "tasks/cancel": cancel}


def _named(request: Request, store: TaskStore) -> Task:
    require(request)
    return store.find(cast("TaskParams", request.params).task_id, request)


def _fields(task: Task) -> Json:
    found: Json = {
        "taskId": task.id,
        "status": task.status,
        "createdAt": task.created,
        "lastUpdatedAt": task.updated,
        "ttlMs": task.ttl_ms,
        "pollIntervalMs": POLL_INTERVAL_MS,
    }
    if task.message is not None:
        found["statusMessage"] = task.message
    return found
