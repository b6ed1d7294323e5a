"""Definition files of paclets: which one counts, and what is made of it."""

import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from paddock import LoadError, PaddockError, Tool
from paddock.extensions.definition_files import ItemFiles
from paddock.extensions.errors import PromptSpecificationError, ToolSpecificationError
from paddock.extensions.paclets.definitions import PacletDefinition
from paddock.extensions.paclets.files import DirectoryFiles
from paddock.extensions.paclets.info import read_paclet_info
from paddock.extensions.paclets.paclet import PacletExtension, make_paclet_extension
from paddock.extensions.paclets.wolfram_function import WolframFunction
from paddock.extensions.registry import ItemRegistry
from paddock.wolfram.literals import UnevaluatedExpression
from paddock.wolfram.parser import parse_strict
from paddock.wolfram.wxf import write_wxf
from tests.unit.extensions.paclets.making import SAMPLES, paclet, sample

TOOL = '<| "Name" -> "tool", "Function" -> f, "Parameters" -> { } |>'


def tool(extension: PacletExtension, item: str) -> Tool:
    found: Tool = ItemRegistry([extension]).resolve_item(
        "tools", f"{extension.name}/{item}", where="here"
    )
    return found


def one_tool(directory: Path, text: str) -> Tool:
    """The tool that a definition makes."""
    return tool(paclet(directory, '"Tools" -> { "T" }', **{"Tools/T.wl": text}), "T")


def wxf(text: str, *, compress: bool = False) -> bytes:
    return write_wxf(parse_strict(text)[-1], compress=compress)


def test_a_tool_is_made_of_its_properties() -> None:
    found = tool(sample("Sampler"), "Echo")
    assert (found.name, found.title, found.description) == (
        "echo",
        "Echo",
        "Gives back what it is given",
    )
    assert found.input_schema == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to give back"},
            "times": {"type": "integer", "description": "How often"},
        },
        "required": ["text"],
        "additionalProperties": False,
    }
    assert found.option_values == {"MaxTimes": 10, "Method": "Automatic"}
    handler = found.handler
    assert isinstance(handler, WolframFunction)
    assert handler.code == "SamplePublisher`Sampler`echo"
    assert handler.initialization == 'Needs["SamplePublisher`Sampler`"]'
    assert handler.interpreters == {"text": '"String"', "times": '"Integer"'}


def test_the_last_expression_of_a_file_counts() -> None:
    found = tool(sample("Sampler"), "Count")
    assert isinstance(found.handler, WolframFunction)
    assert (found.name, found.handler.code) == ("count", "StringLength[#text] &")


@pytest.mark.parametrize(
    "text",
    [
        'LLMTool[ { "tool", "Text" }, { "x" -> "Integer" }, f ]',
        'LLMTool[ { "tool", "Text" }, "x" -> "Integer", f ]',
        """LLMTool[ <| "Name" -> "tool", "Description" -> "Text", "Function" -> f,
            "Parameters" -> { "x" -> "Integer" }, "LLMPacletVersion" -> "2.0" |> ]""",
        'Wolfram`LLMTools`LLMTool[ { "tool", "Text" }, <| "x" -> "Integer" |>, f ]',
        'tool = LLMTool[ { "tool", "Text" }, { "x" -> "Integer" }, f ]',
        'Needs[ "A`" ]; LLMTool[ { "tool", "Text" }, { "x" -> "Integer" }, f ]',
        """{ "Name" -> "tool", "Description" -> "Text", "Function" -> f,
            "Parameters" -> { "x" -> "Integer" } }""",
        """Association[ "Name" -> "tool", "Description" -> "Text", "Function" -> f,
            "Parameters" -> { "x" -> <| "Interpreter" -> "Integer" |> } ]""",
    ],
)
def test_a_tool_can_be_written_in_several_ways(tmp_path: Path, text: str) -> None:
    found = one_tool(tmp_path, text)
    assert found.input_schema is not None
    assert (found.name, found.description, found.input_schema["properties"]) == (
        "tool",
        "Text",
        {"x": {"type": "integer"}},
    )


