"""What agents remember, over HTTP."""

from typing import Any

import pytest

from tests.app.serving import Client
from tests.zoo.rest.test_agents import code_of, make

BRAIN = "/api/agents/ada/brain"


def remember(api: Client, content: str, **fields: Any) -> dict[str, Any]:
    answer = api.post(BRAIN, json={"type": "note", "content": content, **fields})
    assert answer.status_code == 201
    made: dict[str, Any] = answer.json()
    return made


@pytest.fixture
def ada(api: Client) -> Client:
    """The API, with an agent."""
    make(api)
    return api


def contents(api: Client, **query: Any) -> list[str]:
    answer = api.get(BRAIN, params=query)
    assert answer.status_code == 200
    return [one["content"] for one in answer.json()]


def test_entry_gets_its_time_from_the_server(ada: Client) -> None:
    made = remember(ada, "  seen ", timestamp="1999-01-01T00:00:00.000Z", tags=[" a ", ""])
    assert (made["content"], made["tags"], made["agentId"]) == ("seen", ["a"], "ada")
    assert made["timestamp"] > "2020"
    assert made["metadata"] == {"source": "manual"}


@pytest.mark.parametrize(
    "body",
    [
        {"content": "x"},
        {"type": "note"},
        {"type": "gossip", "content": "x"},
        {"type": "note", "content": "  "},
        {"type": "note", "content": 5},
        {"type": "note", "content": "x", "tags": "a"},
        {"type": "note", "content": "x", "tags": [5]},
        {"type": "note", "content": "x", "pinned": "yes"},
        {"type": "note", "content": "x", "pinned": "true"},
        {"type": "note", "content": "x", "pinned": 1},
    ],
)
def test_entry_that_cannot_be_is_refused(ada: Client, body: dict[str, Any]) -> None:
    answer = ada.post(BRAIN, json=body)
    assert answer.status_code == 400
    assert answer.json()["details"]
    assert contents(ada) == []


def test_change_of_one_field_keeps_the_others(ada: Client) -> None:
    made = remember(ada, "seen", tags=["a"], metadata={"sessionId": "s1"})
    for method in ("PUT", "PATCH"):
        changed = ada.request(method, f"{BRAIN}/{made['id']}", json={"pinned": True}).json()
        assert {**changed, "version": 1, "updatedAt": made["updatedAt"]} == {
            **made,
            "pinned": True,
        }


def test_content_cannot_be_emptied(ada: Client) -> None:
    made = remember(ada, "seen")
    answer = ada.put(f"{BRAIN}/{made['id']}", json={"content": " "})
    assert code_of(answer) == (400, "INVALID_AGENT")
    assert contents(ada) == ["seen"]


def test_pin_says_what_it_wants_or_turns_round(ada: Client) -> None:
    path = f"{BRAIN}/{remember(ada, 'seen')['id']}/pin"
    assert [ada.patch(path).json()["pinned"] for _ in range(3)] == [True, False, True]
    assert [ada.patch(path, json={"pinned": True}).json()["pinned"] for _ in range(2)] == [
        True,
        True,
    ]


def test_newest_come_first_and_filters_choose(ada: Client) -> None:
    remember(ada, "one", tags=["red"], pinned=True)
    remember(ada, "two", type="decision", tags=["blue"])
    remember(ada, "three", tags=["red", "green"], metadata={"workspaceId": "w"})
    assert contents(ada) == ["three", "two", "one"]
    assert contents(ada, type="decision") == ["two"]
    assert contents(ada, tags="blue,green") == ["three", "two"]
    assert contents(ada, tags=["blue", "green"]) == ["three", "two"]
    assert contents(ada, pinned="true") == ["one"]
    assert contents(ada, text="THREE") == ["three"]
    assert contents(ada, workspaceId="w") == ["three"]
    assert contents(ada, dateFrom="2020-01-01", dateTo="2020-12-31") == []


def test_day_counts_to_its_end(ada: Client) -> None:
    made = remember(ada, "today")
    assert contents(ada, dateTo=made["timestamp"][:10]) == ["today"]
    assert contents(ada, dateFrom=made["timestamp"][:10]) == ["today"]


