"""Events as they happen, from this process and from others, over real sockets."""

import subprocess
import sys
from itertools import islice

import pytest

from paddock import connect
from paddock.installer.entry_checks import CHECK_CLIENT_NAME
from paddock.zoo.opening import get_database_info
from paddock.zoo.service import Zoo
from tests.app.events import Heard, listening
from tests.app.serving import PATIENCE, Served, make_application, served

WRITER = """
import sys
from paddock.zoo.opening import open_zoo
with open_zoo(sys.argv[1]) as zoo:
    agent = zoo.agents.create({"name": "Elsewhere"}, source="cli")
    zoo.brain.create_entry(agent.id, "note", "seen", source="mcp")
    zoo.injector.inject(agent.id, source="mcp")
"""


def kinds(heard: list[Heard]) -> list[tuple[str, str]]:
    return [(one.kind, one.data["source"]) for one in heard]


def test_changes_of_another_process_are_heard(server: Served, zoo: Zoo) -> None:
    with listening(server.http) as events:
        subprocess.run(
            [sys.executable, "-c", WRITER, get_database_info(zoo).location],
            check=True,
            timeout=PATIENCE,
        )
        heard = list(islice(events, 3))
    assert kinds(heard) == [
        ("agent:created", "cli"),
        ("brain:written", "mcp"),
        ("agent:injected", "mcp"),
    ]
    assert [one.data["agentId"] for one in heard] == ["elsewhere"] * 3
    assert [one.id for one in heard] == sorted({one.data["id"] for one in heard})


def test_everyone_who_listens_hears_each_event_once(server: Served) -> None:
    with listening(server.http) as first, listening(server.http) as second:
        for name in ("One", "Two"):
            server.http.post("/api/agents", json={"name": name})
        for events in (first, second):
            assert [one.data["agentId"] for one in islice(events, 2)] == ["one", "two"]


def test_what_was_missed_is_reported_first(server: Served) -> None:
    with listening(server.http) as events:
        server.http.post("/api/agents", json={"name": "Before"})
        last = next(events)
    missed = [server.http.post("/api/agents", json={"name": f"Missed {n}"}) for n in range(3)]
    with listening(server.http, **{"Last-Event-ID": str(last.id)}) as events:
        now = server.http.post("/api/agents", json={"name": "Now"})
        heard = list(islice(events, 4))
    assert [one.data["agentId"] for one in heard] == [one.json()["id"] for one in [*missed, now]]


@pytest.mark.parametrize("last", ["999999999", "-1", "x", "9" * 5000])
def test_id_that_was_never_given_out_is_not_a_reason_to_hear_nothing(
    server: Served, last: str
) -> None:
    with listening(server.http, **{"Last-Event-ID": last}) as events:
        made = server.http.post("/api/agents", json={"name": "Heard"}).json()
        heard = next(one for one in events if one.kind != "reset")
    assert heard.data["agentId"] == made["id"]


def test_client_of_an_endpoint_shows_up_live(server: Served) -> None:
    with listening(server.http) as events:
        with connect(
            f"{server.url}/mcp/Demo", client_info={"name": "editor", "version": "2"}
        ) as peer:
            assert peer.call("greet", name="Ada").text == "Hello, Ada!"
        heard = [next(events)]
        while heard[-1].data.get("tool") is None:
            heard.append(next(events))
    assert {(one.kind, one.id) for one in heard} == {("connection", None)}
    last = heard[-1].data
    assert (last["server"], last["client"], last["version"], last["tool"]) == (
        "Demo",
        "editor",
        "2",
        "greet",
    )
    known = server.http.get("/api/connections").json()
    assert known[0]["client"] == "editor"


def test_an_installation_that_tries_an_endpoint_is_not_a_client(server: Served) -> None:
    for name in (CHECK_CLIENT_NAME, "editor"):
        with connect(f"{server.url}/mcp/Demo", client_info={"name": name, "version": "2"}) as peer:
            assert peer.tools()
    assert [one["client"] for one in server.http.get("/api/connections").json()] == ["editor"]


def test_server_ends_cleanly_under_an_open_stream(zoo: Zoo) -> None:
    with served(make_application(zoo)) as server, listening(server.http) as events:
        server.http.post("/api/agents", json={"name": "Last"})
        assert next(events).kind == "agent:created"
        server.stop()
        assert list(events) == []
        server.thread.join(PATIENCE)
        assert not server.thread.is_alive()


def test_page_finds_the_server_again_and_misses_nothing(zoo: Zoo) -> None:
    with served(make_application(zoo)) as server, listening(server.http) as events:
        server.http.post("/api/agents", json={"name": "Then"})
        last = next(events).id
    made = zoo.agents.create({"name": "Later"})
    with (
        served(make_application(zoo)) as again,
        listening(again.http, **{"Last-Event-ID": str(last)}) as events,
    ):
        assert next(events).data["agentId"] == made.id


def test_events_of_one_owner_are_not_a_business_of_another(zoo: Zoo) -> None:
    other = zoo.for_owner("another")
    with served(make_application(zoo)) as server, listening(server.http) as events:
        other.agents.create({"name": "Secret"})
        server.http.post("/api/agents", json={"name": "Mine"})
        assert next(events).data["agentId"].startswith("mine")


def test_the_stream_is_never_cached(server: Served) -> None:
    with server.http.stream("GET", "/api/events") as answer:
        assert answer.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Accel-Buffering"] == "no"
