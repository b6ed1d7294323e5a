"""The tool PythonEvaluator, as a client sees it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock import ImageContent, Peer, Server, TextContent, connect
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.toolkits.python.tools import python_evaluator_tool
from tests.kernels.processes import watch

NAME = "PythonEvaluator"
COMMAND = [sys.executable, "-m", "paddock", "serve", "Python"]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where sessions are kept, also by the processes that are started."""
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a virtual environment that has nothing in it."""
    place = tmp_path / "project"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place / ".venv"], check=True)
    (place / "neighbour.py").write_text("def fail():\n    raise LookupError('here')\n")
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Peer]:
    """A connection to a server in a process of its own, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    with connect(COMMAND) as found:
        yield found


def answer(peer: Peer, code: str, **arguments: object) -> tuple[str, str]:
    """What is stated about code, and the reminder."""
    result = peer.call(NAME, code=code, **arguments)
    assert not result.is_error, result.text
    texts = [item.text for item in result.content if isinstance(item, TextContent)]
    return "".join(texts[:-1]) + texts[-1].partition("\n\n<system-reminder>")[0], texts[-1]


def session_in(reminder: str) -> str:
    found = re.search(r'session="(\w+)"', reminder)
    assert found is not None
    return found[1]


def test_names_are_kept_in_a_session_and_not_in_another(peer: Peer) -> None:
    said, reminder = answer(peer, "x = 41\nprint('hello')\nx + 1")
    assert said == "hello\nOut[1]: 42"
    session = session_in(reminder)
    assert answer(peer, "x + 2", session=session)[0] == "Out[2]: 43"
    assert answer(peer, "x")[0].splitlines()[-1] == "NameError: name 'x' is not defined"
    assert f"Evaluated by Python {sys.version.split()[0]}, " in reminder


def test_pictures_stand_among_the_texts(peer: Peer) -> None:
    code = "from PIL import Image\nprint('a')\ndisplay(Image.new('L', (9, 9)))\nprint('b')\n5"
    content = peer.call(NAME, code=code).content
    assert [type(item) for item in content[:3]] == [TextContent, ImageContent, TextContent]
    assert isinstance(content[0], TextContent)
    assert content[0].text == "a\n"
    assert isinstance(content[1], ImageContent)
    assert content[1].data.startswith(b"\x89PNG")


def test_what_is_stopped_is_reverted_and_said(peer: Peer) -> None:
    session = session_in(answer(peer, "x = 1")[1])
    said, _ = answer(peer, "x = 2\nwhile True: pass", session=session, timeConstraint=1)
    assert said.splitlines()[-1] == (
        "[The evaluation took longer than 1 s and was stopped. "
        "The session is as it was before this evaluation.]"
    )
    assert "while True: pass" in said
    assert answer(peer, "x", session=session)[0] == "Out[3]: 1"
    assert answer(peer, "import sys; sys.exit(4)", session=session)[0] == (
        "[The code ended the kernel with exit code 4. "
        "The session is as it was before this evaluation.]\n"
    )


def test_long_texts_are_cut_in_their_middle() -> None:
    server = Server("s", tools=[python_evaluator_tool])
    server.set_tool_options({NAME: {"MaxCharacterCount": 40}})
    with connect(server) as peer:
        said, _ = answer(peer, "print('b' * 50)\n'a' * 100")
    lines = said.splitlines()
    assert lines[0] == "b" * 30
    assert lines[1:3] == ["… 10 characters omitted …", "b" * 10]
    assert lines[3:] == [
        "Out[1]: ",
        "'" + "a" * 29,
        "… 62 characters omitted …",
        "a" * 9 + "'",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"code": " "}, "There is no code to evaluate: `code` is empty"),
        (
            {"code": "1", "timeConstraint": 0},
            "timeConstraint is 0, expected a number of seconds above 0",
        ),
    ],
)
def test_calls_that_make_no_sense_are_refused(
    peer: Peer, arguments: dict[str, object], said: str
) -> None:
    result = peer.call(NAME, **arguments)
    assert (result.is_error, result.text) == (True, said)


def test_the_environment_of_the_project_evaluates_with_its_files(project: Path) -> None:
    code = "import sys, os, neighbour\nprint(sys.prefix, os.environ['VIRTUAL_ENV'], os.getcwd())"
    with connect(COMMAND) as peer:
        said, reminder = answer(peer, code)
        session = session_in(reminder)
        environment = str(project / ".venv")
        assert said.split() == [environment, environment, str(project)]
        assert f"{environment}/bin/python (of the environment {environment})" in reminder
        failed, _ = answer(peer, "neighbour.fail()", session=session)
        assert "raise LookupError('here')" in failed
        # Nothing of Paddock's is there, nor what Paddock itself needs.
        for module in ("paddock", "msgspec", "pytest"):
            assert "ModuleNotFoundError" in answer(peer, f"import {module}", session=session)[0]
        other, _ = answer(peer, "import sys; sys.executable", interpreter=sys.executable)
        assert other == f"Out[1]: {sys.executable!r}"


