"""`paddock serve --reload`: changed files are picked up while the client stays connected."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

import pytest

from paddock.testing import connect
from tests.behaviour.line import PATIENCE

if TYPE_CHECKING:
    from paddock import Peer

HEAD = 'from paddock import Server\n\nserver = Server("live")\n'


def tool(name: str) -> str:
    return f'\n\n@server.tool\ndef {name}() -> str:\n    return "{name}"\n'


class Live:
    """A server that reloads, what it says on standard error, and what it tells its client."""

    def __init__(self, target: Path) -> None:
        self.heard: SimpleQueue[str] = SimpleQueue()
        reader, writer = os.pipe()
        command = [sys.executable, "-m", "paddock", "serve", "--reload", str(target)]
        self.peer: Peer = connect(
            command, era="2025-11-25", stderr=writer, on_notification=self._hear
        )
        os.close(writer)
        self.said = os.fdopen(reader, encoding="utf-8")

    def _hear(self, method: str, _params: object) -> None:
        self.heard.put(method)

    def names(self) -> list[str]:
        return [tool.name for tool in self.peer.tools()]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    program = tmp_path / "server.py"
    program.write_text(HEAD + tool("old"), encoding="utf-8")
    return program


@pytest.fixture
def live(program: Path) -> Iterator[Live]:
    live = Live(program)
    with live.peer, live.said:
        assert live.names() == ["old"]
        yield live


def test_a_change_right_after_the_first_answer_is_not_missed(live: Live, program: Path) -> None:
    program.write_text(HEAD + tool("renewed"), encoding="utf-8")
    assert live.heard.get(timeout=PATIENCE) == "notifications/tools/list_changed"
    assert live.names() == ["renewed"]


def test_clients_are_reported_once_and_only_of_what_exists(live: Live, program: Path) -> None:
    for name in ("one", "two"):
        program.write_text(HEAD + tool(name), encoding="utf-8")
        assert live.heard.get(timeout=PATIENCE) == "notifications/tools/list_changed"
        assert live.names() == [name]
    assert live.heard.empty()


def test_a_file_that_is_broken_for_a_while_leaves_the_server_as_it_was(
    live: Live, program: Path
) -> None:
    program.write_text(HEAD + "def", encoding="utf-8")
    assert "Reload failed" in live.said.readline()
    assert live.peer.call("old").text == "old"
    program.write_text(HEAD + tool("fixed"), encoding="utf-8")
    assert live.heard.get(timeout=PATIENCE) == "notifications/tools/list_changed"
    assert live.names() == ["fixed"]


def test_a_change_in_a_module_beside_the_file_counts(tmp_path: Path) -> None:
    helper, program = tmp_path / "words.py", tmp_path / "server.py"
    helper.write_text('WORD = "old"\n', encoding="utf-8")
    source = f"import words\n{HEAD}\n@server.tool\ndef say() -> str:\n    return words.WORD\n"
    program.write_text(source, encoding="utf-8")
    live = Live(program)
    with live.peer, live.said:
        assert live.peer.call("say").text == "old"
        helper.write_text('WORD = "renewed"\n', encoding="utf-8")
        live.heard.get(timeout=PATIENCE)
        assert live.peer.call("say").text == "renewed"


def test_a_file_added_to_a_directory_counts(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    live = Live(tmp_path)
    with live.peer, live.said:
        assert live.names() == []
        new = tmp_path / "tools" / "new.py"
        new.write_text('def fresh() -> str:\n    return "fresh"\n', encoding="utf-8")
        live.heard.get(timeout=PATIENCE)
        assert live.peer.call("fresh").text == "fresh"


def test_a_server_that_failed_to_load_can_be_fixed(program: Path) -> None:
    program.write_text("import nowhere_to_be_found\n", encoding="utf-8")
    command = [sys.executable, "-m", "paddock", "serve", "--reload", str(program)]
    heard: SimpleQueue[str] = SimpleQueue()
    with connect(
        command,
        stderr=subprocess.DEVNULL,
        era="2025-11-25",
        on_notification=lambda method, _: heard.put(method),
    ) as peer:
        with pytest.raises(Exception, match="nowhere_to_be_found"):
            peer.tools()
        program.write_text(HEAD + tool("fixed"), encoding="utf-8")
        heard.get(timeout=PATIENCE)
        assert [tool.name for tool in peer.tools()] == ["fixed"]


def test_a_new_skill_is_declared_and_served(program: Path, live: Live) -> None:
    place = program.parent / "skills" / "notes"
    place.mkdir(parents=True)
    text = "---\nname: notes\ndescription: d\n---\n"
    (place / "SKILL.md").write_text(text, encoding="utf-8")
    program.write_text(HEAD + 'server.skills("skills")\n', encoding="utf-8")
    assert live.heard.get(timeout=PATIENCE) == "notifications/tools/list_changed"
    assert live.heard.get(timeout=PATIENCE) == "notifications/resources/list_changed"
    assert len(live.peer.pages("skills/list", "skills")) == 1
    (place / "more.md").write_text("more", encoding="utf-8")
    assert live.heard.get(timeout=PATIENCE) == "notifications/resources/list_changed"
