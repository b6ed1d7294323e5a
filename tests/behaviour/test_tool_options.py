"""Tool options, which the operator of a server sets."""

from typing import Any, Literal

import pytest

from paddock import Context, Option, Server, Tool, connect
from paddock.authoring.option_values import OptionError


def reporting(**options: object) -> Tool:
    def report(ctx: Context) -> dict[str, Any]:
        return dict(ctx.options)

    return Tool("report", report, options=options)


def seen(tool: Tool) -> object:
    with connect(Server("s", tools=tool)) as peer:
        return peer.call("report").structured


def test_an_option_has_its_default_until_it_is_set() -> None:
    assert seen(reporting(limit=60, method=Option("Session"))) == {"limit": 60, "method": "Session"}


def test_a_set_option_leaves_the_tool_it_was_taken_from_alone() -> None:
    tool = reporting(limit=60)
    assert seen(tool.with_options({"limit": 5})) == {"limit": 5}
    assert seen(tool) == {"limit": 60}


def test_a_handler_with_declared_parameters_sees_the_options_too() -> None:
    def report(_arguments: dict[str, Any], ctx: Context) -> dict[str, Any]:
        return dict(ctx.options)

    assert seen(Tool("report", report, parameters=[], options={"limit": 60})) == {"limit": 60}


def test_a_handler_cannot_change_the_options() -> None:
    def report(ctx: Context) -> None:
        ctx.options["limit"] = 1  # type: ignore[index]  # that it cannot is the point

    with connect(Server("s", tools=Tool("report", report, options={"limit": 60}))) as peer:
        assert peer.call("report").is_error


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (60, "5", 5),
        (1.5, "2", 2.0),
        (False, "true", True),
        ("a", "5", "5"),
        (Option(None, int | None), "5", 5),
        (Option(5, int | None), "None", None),
        ("a", "None", "None"),
        (60, "Automatic", 60),
        (Option([], list[str]), '["a", "b"]', ["a", "b"]),
        (Option("x", Literal["x", "y"]), "y", "y"),
    ],
)
def test_text_is_read_as_what_the_option_takes(option: object, text: str, value: object) -> None:
    assert seen(reporting(one=option).with_options({"one": text})) == {"one": value}


@pytest.mark.parametrize(
    ("option", "wrong"), [(60, "many"), (60, 2.5), (60, True), (Option("x", Literal["x"]), "y")]
)
def test_a_value_that_an_option_cannot_have_is_refused(option: object, wrong: object) -> None:
    with pytest.raises(OptionError, match="option 'one' cannot be"):
        reporting(one=option).with_options({"one": wrong})


def test_a_secret_value_is_in_no_complaint() -> None:
    tool = Tool("t", print, options={"key": Option(None, int | None, is_secret=True)})
    with pytest.raises(OptionError) as caught:
        tool.with_options({"key": "hunter22"})
    assert "hunter22" not in str(caught.value)
    assert "option 'key' cannot be the given value" in str(caught.value)


def test_an_unknown_option_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(OptionError, match="did you mean limit"):
        reporting(limit=60).with_options({"limits": 5})


def test_options_of_a_server_are_set_by_the_names_of_its_tools() -> None:
    server = Server("s", tools=reporting(limit=60)).set_tool_options({"report": {"limit": 7}})
    with connect(server) as peer:
        assert peer.call("report").structured == {"limit": 7}


def test_nothing_is_set_when_one_of_the_values_is_refused() -> None:
    server = Server("s", tools=reporting(limit=60))
    with pytest.raises(OptionError, match="no tool 'other'"):
        server.set_tool_options({"report": {"limit": 7}, "other": {}})
    with connect(server) as peer:
        assert peer.call("report").structured == {"limit": 60}


def test_a_tool_under_another_name_is_otherwise_the_same() -> None:
    with connect(Server("s", tools=reporting(limit=60).with_name("report2"))) as peer:
        assert [tool.name for tool in peer.tools()] == ["report2"]
        assert peer.call("report2").structured == {"limit": 60}
