"""The named servers of the pages are served as the pages say, and the page lists every key."""

import re
import runpy
import sys
from pathlib import Path

import pytest

from paddock import get_server
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.named_servers.definition import ServerDefinition
from paddock.named_servers.names import MAX_STEM_CHARACTERS
from paddock.testing import connect
from tests.docs.pages import ROOT

PROGRAMS = ROOT / "docs_src" / "how_to" / "named"
PAGE = (ROOT / "docs" / "reference" / "server-definition.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path))


def serve(target: str) -> list[str]:
    return [sys.executable, "-m", "paddock", "serve", target]


def test_the_server_that_the_program_creates_is_served_by_its_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    runpy.run_path(str(PROGRAMS / "garden.py"), run_name="__main__")
    assert capsys.readouterr().out == get_server("Garden").json_configuration + "\n"
    with connect(serve("Garden")) as peer:
        assert [tool.name for tool in peer.tools()] == ["plants", "plant", "roll_dice"]
        assert peer.call("plants").structured == {"result": ["oak", "rose"]}
        assert peer.call("roll_dice", {"count": 7}).text == "7 dice are too many: at most 6"
        assert [prompt.name for prompt in peer.prompts()] == ["visit"]


def test_the_programs_that_look_and_edit_work(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(PROGRAMS / "garden.py"), run_name="__main__")
    capsys.readouterr()
    runpy.run_path(str(PROGRAMS / "looking.py"))
    assert capsys.readouterr().out.startswith("Garden 1.0.0 ok\n['plants', 'plant',")
    garden = get_server("Garden")
    assert (garden.version, garden.initialization) == ("1.3.0", None)
    assert garden.tool_names == ["plants", "plant", "roll_dice", "greet"]


def test_the_definition_on_the_page_is_served() -> None:
    with connect(serve(str(PROGRAMS / "garden.toml"))) as peer:
        assert [tool.name for tool in peer.tools()] == ["plants", "plant", "roll_dice"]
        (message,) = peer.prompt("visit", {"guest": "Ada"}).messages
        assert "Show Ada the garden." in str(message.content)


def test_the_page_lists_every_key() -> None:
    section = PAGE.partition("## Keys\n")[2].partition("\n## ")[0]
    listed = set(re.findall(r"^\| `(\w+)` \|", section, flags=re.M))
    assert listed == set(ServerDefinition.__struct_fields__) - {"extra", "prebuilt_server"}


def test_the_page_gives_the_limit_of_a_name() -> None:
    assert f"no more than {MAX_STEM_CHARACTERS} bytes" in PAGE