@pytest.mark.parametrize("query", [{"type": "x"}, {"dateFrom": "soon"}, {"pinned": "maybe"}])
def test_filter_that_makes_no_sense_is_refused(ada: Client, query: dict[str, str]) -> None:
    answer = ada.get(BRAIN, params=query)
    assert answer.status_code == 400
    assert [one["path"] for one in answer.json()["details"]] == [*query]


def test_pages_of_a_brain_lead_to_each_other(ada: Client) -> None:
    for number in range(3):
        remember(ada, str(number))
    first = ada.get(BRAIN, params={"limit": 2})
    assert [one["content"] for one in first.json()] == ["2", "1"]
    rest = ada.get(BRAIN, params={"limit": 2, "cursor": first.headers["X-Next-Cursor"]})
    assert [one["content"] for one in rest.json()] == ["0"]
    assert "X-Next-Cursor" not in rest.headers


def test_deleted_entry_can_be_restored(ada: Client) -> None:
    path = f"{BRAIN}/{remember(ada, 'seen')['id']}"
    assert ada.delete(path).status_code == 204
    assert code_of(ada.get(path)) == (404, "ENTRY_NOT_FOUND")
    assert ada.post(f"{path}/restore").json()["content"] == "seen"
    assert contents(ada) == ["seen"]


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_a_missing_entry_is_reported(ada: Client, method: str) -> None:
    body: dict[str, Any] | None = {} if method in ("PUT", "PATCH") else None
    answer = ada.request(method, f"{BRAIN}/nothing", json=body)
    assert code_of(answer) == (404, "ENTRY_NOT_FOUND")


def test_old_version_of_an_entry_is_refused(ada: Client) -> None:
    path = f"{BRAIN}/{remember(ada, 'seen')['id']}"
    ada.patch(path, json={"content": "mine"}, headers={"If-Match": '"1"'})
    answer = ada.patch(path, json={"content": "theirs"}, headers={"If-Match": '"1"'})
    assert code_of(answer) == (412, "VERSION_CONFLICT")
    assert answer.json()["details"]["current"]["content"] == "mine"


def test_search_finds_words_in_every_brain(ada: Client) -> None:
    make(ada, name="Eve")
    remember(ada, "the red barn")
    ada.post("/api/agents/eve/brain", json={"type": "note", "content": "a red fox"})
    found = ada.get("/api/brain/search", params={"text": "red"}).json()
    assert sorted((one["agentName"], one["entry"]["content"]) for one in found) == [
        ("Ada", "the red barn"),
        ("Eve", "a red fox"),
    ]
    alone = ada.get("/api/brain/search", params={"text": "red", "agentId": "eve"}).json()
    assert [one["agentName"] for one in alone] == ["Eve"]
    assert ada.get("/api/brain/search").status_code == 400


def test_hand_over_leaves_an_entry_with_the_other_agent(ada: Client) -> None:
    make(ada, name="Eve")
    entry = remember(ada, "the barn is red")
    answer = ada.post(
        "/api/agents/ada/hand-over",
        json={"toAgentId": "eve", "summary": "Paint it.", "entryIds": [entry["id"]]},
    )
    assert (answer.status_code, answer.json()["type"]) == (201, "handoff")
    assert "the barn is red" in answer.json()["content"]
    assert [one["type"] for one in ada.get("/api/agents/eve/brain").json()] == ["handoff"]


def test_preview_is_what_is_injected_with_its_memory(ada: Client) -> None:
    ada.patch("/api/agents/ada", json={"systemPrompt": "You count."})
    remember(ada, "the barn is red", pinned=True)
    preview = ada.get("/api/agents/ada/preview").json()
    injected = ada.post("/api/agents/ada/inject").json()
    assert injected == preview
    assert "the barn is red" in injected["prompt"]
    assert "".join(one["text"] for one in injected["sections"])
    without = ada.post("/api/agents/ada/inject", json={"memory": False}).json()
    assert "the barn is red" not in without["prompt"]
    small = ada.get("/api/agents/ada/preview", params={"budget": 1}).json()
    assert small["tokens"] < preview["tokens"]
