"""The console: servers, tools, extensions, engines and clients over HTTP."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.zoo.opening import open_zoo
from tests.app.serving import Client, client_of, make_application


@pytest.fixture
def console(data: Path) -> Iterator[Client]:
    """The application of a user who has nothing yet."""
    (data / "home" / ".cursor").mkdir(parents=True)
    with open_zoo() as zoo, client_of(make_application(zoo)) as client:
        yield client


def define(data: Path, name: str, text: str) -> Path:
    """A server of the user's own."""
    folder = data / "data" / "servers"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.toml"
    file.write_text(text)
    return file


def test_built_in_servers_are_listed_with_what_they_have(console: Client) -> None:
    listed = {one["name"]: one for one in console.get("/api/servers").json()}
    demo = listed["Demo"]
    assert (demo["source"], demo["url"], demo["problem"]) == ("built-in", "/mcp/Demo", None)
    assert demo["tools"] > 0
    assert demo["prompts"] > 0
    assert demo["findings"] == 0


def test_server_is_shown_as_its_clients_see_it(console: Client) -> None:
    demo = console.get("/api/servers/Demo").json()
    greet = next(tool for tool in demo["tools"] if tool["name"] == "greet")
    assert greet["inputSchema"]["required"] == ["name"]
    assert demo["instructions"]
    assert demo["prompts"]
    assert demo["resources"]
    assert demo["configuration"]["mcpServers"]["Demo"]["command"]
    assert demo["problem"] is None


def test_tool_is_called(console: Client) -> None:
    answer = console.post(
        "/api/servers/Demo/tools/greet/call", json={"arguments": {"name": "Ada"}}
    ).json()
    assert answer.pop("milliseconds") >= 0
    assert answer == {
        "content": [{"type": "text", "text": "Hello, Ada!"}],
        "structuredContent": None,
        "isError": False,
    }


def test_picture_comes_in_base64(console: Client) -> None:
    answer = console.post(
        "/api/servers/Demo/tools/draw_picture/call", json={"arguments": {"seed": "a"}}
    )
    kinds = {one["type"]: one for one in answer.json()["content"]}
    assert kinds["image"]["mimeType"].startswith("image/")
    assert isinstance(kinds["image"]["data"], str)


def test_tool_that_fails_answers_as_it_would_a_model(console: Client) -> None:
    answer = console.post("/api/servers/Demo/tools/greet/call", json={"arguments": {"name": 5}})
    assert (answer.status_code, answer.json()["isError"]) == (200, True)


def test_tool_that_asks_a_person_says_that_no_one_is_there(console: Client) -> None:
    answer = console.post("/api/servers/Demo/tools/ask_person/call", json={"arguments": {}})
    assert answer.status_code in (200, 400)
    assert answer.json().get("isError", True)


def test_prompt_is_given(console: Client) -> None:
    demo = console.get("/api/servers/Demo").json()
    name = demo["prompts"][0]["name"]
    answer = console.post(f"/api/servers/Demo/prompts/{name}", json={"arguments": {}})
    assert [one["role"] for one in answer.json()["messages"]]


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/api/servers/Deno", "SERVER_NOT_FOUND"),
        ("POST", "/api/servers/Deno/tools/greet/call", "SERVER_NOT_FOUND"),
        ("POST", "/api/servers/Demo/tools/great/call", "NOT_FOUND"),
        ("POST", "/api/servers/Demo/prompts/none", "NOT_FOUND"),
        ("GET", "/api/servers/acme~charts~None", "EXTENSION_NOT_INSTALLED"),
        ("POST", "/api/clients/cursed/plan", "UNSUPPORTED_CLIENT"),
    ],
)
def test_a_missing_resource_is_reported(console: Client, method: str, path: str, code: str) -> None:
    body: dict[str, object] = {"server": "Demo"} if "/clients/" in path else {"arguments": {}}
    answer = console.request(method, path, json=body if method == "POST" else None)
    assert (answer.status_code, answer.json()["code"]) == (404, code)


def test_broken_server_is_listed_and_hides_no_other(console: Client, data: Path) -> None:
    define(data, "Broken", "tools = [")
    listed = {one["name"]: one for one in console.get("/api/servers").json()}
    assert listed["Broken"]["problem"]
    assert listed["Broken"]["source"] == "user"
    assert listed["Demo"]["problem"] is None
    shown = console.get("/api/servers/Broken").json()
    assert shown["problem"]
    assert shown["findings"]


def test_server_whose_definition_changes_is_loaded_again(console: Client, data: Path) -> None:
    file = define(data, "Mine", 'tools = ["DemoGreet"]\n')
    assert [tool["name"] for tool in console.get("/api/servers/Mine").json()["tools"]] == ["greet"]
    file.write_text('tools = ["DemoGreet", "DemoDice"]\n')
    names = [tool["name"] for tool in console.get("/api/servers/Mine").json()["tools"]]
    assert names == ["greet", "roll_dice"]


def test_extensions_and_engines_are_listed(console: Client) -> None:
    own = console.get("/api/extensions").json()[0]
    assert {"Demo"} <= {one["name"] for one in own["servers"]}
    assert own["problem"] is None
    engines = console.get("/api/engines").json()
    assert any(one["isChosen"] for one in engines)
    assert all(one["howToGet"] for one in engines)


def test_clients_that_are_here_come_first(console: Client) -> None:
    listed = console.get("/api/clients").json()
    cursor = next(one for one in listed if one["name"] == "cursor")
    assert cursor["detected"]
    assert cursor["path"].endswith("/home/.cursor/mcp.json")
    flags = [one["detected"] for one in listed]
    assert flags == sorted(flags, reverse=True)


def test_plan_shows_the_change_and_makes_none(console: Client, data: Path) -> None:
    plan = console.post("/api/clients/cursor/plan", json={"server": "Demo"}).json()
    assert '+    "Demo": {' in plan["diff"]
    assert plan["isApplied"] is False
    assert not (data / "home" / ".cursor" / "mcp.json").exists()


def test_server_is_installed_and_taken_out_again(console: Client, data: Path) -> None:
    file = data / "home" / ".cursor" / "mcp.json"
    body = {"server": "Demo", "url": "http://127.0.0.1:3912/mcp/Demo"}
    done = console.post("/api/clients/cursor/plan", json=body).json()
    assert "http://127.0.0.1:3912/mcp/Demo" in done["diff"]
    # No one listens at that URL, and an entry that does not work is not written.
    refused = console.post("/api/clients/cursor/install", json=body)
    assert refused.status_code == 400
    assert not file.exists()
    applied = console.post("/api/clients/cursor/install", json={"server": "Demo"}).json()
    assert applied["isApplied"]
    assert [*json.loads(file.read_text())["mcpServers"]] == ["Demo"]
    listed = console.get("/api/clients").json()
    assert next(one for one in listed if one["name"] == "cursor")["installed"] == ["Demo"]
    gone = console.post("/api/clients/cursor/uninstall", json={"server": "Demo"})
    assert [one["isApplied"] for one in gone.json()] == [True]
    assert not file.exists()


def test_entry_of_someone_else_is_not_replaced_unasked(console: Client, data: Path) -> None:
    file = data / "home" / ".cursor" / "mcp.json"
    file.write_text('{"mcpServers": {"Demo": {"command": "theirs"}}}')
    answer = console.post("/api/clients/cursor/plan", json={"server": "Demo"})
    assert (answer.status_code, answer.json()["code"]) == (409, "FOREIGN_ENTRY")
    plan = console.post("/api/clients/cursor/plan", json={"server": "Demo", "replace": True})
    assert plan.status_code == 200
    assert "theirs" in file.read_text()