def test_a_tool_without_a_description_has_none(tmp_path: Path) -> None:
    assert one_tool(tmp_path, 'LLMTool[ "tool", "x", StringLength[ #x ] & ]').description == ""


def test_a_tool_without_a_description_has_the_declared_one(tmp_path: Path) -> None:
    declared = '"Tools" -> { {"T", "Declared"}, {"U", "Declared"} }'
    own = '<| "Description" -> "Own", "Function" -> f |>'
    files = {"Tools/T.wl": '<| "Function" -> f |>', "Tools/U.wl": own}
    extension = paclet(tmp_path, declared, **files)
    assert [tool(extension, item).description for item in "TU"] == ["Declared", "Own"]


def test_an_association_may_hold_lists_of_rules_and_nothing(tmp_path: Path) -> None:
    text = '<| {"Name" -> "a"}, Nothing, <| "Description" -> "b" |>, "Function" -> f |>'
    found = one_tool(tmp_path, text)
    assert (found.name, found.description) == ("a", "b")


def test_a_tool_without_a_name_is_called_like_its_item(tmp_path: Path) -> None:
    assert one_tool(tmp_path, '<| "Function" -> f, "Parameters" -> { } |>').name == "T"


@pytest.mark.parametrize("compress", [False, True])
def test_wxf_comes_before_source_text(tmp_path: Path, *, compress: bool) -> None:
    found = paclet(tmp_path, '"Tools" -> { "T" }', **{"Tools/T.wl": TOOL})
    data = wxf(TOOL.replace('"tool"', '"binary"'), compress=compress)
    (tmp_path / "AgentTools" / "Tools" / "T.wxf").write_bytes(data)
    assert tool(found, "T").name == "binary"


def test_a_file_of_its_own_wins_over_a_combined_one() -> None:
    found = sample("Combined")
    assert [tool(found, item).name for item in ("First", "Second")] == ["first", "own_second"]


def test_a_broken_file_of_its_own_wins_too() -> None:
    with pytest.raises(LoadError) as fault:
        tool(sample("Combined"), "Third")
    assert "Third.wl:2:" in str(fault.value.where)


def test_an_item_that_a_combined_file_lacks_is_reported() -> None:
    with pytest.raises(LoadError, match="contains no definition of the tool 'Absent'"):
        tool(sample("Combined"), "Absent")


def test_a_closed_file_alone_says_what_to_do() -> None:
    with pytest.raises(LoadError, match=r"closed \.mx format") as fault:
        tool(sample("SeveralFiles"), "OnlyClosed")
    assert 'Export["OnlyClosed.wxf", Get["OnlyClosed.mx"]]' in str(fault.value.hint)


def test_a_closed_file_beside_others_is_ignored_and_listed() -> None:
    found = sample("SeveralFiles")
    assert tool(found, "BesideClosed").name == "beside_closed"
    files = found.find_item_files("tools", "BesideClosed")
    closed = "AgentTools/Tools/BesideClosed.mx"
    combined = ("AgentTools/Tools.wl",)
    assert files == ItemFiles(("AgentTools/Tools/BesideClosed.wl", closed), combined)
    assert files.selected_file == "AgentTools/Tools/BesideClosed.wl"


def test_of_several_files_a_broken_one_is_not_skipped() -> None:
    with pytest.raises(LoadError, match="is not WXF"):
        tool(sample("SeveralFiles"), "Twice")


def test_a_declared_item_without_a_file_says_where_it_should_be() -> None:
    found = sample("MissingFiles")
    with pytest.raises(LoadError) as fault:
        found.definition("servers", "Server")
    expected = SAMPLES / "MissingFiles" / "NoSuchDirectory" / "MCPServers" / "Server.wl"
    assert str(expected) in str(fault.value.hint)
    assert not found.files.has_folder(found.manifest.root)


