"""Paclets through the public API: listed, shown and served without an engine.

What their functions do where there is one is in `test_paclet_functions`.
"""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from paddock import (
    LoadError,
    PeerError,
    connect,
    create_server,
    get_server,
    list_servers,
    validate,
)
from paddock.authoring.base_server import BaseServer
from paddock.extensions.errors import SpecificationError
from paddock.extensions.paclets.search_paths import PACLET_PATH_VARIABLE
from paddock.kernels.wolfram.engines import ENGINE_VARIABLE
from paddock.named_servers.server_ref import ServerRef

SAMPLES = Path(__file__).parents[1] / "samples" / "paclets"
BENCH = "SamplePublisher/Sampler/Bench"


@pytest.fixture(autouse=True)
def sample_paclets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PADDOCK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv(PACLET_PATH_VARIABLE, str(SAMPLES))
    monkeypatch.setenv(ENGINE_VARIABLE, "none")


def test_the_servers_of_paclets_are_listed_with_the_others() -> None:
    assert {server.name for server in list_servers()} >= {BENCH, "BadReferences/Lost"}


def test_a_server_of_a_paclet_has_the_properties_of_any_other() -> None:
    server = get_server(BENCH)
    assert (server["Name"], server.version, server.key) == (BENCH, "1.2.0", "Bench")
    assert server.location == "SamplePublisher/Sampler"
    assert server.instructions == "Count before you echo."
    assert repr(server.initialization) == 'Needs["SamplePublisher`Sampler`"]'
    assert server.tool_names == ["echo1", "count", "next", "greet", "echo2"]
    assert server.prompt_names == ["Greeting", "Letter"]


def test_tools_of_paclets_are_listed_and_say_that_they_need_an_engine() -> None:
    with connect(get_server(BENCH).load()) as peer:
        assert [tool.name for tool in peer.tools()][:2] == ["echo1", "count"]
        answer = peer.call("count", {"text": "abc"})
    assert answer.is_error
    assert "SamplePublisher/Sampler/Count" in answer.text
    assert "StringLength[#text] &" in answer.text
    assert "Wolfram Engine" in answer.text


def test_tools_of_other_kinds_in_the_same_server_work() -> None:
    with connect(get_server(BENCH).load()) as peer:
        assert not peer.call("greet", {"name": "Ada"}).is_error


def test_prompts_that_need_no_engine_are_served() -> None:
    with connect(get_server(BENCH).load()) as peer:
        assert [one.description for one in peer.prompts()] == ["Says hello", ""]
        greeting = peer.prompt("Greeting")
        letter = peer.prompt("Letter", {"to": "Ada", "from": "Bob"})
        short = peer.prompt("Letter", {"to": "Ada"})
    texts = [one.messages[0].content.text for one in (greeting, letter, short)]  # type: ignore[union-attr]  # all are texts
    assert texts == ["Hello {there}", "Dear Ada,\nyours Bob", "Dear Ada,\nyours "]


def test_prompts_that_need_an_engine_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "P"
    (place / "AgentTools" / "MCPPrompts").mkdir(parents=True)
    (place / "PacletInfo.wl").write_text(
        'PacletObject[<| "Name" -> "P", "Extensions" -> {{ "AgentTools",'
        ' "MCPPrompts" -> { "Ask", "Sum" } }} |>]',
        encoding="utf-8",
    )
    (place / "AgentTools" / "MCPPrompts.wl").write_text(
        '<| "Ask" -> <| "Name" -> "Ask", "Type" -> "Function", "Content" -> P`ask,'
        ' "Arguments" -> { <| "Name" -> "topic" |> } |>,'
        ' "Sum" -> <| "Name" -> "Sum", "Content" -> StringTemplate[ "It is <* 1 + 1 *>" ] |> |>',
        encoding="utf-8",
    )
    monkeypatch.setenv(PACLET_PATH_VARIABLE, str(place))
    create_server("Mine", prompts=["P/Ask", "P/Sum"])
    with connect(get_server("Mine").load()) as peer:
        assert [one.name for one in peer.prompts()] == ["Ask", "Sum"]
        with pytest.raises(PeerError, match="P`ask"):
            peer.prompt("Ask", {"topic": "x"})
        with pytest.raises(PeerError, match=r"1 \+ 1"):
            peer.prompt("Sum")


