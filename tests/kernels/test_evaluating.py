"""What a kernel makes of code."""

import threading

import pytest

from paddock.kernels.kernel import EvaluationControl, EvaluationLimits, EvaluationOutput, Kernel
from paddock.kernels.worker.worker_kernel import WorkerKernel

LIMITS = EvaluationLimits(seconds=20)
SHORT = EvaluationLimits(seconds=0.5)


def result(kernel: Kernel, code: str) -> str | None:
    """The text of a value, which nothing went wrong with."""
    outcome = kernel.evaluate(code, LIMITS)
    assert (outcome.status, outcome.note) == ("done", "")
    return outcome.result


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("1+1", "2"),
        ('"a\\"b"', '"a\\"b"'),
        ('<|"a"->{1,"b"}|>', '<|"a" -> {1, "b"}|>'),
        ("x = 5;", "Null"),
        ('"Null"', '"Null"'),
        ('"a\nb"', '"a\\nb"'),
        ("Abort[]", "$Aborted"),
        ("Throw[3]", "Hold[Throw[3]]"),
        ("Hold[1+1]", "Hold[1 + 1]"),
        ("undefined (* a comment *)", "undefined"),
        ("f[x_] :=\n  x^2", "Null"),
    ],
)
def test_a_result_is_reported_in_input_form(kernel: WorkerKernel, code: str, wanted: str) -> None:
    assert result(kernel, code) == wanted


def test_a_kernel_keeps_what_was_defined(kernel: WorkerKernel) -> None:
    kernel.evaluate("x = 5; f[y_] := x + y", LIMITS)
    assert result(kernel, "f[2]") == "7"


def test_prints_and_messages_come_in_the_order_in_which_they_appeared(
    kernel: WorkerKernel,
) -> None:
    outcome = kernel.evaluate('Print["a"]; 1/0; Print[b]; Run["echo c"]; Echo[0^0]', LIMITS)
    assert (outcome.status, outcome.result) == ("done", "Indeterminate")
    assert list(outcome.outputs) == [
        EvaluationOutput("print", "a"),
        EvaluationOutput("message", "Power::infy: Infinite expression 1/0 encountered."),
        EvaluationOutput("print", "b\nc"),
        EvaluationOutput("message", "Power::indet: Indeterminate expression 0^0 encountered."),
        EvaluationOutput("print", ">> Indeterminate"),
    ]


@pytest.mark.parametrize(
    ("code", "prints"),
    [
        ("Print[1]; Print[1/2]; Print[3]", ["1", "1/2", "3"]),
        ('Do[Print["line ", i], {i, 2}]', ["line 1", "line 2"]),
        ('Print["a"]; Print[""]; Print["b"]', ["a", "", "b"]),
        ('Print["a\\nb"]', ["a\nb"]),
        ('Print["a\nb"]', ["a\nb"]),
        ('Run["echo 1; echo 2"]', ["1\n2"]),
    ],
)
def test_each_print_is_alone(kernel: WorkerKernel, code: str, prints: list[str]) -> None:
    outcome = kernel.evaluate(code, LIMITS)
    assert [output.text for output in outcome.outputs] == prints


def test_a_plot_is_a_picture(kernel: WorkerKernel) -> None:
    (picture,) = kernel.evaluate("Plot[x, {x, 0, 1}]", LIMITS).outputs
    assert (picture.kind, picture.mime) == ("picture", "image/svg+xml")
    assert picture.data.startswith(b"<svg")


def test_a_plot_that_is_kept_for_later_is_shown_later(kernel: WorkerKernel) -> None:
    assert kernel.evaluate("p = Plot[x, {x, 0, 1}];", LIMITS).outputs == ()
    (picture,) = kernel.evaluate("p", LIMITS).outputs
    assert b"<svg" in picture.data


def test_code_that_the_engine_refuses_has_failed(kernel: WorkerKernel) -> None:
    outcome = kernel.evaluate("f[1", LIMITS)
    assert (outcome.status, outcome.result) == ("failed", None)
    (message,) = outcome.outputs
    assert message.text.startswith("Syntax::sntx: ")
    assert result(kernel, "1") == "1"


def test_an_endless_loop_is_cut_at_its_limit_and_rolled_back(kernel: WorkerKernel) -> None:
    kernel.evaluate("x = 5", LIMITS)
    outcome = kernel.evaluate('x = 6; Print["before"]; While[True]', SHORT)
    assert (outcome.status, outcome.result) == ("timed-out", None)
    assert outcome.outputs == (EvaluationOutput("print", "before"),)
    assert outcome.note == (
        "The evaluation took longer than 0.5 s and was stopped. "
        "The session is as it was before this evaluation."
    )
    assert result(kernel, "x") == "5"


