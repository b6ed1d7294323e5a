"""The tasks that a server keeps: how many, for whom, and what of them."""

import pytest

from paddock.authoring.base_server import BaseServer
from paddock.authoring.methods import ServerMethods
from paddock.protocol.connection import ServerConnection
from paddock.protocol.dispatcher import ProtocolEras
from paddock.protocol.errors import ProtocolError
from paddock.protocol.params import CallToolParams
from paddock.protocol.request import Request
from paddock.protocol.tasks import CallTask, TaskStore


def request(connection: ServerConnection) -> Request:
    eras = ProtocolEras(ServerMethods(BaseServer("any")))
    params = CallToolParams(name="work")
    return Request(connection, eras.session, 1, "tools/call", params, b"x" * 1000)


def ended(store: TaskStore, connection: ServerConnection) -> CallTask:
    task = store.create(request(connection), None)
    task.add_answer(b'{"jsonrpc":"2.0","id":1,"result":{"content":[]}}')
    return task


def test_outcomes_make_room_for_further_tasks_of_the_same_client() -> None:
    store, mine, yours = TaskStore(limit=3), ServerConnection(print), ServerConnection(print)
    kept, first, second = ended(store, yours), ended(store, mine), ended(store, mine)
    third = ended(store, mine)
    assert store.list_tasks(request(yours)) == [kept]
    assert store.list_tasks(request(mine)) == [second, third]
    assert first.status == "completed"


def test_a_client_whose_tasks_are_all_under_way_cannot_have_more() -> None:
    store, mine = TaskStore(limit=2), ServerConnection(print)
    for _ in range(2):
        store.create(request(mine), None)
    with pytest.raises(ProtocolError, match="already has 2 tasks"):
        store.create(request(mine), None)


def test_a_task_that_is_over_keeps_nothing_of_its_request() -> None:
    store = TaskStore()
    task = ended(store, ServerConnection(print))
    assert len(task.request.line) < 10
    assert not isinstance(task.request.params, CallToolParams)
