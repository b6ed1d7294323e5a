import json
import threading
from collections.abc import Callable

import pytest

from paddock.client.connect import connect
from paddock.client.connect_options import Json
from paddock.client.errors import PeerError
from paddock.client.notifications import MAX_PENDING_NOTIFICATIONS

Script = Callable[[str], list[str]]

TALKATIVE = """
{opening}
call = read()
token = call["params"]["_meta"]["progressToken"]
send(method="notifications/progress", params={{"progressToken": token, "progress": 1}})
send(method="notifications/message", params={{"level": "info", "data": "hello"}})
send(method="notifications/tools/list_changed")
say(call, "done")
read()
"""


@pytest.mark.parametrize("opening", ["open_session()", "open_stateless()"])
def test_notifications_are_delivered_before_the_answer_that_follows_them(
    script: Script, opening: str
) -> None:
    logs: list[Json] = []
    progress: list[object] = []
    everything: list[str] = []
    with connect(
        script(TALKATIVE.format(opening=opening)),
        on_log=logs.append,
        on_progress=lambda params: progress.append(params["progress"]),
        on_notification=lambda method, _: everything.append(method),
    ) as peer:
        assert peer.call("talk").text == "done"
        assert logs == [{"level": "info", "data": "hello"}]
        assert progress == [1]
        assert everything == [
            "notifications/progress",
            "notifications/message",
            "notifications/tools/list_changed",
        ]


def test_a_callback_for_notifications_may_call_the_server(script: Script) -> None:
    command = script("""
open_stateless()
call = read()
send(method="notifications/tools/list_changed")
say(call, "changed")
reply(read(), tools=[])
""")
    listed: list[object] = []
    with connect(
        command, on_notification=lambda _method, _params: listed.append(peer.tools())
    ) as peer:
        assert peer.call("change").text == "changed"
        assert listed == [[]]


def test_a_failing_callback_does_not_stop_the_others(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda details: faults.append(details.exc_type))
    heard: list[object] = []

    def on_log(params: Json) -> None:
        heard.append(params["data"])
        if params["data"] == 1:
            raise LookupError

    command = script("""
open_session()
call = read()
for number in (1, 2):
    send(method="notifications/message", params={"level": "info", "data": number})
say(call, "done")
""")
    with connect(command, on_log=on_log) as peer:
        peer.call("talk")
    assert heard == [1, 2]
    assert faults == [LookupError]


def test_notifications_that_no_one_takes_do_not_pile_up_without_end(
    script: Script, caplog: pytest.LogCaptureFixture
) -> None:
    command = script(f"""
open_session()
call = read()
for number in range({MAX_PENDING_NOTIFICATIONS + 500}):
    send(method="notifications/message", params={{"level": "info", "data": number}})
say(call, "done")
read()
""")
    awake = threading.Event()
    heard: list[object] = []

    def on_log(params: Json) -> None:
        assert awake.wait(20)
        heard.append(params["data"])

    with connect(command, on_log=on_log) as peer:
        call = peer.start("tools/call", {"name": "talk"})
        call.outcome()
        awake.set()
        call.result()
    assert heard == list(range(MAX_PENDING_NOTIFICATIONS))
    assert len(caplog.messages) == 1


def test_the_log_level_is_set_in_the_way_of_the_session(script: Script) -> None:
    with connect(script("open_session(); reply(read()); read()"), record=True) as peer:
        peer.set_log_level("warning")
    request = json.loads(peer.sent[-1])
    assert (request["method"], request["params"]) == ("logging/setLevel", {"level": "warning"})


def test_without_a_session_every_request_names_the_log_level(script: Script) -> None:
    with connect(script("open_stateless(); say(read(), ''); read()"), record=True) as peer:
        peer.set_log_level("warning")
        peer.call("talk")
    meta = json.loads(peer.sent[-1])["params"]["_meta"]
    assert meta["io.modelcontextprotocol/logLevel"] == "warning"


def test_a_log_level_that_does_not_exist_is_refused(script: Script) -> None:
    with connect(script("open_stateless(); read()")) as peer, pytest.raises(PeerError) as caught:
        peer.set_log_level("loud")  # type: ignore[arg-type]  # what is tested
    assert caught.value.rpc_code == -32602


LISTEN = """
open_stateless()
KEY = "io.modelcontextprotocol/subscriptionId"
request = read()
tag = {"_meta": {KEY: request["id"]}}
honoured = {"toolsListChanged": True}
send(method="notifications/subscriptions/acknowledged", params={"notifications": honoured, **tag})
send(method="notifications/tools/list_changed", params=tag)
"""


def test_listening_brings_changes_until_it_is_closed(script: Script) -> None:
    is_changed = threading.Event()

    def on_notification(method: str, _: Json) -> None:
        if method == "notifications/tools/list_changed":
            is_changed.set()

    command = script(LISTEN + "say(request | {'id': read()['params']['requestId']}, ''); read()")
    with connect(command, on_notification=on_notification, record=True) as peer:
        with peer.listen(tools=True, resources=True, uris=["data://x"]) as listening:
            assert listening.acknowledged_filter == {"toolsListChanged": True}
            assert is_changed.wait(5)
            assert listening.is_open
        assert not listening.is_open
    asked, closed = (json.loads(frame) for frame in peer.sent[1:])
    assert asked["params"]["notifications"] == {
        "toolsListChanged": True,
        "resourcesListChanged": True,
        "resourceSubscriptions": ["data://x"],
    }
    assert (closed["method"], closed["params"]) == (
        "notifications/cancelled",
        {"requestId": asked["id"]},
    )


@pytest.mark.parametrize(
    "ending",
    ["reply(request, **tag)", "send(method='notifications/cancelled', params={'requestId': 2})"],
)
def test_a_server_may_end_what_listens(script: Script, ending: str) -> None:
    command = script(LISTEN + f"call = read(); {ending}; say(call, 'ended')")
    with connect(command) as peer:
        listening = peer.listen(tools=True)
        assert peer.call("end").text == "ended"
        assert not listening.is_open


def test_a_refused_listener_is_an_error(script: Script) -> None:
    command = script("open_stateless(); fail(read(), -32603, 'Too many'); read()")
    with connect(command) as peer, pytest.raises(PeerError, match="Too many"):
        peer.listen(tools=True)


def test_methods_of_the_other_era_are_refused_with_what_to_do(script: Script) -> None:
    with connect(script("open_stateless(); read()")) as peer:
        for use in (peer.ping, lambda: peer.subscribe("x://"), lambda: peer.unsubscribe("x://")):
            with pytest.raises(PeerError) as caught:
                use()
            assert caught.value.rpc_code == -32601
    with connect(script("open_session(); read()")) as peer:
        with pytest.raises(PeerError, match="subscribe") as caught:
            peer.listen(tools=True)
        assert caught.value.rpc_code == -32601
