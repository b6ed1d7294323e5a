import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from paddock.cli.call import parse_arguments
from paddock.cli.commands import root_command
from paddock.cli.errors import ArgumentError
from paddock.client.connect_options import Json

SERVER = """
import time
from pathlib import Path

from paddock import AudioContent, Context, ImageContent, ResourceLink, Server, TextContent

server = Server("shop", version="1")
other = Server("other", version="1")


@server.tool
def add(a: int, b: float = 0.5) -> float:
    return a + b


@server.tool
def media() -> list[object]:
    return [
        TextContent("Look:"),
        ImageContent(b"PNG!", "image/png"),
        AudioContent(b"RIFF", "audio/x-wav"),
        ResourceLink("shop://motto", "motto"),
    ]


@server.tool
def wait_for(path: str) -> str:
    while not Path(path).exists():
        time.sleep(0.01)
    return "seen"


@server.tool
def work(ctx: Context, is_told: bool) -> str:
    for step in range(25):
        time.sleep(0.1)
        if is_told:
            ctx.progress(step)
    return "worked"


@server.tool(task="required")
def toil(ctx: Context) -> str:
    return work(ctx, False)


@server.tool
def fail() -> str:
    raise ValueError("out of stock")


@other.tool
def whoami() -> str:
    return "other"
"""


@pytest.fixture
def server(tmp_path: Path) -> str:
    file = tmp_path / "shop.py"
    file.write_text(SERVER, encoding="utf-8")
    return str(file)


def run(*words: str) -> Result:
    return CliRunner().invoke(root_command, ["call", *words])


def test_the_text_of_the_answer_is_printed(server: str) -> None:
    result = run(server, "add", "a=2", "b=0.25")
    assert (result.exit_code, result.stdout) == (0, "2.25\n")


def test_an_object_in_a_file_can_be_called(server: str) -> None:
    assert run(f"{server}:other", "whoami").stdout == "other\n"


def test_a_command_may_is_in_quotes_or_at_the_end(server: str) -> None:
    command = [sys.executable, "-m", "paddock", "serve", server]
    assert run(" ".join(command), "add", "a=2").stdout == "2.5\n"
    assert run("add", "a=2", "--", *command).stdout == "2.5\n"


def test_arguments_may_be_one_json_object(server: str) -> None:
    assert run(server, "add", "b=3", "--args", '{"a": 1, "b": 2}').stdout == "4.0\n"


def test_what_is_not_text_is_described_and_can_be_saved(server: str, tmp_path: Path) -> None:
    folder = tmp_path / "out" / "media"
    result = run(server, "media", "--save", str(folder))
    assert result.stdout.splitlines() == [
        "Look:",
        "[image, image/png, 4 bytes]",
        "[audio, audio/x-wav, 4 bytes]",
        "[link to shop://motto: motto]",
        f"Saved {folder / '2.png'}",
        f"Saved {folder / '3.wav'}",
    ]
    assert (folder / "2.png").read_bytes() == b"PNG!"


def test_json_is_the_whole_result(server: str) -> None:
    result = run(server, "media", "--json", "--show", "--era", "2025-11-25")
    shown = json.loads(result.stdout)
    assert shown["isError"] is False
    assert shown["content"][1] == {"type": "image", "data": "UE5HIQ==", "mimeType": "image/png"}
    assert result.stderr.startswith("→ {")


def test_who_has_seen_enough_of_an_exchange_sees_no_traceback(server: str, tmp_path: Path) -> None:
    sign = tmp_path / "sign"
    command = [sys.executable, "-m", "paddock", "call", server, "wait_for", f"path={sign}"]
    with subprocess.Popen(
        [*command, "--show"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        while b"tools/call" not in process.stdout.readline():
            pass
        process.stdout.close()
        sign.touch()
        assert process.stderr.read() == b""
    assert process.returncode == 1


@pytest.mark.parametrize("words", [("work", "is_told=true"), ("toil",)])
def test_a_tool_that_shows_signs_of_life_is_waited_for(server: str, words: tuple[str, ...]) -> None:
    result = run(server, *words, "--timeout", "2")
    assert (result.exit_code, result.stdout) == (0, "worked\n")


def test_a_tool_that_shows_none_is_not_and_the_remedy_is_reported(server: str) -> None:
    result = run(server, "work", "is_told=false", "--timeout", "2")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: No response to tools/call within 2 s\nHint: --timeout SECONDS waits longer\n"
    )


def test_the_exchange_is_shown_before_the_result(server: str) -> None:
    result = run(server, "add", "a=2", "--show")
    lines = result.stdout.splitlines()
    assert [line[0] for line in lines if line[0] in "→←"] == ["→", "←"] * 3
    assert lines[-1] == "2.5"
    assert '"method": "tools/call"' in result.stdout


def test_a_tool_that_fails_gives_exit_code_1(server: str) -> None:
    result = run(server, "fail")
    assert result.exit_code == 1
    assert "out of stock" in result.stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["add", "a=two"], "Error: a: expected integer, got 'two'\nHint: a:=JSON sends any value"),
        (["add", "a"], "Error: Expected KEY=VALUE or KEY:=JSON, got 'a'"),
        (["add", "a:={"], "Error: a:=: Not JSON"),
        (["add", "--args", "[1]"], "Error: --args: expected a JSON object, got '[1]'"),
        (["sell"], "Hint: the server has add, media, wait_for, work, toil, fail"),
    ],
)
def test_what_cannot_be_called_gives_exit_code_2_and_a_hint(
    server: str, words: list[str], complaint: str
) -> None:
    result = run(server, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert complaint in result.stderr
    assert "Traceback" not in result.stderr


def test_a_server_that_is_not_there_gives_exit_code_2() -> None:
    result = run("missing.py", "add")
    assert (result.exit_code, result.stderr) == (2, "Error: No such file: missing.py\n")


SCHEMA: Json = {
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "is_on": {"type": "boolean"},
        "items": {"type": "array"},
        "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "either": {"type": ["string", "integer"]},
        "size": {"$ref": "#/$defs/Size"},
        "level": {"enum": [1, 2]},
        "loop": {"$ref": "#/$defs/Loop"},
        "anything": {},
    },
    "$defs": {"Size": {"type": "object"}, "Loop": {"$ref": "#/$defs/Loop"}},
}


@pytest.mark.parametrize(
    ("pair", "value"),
    [
        ("text=5", "5"),
        ("text=a=b", "a=b"),
        ("text=", ""),
        ("text:=5", 5),
        ("count=5", 5),
        ("count=5.0", 5),
        ("ratio=5", 5),
        ("ratio=-2.5", -2.5),
        ("is_on=True", True),
        ("is_on=false", False),
        ("items=[1, 2]", [1, 2]),
        ("maybe=3", 3),
        ("maybe=null", None),
        ("either=3", 3),
        ("either=three", "three"),
        ('size={"w": 1}', {"w": 1}),
        ("level=2", 2),
        ("loop=x", "x"),
        ("anything=5", "5"),
        ("unknown=5", "5"),
        ("unknown:=[null]", [None]),
    ],
)
def test_values_are_read_as_the_schema_says(pair: str, value: object) -> None:
    key = pair.partition("=")[0].rstrip(":")
    assert parse_arguments((pair,), SCHEMA) == {key: value}


@pytest.mark.parametrize("pair", ["count=1.5", "is_on=1", "items=a,b", "maybe=x", "level=low"])
def test_values_that_do_not_fit_the_schema_are_refused(pair: str) -> None:
    with pytest.raises(ArgumentError):
        parse_arguments((pair,), SCHEMA)
