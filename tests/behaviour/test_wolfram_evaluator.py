"""The tool WolframLanguageEvaluator, as a client sees it, with woxi as its engine."""

import re
import socket
import sys
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

import PIL.Image
import pytest

from paddock import ImageContent, Peer, Server, TextContent, connect
from paddock.toolkits.wolfram.tools import wolfram_evaluator_tool
from tests.behaviour.line import PATIENCE

NAME = "WolframLanguageEvaluator"
REMINDER = """

<system-reminder>
Evaluated by Woxi {version}, not by a Wolfram kernel.
To continue this session with its definitions and history, use session="{id}".
</system-reminder>"""


def server(**options: object) -> Server:
    """A server with the tool, and values for its options."""
    made = Server("s", tools=[wolfram_evaluator_tool])
    return made.set_tool_options({NAME: {"Engine": "woxi", **options}})


@pytest.fixture
def peer() -> Iterator[Peer]:
    """A connection to a server with the tool as it is."""
    with connect(server()) as found:
        yield found


def answer(peer: Peer, code: str, **arguments: object) -> str:
    """What is stated about code, without the reminder."""
    result = peer.call(NAME, code=code, **arguments)
    assert not result.is_error
    return "".join(item.text for item in result.content[:-1] if isinstance(item, TextContent))


def session_of(peer: Peer, code: str, **arguments: object) -> str:
    """The session that an evaluation took place in."""
    found = re.search(r'session="(\w+)"', reminder(peer, code, **arguments))
    assert found is not None
    return found[1]


def reminder(peer: Peer, code: str, **arguments: object) -> str:
    """The last item of an answer."""
    last = peer.call(NAME, code=code, **arguments).content[-1]
    assert isinstance(last, TextContent)
    return last.text


def test_a_time_constraint_is_a_week_at_most(peer: Peer) -> None:
    result = peer.call(NAME, code="1", timeConstraint=604_801)
    assert result.is_error
    assert result.content == [
        TextContent("timeConstraint is 604801, expected at most 604800 (7 days)")
    ]


def test_expressions_before_one_that_is_stopped_are_kept_and_that_is_reported(peer: Peer) -> None:
    said = reminder(peer, "x = 1\nWhile[True]", timeConstraint=1, session="kept")
    assert (
        "The evaluation took longer than 1 s and was stopped. The session is as it was before the "
        "expression that did not finish; the expressions before it were kept."
    ) in said
    assert answer(peer, "x", session="kept") == "Out[2]= 1"


def test_the_last_result_of_an_empty_session_is_not_one_of_the_engine(peer: Peer) -> None:
    assert answer(peer, "%") == "Out[1]= Out[0]"
    assert answer(peer, "Out[99]") == "Out[1]= Out[99]"


@pytest.mark.skipif(sys.platform != "linux", reason="where the network can be refused")
@pytest.mark.parametrize("is_allowed", [False, True])
def test_the_network_is_there_when_an_option_allows_it(is_allowed: bool) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        connect(server(AllowNetwork=is_allowed)) as peer,
    ):
        port = listener.getsockname()[1]
        said = answer(peer, f"""Run["bash -c 'true < /dev/tcp/127.0.0.1/{port}' && echo there"]""")
    assert ("there" in said) is is_allowed


@pytest.mark.skipif(sys.platform != "linux", reason="where memory can be limited")
def test_an_option_limits_the_memory_of_evaluations() -> None:
    with connect(server(MemoryConstraint=512 << 20)) as peer:
        said = answer(peer, 'StringLength[StringRepeat["x", 10^9]]')
    assert '"MemoryConstraint" -> 536870912' in said


def test_an_answer_has_prints_messages_value_and_a_reminder(peer: Peer) -> None:
    result = peer.call(NAME, code='Print["hello"]; 1/0')

    assert not result.is_error
    body, last = result.content
    assert isinstance(body, TextContent)
    assert isinstance(last, TextContent)
    assert body.text == (
        "During evaluation of In[1]:= hello\n"
        "Power::infy: Infinite expression 1/0 encountered.\n"
        "General::messages: Messages were generated during the evaluation that may indicate "
        "errors.\n\n"
        "Out[1]= ComplexInfinity"
    )
    found = re.search(r'Woxi (\S+),.*session="([a-z][a-z0-9]{7})"', last.text, re.DOTALL)
    assert found is not None
    assert last.text == REMINDER.format(version=found[1], id=found[2])


def test_a_session_keeps_definitions_and_history(peer: Peer) -> None:
    session = session_of(peer, "f[x_] := x^2; 5")

    assert answer(peer, "f[%] + $Line", session=session) == "Out[2]= 27"
    assert answer(peer, "%% + %", session=session) == "Out[3]= 32"


def test_each_call_without_a_session_begins_one(peer: Peer) -> None:
    session = session_of(peer, "y = 3")

    assert answer(peer, "y") == "Out[1]= y"
    assert session_of(peer, "y", session="not an id!") not in (session, "not an id!")