@pytest.mark.parametrize("seconds", [2_147_484.0, 1e12, float("inf")])
def test_a_limit_of_time_may_be_very_long(kernel: WorkerKernel, seconds: float) -> None:
    outcome = kernel.evaluate("1 + 1", EvaluationLimits(seconds=seconds))
    assert (outcome.status, outcome.result) == ("done", "2")
    assert kernel.evaluate("2 + 2", EvaluationLimits()).result == "4"


def test_messages_before_a_time_limit_are_reported_as_such(kernel: WorkerKernel) -> None:
    outcome = kernel.evaluate("Print[1]; 1/0; Print[2]; While[True]", SHORT)
    assert [shown.kind for shown in outcome.outputs] == ["print", "message", "print"]


@pytest.mark.parametrize("code", ["Quit[]", "x = 6; Exit[3]"])
def test_ending_the_kernel_is_reverted(kernel: WorkerKernel, code: str) -> None:
    kernel.evaluate("x = 5", LIMITS)
    assert kernel.evaluate(code, LIMITS).status == "quit"
    assert result(kernel, "x") == "5"


def test_a_crash_is_reverted(kernel: WorkerKernel) -> None:
    kernel.evaluate("x = 5", LIMITS)
    outcome = kernel.evaluate('x = 6; Run["kill -SEGV $PPID"]; While[True]', LIMITS)
    assert outcome.status == "crashed"
    assert outcome.note == (
        "The kernel crashed (SIGSEGV). The session is as it was before this evaluation."
    )
    assert result(kernel, "x") == "5"


def test_a_memory_hog_is_stopped(kernel: WorkerKernel) -> None:
    kernel.evaluate("x = 5", LIMITS)
    small = EvaluationLimits(seconds=60, memory_bytes=300 << 20)
    outcome = kernel.evaluate("x = 6; y = 1; While[True, y = {y, y, y}]", small)
    assert (outcome.status, outcome.outputs) == ("out-of-memory", ())
    assert result(kernel, "x") == "5"


def test_a_memory_limit_is_that_of_one_evaluation(kernel: WorkerKernel) -> None:
    small = EvaluationLimits(seconds=60, memory_bytes=200 << 20)
    code = 'StringLength[StringRepeat["a", 3 10^8]]'
    assert kernel.evaluate(code, small).status == "out-of-memory"
    assert result(kernel, code) == "300000000"


def test_a_flood_of_output_is_cut_and_the_time_limit_still_holds(kernel: WorkerKernel) -> None:
    limits = EvaluationLimits(seconds=1, output_bytes=1000)
    outcome = kernel.evaluate('Run["yes"]', limits)
    assert outcome.status == "timed-out"
    (shown,) = outcome.outputs
    assert len(shown.text) in {999, 1000}
    assert "bytes of output beyond the limit of 1000 were dropped." in outcome.note


def test_a_result_that_is_too_long_is_cut_in_its_middle(kernel: WorkerKernel) -> None:
    outcome = kernel.evaluate("Range[1000]", EvaluationLimits(result_bytes=20))
    assert outcome.result == "{1, 2, 3,  ... 999, 1000}"


def test_a_long_code_and_a_long_result_arrive_whole(kernel: WorkerKernel) -> None:
    text = "x" * 3_000_000
    assert result(kernel, f'"{text}"') == f'"{text}"'


def test_a_cancelled_evaluation_is_stopped_and_rolled_back(kernel: WorkerKernel) -> None:
    kernel.evaluate("x = 5", LIMITS)
    is_cancelled = threading.Event()
    outcome = kernel.evaluate(
        "x = 6; While[True]",
        EvaluationLimits(seconds=600),
        EvaluationControl(is_cancelled.is_set, lambda _seconds: is_cancelled.set()),
    )
    assert outcome.status == "cancelled"
    assert result(kernel, "x") == "5"


def test_a_call_that_is_cancelled_already_is_not_evaluated(kernel: WorkerKernel) -> None:
    assert kernel.evaluate("x = 6", LIMITS, EvaluationControl(lambda: True)).status == "cancelled"
    assert result(kernel, "x") == "x"


def test_it_is_reported_how_long_an_evaluation_has_been_running(kernel: WorkerKernel) -> None:
    told: list[float] = []
    kernel.evaluate(
        "While[True]",
        EvaluationLimits(seconds=600),
        EvaluationControl(lambda: len(told) == 2, told.append),
    )
    assert len(told) == 2
    assert told == sorted(told)


def test_how_much_memory_was_used_is_reported(kernel: WorkerKernel) -> None:
    little = kernel.evaluate("1", LIMITS).peak_bytes
    much = kernel.evaluate('StringLength[StringRepeat["a", 10^8]]', LIMITS).peak_bytes
    assert 0 < little < 100_000_000 < much


