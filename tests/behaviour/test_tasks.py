"""Tasks of the extension: calls that continue after they were answered, in the stateless era."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.behaviour.line import Json, Line, plain, text_of
from tests.behaviour.reaching import WAYS, Reach
from tests.behaviour.wire import META_KEY, STATELESS

TASKS = f"{META_KEY}tasks"
KNOWING: Json = {"extensions": {TASKS: {}}, "elicitation": {}}
ADA: Json = {"action": "accept", "content": {"name": "Ada"}}
NO: Json = {"action": "decline"}


@pytest.fixture(params=WAYS)
def reach(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reach]:
    reach = Reach(request.param, tmp_path)
    yield reach
    assert reach.close() == []


@pytest.fixture
def line(reach: Reach) -> Line:
    """A client that knows tasks."""
    return reach(STATELESS, capabilities=KNOWING)


def begin(line: Line, tool: str, **arguments: object) -> Json:
    """The task that a call becomes."""
    answer = line.answer(line.begin_call(tool, dict(arguments)))
    assert "result" in answer, answer
    task: Json = answer["result"]
    assert task["resultType"] == "task", task
    return task


def get(line: Line, task: Json) -> Json:
    return plain(line.ask("tasks/get", {"taskId": task["taskId"]}))


def settle(line: Line, task: Json, until: Callable[[Json], bool] | None = None) -> Json:
    """The final state of a task; polled until it is final."""
    ended = until or (lambda found: found["status"] in ("completed", "failed", "cancelled"))
    for _ in range(2000):
        found = get(line, task)
        if ended(found):
            return found
    raise AssertionError(f"the task does not end: {found}")


def parked(line: Line, task: Json, *keys: str) -> Json:
    """A task that waits for answers to these questions."""
    return settle(line, task, lambda found: set(found.get("inputRequests", ())) == set(keys))


def update(line: Line, task: Json, **responses: Json) -> Json:
    return line.ask("tasks/update", {"taskId": task["taskId"], "inputResponses": responses})


def test_a_server_says_that_it_knows_tasks(line: Line) -> None:
    assert line.result("server/discover")["capabilities"]["extensions"][TASKS] == {}


@pytest.mark.parametrize("tool", ["work", "crunch"])
def test_a_task_works_and_completes_with_its_result(line: Line, tool: str) -> None:
    task = begin(line, tool)
    assert task["status"] == "working"
    assert task["ttlMs"] > 0
    assert task["pollIntervalMs"] > 0
    assert get(line, task)["status"] == "working"
    line.call("open_gate")
    found = settle(line, task)
    assert found["status"] == "completed"
    assert found["taskId"] == task["taskId"]
    assert found["createdAt"] == task["createdAt"] <= found["lastUpdatedAt"]
    assert text_of(found["result"]) == f"{tool}ed"


def test_ids_cannot_be_guessed(line: Line) -> None:
    ids = [begin(line, "must")["taskId"] for _ in range(10)]
    assert len(set(ids)) == 10
    assert all(len(task_id) >= 32 for task_id in ids)


def test_a_tool_that_fails_completes_its_task(line: Line) -> None:
    found = settle(line, begin(line, "fail"))
    assert found["status"] == "completed"
    assert found["result"]["isError"] is True
    assert found["result"]["content"][0]["text"] == "no luck"


def test_a_fault_of_the_protocol_fails_its_task(line: Line) -> None:
    found = settle(line, begin(line, "break_down"))
    assert found["status"] == "failed"
    assert found["error"] == {"code": -31999, "message": "broken", "data": {"part": "wheel"}}


def test_a_tool_that_is_not_a_task_is_answered_at_once(line: Line) -> None:
    assert line.text("never") == "at once"
    assert line.text("choose") == "task: False"


def test_the_parameter_of_the_older_era_is_ignored(line: Line) -> None:
    params = {"name": "never", "arguments": {}, "task": {"ttl": 5}}
    assert text_of(line.result("tools/call", params)) == "at once"


def test_a_client_that_does_not_know_tasks_gets_results(reach: Reach) -> None:
    line = reach(STATELESS)
    line.call("open_gate")
    assert line.text("work") == "worked"
    assert line.text("choose", {"ttl_ms": 1000}) == "task: False"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "must", "arguments": {}}),
        ("tasks/get", {"taskId": "x"}),
        ("tasks/update", {"taskId": "x", "inputResponses": {}}),
        ("tasks/cancel", {"taskId": "x"}),
        ("subscriptions/listen", {"notifications": {"taskIds": ["x"]}}),
    ],
)
def test_a_client_without_task_support_learns_which_capability_it_lacks(
    reach: Reach, method: str, params: Json
) -> None:
    error = reach(STATELESS, capabilities={"elicitation": {}}).error(method, params)
    assert error["code"] == -32021
    assert error["data"] == {"requiredCapabilities": {"extensions": {TASKS: {}}}}


@pytest.mark.parametrize("declared", [True, None, [], "yes"])
def test_a_declaration_must_be_an_object(reach: Reach, declared: object) -> None:
    line = reach(STATELESS, capabilities={"extensions": {TASKS: declared}})
    assert line.error("tools/call", {"name": "must", "arguments": {}})["code"] in (-32021, -32602)


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
def test_an_unknown_task_is_a_wrong_parameter(line: Line, method: str) -> None:
    params: Json = {"taskId": "0" * 48}
    if method == "tasks/update":
        params["inputResponses"] = {}
    assert line.error(method, params)["code"] == -32602


@pytest.mark.parametrize("method", ["tasks/result", "tasks/list"])
def test_methods_of_the_older_era_do_not_exist(line: Line, method: str) -> None:
    assert line.error(method, {"taskId": "x"})["code"] == -32601


@pytest.mark.parametrize("tool", ["work", "crunch"])
def test_cancelling_stops_the_work(line: Line, tool: str) -> None:
    task = begin(line, tool)
    line.call("has_begun")
    assert line.result("tasks/cancel", {"taskId": task["taskId"]}) == {}
    assert line.call("has_stopped")["structuredContent"] == {"result": True}
    assert get(line, task)["status"] == "cancelled"


def test_cancelling_what_has_ended_changes_nothing(line: Line) -> None:
    task = begin(line, "must")
    assert settle(line, task)["status"] == "completed"
    assert line.result("tasks/cancel", {"taskId": task["taskId"]}) == {}
    assert get(line, task)["status"] == "completed"


def test_a_late_outcome_does_not_revive_a_cancelled_task(line: Line) -> None:
    task = begin(line, "work")
    line.result("tasks/cancel", {"taskId": task["taskId"]})
    line.call("open_gate")
    assert text_of(settle(line, begin(line, "work"))["result"]) == "worked"
    assert get(line, task)["status"] == "cancelled"


@pytest.mark.parametrize("tool", ["ask", "ask_blocking"])
def test_a_task_waits_for_an_answer(line: Line, tool: str) -> None:
    task = begin(line, tool)
    found = parked(line, task, "name")
    assert found["status"] == "input_required"
    question = found["inputRequests"]["name"]
    assert question["method"] == "elicitation/create"
    assert question["params"]["message"] == "Name?"
    assert plain(update(line, task, name=ADA)) == {}
    found = settle(line, task)
    assert text_of(found["result"]) == "accept {'name': 'Ada'}"


def test_answers_may_come_one_by_one_and_keys_are_never_used_again(line: Line) -> None:
    task = begin(line, "ask_twice")
    parked(line, task, "one", "two")
    update(line, task, one=ADA)
    assert set(get(line, task)["inputRequests"]) == {"two"}
    update(line, task, two=NO)
    found = settle(line, task, lambda one: bool({*one.get("inputRequests", ())} - {"two"}))
    [key] = found["inputRequests"]
    assert key not in ("one", "two")
    update(line, task, one=NO)
    assert list(get(line, task)["inputRequests"]) == [key]
    update(line, task, **{key: {"action": "cancel"}})
    assert text_of(settle(line, task)["result"]) == "accept decline cancel"


def test_answers_that_no_one_asked_for_are_ignored(line: Line) -> None:
    task = begin(line, "ask")
    parked(line, task, "name")
    assert plain(update(line, task, other=ADA)) == {}
    assert get(line, task)["status"] == "input_required"
    update(line, task, name=NO, other=ADA)
    assert text_of(settle(line, task)["result"]) == "decline None"
    assert plain(update(line, task, name=ADA)) == {}


@pytest.mark.parametrize("responses", [None, [], "x"])
def test_answers_of_no_shape_are_refused(line: Line, responses: object) -> None:
    task = begin(line, "ask")
    parked(line, task, "name")
    params = {"taskId": task["taskId"], "inputResponses": responses}
    assert line.error("tasks/update", params)["code"] == -32602
    params["inputResponses"] = {"name": 5}
    assert line.error("tasks/update", params)["code"] == -32602
    update(line, task, name=NO)
    settle(line, task)


def test_a_task_that_waits_for_an_answer_can_be_cancelled(line: Line) -> None:
    task = begin(line, "park", ttl_ms=60_000)
    parked(line, task, "name")
    line.result("tasks/cancel", {"taskId": task["taskId"]})
    assert line.call("has_stopped")["structuredContent"] == {"result": True}
    assert get(line, task)["status"] == "cancelled"


def test_a_task_describes_its_progress(line: Line) -> None:
    task = begin(line, "talk")
    found = settle(line, task, lambda found: "statusMessage" in found)
    assert found["statusMessage"] == "half way"
    line.call("open_gate")
    assert text_of(settle(line, task)["result"]) == "talked"


def test_questions_before_the_task_are_rounds_and_those_after_are_its_own(line: Line) -> None:
    call = {"name": "escalate", "arguments": {}}
    first = line.ask("tools/call", call)["result"]
    assert first["resultType"] == "input_required"
    assert "taskId" not in first
    again = {"inputResponses": {"name": ADA}, "requestState": first["requestState"]}
    task = line.ask("tools/call", {**call, **again})["result"]
    assert task["resultType"] == "task"
    assert task["statusMessage"] == "on my way"
    parked(line, task, "sure")
    update(line, task, sure=NO)
    found = settle(line, task)
    assert text_of(found["result"]) == "{'name': 'Ada'} decline True"


def test_a_time_to_live_is_kept_and_then_forgotten(line: Line) -> None:
    task = begin(line, "choose", ttl_ms=1)
    assert task["ttlMs"] == 1
    for _ in range(2000):
        answer = line.ask("tasks/get", {"taskId": task["taskId"]})
        if "error" in answer:
            break
    assert answer["error"]["code"] == -32602


def test_a_task_that_waits_beyond_its_time_is_given_up(line: Line) -> None:
    task = begin(line, "park", ttl_ms=1)
    for _ in range(2000):
        answer = line.ask("tasks/get", {"taskId": task["taskId"]})
        if "error" in answer:
            break
    assert answer["error"]["code"] == -32602
    assert line.call("has_stopped")["structuredContent"] == {"result": True}


def test_a_listener_hears_of_every_change_of_its_tasks(line: Line) -> None:
    task, other = begin(line, "ask"), begin(line, "work")
    parked(line, task, "name")
    wishes = {"taskIds": [task["taskId"], "0" * 48]}
    listening = line.request("subscriptions/listen", {"notifications": wishes})
    acknowledged = line.notification("notifications/subscriptions/acknowledged")
    assert acknowledged["notifications"] == {"taskIds": [task["taskId"]]}
    heard = [line.notification("notifications/tasks")]
    assert heard[0]["_meta"] == {f"{META_KEY}subscriptionId": listening}
    assert list(heard[0]["inputRequests"]) == ["name"]
    update(line, task, name=ADA)
    while heard[-1]["status"] != "completed":
        heard.append(line.notification("notifications/tasks"))
    assert [one["status"] for one in heard] == ["input_required", "working", "completed"]
    assert {one["taskId"] for one in heard} == {task["taskId"]}
    assert text_of(heard[-1]["result"]) == "accept {'name': 'Ada'}"
    line.call("open_gate")
    assert text_of(settle(line, other)["result"]) == "worked"


def test_no_status_is_sent_for_a_task_that_no_client_listens_to(line: Line) -> None:
    task = begin(line, "talk")
    line.call("open_gate")
    settle(line, task)
    assert line.heard() == []


def test_progress_of_a_task_is_not_told(line: Line) -> None:
    params = {"name": "talk", "arguments": {}}
    task = line.answer(line.request("tools/call", params, progressToken="t"))["result"]
    line.call("open_gate")
    settle(line, task)
    assert line.heard() == []
