"""Agents over HTTP, as the clients of today know them."""

from typing import Any

import pytest

from tests.app.serving import Client


def make(api: Client, **fields: Any) -> dict[str, Any]:
    """An agent that is there."""
    answer = api.post("/api/agents", json={"name": "Ada", **fields})
    assert answer.status_code == 201
    made: dict[str, Any] = answer.json()
    return made


def code_of(answer: Any) -> tuple[int, str]:
    """What programs go by."""
    said = answer.json()
    assert set(said) == {"error", "code", "details"}
    return answer.status_code, said["code"]


def test_zoo_is_empty_at_first(api: Client) -> None:
    answer = api.get("/api/agents")
    assert (answer.status_code, answer.json()) == (200, [])


def test_agent_gets_all_its_fields(api: Client) -> None:
    made = make(api, id="Ada Lovelace!", systemPrompt="You count.", contextRefs=["notes.md"])
    times = {made.pop("createdAt"), made.pop("updatedAt")}
    assert len(times) == 1
    assert made == {
        "id": "ada-lovelace",
        "name": "Ada",
        "description": "",
        "systemPrompt": "You count.",
        "skillCategories": [{"id": "general", "name": "General", "color": "#61988E"}],
        "skills": [],
        "contextRefs": ["notes.md"],
        "appearanceSeed": "Ada Lovelace!",
        "tags": [],
        "injectsMemory": True,
        "archived": False,
        "extra": {},
        "version": 1,
    }


def test_agent_without_a_body_is_unnamed(api: Client) -> None:
    answer = api.post("/api/agents")
    assert (answer.status_code, answer.json()["name"]) == (201, "Unnamed")


def test_id_that_is_taken_gets_a_number(api: Client) -> None:
    assert [make(api)["id"] for _ in range(3)] == ["ada", "ada-2", "ada-3"]


def test_agents_are_listed_in_the_order_in_which_they_were_made(api: Client) -> None:
    for name in ("Zeta", "Alpha", "Mid"):
        make(api, name=name)
    assert [one["name"] for one in api.get("/api/agents").json()] == ["Zeta", "Alpha", "Mid"]


def test_pages_lead_to_each_other_by_a_header(api: Client) -> None:
    for number in range(5):
        make(api, name=f"A{number}")
    seen, cursor = [], None
    while True:
        query = {"limit": 2} if cursor is None else {"limit": 2, "cursor": cursor}
        page = api.get("/api/agents", params=query)
        seen += [one["name"] for one in page.json()]
        cursor = page.headers.get("X-Next-Cursor")
        if cursor is None:
            break
    assert seen == ["A0", "A1", "A2", "A3", "A4"]


def test_whole_agents_come_with_their_brain_only_when_asked_for(api: Client) -> None:
    make(api)
    api.post("/api/agents/ada/brain", json={"type": "note", "content": "seen"})
    assert "brainEntries" not in api.get("/api/agents").json()[0]
    with_brain = api.get("/api/agents", params={"brain": "true"}).json()
    assert [one["content"] for one in with_brain[0]["brainEntries"]] == ["seen"]
    one = api.get("/api/agents/ada", params={"brain": "true"}).json()
    assert [entry["content"] for entry in one["brainEntries"]] == ["seen"]


def test_summaries_have_the_fields_of_a_list(api: Client) -> None:
    make(api, tags=["math"], skills=[{"id": "s", "name": "Sums"}])
    make(api, name="Bob")
    found = api.get("/api/agents/summaries", params={"tag": "math"}).json()
    assert [one["skillNames"] for one in found["items"]] == [["Sums"]]
    assert found["nextCursor"] is None


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_change_keeps_what_is_left_out(api: Client, method: str) -> None:
    make(api, systemPrompt="You count.", skills=[{"id": "s", "name": "Sums"}])
    changed = api.request(method, "/api/agents/ada", json={"description": "counts"}).json()
    assert (changed["description"], changed["systemPrompt"], changed["version"]) == (
        "counts",
        "You count.",
        2,
    )
    assert [skill["id"] for skill in changed["skills"]] == ["s"]


def test_whole_agent_can_be_sent_back(api: Client) -> None:
    whole = api.get(f"/api/agents/{make(api)['id']}", params={"brain": "true"}).json()
    answer = api.put("/api/agents/ada", json={**whole, "name": "Ada L."})
    assert (answer.status_code, answer.json()["name"]) == (200, "Ada L.")
    assert answer.json()["createdAt"] == whole["createdAt"]


def test_id_cannot_be_changed(api: Client) -> None:
    make(api)
    assert code_of(api.put("/api/agents/ada", json={"id": "eve"})) == (400, "INVALID_AGENT")
    assert api.get("/api/agents/ada").status_code == 200


