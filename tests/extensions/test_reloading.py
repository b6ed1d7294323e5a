"""An author changes an extension while a client is connected to its server."""

import os
import sys
from pathlib import Path
from queue import SimpleQueue

import pytest

from paddock.extensions.scaffold import create_extension
from paddock.testing import connect
from tests.behaviour.line import PATIENCE


def test_the_server_of_an_extension_is_loaded_again_with_its_manifest_and_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = tmp_path / "words" / "src"
    started = create_extension(tmp_path / "words")
    points = sources / "words.egg-info" / "entry_points.txt"
    points.parent.mkdir()
    points.write_text("[paddock.extensions]\nwords = words\n", encoding="utf-8")
    before = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(sources), before]))
    heard: SimpleQueue[str] = SimpleQueue()
    command = [sys.executable, "-m", "paddock", "serve", "--reload", started.server]
    with connect(
        command, era="2025-11-25", on_notification=lambda method, _: heard.put(method)
    ) as peer:
        assert [tool.name for tool in peer.tools()] == ["count_words"]
        package = sources / "words"
        with (package / "texts.py").open("a", encoding="utf-8") as file:
            file.write("\n\ndef shout(text: str) -> str:\n    return text.upper()\n")
        definitions = package / "agenttools"
        (definitions / "tools" / "Shout.py").write_text(
            "from words.texts import shout as tool\n", encoding="utf-8"
        )
        manifest = package / "paddock.toml"
        text = manifest.read_text(encoding="utf-8")
        manifest.write_text(text.replace("tools = [", 'tools = ["Shout", '), encoding="utf-8")
        server = definitions / "servers" / "Writing.toml"
        text = server.read_text(encoding="utf-8")
        server.write_text(text.replace("tools = [", 'tools = ["Shout", '), encoding="utf-8")
        assert heard.get(timeout=PATIENCE) == "notifications/tools/list_changed"
        assert [tool.name for tool in peer.tools()] == ["Shout", "count_words"]
        assert peer.call("Shout", text="hi").text == "HI"
