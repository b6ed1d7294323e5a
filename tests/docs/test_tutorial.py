"""The programs of the README, the tutorial and the examples do what the pages say."""

from pathlib import Path

import pytest

from docs_src.readme import server as hello
from docs_src.tutorial.arguments import server as arguments
from docs_src.tutorial.first import server as first
from docs_src.tutorial.prompts_and_resources import server as recipes
from docs_src.tutorial.talking_back import server as talking
from examples.quickstart import server as quickstart
from paddock import Server, TextContent
from paddock.testing import connect
from tests.docs.pages import ROOT

KITCHEN = ROOT / "docs_src" / "tutorial" / "kitchen"


def test_the_server_of_the_readme_greets() -> None:
    with connect(hello) as peer:
        assert peer.call("greet", name="Ada", times=2).text == "Hello, Ada! Hello, Ada!"


def test_the_quickstart_has_a_tool_a_prompt_and_a_resource() -> None:
    with connect(quickstart) as peer:
        assert peer.call("greet", name="Ada").text == "Hello, Ada!"
        message = peer.prompt("introduce", topic="ponies").messages[0].content
        assert message == TextContent("Introduce me to ponies in three sentences.")
        assert peer.read("quickstart://motto").text == "Small, quick, correct."


@pytest.mark.parametrize("program", ["docs_src/readme.py", "examples/quickstart.py"])
def test_a_program_that_is_started_serves_its_standard_input(program: str) -> None:
    with connect(ROOT / program) as peer:
        assert peer.call("greet", name="Ada").text == "Hello, Ada!"


def test_a_tool_is_described_by_its_docstring_and_hints() -> None:
    with connect(first) as peer:
        tool = peer.tools()[0]
        assert peer.call("scale", amount=200, people=6).structured == {"result": 300.0}
    assert tool.description == "Scale an amount in a recipe to another number of people."
    assert tool.input_schema["required"] == ["amount", "people"]


def test_objects_in_arguments_and_results_have_schemas() -> None:
    flour = {"name": "flour", "amount": 200}
    eggs = {"name": "eggs", "amount": 6, "unit": "piece"}
    with connect(arguments) as peer:
        result = peer.call("weigh", ingredients=[flour, eggs], people=2)
        assert peer.tools()[0].output_schema is not None
        assert peer.call("weigh", ingredients=[]).is_error
        assert peer.call("weigh", ingredients=[{**eggs, "unit": "cup"}]).is_error
    assert result.structured == {"grams": 280.0, "heaviest": "eggs"}


def test_a_fixed_resource_goes_before_a_template() -> None:
    with connect(recipes) as peer:
        assert peer.read("recipe://index").text == '["omelette","pancakes"]'
        assert peer.read("recipe://omelette").text.startswith("6 eggs")
        assert peer.complete("recipe://{name}", "name", "pan").values == ["pancakes"]
        message = peer.prompt("menu", guests="3").messages[0].content
    assert message == TextContent("Suggest a menu for 3 people. The occasion: dinner.")


def test_a_question_that_the_client_cannot_put_is_an_error_that_says_so() -> None:
    with connect(talking, era="2025-11-25") as peer:
        result = peer.call("suggest", dish="Curry")
    assert result.is_error
    assert "elicitation" in result.text


def test_log_messages_reach_a_client_that_wants_them() -> None:
    heard: list[dict[str, object]] = []
    with connect(talking, on_log=heard.append) as peer:
        peer.call("bake", trays=1)
    assert [record["data"] for record in heard] == ["Tray 1 is in the oven."]


def test_a_directory_is_a_server() -> None:
    with connect(KITCHEN) as peer:
        assert peer.call("scale", amount=100, people=8).text == "200.0"
        assert peer.read("recipe://pancakes").text.startswith("200 g flour")
        texts = [
            peer.prompt("menu", given).messages[0].content
            for given in ({"guests": "3"}, {"guests": "3", "occasion": "lunch"})
        ]
    assert texts == [
        TextContent("Suggest a menu for 3 people."),
        TextContent("Suggest a menu for 3 people, for lunch."),
    ]


def test_a_file_with_a_mistake_is_left_out_of_its_directory(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "broken.py").write_text("def broken(:\n", encoding="utf-8")
    (tools / "fine.py").write_text('def fine() -> str:\n    return "fine"\n', encoding="utf-8")
    with connect(Server("mixed", auto_register_dir=tmp_path)) as peer:
        assert [tool.name for tool in peer.tools()] == ["fine"]