def test_an_environment_that_does_not_start_is_reported(project: Path) -> None:
    program = project / ".venv/bin/python"
    program.unlink()
    program.write_text("#!/bin/sh\necho it is broken >&2\nexit 1\n")
    program.chmod(0o755)
    with connect(COMMAND) as peer:
        result = peer.call(NAME, code="1")
        assert result.is_error
        assert result.text == f"{program} cannot be started: its process ended: it is broken"


def test_a_session_continues_after_the_server_and_says_what_is_missing(peer: Peer) -> None:
    code = """\
import math, dataclasses
from functools import lru_cache
from dataclasses import dataclass
@dataclass
class Point:
    x: int = 1
def twice(number):
    return 2 * number
def counted():
    yield 1
points = [Point(3)]
same = points
count = counted()
file = open("opened", "w")
"""
    session = session_in(answer(peer, code)[1])
    with connect(COMMAND) as other:
        peer.close()
        check = "same.append(1); twice(math.floor(points[0].x)), len(points), Point() == Point(1)"
        said, reminder = answer(other, check, session=session)
        assert said == "Out[2]: (6, 2, True)"
        assert "The session was resumed in a new process" in reminder
        assert "Not restored: count (generator), file (TextIOWrapper)." in reminder


def test_a_session_continues_with_the_python_that_it_was_saved_with(project: Path) -> None:
    with connect(COMMAND) as peer:
        session = session_in(answer(peer, "x = 5", interpreter=sys.executable)[1])
    with connect(COMMAND) as peer:
        said, reminder = answer(peer, "import sys\nx, sys.executable", session=session)
    assert said == f"Out[2]: (5, {sys.executable!r})"
    assert f"{sys.executable} (as before in this session)" in reminder


def test_what_a_killed_server_did_not_save_is_reported_as_missing(peer: Peer, data: Path) -> None:
    session = session_in(answer(peer, "x = 5")[1])
    peer.close()
    (data / "sessions" / f"{session}.state").unlink()
    with connect(COMMAND) as other:
        said, reminder = answer(other, "'x' in globals()", session=session)
    assert said == "Out[2]: False"
    assert (
        "Python code is not replayed; definitions that were not saved are missing "
        "(evaluations of line 1)."
    ) in reminder


def test_two_servers_use_one_session_in_turn(peer: Peer) -> None:
    session = session_in(answer(peer, "x = [1]")[1])
    peer.close()
    for line in range(2, 5):
        with connect(COMMAND) as other:
            said, _ = answer(other, f"x.append({line}); x", session=session)
            assert said == f"Out[{line}]: {list(range(1, line + 1))}"


def number_in(said: str) -> int:
    """The value, whatever else is reported around it."""
    found = re.search(r"^Out\[\d+\]: (\d+)$", said, flags=re.M)
    assert found, said
    return int(found[1])


def test_no_process_outlives_the_server() -> None:
    code = "import os, subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True).pid"
    with connect(COMMAND) as peer:
        (sleeper,) = watch([number_in(answer(peer, code)[0])])
        # Not its parent, which a new checkpoint replaces when the evaluation is done.
        (kernel,) = watch([number_in(answer(peer, "import os; os.getpid()")[0])])
    assert sleeper.is_gone()
    assert kernel.is_gone()


def test_variables_of_the_server_are_not_shown_to_code() -> None:
    with connect(COMMAND, env={"SOME_SECRET": "x"}) as peer:
        said, _ = answer(peer, "import os; 'SOME_SECRET' in os.environ, 'PATH' in os.environ")
        assert said == "Out[1]: (False, True)"


@pytest.mark.usefixtures("project")
def test_a_session_continues_with_its_names_in_another_python_and_back() -> None:
    with connect(COMMAND) as peer:
        code = "import json\nx = [1]\ndef twice(y): return 2 * y"
        session = session_in(answer(peer, code, interpreter=sys.executable)[1])
        there, reminder = answer(peer, "twice(x)", session=session, interpreter=".venv")
        assert there == "Out[2]: [1, 1]"
        assert "missing" not in reminder
        packages = "import sys; any('site-packages' in p and sys.prefix not in p for p in sys.path)"
        assert answer(peer, packages, session=session)[0] == "Out[3]: False"
        answer(peer, "x = 5", session=session)
        back, _ = answer(peer, "twice(x)", session=session, interpreter=sys.executable)
        assert back == "Out[5]: 10"
