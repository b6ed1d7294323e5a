"""Tasks of sessions: the client asks for a call to be one, and fetches its result later."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.behaviour.line import Json, Line, text_of
from tests.behaviour.reaching import WAYS, Reach
from tests.behaviour.wire import META_KEY, SESSION

RELATED = f"{META_KEY}related-task"
ADA: Json = {"action": "accept", "content": {"name": "Ada"}}
FORM: Json = {"elicitation": {}}


@pytest.fixture(params=WAYS)
def reach(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reach]:
    reach = Reach(request.param, tmp_path)
    yield reach
    assert reach.close() == []


@pytest.fixture
def line(reach: Reach) -> Line:
    return reach(SESSION, capabilities=FORM)


def ask_for(line: Line, tool: str, **task: object) -> Json:
    """The answer to a call that is to become a task."""
    return line.ask("tools/call", {"name": tool, "arguments": {}, "task": task})


def begin(line: Line, tool: str, **terms: object) -> Json:
    answer = ask_for(line, tool, **terms)
    assert "result" in answer, answer
    task: Json = answer["result"]["task"]
    return task


def about(task: Json) -> Json:
    return {"taskId": task["taskId"]}


def fetch(line: Line, task: Json) -> Json:
    """The result of a task, which is waited for."""
    return line.result("tasks/result", about(task))


def statuses(line: Line, task: Json, last: str) -> list[str]:
    """What the client is reported a task, until a status."""
    told: list[str] = []
    while not told or told[-1] != last:
        params = line.notification("notifications/tasks/status")
        if params["taskId"] == task["taskId"]:
            told.append(params["status"])
    return told


def test_a_server_says_which_tools_can_be_tasks(reach: Reach) -> None:
    line = reach(SESSION)
    tools = {tool["name"]: tool for tool in line.result("tools/list")["tools"]}
    support = {name: tool.get("execution") for name, tool in tools.items()}
    assert support["must"] == {"taskSupport": "required"}
    assert support["work"] == {"taskSupport": "optional"}
    assert support["never"] in (None, {"taskSupport": "forbidden"})


def test_a_server_says_what_it_does_with_tasks(reach: Reach) -> None:
    line = reach(SESSION)
    welcome = line.open()["result"]
    assert welcome["capabilities"]["tasks"] == {
        "list": {},
        "cancel": {},
        "requests": {"tools": {"call": {}}},
    }


@pytest.mark.parametrize(("tool", "text"), [("work", "worked"), ("crunch", "crunched")])
def test_the_result_of_a_task_is_waited_for(line: Line, tool: str, text: str) -> None:
    task = begin(line, tool)
    assert task["status"] == "working"
    assert line.result("tasks/get", about(task))["status"] == "working"
    waiting = line.request("tasks/result", about(task))
    line.call("open_gate")
    answer = line.answer(waiting)
    assert text_of(answer["result"]) == text
    assert answer["result"]["_meta"] == {RELATED: about(task)}
    assert line.result("tasks/get", about(task))["status"] == "completed"
    assert text_of(fetch(line, task)) == text


def test_several_may_wait_for_one_result(line: Line) -> None:
    task = begin(line, "work")
    waiting = [line.request("tasks/result", about(task)) for _ in range(3)]
    line.call("open_gate")
    assert {text_of(line.answer(one)["result"]) for one in waiting} == {"worked"}


def test_the_client_is_reported_how_a_task_ends(line: Line) -> None:
    task = begin(line, "work")
    line.call("open_gate")
    assert statuses(line, task, "completed")[-1] == "completed"


def test_a_tool_that_fails_fails_its_task_and_has_a_result(line: Line) -> None:
    task = begin(line, "fail")
    result = fetch(line, task)
    assert result["isError"] is True
    assert result["content"][0]["text"] == "no luck"
    assert line.result("tasks/get", about(task))["status"] == "failed"


def test_a_protocol_error_is_the_answer_to_a_waiting_request(line: Line) -> None:
    task = begin(line, "break_down")
    error = line.error("tasks/result", about(task))
    assert (error["code"], error["data"]) == (-31999, {"part": "wheel"})
    assert line.result("tasks/get", about(task))["status"] == "failed"


def test_without_being_asked_an_optional_task_is_a_call(line: Line) -> None:
    line.call("open_gate")
    assert line.text("work") == "worked"


@pytest.mark.parametrize("terms", [None, {}])
def test_a_client_and_a_tool_must_agree_on_tasks(line: Line, terms: Json | None) -> None:
    if terms is None:
        error = line.error("tools/call", {"name": "must", "arguments": {}})
    else:
        error = line.error("tools/call", {"name": "never", "arguments": {}, "task": terms})
    assert error["code"] == -32601


@pytest.mark.parametrize("ttl", [0, -1, "long", 1.5])
def test_a_wrong_time_to_live_is_a_wrong_parameter(line: Line, ttl: object) -> None:
    params = {"name": "work", "arguments": {}, "task": {"ttl": ttl}}
    assert line.error("tools/call", params)["code"] == -32602


def test_the_time_to_live_is_what_was_asked_for(line: Line) -> None:
    assert begin(line, "work", ttl=60_000)["ttl"] == 60_000
    line.call("open_gate")


def test_a_task_is_forgotten_when_its_time_is_over(line: Line) -> None:
    task = begin(line, "must", ttl=1)
    for _ in range(2000):
        answer = line.ask("tasks/get", about(task))
        if "error" in answer:
            break
    assert answer["error"]["code"] == -32602
    assert line.result("tasks/list")["tasks"] == []


@pytest.mark.parametrize("tool", ["work", "crunch"])
def test_cancelling_stops_the_work(line: Line, tool: str) -> None:
    task = begin(line, tool)
    line.call("has_begun")
    waiting = line.request("tasks/result", about(task))
    cancelled = line.result("tasks/cancel", about(task))
    assert (cancelled["taskId"], cancelled["status"]) == (task["taskId"], "cancelled")
    assert line.call("has_stopped")["structuredContent"] == {"result": True}
    assert line.answer(waiting)["error"]["code"] == -32602
    assert statuses(line, task, "cancelled")[-1] == "cancelled"


def test_what_has_ended_cannot_be_cancelled(line: Line) -> None:
    task = begin(line, "must")
    fetch(line, task)
    assert line.error("tasks/cancel", about(task))["code"] == -32602


def test_cancelling_the_call_does_not_cancel_the_task(line: Line) -> None:
    frame = line.frame("tools/call", {"name": "work", "arguments": {}, "task": {}})
    line.send(frame)
    task = line.answer(frame["id"])["result"]["task"]
    line.cancel(frame["id"])
    line.call("open_gate")
    assert text_of(fetch(line, task)) == "worked"


@pytest.mark.parametrize("tool", ["ask", "ask_blocking"])
def test_a_question_goes_to_the_request_that_waits_for_the_result(line: Line, tool: str) -> None:
    task = begin(line, tool)
    waiting = line.request("tasks/result", about(task))
    question = line.question()
    assert question["method"] == "elicitation/create"
    assert question["params"]["_meta"] == {RELATED: about(task)}
    assert line.result("tasks/get", about(task))["status"] == "input_required"
    line.reply(question, ADA)
    assert text_of(line.answer(waiting)["result"]) == "accept {'name': 'Ada'}"
    assert "input_required" in statuses(line, task, "completed")


def test_a_question_withdrawn_by_cancelling_is_not_waited_for(line: Line) -> None:
    task = begin(line, "ask")
    waiting = line.request("tasks/result", about(task))
    question = line.question()
    line.result("tasks/cancel", about(task))
    assert line.answer(waiting)["error"]["code"] == -32602
    assert line.notification("notifications/cancelled")["requestId"] == question["id"]
    line.reply(question, ADA)
    assert line.result("tasks/get", about(task))["status"] == "cancelled"


def test_tasks_are_listed_page_by_page(line: Line) -> None:
    begun = [begin(line, "must")["taskId"] for _ in range(101)]
    first = line.result("tasks/list")
    second = line.result("tasks/list", {"cursor": first["nextCursor"]})
    assert "nextCursor" not in second
    assert [task["taskId"] for task in first["tasks"] + second["tasks"]] == begun
    assert line.error("tasks/list", {"cursor": "nonsense"})["code"] == -32602


@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/cancel"])
def test_an_unknown_task_is_a_wrong_parameter(line: Line, method: str) -> None:
    assert line.error(method, {"taskId": "0" * 48})["code"] == -32602


def test_a_method_of_the_newer_era_does_not_exist(line: Line) -> None:
    params = {"taskId": "x", "inputResponses": {}}
    assert line.error("tasks/update", params)["code"] in (-32601, -32602)


@pytest.mark.parametrize("version", ["2025-06-18", "2025-03-26", "2024-11-05"])
def test_older_versions_know_no_tasks(reach: Reach, version: str) -> None:
    line = reach(SESSION, version=version)
    line.call("open_gate")
    assert text_of(line.result("tools/call", {"name": "work", "arguments": {}, "task": {}})) == (
        "worked"
    )
    for method in ("tasks/get", "tasks/result", "tasks/cancel", "tasks/list"):
        assert line.error(method, {"taskId": "x"})["code"] == -32601


def test_an_older_version_runs_what_can_only_be_a_task(reach: Reach) -> None:
    assert reach(SESSION, version="2025-06-18").text("must") == "done"