def test_definitions_go_from_one_kernel_to_another(kernel: WorkerKernel, engine: object) -> None:
    kernel.evaluate(
        'x = "a\\nb"; f[n_Integer, m_:2] := n m; f[0] = 7; SetAttributes[f, Listable]', LIMITS
    )
    kernel.evaluate('f::bad = "It is `1`."; p = Plot[x, {x, 0, 1}];', LIMITS)
    state = kernel.dump_state()
    assert state is not None
    kernel.evaluate("ClearAll[f, x, p]", LIMITS)
    kernel.restore(state)
    assert result(kernel, "{x, f[{3, 0}]}") == '{"a\\nb", {6, 7}}'
    (message,) = kernel.evaluate("Message[f::bad, 3]", LIMITS).outputs
    assert message == EvaluationOutput("message", "f::bad: It is 3.")
    assert result(kernel, "p") == "p"


def test_definitions_are_those_that_were_written(kernel: WorkerKernel) -> None:
    for code in (
        "g[a_, b___] := {a, b}; s[a_][b_] := a + b",
        "own := (Print[1]; 5); x = 1",
        "c[n_] /; n > 3 := big; c[n_Integer?Positive] := small",
        "q /: Plus[q, n_] := seen[n]",
        "fib[0] = 0; fib[1] = 1; fib[n_] := fib[n] = fib[n - 1] + fib[n - 2]",
        "fib[20]",
        "gone[n_] := n; Clear[gone]; gone[m_, n_] := m",
        "away[n_] := n",
        "ClearAll[away]",
    ):
        kernel.evaluate(code, LIMITS)
    state = kernel.dump_state()
    assert state is not None
    kernel.evaluate("ClearAll[g, s, own, x, c, q, fib, gone]", LIMITS)
    kernel.restore(state)
    again = kernel.dump_state()
    kernel.evaluate("ClearAll[g, s, own, x, c, q, fib, gone]", LIMITS)
    assert again == state
    kernel.restore(again)
    assert result(kernel, "{g[1, 2, 3], s[1][2], c[5], c[2], c[-1], q + 3}") == (
        "{{1, 2, 3}, 3, big, small, c[-1], seen[3]}"
    )
    assert result(kernel, "{fib[20], Length[DownValues[fib]], gone[1], gone[7, 8], away[1]}") == (
        "{6765, 22, gone[1], 7, away[1]}"
    )
    assert result(kernel, "OwnValues[own]") == "{HoldPattern[own] :> Print[1]; 5}"


def test_long_values_go_from_one_kernel_to_another(kernel: WorkerKernel) -> None:
    kernel.evaluate('list = Range[2000]; texts = Table[ToString[n] <> "\\"", {n, 500}]', LIMITS)
    kernel.evaluate("symbols = Table[Sin[x]^n + n/7, {n, 300}]; before = Hash[symbols];", LIMITS)
    state = kernel.dump_state()
    assert state is not None
    kernel.evaluate("sum = Total[list]; ClearAll[list, texts, symbols]", LIMITS)
    kernel.restore(state)
    assert result(kernel, "{Total[list] == sum, texts[[3]], Length[texts]}") == (
        '{True, "3\\"", 500}'
    )
    assert result(kernel, "Hash[symbols] == before") == "True"


@pytest.mark.parametrize(
    ("code", "result", "count"),
    [
        ("{Plot[Sin[x],{x,0,1}],2,Graphics[Circle[]]}", "{-Graphics-, 2, -Graphics-}", 2),
        ("p = Plot[x,{x,0,1}]; <|1->{p,p}|>", "<|1 -> {-Graphics-, -Graphics-}|>", 2),
        ("Graphics[Circle[]]", "-Graphics-", 1),
        ("{1, 2}", "{1, 2}", 0),
    ],
)
def test_every_picture_in_a_value_is_given(
    kernel: WorkerKernel, code: str, result: str, count: int
) -> None:
    outcome = kernel.evaluate(code, LIMITS)
    assert outcome.result == result
    pictures = [output for output in outcome.outputs if output.kind == "picture"]
    assert len(pictures) == count
    assert all(b"<svg" in picture.data and len(picture.data) < 50_000 for picture in pictures)


@pytest.mark.parametrize("head", ["TableForm", "MatrixForm", "Grid", "Column"])
def test_tables_are_text(kernel: WorkerKernel, head: str) -> None:
    outcome = kernel.evaluate(f"t = {head}[{{{{1, 2}}, {{3, 4}}}}]", LIMITS)
    assert (outcome.result, outcome.outputs) == (f"{head}[{{{{1, 2}}, {{3, 4}}}}]", ())
    assert kernel.evaluate("t", LIMITS).result == outcome.result


def test_a_symbol_that_means_an_effect_has_it_once(kernel: WorkerKernel) -> None:
    kernel.evaluate('t := Print["TableForm"]', LIMITS)
    assert kernel.evaluate("t", LIMITS).outputs == (EvaluationOutput("print", "TableForm"),)
