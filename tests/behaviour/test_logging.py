"""Log messages to the client, in each era's way."""

from pathlib import Path

import pytest

from paddock import Context, Server
from tests.behaviour.line import Json, Line, error_text
from tests.behaviour.wire import META_KEY, SESSION, STATELESS
from tests.conftest import Connect

LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


def chatty() -> Server:
    server = Server("s")

    @server.tool
    def chat(ctx: Context) -> list[bool]:
        return [ctx.log(level, f"at {level}", "chat") for level in LEVELS]

    return server


def levels(line: Line) -> list[str]:
    return [message["params"]["level"] for message in line.heard()]


def test_setting_the_level_is_answered_with_exactly_an_empty_object(connect: Connect) -> None:
    assert connect(Server("s")).ask("logging/setLevel", {"level": "debug"})["result"] == {}


@pytest.mark.parametrize("level", LEVELS)
def test_a_session_hears_what_is_at_its_level_or_above(connect: Connect, level: str) -> None:
    line = connect(chatty())
    line.ask("logging/setLevel", {"level": level})
    assert line.text("chat") is not None
    assert levels(line) == LEVELS[LEVELS.index(level) :]


@pytest.mark.parametrize("level", LEVELS)
def test_a_stateless_request_hears_what_is_at_its_own_level_or_above(
    connect: Connect, level: str
) -> None:
    line = connect(chatty(), STATELESS)
    meta: Json = {f"{META_KEY}logLevel": level}
    line.call("chat", **meta)
    assert levels(line) == LEVELS[LEVELS.index(level) :]
    line.call("chat")
    assert levels(line) == []


@pytest.mark.parametrize("params", [{}, {"level": "loud"}, {"level": 1}, {"level": None}])
def test_an_unknown_level_is_invalid_params(connect: Connect, params: Json) -> None:
    assert connect(Server("s")).error("logging/setLevel", params)["code"] == -32602


def test_a_message_has_its_level_logger_and_any_data(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def chat(ctx: Context) -> None:
        ctx.log("warning", {"disk": ["full", 99.5]}, "disks")
        ctx.error("text")

    line = connect(server, era)
    meta: Json = {f"{META_KEY}logLevel": "info"} if era == STATELESS else {}
    line.call("chat", **meta)
    assert [message["params"] for message in line.heard()] == [
        {"level": "warning", "data": {"disk": ["full", 99.5]}, "logger": "disks"},
        {"level": "error", "data": "text"},
    ]


def test_debug_info_warning_and_error_are_short_for_their_levels(connect: Connect) -> None:
    server = Server("s")

    @server.tool
    def chat(ctx: Context) -> list[bool]:
        return [ctx.debug(1), ctx.info(2), ctx.warning(3), ctx.error(4)]

    line = connect(server)
    line.ask("logging/setLevel", {"level": "debug"})
    line.call("chat")
    assert levels(line) == ["debug", "info", "warning", "error"]


def test_a_level_that_does_not_exist_is_the_handlers_mistake(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def chat(ctx: Context) -> None:
        ctx.log("loud", "x")

    assert "loud" in error_text(connect(server, era).call("chat"))


def test_without_the_capability_nothing_is_logged(connect: Connect, era: str) -> None:
    server = chatty()
    del server.metadata.capabilities["logging"]
    line = connect(server, era)
    meta: Json = {f"{META_KEY}logLevel": "debug"} if era == STATELESS else {}
    line.call("chat", **meta)
    assert line.heard() == []
    if era == SESSION:
        assert line.error("logging/setLevel", {"level": "debug"})["code"] == -32601


def test_data_that_is_not_json_is_reported_as_text_and_never_fails_the_call(
    connect: Connect, era: str
) -> None:
    server = Server("s")

    @server.tool
    def chat(ctx: Context) -> None:
        ctx.error({"at": Path("x"), "what": ValueError("no")})

    line = connect(server, era)
    meta: Json = {f"{META_KEY}logLevel": "debug"} if era == STATELESS else {}
    assert "isError" not in line.call("chat", **meta)
    (told,) = line.heard()
    assert "no" in told["params"]["data"]