def test_paclets_have_no_resources() -> None:
    assert sample("Sampler").find_item_files("resources", "x") == ItemFiles()


@pytest.mark.parametrize(
    ("item", "error", "place"),
    [
        ("Text", LoadError, "Text.wl:1:1"),
        ("Computed", LoadError, "Computed.wl:1:1"),
        ("Unfinished", LoadError, "Unfinished.wl:3:"),
        ("NotUtf8", LoadError, "NotUtf8.wl"),
        ("NoFunction", ToolSpecificationError, "NoFunction.wl:1:1"),
    ],
)
def test_a_bad_file_is_reported_with_its_place(
    item: str, error: type[PaddockError], place: str
) -> None:
    with pytest.raises(error) as fault:
        tool(sample("BadContents"), item)
    assert place in str(fault.value.where)


def test_a_prompt_without_content_is_refused() -> None:
    with pytest.raises(PromptSpecificationError):
        ItemRegistry([sample("BadContents")]).resolve_item(
            "prompts", "BadContents/Empty", where="here"
        )


def test_the_properties_are_available_as_written() -> None:
    file = sample("Sampler").definition("tools", "Next")
    assert isinstance(file, PacletDefinition)
    content = file.read_properties()
    assert list(content) == ["Name", "Parameters", "Function", "Description"]
    assert isinstance(content["Function"], UnevaluatedExpression)


@pytest.mark.parametrize(
    "definition",
    [
        '<| "Function" -> f, "Parameters" -> 3 |>',
        '<| "Function" -> f, "Parameters" -> { 3 } |>',
        '<| "Function" -> f, "Parameters" -> { "x" -> <| "Required" -> maybe |> } |>',
        '<| "Function" -> f, "Parameters" -> { "x", "x" -> "Integer" } |>',
        '<| "Function" -> f, "Options" -> 3 |>',
        '<| "Function" -> "text" |>',
        '<| "Name" -> "bad name", "Function" -> f |>',
        "LLMTool[ ]",
    ],
)
def test_a_tool_that_makes_no_sense_is_refused(tmp_path: Path, definition: str) -> None:
    with pytest.raises(ToolSpecificationError):
        one_tool(tmp_path, definition)


def test_a_text_that_would_have_to_be_computed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="Description is 'StringTake"):
        one_tool(tmp_path, '<| "Function" -> f, "Description" -> StringTake[ "abc", 2 ] |>')


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(* only a comment *)",
        TOOL + ";",
        "{" * 20_000 + "}" * 20_000,
        f'<| "Function" -> f, "Parameters" -> {"{" * 500}{"}" * 500} |>',
        "LLMTool[" * 20_000 + "]" * 20_000,
    ],
    ids=["empty", "comment", "null", "deep", "deep-inside", "deep-tools"],
)
def test_what_is_not_a_definition_at_all_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(PaddockError):
        one_tool(tmp_path, text)


def test_a_deep_interpreter_is_given_as_text(tmp_path: Path) -> None:
    deep = "RepeatingElement[" * 20_000 + '"String"' + "]" * 20_000
    found = one_tool(tmp_path, f'<| "Function" -> f, "Parameters" -> {{ "x" -> {deep} }} |>')
    assert found.input_schema is not None
    assert len(str(found.input_schema)) < 2000


@pytest.mark.parametrize(
    "data",
    [b"", b"8", b"8:", b"8:f", b"8C:", b"8C:garbage", b"8:f\xff\xff\xff\x7fs\4List"],
)
def test_broken_wxf_is_reported(tmp_path: Path, data: bytes) -> None:
    found = paclet(tmp_path, '"Tools" -> { "T" }', **{"Tools/T.wl": TOOL})
    (tmp_path / "AgentTools" / "Tools" / "T.wxf").write_bytes(data)
    with pytest.raises(LoadError) as fault:
        tool(found, "T")
    assert str(fault.value.where).endswith("T.wxf")


