"""The definitions on the pages are ones, and the page lists every key."""

import re
import tomllib
from collections.abc import Callable

import pytest

from docs_src.how_to.prompt_definitions import greet, poem
from paddock import Server, TextContent
from paddock.extensions.definition_files import find_definition_file
from paddock.extensions.errors import SpecificationError
from paddock.extensions.extension import get_built_in_extension, read_extension
from paddock.extensions.prompt_definition import make_prompt
from paddock.extensions.registry import ItemRegistry
from paddock.extensions.resource_definition import make_resource
from paddock.extensions.tool_definition import make_tool
from paddock.testing import connect
from tests.docs.pages import ROOT

GAMES = read_extension(ROOT / "docs_src" / "definitions", "games")
PAGE = (ROOT / "docs" / "reference" / "definitions.md").read_text(encoding="utf-8")


def served() -> Server:
    """All items of the manifest that the reference shows, in one server."""
    registry = ItemRegistry([get_built_in_extension(), GAMES])
    server = Server("games")
    for kind in ("tools", "prompts", "resources"):
        for one in registry.list_items(kind):
            if one.extension is GAMES:
                server.register(registry.resolve_item(kind, one.name, where="the page"))
    return server


def text(server: Server, name: str, /, **arguments: str) -> str:
    with connect(server) as peer:
        (message,) = peer.prompt(name, arguments).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


def test_the_tools_of_the_manifest_can_be_called() -> None:
    with connect(served()) as peer:
        assert [tool.name for tool in peer.tools()] == ["roll_dice", "shout", "repeat"]
        assert peer.call("shout", text="hi").text == "HI!"
        assert peer.call("shout", text="hi", marks=9).text == "HI!!!"
        assert peer.call("repeat", text="ho").text == "ho ho"
        assert peer.call("roll_dice", sides=1).text == "1"


def test_the_prompts_of_the_manifest_can_be_used() -> None:
    assert text(served(), "Explain", topic="tides") == "Explain tides to children."
    assert text(served(), "Greet", name="Ada") == "Greet Ada."
    assert text(served(), "Greet", name="Ada", title="Countess") == "Greet Ada as Countess."


def test_the_resource_of_the_manifest_can_be_read() -> None:
    with connect(served()) as peer:
        assert peer.read("games://rules").text == "The highest number wins.\n"


def test_the_names_in_the_server_of_the_manifest_lead_to_items() -> None:
    file = find_definition_file(GAMES.root, "servers", "Games")
    assert file is not None
    definition = file.load()
    assert isinstance(definition, dict)
    registry = ItemRegistry([get_built_in_extension(), GAMES])
    for kind in ("tools", "prompts", "resources"):
        for name in definition[kind]:
            assert registry.resolve_item(kind, name, owner=GAMES, where="the page")


def test_the_prompts_of_the_how_to_can_be_used() -> None:
    server = Server("zoo", prompts=[make_prompt(one, where="the page") for one in (greet, poem)])
    assert text(server, "Greet", name="Ada") == "Hello, Ada! Welcome to the zoo."
    assert text(server, "Poem", animal="the otter") == "Write a poem about the otter."


def test_the_prompt_in_toml_is_the_one_in_python() -> None:
    registry = ItemRegistry([])
    file = ROOT / "docs_src" / "how_to" / "prompt_definition.toml"
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    server = Server("zoo", prompts=registry.resolve_item("prompts", table, where="the page"))
    again = Server("zoo", prompts=make_prompt(greet, where="the page"))
    with connect(server) as one, connect(again) as other:
        assert one.prompts() == other.prompts()
    assert text(server, "Greet", name="Ada") == text(again, "Greet", name="Ada")


@pytest.mark.parametrize(
    ("make", "section"),
    [(make_tool, "Tools"), (make_prompt, "Prompts"), (make_resource, "Resources")],
)
def test_every_property_has_its_line(make: Callable[..., object], section: str) -> None:
    with pytest.raises(SpecificationError) as raised:
        make({"qqqqqq": 1}, where="here")
    known = set((raised.value.hint or "").removeprefix("known are ").split(", "))
    lines = PAGE.split(f"## {section}\n")[1].split("\n## ")[0].splitlines()
    cells = [line.split("|")[1] for line in lines if line.startswith("| `")]
    assert known - set(re.findall(r"`(\w+)`", " ".join(cells))) == set()