def test_unknown_key_is_refused_and_named(api: Client) -> None:
    make(api)
    answer = api.put("/api/agents/ada", json={"personality": "kind"})
    assert code_of(answer) == (400, "INVALID_ARGUMENTS")
    assert "personality" in answer.json()["error"]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"skills": "nope"}, "skills"),
        ({"name": 5}, "name"),
        ({"tags": [1]}, "tags[0]"),
        ({"skills": [{"id": "s", "name": ""}]}, "skills[0].name"),
        ({"name": ""}, "name"),
        ({"name": "n" * 101}, "name"),
        ({"systemPrompt": "p" * 100_001}, "systemPrompt"),
    ],
)
def test_fields_of_the_wrong_kind_are_refused(
    api: Client, fields: dict[str, Any], path: str
) -> None:
    make(api)
    for method, url in (("POST", "/api/agents"), ("PUT", "/api/agents/ada")):
        answer = api.request(method, url, json=fields)
        assert answer.status_code == 400
        said = answer.json()
        assert [one["path"] for one in said["details"]] == [path]
    assert api.get("/api/agents/ada").json()["version"] == 1


def test_half_a_character_is_refused(api: Client) -> None:
    body = b'{"name": "half \\ud800 a pair"}'
    answer = api.post("/api/agents", content=body, headers={"Content-Type": "application/json"})
    assert code_of(answer) == (400, "INVALID_ARGUMENTS")


def test_change_of_an_old_version_is_refused_with_the_current_one(api: Client) -> None:
    make(api)
    tag = api.get("/api/agents/ada").headers["ETag"]
    mine = api.patch("/api/agents/ada", json={"name": "Mine"}, headers={"If-Match": tag})
    assert (mine.status_code, mine.headers["ETag"]) == (200, '"2"')
    theirs = api.patch("/api/agents/ada", json={"name": "Theirs"}, headers={"If-Match": tag})
    assert code_of(theirs) == (412, "VERSION_CONFLICT")
    assert theirs.json()["details"]["current"] == mine.json()


@pytest.mark.parametrize(("tag", "status"), [("*", 200), ('W/"1"', 200), ("1", 400), ('"x"', 400)])
def test_if_match_is_a_version_in_quotes(api: Client, tag: str, status: int) -> None:
    make(api)
    answer = api.patch("/api/agents/ada", json={"name": "N"}, headers={"If-Match": tag})
    assert answer.status_code == status


def test_deleted_agent_is_in_the_bin_and_comes_back(api: Client) -> None:
    made = make(api)
    gone = api.request("DELETE", "/api/agents/ada", headers={"Content-Type": "application/json"})
    assert (gone.status_code, gone.content) == (204, b"")
    assert code_of(api.get("/api/agents/ada")) == (404, "AGENT_NOT_FOUND")
    assert [one["id"] for one in api.get("/api/bin").json()] == ["ada"]
    assert api.post("/api/agents/ada/restore").json()["createdAt"] == made["createdAt"]
    assert api.get("/api/bin").json() == []


def test_agent_in_the_bin_can_be_deleted_for_good(api: Client) -> None:
    make(api)
    assert code_of(api.delete("/api/bin/ada")) == (404, "AGENT_NOT_FOUND")
    api.delete("/api/agents/ada")
    assert api.delete("/api/bin/ada").status_code == 204
    assert api.post("/api/agents/ada/restore").status_code == 404


def test_copy_has_soul_and_skills_and_another_id(api: Client) -> None:
    make(api, systemPrompt="You count.")
    copy = api.post("/api/agents/ada/duplicate", json={"name": "Eve"})
    assert copy.status_code == 201
    assert (copy.json()["id"], copy.json()["systemPrompt"]) == ("eve", "You count.")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/agents/missing"),
        ("PUT", "/api/agents/missing"),
        ("PATCH", "/api/agents/missing"),
        ("DELETE", "/api/agents/missing"),
        ("POST", "/api/agents/missing/duplicate"),
        ("POST", "/api/agents/missing/restore"),
        ("GET", "/api/agents/missing/brain"),
        ("GET", "/api/agents/missing/versions"),
        ("GET", "/api/agents/missing/preview"),
        ("POST", "/api/agents/missing/inject"),
        ("GET", "/api/agents/missing/skill-findings"),
    ],
)
def test_a_missing_agent_is_reported_by_every_route(api: Client, method: str, path: str) -> None:
    body: dict[str, Any] | None = {} if method in ("PUT", "PATCH") else None
    assert code_of(api.request(method, path, json=body)) == (404, "AGENT_NOT_FOUND")


@pytest.mark.parametrize("name", ["%2e%2e", "a b", "Ümlaut", "x" * 3000, "<script>"])
def test_ids_that_no_agent_can_have_are_not_found(api: Client, name: str) -> None:
    assert code_of(api.get(f"/api/agents/{name}"))[0] == 404


@pytest.mark.parametrize("address", ["/api/agents/a%00b", "/api/agents?text=a%00b"])
def test_address_with_a_nul_is_refused(api: Client, address: str) -> None:
    assert code_of(api.get(address)) == (400, "INVALID_ARGUMENTS")