def test_a_session_that_is_not_known_begins_under_its_id_and_says_so(peer: Peer) -> None:
    text = reminder(peer, "1", session="nobody_had_this")

    assert "Nothing was saved under this session id" in text
    assert 'session="nobody_had_this"' in text


def test_a_syntax_error_counts_as_a_line_and_is_not_an_error_of_the_tool(peer: Peer) -> None:
    session = session_of(peer, "1")

    assert answer(peer, "a = {1, 2", session=session).startswith(
        "ToExpression::sntx: { is not closed (line 1, column 5)."
    )
    assert answer(peer, "%", session=session) == "Out[3]= $Failed"


@pytest.mark.parametrize("arguments", [{"code": " \n"}, {"code": "1", "timeConstraint": 0}])
def test_what_cannot_be_evaluated_at_all_is_an_error(
    peer: Peer, arguments: dict[str, object]
) -> None:
    assert peer.call(NAME, arguments).is_error


def test_an_endless_loop_is_stopped_and_the_session_goes_on(peer: Peer) -> None:
    session = session_of(peer, "kept = 7")

    assert answer(peer, "While[True]", session=session, timeConstraint=1).startswith(
        'Out[2]= Failure["EvaluationTimeExceeded",'
    )
    assert answer(peer, "kept", session=session) == "Out[3]= 7"


def test_quit_is_reported_and_the_session_goes_on(peer: Peer) -> None:
    session = session_of(peer, "kept = 7")

    assert answer(peer, "Exit[3]", session=session) == (
        "General::quit: The code ended the kernel with exit code 3; "
        "the session continues as it was before."
    )
    assert answer(peer, "kept", session=session) == "Out[3]= 7"


def test_graphics_are_pictures_where_the_value_has_them(peer: Peer) -> None:
    before, picture, after, _ = peer.call(NAME, code="{1, Plot[x, {x, 0, 1}], 2}").content

    assert (before, after) == (TextContent("Out[1]= {1, "), TextContent(", 2}"))
    assert isinstance(picture, ImageContent)
    with PIL.Image.open(BytesIO(picture.data)) as image:
        assert image.format == "PNG"
        assert min(image.size) > 300


def test_pictures_can_be_kept_as_files_with_links() -> None:
    with connect(server(ImageExportMethod="Local")) as peer:
        content = peer.call(NAME, code="Graphics[Disk[]]").content

    text, picture, last = content
    assert isinstance(text, TextContent)
    assert isinstance(picture, ImageContent)
    assert isinstance(last, TextContent)
    link = re.fullmatch(r"Out\[1\]= !\[Image\]\((file:.*\.png)\)", text.text)
    assert link is not None
    assert Path(url2pathname(urlparse(link[1]).path)).read_bytes() == picture.data
    assert "cannot see the images" in last.text


def test_the_middle_of_a_long_result_is_left_out() -> None:
    with connect(server(MaxCharacterCount=40)) as peer:
        assert answer(peer, "Range[100]") == "Out[1]= {1, 2, 3, 4, 5, 6, ...  97, 98, 99, 100}"


def test_an_engine_that_does_not_exist_is_an_error_that_names_the_others() -> None:
    with connect(server(Engine="woxy")) as peer:
        result = peer.call(NAME, code="1")

    assert result.is_error
    assert "woxi" in result.text


def test_without_an_engine_literal_values_are_worked_out() -> None:
    with connect(server(Engine="none")) as peer:
        assert answer(peer, '{1, "a"}') == 'Out[1]= {1, "a"}'


def test_the_client_is_reported_how_long_it_takes() -> None:
    told: list[dict[str, Any]] = []
    with connect(server(), on_progress=told.append) as peer:
        peer.call(NAME, code="Pause[100]", timeConstraint=2)

    assert told[0]["total"] == 2
    assert told[0]["message"] == "Evaluating for 1 s of at most 2 s"


def test_a_call_that_is_cancelled_stops_and_leaves_the_session_as_it_was() -> None:
    is_running = threading.Event()
    with connect(server(), on_progress=lambda _: is_running.set()) as peer:
        session = session_of(peer, "kept = 7")
        call = peer.start(
            "tools/call",
            {
                "name": NAME,
                "arguments": {"code": "kept = 8; While[True]", "session": session},
            },
        )
        assert is_running.wait(PATIENCE)
        call.cancel()

        assert answer(peer, "kept", session=session) == "Out[3]= 7"


def test_it_says_what_it_is(peer: Peer) -> None:
    (tool,) = peer.tools()

    assert (tool.name, tool.title) == (NAME, "Wolfram Language evaluator")
    assert tool.annotations == {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": False,
    }
    schema: Any = tool.input_schema
    assert list(schema["properties"]) == ["code", "timeConstraint", "session"]
    assert schema["required"] == ["code"]
