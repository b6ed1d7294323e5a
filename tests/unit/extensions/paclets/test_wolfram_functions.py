"""Arguments, results and names of Wolfram functions, without an engine."""

from typing import Any

import pytest

from paddock import ToolError
from paddock.extensions.paclets.function_call import expand_named_slots, iter_argument_code
from paddock.extensions.paclets.function_results import make_prompt_text, make_tool_result
from paddock.extensions.paclets.symbol_check import find_unresolved_symbols
from paddock.kernels.kernel import EvaluationOutput, EvaluationResult
from paddock.protocol.content import TextContent

SYSTEM = {"Function", "Plus", "Map", "Module", "Table", "Sqrt", "Slot", "List", "Set", "Pattern"}


@pytest.mark.parametrize(
    ("value", "interpreter", "code"),
    [
        ('a\n"b" \\c', '"String"', '"a\\n\\"b\\" \\\\c"'),
        (10, '"Integer"', "10"),
        (1e-7, '"Number"', "1.*^-7"),
        (True, '"Boolean"', "True"),
        (None, '"String"', "Null"),
        (["a", 1], 'CompoundElement[{"String", "Integer"}]', '{"a", 1}'),
        ({"x": 1}, 'CompoundElement[<|"x" -> "Integer"|>]', '<|"x" -> 1|>'),
        ("big", '{"big" -> 100, "small" :> f[1]}', "100"),
        ("small", '{"big" -> 100, "small" :> f[1]}', "f[1]"),
        ("big", '{"big", "small"}', '"big"'),
        (3, 'Restricted["Integer", {1, 10}]', "3"),
        ("Rome", '"City"', 'Interpreter["City"]["Rome"]'),
    ],
)
def test_an_argument_is_code_as_its_interpreter_wants_it(
    value: object, interpreter: str, code: str
) -> None:
    (argument,) = iter_argument_code({"x": value}, {"x": interpreter})
    assert argument.code == code
    assert argument.needs_interpretation == code.startswith("Interpreter")


def test_every_parameter_is_there_in_its_order() -> None:
    found = iter_argument_code({"z": 1, "b": "x"}, {"a": '"Integer"', "b": '"String"'})
    assert [(one.name, one.code) for one in found] == [
        *(("a", 'Missing["NoInput"]'), ("b", '"x"'), ("z", "1")),
    ]


def texts(result: str) -> list[Any]:
    """The texts of what a tool answers."""
    found = make_tool_result(EvaluationResult("done", result), "The tool")
    return [one.text for one in found.content if isinstance(one, TextContent)]


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ('"a \\"b\\""', 'a "b"'),
        ("{1, x^2}", "{1, x^2}"),
        ("Null", "Null"),
        ('<|"String" -> "abc", "other" -> 1|>', "abc"),
        ('<|"a" -> 1|>', '<|"a" -> 1|>'),
        ("f[", "f["),
        ('"\uf351"', "\\[FreeformPrompt]"),
    ],
)
def test_a_result_is_text(result: str, text: str) -> None:
    assert texts(result) == [text]


def test_content_may_have_items_of_several_forms() -> None:
    items = '{"a", <|"type" -> "text", "text" -> "b"|>, <|"Type" -> "text", "Text" -> "c"|>, 4}'
    assert texts(f'<|"Content" -> {items}|>') == ["a", "b", "c", "4"]


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("$Failed", "[Error] The tool gave $Failed\nf::bad: why"),
        ('Failure["Bad", <|"Message" -> "faulty"|>]', "[Error] faulty"),
        (
            'Failure["B", <|"MessageTemplate" -> "`1` `` `9` `x`", "MessageParameters" -> {1,2}|>]',
            "[Error] 1 2 `9` `x`",
        ),
        (
            'Failure["B", <|"MessageTemplate" -> "`x`!", "MessageParameters" -> <|"x" -> f[1]|>|>]',
            "[Error] f[1]!",
        ),
        ('Failure["Bad", <||>]', "[Error] Bad"),
    ],
)
def test_a_failure_is_an_error_of_a_tool_and_a_text_of_a_prompt(result: str, said: str) -> None:
    outcome = EvaluationResult("done", result, (EvaluationOutput("message", "f::bad: why"),))
    with pytest.raises(ToolError) as fault:
        make_tool_result(outcome, "The tool")
    assert str(fault.value) == said
    assert make_prompt_text(outcome, "The tool") == said


def test_what_was_stopped_is_an_error() -> None:
    with pytest.raises(ToolError, match="took too long"):
        make_tool_result(EvaluationResult("timed-out"), "The tool")
    with pytest.raises(ToolError, match="ended the kernel"):
        make_tool_result(EvaluationResult("crashed"), "The tool")


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("StringFoo[#x] &", ["StringFoo"]),
        ("A`known", []),
        ("A`other[A`known[1]]", ["A`other"]),
        ("known", ["known"]),
        ("Function[{g}, g[1] + h]", []),
        ("Module[{f = Sqrt, k}, f[k[1]] + Table[i[1], {i, 3}]]", []),
        ("Map[f_[x_] :> f[x], 1]", []),
        ("System`Sqrt[2] + System`Sqart[2]", ["System`Sqart"]),
        ("Sqrt[2] // foo", ["foo"]),
    ],
)
def test_symbols_that_no_one_defines_are_found(code: str, names: list[str]) -> None:
    found = find_unresolved_symbols(code, SYSTEM.__contains__, {"A`known"}.__contains__)
    assert found == names


def test_named_slots_can_be_spelled_out() -> None:
    assert (
        expand_named_slots('f[#text, #2, #, "#no", #a] &')
        == 'f[#1["text"], #2, #, "#no", #1["a"]] &'
    )
    assert expand_named_slots("f[") == "f["
