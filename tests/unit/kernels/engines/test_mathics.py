"""Mathics3 in a worker: what it answers, in text that is Wolfram Language."""

from collections.abc import Iterator

import pytest

from paddock.kernels.kernel import EvaluationLimits, EvaluationOutput, Kernel, KernelError
from paddock.kernels.wolfram.engines import find_mathics
from paddock.wolfram import parse_strict

pytestmark = [
    pytest.mark.skipif(not find_mathics().location, reason="Mathics3 is not installed"),
    pytest.mark.timeout(120),
]


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    started = find_mathics().start(EvaluationLimits())
    yield started
    started.close()


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("1 + 1", "2"),
        ("x^2/2", "x^2/2"),
        ("-a/2", "-1/2*a"),
        ("-2 x/3", "(-2*x)/3"),
        ("a - 2 b c", "a - 2*b*c"),
        ("1/x", "x^(-1)"),
        ("-1/x", "-x^(-1)"),
        ("3 Sin[x]/x^2", "(3*Sin[x])/x^2"),
        ("Sqrt[x]", "Sqrt[x]"),
        ("1/(x y)", "1/(x*y)"),
        ("1/2 + I/3", "1/2 + I/3"),
        ("{1.5, 2., 10.^20, 1.23*^-7, 123456.}", "{1.5, 2., 1.*^20, 1.23*^-7, 123456.}"),
        ("N[Pi, 30]", "3.14159265358979323846264338328`30."),
        (
            "{a -> b, c :> d, e == f, g && h, Infinity}",
            "{a -> b, c :> d, e == f, g && h, Infinity}",
        ),
        ('"a\\"b\\nc"', '"a\\"b\\nc"'),
        ('<|"a" -> 1|>', '<|"a" -> 1|>'),
        ("#1 + 1 &", "#1 + 1 &"),
        ("D[g[x], x]", "Derivative[1][g][x]"),
        ("ByteArray[{1, 2}]", 'ByteArray["AQI="]'),
        ("other`name", "other`name"),
        ("Throw[3]", "Hold[Throw[3]]"),
        ("Abort[]", "$Aborted"),
        ("1;", "Null"),
    ],
)
def test_values_are_written_as_a_kernel_writes_them(kernel: Kernel, code: str, text: str) -> None:
    outcome = kernel.evaluate(code, EvaluationLimits())
    assert (outcome.status, outcome.result) == ("done", text)
    assert parse_strict(text)


def test_prints_and_messages_keep_their_order_and_have_no_foreign_signs(kernel: Kernel) -> None:
    outcome = kernel.evaluate("Print[a -> b]; 1/0; Print[last]", EvaluationLimits())
    assert outcome.outputs == (
        EvaluationOutput("print", "a -> b"),
        EvaluationOutput("message", "Power::infy: Infinite expression 1 / 0 encountered."),
        EvaluationOutput("print", "last"),
    )


def test_code_that_only_mathics_cannot_read_is_refused_with_its_message(kernel: Kernel) -> None:
    outcome = kernel.evaluate("f[", EvaluationLimits())
    assert (outcome.status, outcome.result) == ("failed", None)
    assert outcome.outputs[0].text.startswith("Syntax::")


def test_a_plot_is_an_svg_in_its_place_among_values(kernel: Kernel) -> None:
    outcome = kernel.evaluate("{1, Plot[x, {x, 0, 1}]}", EvaluationLimits())
    assert outcome.result == "{1, -Graphics-}"
    (picture,) = outcome.outputs
    assert (picture.kind, picture.mime) == ("picture", "image/svg+xml")
    assert picture.data.startswith(b"<svg")


def test_an_image_is_a_png(kernel: Kernel) -> None:
    outcome = kernel.evaluate("Image[{{0, 0.5}, {1, 0.2}}]", EvaluationLimits())
    (picture,) = outcome.outputs
    assert (outcome.result, picture.mime) == ("-Image-", "image/png")
    assert picture.data.startswith(b"\x89PNG")


def test_output_forms_are_printed_in_their_form(kernel: Kernel) -> None:
    assert kernel.evaluate("TeXForm[x^2]", EvaluationLimits()).result == "x^2"
    assert kernel.evaluate("FullForm[a -> b]", EvaluationLimits()).result == "Rule[a, b]"
    shown = kernel.evaluate("shown[n_] := n -> 1; Definition[shown]", EvaluationLimits()).result
    assert shown is not None
    assert "shown[n_]" in shown
    assert "n -> 1" in shown


def test_endless_recursion_is_stopped_and_the_session_lives_on(kernel: Kernel) -> None:
    outcome = kernel.evaluate("r[n_] := r[n + 1] + 1; r[1]", EvaluationLimits())
    assert outcome.result == "$Aborted"
    assert outcome.outputs[0].text.startswith("$RecursionLimit::")
    assert kernel.evaluate("2 + 2", EvaluationLimits()).result == "4"


def test_definitions_survive_an_endless_loop_that_is_stopped(kernel: Kernel) -> None:
    kernel.evaluate("kept = 7", EvaluationLimits())
    assert (
        kernel.evaluate("kept = 8; While[True]", EvaluationLimits(seconds=1)).status == "timed-out"
    )
    assert kernel.evaluate("kept", EvaluationLimits()).result == "7"


def test_quitting_is_reverted(kernel: Kernel) -> None:
    kernel.evaluate("kept = 9", EvaluationLimits())
    assert kernel.evaluate("Quit[]", EvaluationLimits()).status == "quit"
    assert kernel.evaluate("kept", EvaluationLimits()).result == "9"


def test_definitions_go_over_to_another_kernel(kernel: Kernel) -> None:
    kernel.evaluate('f[n_] := n^2; s::tag = "text"; SetAttributes[h, HoldAll]', EvaluationLimits())
    state = kernel.dump_state()
    assert state is not None
    other = find_mathics().start(EvaluationLimits())
    try:
        other.restore(state)
        assert other.evaluate("{f[9], s::tag, Attributes[h]}", EvaluationLimits()).result == (
            '{81, "text", {HoldAll}}'
        )
        with pytest.raises(KernelError):
            other.restore(b"mathics 0.0\n")
        assert other.evaluate("f[2]", EvaluationLimits()).result == "4"
    finally:
        other.close()
