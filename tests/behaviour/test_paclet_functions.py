"""Functions that paclets contribute, called on woxi."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock import ImageContent, Peer, TextContent, connect, create_server, get_server
from paddock.extensions.paclets.search_paths import PACLET_PATH_VARIABLE
from paddock.kernels.wolfram.engines import ENGINE_VARIABLE
from tests.behaviour.line import PATIENCE
from tests.extensions.test_validate_paclets import archive

SAMPLES = Path(__file__).parents[1] / "samples" / "paclets"


@pytest.fixture(autouse=True)
def sample_paclets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PADDOCK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv(PACLET_PATH_VARIABLE, str(SAMPLES))
    monkeypatch.setenv(ENGINE_VARIABLE, "woxi")


@pytest.fixture
def peer() -> Iterator[Peer]:
    """A connection to the server of the sample that can be called."""
    with connect(get_server("Counting/Abacus").load()) as found:
        yield found


def test_a_function_of_a_package_gets_every_declared_parameter(peer: Peer) -> None:
    assert peer.call("add", {"x": 3, "y": 4}).text == "7"
    assert peer.call("add", {"x": 3}).text == "4"


def test_packages_that_a_package_needs_are_loaded(peer: Peer) -> None:
    assert peer.call("words", {"text": 'one "two" \\three\nfour'}).text == "4 words"


def test_initializations_are_evaluated_once_the_servers_first(peer: Peer) -> None:
    assert peer.call("started").text == "11"
    assert peer.call("started").text == "11"


def test_a_failure_is_an_error_with_its_message(peer: Peer) -> None:
    assert peer.call("divide", {"what": 6, "by": 4}).text == "3/2"
    answer = peer.call("divide", {"what": 6, "by": 0})
    assert (answer.is_error, answer.text) == (True, "[Error] 6 cannot be divided by zero")


def test_graphics_become_pictures(peer: Peer) -> None:
    answer = peer.call("draw", {"radius": 1.5})
    assert [type(one) for one in answer.content] == [TextContent, ImageContent]
    picture = answer.content[1]
    assert isinstance(picture, ImageContent)
    assert picture.data.startswith(b"\x89PNG")


def test_content_is_sent_as_it_is_written_and_choices_as_what_they_means(peer: Peer) -> None:
    answer = peer.call("contents", {"shape": "round"})
    first, second, third = answer.content
    assert (first, second) == (TextContent("a circle"), TextContent("two"))
    assert third == ImageContent(b"\x89PNG\r\n\x1a\n", "image/png")
    assert answer.meta is not None
    assert answer.meta["place"] == 3


@pytest.mark.parametrize(
    ("tool", "arguments", "names"),
    [
        ("strange", {"x": "1"}, "Counting`nowhere, frobnicate"),
        ("lacking", {"query": "x"}, "WebSearch"),
        ("journey", {"to": "Rome"}, 'Interpreter["City"]'),
    ],
)
def test_what_the_engine_does_not_know_is_named(
    peer: Peer, tool: str, arguments: dict[str, str], names: str
) -> None:
    answer = peer.call(tool, arguments)
    assert answer.is_error
    assert f"does not define {names} (" in answer.text
    assert answer.text.startswith(f"The tool Counting/{tool.title()} is the Wolfram Language")


def test_a_function_without_a_definition_for_the_arguments_is_an_error(peer: Peer) -> None:
    answer = peer.call("unfit", {"x": "text"})
    assert answer.is_error
    assert answer.text.startswith("[Error] Counting`fit has no definition for these arguments")


def test_a_prompt_is_what_its_function_gives(peer: Peer) -> None:
    (message,) = peer.prompt("Tally", {"things": "one two"}).messages
    assert message.content == TextContent("Count the one two: 2")


def test_a_cancelled_function_is_stopped_and_the_next_one_runs() -> None:
    is_running = threading.Event()
    server = get_server("Counting/Abacus").load()
    with connect(server, on_progress=lambda _: is_running.set()) as peer:
        call = peer.start("tools/call", {"name": "slow", "arguments": {}})
        assert is_running.wait(PATIENCE)
        call.cancel()
        assert peer.call("add", {"x": 1, "y": 1}).text == "2"


def test_a_paclet_in_an_archive_works_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = archive(SAMPLES / "Counting", tmp_path / "Counting.paclet")
    monkeypatch.setenv(PACLET_PATH_VARIABLE, str(packed))
    create_server("Mine", tools=["Counting/Add"])
    with connect(get_server("Mine").load()) as peer:
        assert peer.call("add", {"x": 20, "y": 22}).text == "42"


def test_a_package_that_is_not_there_is_reported() -> None:
    with connect(get_server("SamplePublisher/Sampler/Bench").load()) as peer:
        counted = peer.call("count", {"text": "abcd"})
        missing = peer.call("echo1", {"text": "abcd"})
    assert counted.text == "4"
    assert "does not define SamplePublisher`Sampler`echo; there is no file for" in missing.text
    assert 'the initialization Needs["SamplePublisher`Sampler`"] returned $Failed' in missing.text


def test_functions_without_packages_work() -> None:
    create_server("Mine", tools=["SamplePublisher/Sampler/Count", "SamplePublisher/Sampler/Next"])
    with connect(get_server("Mine").load()) as peer:
        assert peer.call("next", {"x": 41}).text == "42"


def test_expressions_in_templates_are_evaluated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "P" / "AgentTools").mkdir(parents=True)
    (tmp_path / "P" / "PacletInfo.wl").write_text(
        'PacletObject[<| "Name" -> "P", "Extensions" -> {{ "AgentTools",'
        ' "MCPPrompts" -> { "Sum" } }} |>]',
        encoding="utf-8",
    )
    (tmp_path / "P" / "AgentTools" / "MCPPrompts.wl").write_text(
        '<| "Sum" -> <| "Name" -> "Sum", "Arguments" -> { <| "Name" -> "a" |> },'
        ' "Content" -> StringTemplate[ "`a` has <* StringLength[#a] *> letters" ] |> |>',
        encoding="utf-8",
    )
    monkeypatch.setenv(PACLET_PATH_VARIABLE, str(tmp_path / "P"))
    create_server("Mine", prompts=["P/Sum"])
    with connect(get_server("Mine").load()) as peer:
        (message,) = peer.prompt("Sum", {"a": "abc"}).messages
    assert message.content == TextContent("abc has 3 letters")