def test_a_server_of_ones_own_can_use_tools_of_paclets() -> None:
    create_server("Mine", tools=["Combined/First", "SamplePublisher/Sampler/Next", "DemoGreet"])
    assert get_server("Mine").tool_names == ["first", "next", "greet"]


def test_a_broken_tool_of_a_paclet_is_refused_with_its_place() -> None:
    with pytest.raises(LoadError) as fault:
        create_server("Mine", tools=["BadContents/Unfinished"])
    assert "Unfinished.wl:3:" in str(fault.value)


def test_a_server_of_a_paclet_is_shown_and_served_by_the_command() -> None:
    command = [sys.executable, "-m", "paddock"]
    shown = subprocess.run(
        [*command, "show", BENCH, "--json"], capture_output=True, text=True, check=True
    )
    assert json.loads(shown.stdout)["initialization"] == 'Needs["SamplePublisher`Sampler`"]'
    with connect([*command, "serve", BENCH]) as peer:
        assert len(peer.tools()) == 5


EVALUATOR = '<| "LLMEvaluator" -> <| {} |> |>'
TO_PYTHON = {
    "tool": EVALUATOR.format('"Tools" -> { "DemoGreet", "evil.py:run" }'),
    "prompt": EVALUATOR.format('"Tools" -> { "DemoGreet" }, "MCPPrompts" -> { "evil.py:run" }'),
    "module": EVALUATOR.format('"Tools" -> { "DemoGreet", "evil:run" }'),
    "pattern": EVALUATOR.format('"Tools" -> { "DemoGreet", evil:run }'),
    "own key": EVALUATOR.format('"tools" -> { "DemoGreet", "evil.py:run" }'),
    "own table": EVALUATOR.format(
        '"tools" -> { "DemoGreet", <| "name" -> "x", "function" -> "evil.py:run" |> }'
    ),
    "resource": EVALUATOR.format(
        '"Tools" -> { "DemoGreet" },'
        ' "Resources" -> { <| "uri" -> "x://x", "function" -> "evil.py:run" |> }'
    ),
    "file": EVALUATOR.format(
        '"Tools" -> { "DemoGreet" }, "Resources" -> { <| "uri" -> "x://x", "file" -> "evil.py" |> }'
    ),
    "pickle": EVALUATOR.format(
        '"tools" -> { "DemoGreet", <| "pickle" -> "evil.pkl", "python" -> "'
        f'{sys.version_info.major}.{sys.version_info.minor}" |> }}'
    ),
    "initialization": (
        '<| "initialization" -> "evil.py:run", "LLMEvaluator" -> <| "Tools" -> {"DemoGreet"} |> |>'
    ),
}
"""Servers of a paclet, each of which would have Python beside it run in its own way."""


class Mine:
    """What has code run when its pickle is read."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.mark,)


@pytest.mark.parametrize("definition", TO_PYTHON.values(), ids=TO_PYTHON)
def test_no_python_that_a_server_of_a_paclet_leads_to_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, definition: str
) -> None:
    home, mark = tmp_path / "PyRef", tmp_path / "touched"
    servers = home / "AgentTools" / "MCPServers"
    servers.mkdir(parents=True)
    (home / "PacletInfo.wl").write_text(
        'PacletObject[<| "Name" -> "PyRef", "Version" -> "1",'
        ' "Extensions" -> {{"AgentTools", "MCPServers" -> {{"S", "s"}}}} |>]',
        encoding="utf-8",
    )
    (servers / "S.wl").write_text(definition, encoding="utf-8")
    (servers / "evil.pkl").write_bytes(pickle.dumps(Mine(mark)))
    (servers / "evil.py").write_text(
        f"import pathlib\npathlib.Path({str(mark)!r}).touch()\ndef run(): ...\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(servers)
    monkeypatch.setenv(PACLET_PATH_VARIABLE, str(home))
    with pytest.raises(SpecificationError):
        get_server("PyRef/S").load()
    with connect(serving("PyRef/S")) as peer:  # the rest is served
        assert [tool.name for tool in peer.tools()] == ["greet"]
        assert [*peer.prompts(), *peer.resources()] == []
    assert [one.code for one in validate(home).errors] == ["invalid-server"]
    assert not mark.exists()


def serving(name: str) -> BaseServer:
    """A named server as it is loaded when it is served."""
    return ServerRef(name).load()
