"""Whose a task is, where several clients share one server."""

import logging

import pytest

from paddock import Authorization, StaticTokens
from tests.behaviour.line import Json, text_of
from tests.behaviour.task_server import build
from tests.behaviour.wire import META_KEY
from tests.http.endpoint import Endpoint, call, stateless
from tests.http.hosting import Host

KNOWING: Json = {"extensions": {f"{META_KEY}tasks": {}}, "elicitation": {}}
ADA: dict[str, str | None] = {"Authorization": "Bearer of-ada"}
BOB: dict[str, str | None] = {"Authorization": "Bearer of-bob"}


def guarded(host: Host, on: str) -> Endpoint:
    tokens = StaticTokens({"of-ada": "ada", "of-bob": "bob"})
    authorization = Authorization(tokens, resource="http://localhost/mcp")
    return host(build(), on, authorization=authorization)


def about(method: str, task_id: str, **more: object) -> Json:
    return stateless(method, {"taskId": task_id, **more}, capabilities=KNOWING)


def test_a_task_exists_for_its_principal_only(host: Host, on: str) -> None:
    endpoint = guarded(host, on)
    task_id = endpoint.result(call("work", capabilities=KNOWING), ADA)["taskId"]
    for message in (
        about("tasks/get", task_id),
        about("tasks/cancel", task_id),
        about("tasks/update", task_id, inputResponses={}),
    ):
        answer = endpoint.post(message, BOB)
        assert (answer.status, answer.error_code) == (200, -32602)
    assert endpoint.result(about("tasks/get", task_id), ADA)["status"] == "working"
    endpoint.text(call("open_gate"), BOB)


def test_the_tasks_of_others_are_not_listened_to(host: Host) -> None:
    endpoint = guarded(host, "paddock")
    task_id = endpoint.result(call("work", capabilities=KNOWING), ADA)["taskId"]
    wishes = {"notifications": {"taskIds": [task_id]}}
    message = stateless("subscriptions/listen", wishes, capabilities=KNOWING)
    acknowledged = endpoint.post(message, BOB).message()
    assert acknowledged["params"]["notifications"] == {}
    endpoint.text(call("open_gate"), BOB)


def test_a_task_of_one_era_does_not_exist_in_the_other(host: Host) -> None:
    endpoint = guarded(host, "paddock")
    task_id = endpoint.result(call("work", capabilities=KNOWING), ADA)["taskId"]
    session = endpoint.initialize(headers=ADA)
    assert session.ask("tasks/get", {"taskId": task_id}).error_code == -32602
    assert session.ask("tasks/list").json["result"] == {"tasks": []}
    params = {"name": "work", "arguments": {}, "task": {}}
    theirs = session.ask("tools/call", params).json["result"]["task"]["taskId"]
    assert endpoint.post(about("tasks/get", theirs), ADA).error_code == -32602
    session.text("open_gate")


def test_sessions_see_their_own_tasks_where_no_one_is_known(host: Host, on: str) -> None:
    endpoint = host(build(), on)
    mine, other = endpoint.initialize(), endpoint.initialize()
    params = {"name": "work", "arguments": {}, "task": {}}
    task_id = mine.ask("tools/call", params).json["result"]["task"]["taskId"]
    for method in ("tasks/get", "tasks/cancel", "tasks/result"):
        assert other.ask(method, {"taskId": task_id}).error_code == -32602
    assert other.ask("tasks/list").json["result"] == {"tasks": []}
    [listed] = mine.ask("tasks/list").json["result"]["tasks"]
    assert listed["taskId"] == task_id
    mine.text("open_gate")


def test_a_principal_finds_its_tasks_in_a_later_session(host: Host) -> None:
    endpoint = guarded(host, "paddock")
    first = endpoint.initialize(headers=ADA)
    params = {"name": "work", "arguments": {}, "task": {}}
    task_id = first.ask("tools/call", params).json["result"]["task"]["taskId"]
    first.delete()
    later = endpoint.initialize(headers=ADA)
    [listed] = later.ask("tasks/list").json["result"]["tasks"]
    assert listed["taskId"] == task_id
    assert endpoint.initialize(headers=BOB).ask("tasks/list").json["result"] == {"tasks": []}
    later.text("open_gate")
    answer = later.ask("tasks/result", {"taskId": task_id}).messages()[-1]
    assert text_of(answer["result"]) == "worked"


def test_a_task_goes_on_when_the_client_that_began_it_leaves(host: Host, on: str) -> None:
    endpoint = host(build(), on)
    connection = endpoint.connect()
    answer = endpoint.post(call("work", capabilities=KNOWING), connection=connection)
    task_id = answer.json["result"]["taskId"]
    connection.reset()
    endpoint.text(call("open_gate"))
    for _ in range(2000):
        found = endpoint.result(about("tasks/get", task_id))
        if found["status"] != "working":
            break
    assert found["status"] == "completed"


def test_the_questions_of_a_task_arrive_on_the_stream_of_the_waiting_request(
    host: Host, on: str
) -> None:
    session = host(build(), on).initialize(capabilities={"elicitation": {}})
    standing = session.listen()
    params = {"name": "ask", "arguments": {}, "task": {}}
    task_id = session.ask("tools/call", params).json["result"]["task"]["taskId"]
    while standing.message()["params"]["status"] != "input_required":
        continue
    waiting = session.ask("tasks/result", {"taskId": task_id})
    question = waiting.message()
    assert question["method"] == "elicitation/create"
    session.reply(question, {"action": "decline"})
    [answer] = waiting.messages()
    assert text_of(answer["result"]) == "decline None"
    assert standing.message()["params"]["status"] == "working"


def test_a_task_that_no_one_can_fetch_is_stopped(host: Host, on: str) -> None:
    endpoint = host(build(), on)
    session = endpoint.initialize()
    params = {"name": "work", "arguments": {}, "task": {}}
    assert session.ask("tools/call", params).json["result"]["task"]["status"] == "working"
    endpoint.text(call("has_begun"))
    session.delete()
    assert endpoint.result(call("has_stopped"))["structuredContent"] == {"result": True}


@pytest.mark.parametrize("tool", ["work", "crunch"])
def test_tasks_are_stopped_without_complaint_when_the_server_ends(
    host: Host, on: str, tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint = host(build(), on)
    assert endpoint.result(call(tool, capabilities=KNOWING))["status"] == "working"
    endpoint.text(call("has_begun"))
    host.stop()
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.mark.parametrize("value", [None, "other"])
def test_the_id_of_a_task_is_mirrored(host: Host, value: str | None) -> None:
    endpoint = host(build())
    task_id = endpoint.result(call("must", capabilities=KNOWING))["taskId"]
    for message in (
        about("tasks/get", task_id),
        about("tasks/cancel", task_id),
        about("tasks/update", task_id, inputResponses={}),
    ):
        answer = endpoint.post(message, {"Mcp-Name": value})
        assert (answer.status, answer.error_code) == (400, -32020)
        assert endpoint.post(message).messages()[0]["result"]["resultType"] == "complete"
