"""Completion of the arguments of prompts and resource templates."""

import threading

import pytest

from paddock import Prompt, ResourceTemplate, Server
from tests.behaviour.line import PATIENCE, Json
from tests.conftest import Connect


def asked(name: str, value: str, *, ref: Json | None = None, **context: str) -> Json:
    params: Json = {
        "ref": ref or {"type": "ref/prompt", "name": "p"},
        "argument": {"name": name, "value": value},
    }
    return {**params, "context": {"arguments": context}} if context else params


def test_a_list_is_narrowed_to_what_begins_with_the_value(connect: Connect, era: str) -> None:
    options = ["python", "pypy", "perl", "ÿ"]
    server = Server("s", prompts=Prompt("p", "{language}", completions={"language": options}))
    line = connect(server, era)
    assert line.result("completion/complete", asked("language", "py")) == {
        "completion": {"values": ["python", "pypy"], "total": 2, "hasMore": False}
    }
    everything = line.result("completion/complete", asked("language", ""))
    assert everything["completion"]["values"] == options


def test_a_function_decides_for_itself(connect: Connect, era: str) -> None:
    server = Server("s")
    server.register(Prompt("p", "{x}", completions={"x": lambda value: [value * 2, "other"]}))
    result = connect(server, era).result("completion/complete", asked("x", "ab"))
    assert result["completion"]["values"] == ["abab", "other"]


def test_a_function_of_two_sees_the_arguments_already_settled(connect: Connect, era: str) -> None:
    cities = {"fr": ["Paris"], "it": ["Roma"]}

    def city(value: str, settled: dict[str, str]) -> list[str]:
        return [name for name in cities.get(settled.get("land", ""), []) if name.startswith(value)]

    server = Server(
        "s", resources=ResourceTemplate("w://{land}/{city}", completions={"city": city})
    )
    line = connect(server, era)
    ref = {"type": "ref/resource", "uri": "w://{land}/{city}"}
    settled = line.result("completion/complete", asked("city", "P", ref=ref, land="fr"))
    assert settled["completion"] == {"values": ["Paris"], "total": 1, "hasMore": False}
    unsettled = line.result("completion/complete", asked("city", "P", ref=ref))
    assert unsettled["completion"]["values"] == []


@pytest.mark.parametrize(("count", "has_more"), [(99, False), (100, False), (101, True)])
def test_at_most_a_hundred_values_are_shown_of_all(
    connect: Connect, era: str, count: int, *, has_more: bool
) -> None:
    options = [f"v{number}" for number in range(count)]
    server = Server("s", prompts=Prompt("p", "{x}", completions={"x": options}))
    completion = connect(server, era).result("completion/complete", asked("x", ""))["completion"]
    assert completion == {"values": options[:100], "total": count, "hasMore": has_more}


def test_an_argument_without_completions_has_none(connect: Connect, era: str) -> None:
    line = connect(Server("s", prompts=Prompt("p", "{x}")), era)
    completion = line.result("completion/complete", asked("x", "a"))["completion"]
    assert completion == {"values": [], "total": 0, "hasMore": False}


@pytest.mark.parametrize(
    "ref",
    [
        {"type": "ref/prompt", "name": "no"},
        {"type": "ref/prompt"},
        {"type": "ref/resource", "uri": "no://{x}"},
        {"type": "ref/tool", "name": "p"},
        {"name": "p"},
    ],
)
def test_an_unknown_reference_is_invalid_params(connect: Connect, era: str, ref: Json) -> None:
    line = connect(Server("s", prompts=Prompt("p", "{x}")), era)
    assert line.error("completion/complete", asked("x", "", ref=ref))["code"] == -32602


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": {"type": "ref/prompt", "name": "p"}},
        {**asked("x", ""), "argument": {"name": "x"}},
        {**asked("x", ""), "argument": {"name": "x", "value": 5}},
        {**asked("x", ""), "context": {"arguments": {"y": 5}}},
    ],
)
def test_malformed_parameters_are_invalid_params(connect: Connect, era: str, params: Json) -> None:
    line = connect(Server("s", prompts=Prompt("p", "{x}")), era)
    assert line.error("completion/complete", params)["code"] == -32602


def broken(value: str) -> list[str]:
    raise LookupError("no such list")


def leaving(value: str) -> list[str]:
    raise SystemExit(3)


@pytest.mark.parametrize(
    "source", [broken, leaving, lambda value: 5, lambda value: [5], lambda value: None]
)
def test_a_completion_that_fails_is_an_internal_error_and_the_server_goes_on(
    connect: Connect, era: str, source: object
) -> None:
    server = Server("s", prompts=Prompt("p", "{x}", completions={"x": source}))  # type: ignore[dict-item]  # wrong on purpose
    line = connect(server, era)
    assert line.error("completion/complete", asked("x", ""))["code"] == -32603
    assert "result" in line.ask("prompts/list")


def test_a_completion_that_blocks_does_not_delay_another_request(
    connect: Connect, era: str
) -> None:
    release = threading.Event()

    def source(value: str) -> list[str]:
        assert release.wait(PATIENCE)
        return [value]

    server = Server("s", prompts=Prompt("p", "{x}", completions={"x": source}))
    line = connect(server, era)
    blocked = line.request("completion/complete", asked("x", "a"))
    assert line.heard() == []
    release.set()
    assert line.answer(blocked)["result"]["completion"]["values"] == ["a"]