def test_wxf_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    found = paclet(tmp_path, '"Tools" -> { "T" }', **{"Tools/T.wl": TOOL})
    bomb = b"8C:" + zlib.compress(b"f" + bytes(50_000_000))
    (tmp_path / "AgentTools" / "Tools" / "T.wxf").write_bytes(bomb)
    with pytest.raises(LoadError, match="unpacks to more than"):
        tool(found, "T")


def server(directory: Path, text: str) -> dict[str, Any]:
    found = paclet(directory, '"MCPServers" -> { "S" }', **{"MCPServers/S.wl": text})
    loaded = found.definition("servers", "S").load()
    assert isinstance(loaded, dict)
    return loaded


def test_a_server_has_the_version_of_its_paclet_unless_it_says_another(tmp_path: Path) -> None:
    own = server(tmp_path, '<| "LLMEvaluator" -> <| |>, "ServerVersion" -> "9" |>')
    assert own["ServerVersion"] == "9"
    assert server(tmp_path, '<| "LLMEvaluator" -> <| |> |>')["ServerVersion"] == "1.0.0"


def test_a_server_keeps_its_initialization_as_text(tmp_path: Path) -> None:
    found = server(tmp_path, '<| "Initialization" :> Needs[ "A`" ], "LLMEvaluator" -> <| |> |>')
    assert repr(found["Initialization"]) == 'Needs["A`"]'


def test_a_server_may_define_tools_and_prompts_on_the_spot(tmp_path: Path) -> None:
    found = server(
        tmp_path,
        """
        <| "LLMEvaluator" -> LLMConfiguration[ <|
            "Tools" -> { "Named", LLMTool[ "made", "x", f ],
                <| "Name" -> "tab", "Function" -> g |> },
            "MCPPrompts" -> { <| "Name" -> "say", "Content" -> "Hello" |> }
        |> ] |>
        """,
    )["LLMEvaluator"]
    assert [one if isinstance(one, str) else one["name"] for one in found["Tools"]] == [
        "Named",
        "made",
        "tab",
    ]
    assert found["MCPPrompts"][0]["content"] == "Hello"


@pytest.mark.parametrize(
    "text",
    [
        '<| "Name" -> "S" |>',
        '<| "LLMEvaluator" -> 3 |>',
        '<| "LLMEvaluator" -> <| "Prompts" -> { makePrompt[ ] } |> |>',
        '<| "LLMEvaluator" -> <| |>, "ServerVersion" -> version[ ] |>',
    ],
)
def test_a_server_that_makes_no_sense_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(PaddockError) as fault:
        server(tmp_path, text)
    assert str(fault.value.where).endswith("S.wl:1:1")


@pytest.mark.parametrize("odd", ["", "extra"])
def test_a_comma_too_many_is_pointed_at(tmp_path: Path, odd: str) -> None:
    with pytest.raises(LoadError) as fault:
        one_tool(
            tmp_path,
            f'<| "Function" -> f, "Parameters" -> {{ "x" ->\n <| "Help" -> "a", {odd} |> }} |>',
        )
    assert str(fault.value.where).endswith("T.wl:2:2")


class CountingFiles(DirectoryFiles):
    """The files of a paclet, which count how often they are read."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.times: Counter[str] = Counter()

    def read_file(self, name: str, limit: int) -> bytes:
        self.times[name] += 1
        return super().read_file(name, limit)


def test_a_combined_file_is_read_once_for_all_its_items(tmp_path: Path) -> None:
    names = [f"T{number}" for number in range(20)]
    listed = ", ".join(f'"{name}"' for name in names)
    table = ", ".join(f'"{name}" -> {TOOL}' for name in names)
    paclet(tmp_path, f'"Tools" -> {{ {listed} }}', **{"Tools.wl": f"<| {table} |>"})
    files = CountingFiles(tmp_path)
    extension = make_paclet_extension(read_paclet_info(files), files)
    assert extension is not None
    for name in names:
        tool(extension, name)
    assert files.times["AgentTools/Tools.wl"] == 1
