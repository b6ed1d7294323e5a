"""The driver of Wolfram kernels, as much as it can be tried without one.

There is no licensed kernel here. Our parser reads the file, and woxi runs the parts that it knows.
"""

import json
from collections.abc import Iterator

import pytest

from paddock.kernels.kernel import EvaluationLimits, Kernel
from paddock.kernels.wolfram.engines import DRIVER_PATH, find_woxi
from paddock.wolfram import has_head, parse

TEXT = DRIVER_PATH.read_text("utf-8")
PACKAGING = ("BeginPackage", "EndPackage", "Begin", "End")

# What woxi lacks, in its simplest form: options of ToString, handlers, and a mark for answers.
PREPARATION = """
ClearAll[inputText, say];
SetAttributes[inputText, HoldAllComplete];
inputText[e_] := ToString[Unevaluated[e], InputForm];
say[kind_, fields_] := Print[$mark, " ", json[Join[<|"id" -> $id, "kind" -> kind|>, fields]]];
SetAttributes[Internal`HandlerBlock, HoldRest];
Internal`HandlerBlock[handler_, code_] := code;
$mark = "M"; $first = {"System`", "Global`"}; $Line = 1;
"""


def test_our_parser_finds_nothing_wrong_with_the_driver() -> None:
    source = parse(TEXT)
    assert source.problems == []
    assert len(source.expressions) > 40


def test_the_driver_is_plain_ascii() -> None:
    assert TEXT.isascii()


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    engine = find_woxi()
    if not engine.location:
        pytest.skip("woxi is not installed")
    started = engine.start(EvaluationLimits())
    for expression in parse(TEXT).expressions:
        if not any(has_head(expression, head) for head in PACKAGING):
            outcome = started.evaluate(TEXT[expression.start : expression.end], EvaluationLimits())
            assert outcome.status == "done", outcome
    for line in PREPARATION.strip().splitlines():
        assert started.evaluate(line, EvaluationLimits()).status == "done"
    yield started
    started.close()


def answers(kernel: Kernel, code: str) -> list[dict[str, object]]:
    """What the driver says, decoded."""
    outputs = kernel.evaluate(code, EvaluationLimits()).outputs
    lines = "\n".join(output.text for output in outputs if output.kind == "print").splitlines()
    return [json.loads(line.removeprefix("M ")) for line in lines if line.startswith("M ")]


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ('"plain"', "plain"),
        ('"quotes \\" and \\\\ and\\n"', 'quotes " and \\ and\n'),
        ('"\\[EAcute]"', "é"),
        ("12", 12),
        ("True", True),
        ("Null", None),
        ('{1, "a", {}}', [1, "a", []]),
        ('<|"a" -> {1}, "b" -> <||>|>', {"a": [1], "b": {}}),
    ],
)
def test_answers_are_json_in_ascii(kernel: Kernel, code: str, value: object) -> None:
    kernel.evaluate(f"$said = json[{code}]", EvaluationLimits())
    (printed,) = kernel.evaluate("Print[$said]", EvaluationLimits()).outputs
    assert printed.text.isascii()
    assert json.loads(printed.text) == value


def test_characters_beyond_the_first_plane_become_two_escapes(kernel: Kernel) -> None:
    assert kernel.evaluate("escaped[128512]", EvaluationLimits()).result == r'"\\ud83d\\ude00"'


def test_long_texts_are_cut_in_the_middle(kernel: Kernel) -> None:
    text = kernel.evaluate('shortened["abcdefghijklmnopqrstuvwxyz", 10]', EvaluationLimits()).result
    assert text == '"abc ... yz"'


def evaluation(code: str) -> str:
    return (
        f'handle[<|"id" -> 7, "do" -> "evaluate", "code" -> {json.dumps(code)}, "seconds" -> 60, '
        '"memory" -> 1000000000, "characters" -> 100|>]'
    )


@pytest.mark.parametrize(
    ("code", "status", "result"),
    [
        ("1 + 1", "done", "2"),
        ("{a, b}", "done", "{a, b}"),
        ("Sequence[1, 2]", "done", "Sequence[1, 2]"),
        ("Throw[3]", "done", "Hold[Throw[3]]"),
        ("Throw[3, t]", "done", "Hold[Throw[3, t]]"),
        ("f[", "failed", "$Failed"),
    ],
)
def test_an_evaluation_ends_with_its_value(
    kernel: Kernel, code: str, status: str, result: str
) -> None:
    end = answers(kernel, evaluation(code))[-1]
    kept = {key: end.get(key) for key in ("id", "kind", "status", "result")}
    assert kept == {"id": 0, "kind": "end", "status": status, "result": result}


def test_a_message_is_reported_three_times_and_then_no_more(kernel: Kernel) -> None:
    kernel.evaluate("$count = 0; $seen = <||>; $characters = 100", EvaluationLimits())
    told = answers(kernel, 'Do[counted[{"f::x", "text"}], {5}]')
    assert [answer["text"] for answer in told] == [
        "f::x: text",
        "f::x: text",
        "f::x: text",
        "General::stop: Further output of f::x will be suppressed during this calculation.",
    ]
