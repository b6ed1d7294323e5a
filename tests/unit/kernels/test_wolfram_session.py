"""The front of the Wolfram Language, with a stand-in for the kernel that notes what it is sent."""

import pytest

from paddock.kernels.kernel import (
    ROLLED_BACK_NOTE,
    EvaluationControl,
    EvaluationLimits,
    EvaluationOutput,
    EvaluationResult,
    OutputImage,
)
from paddock.kernels.wolfram.answer_items import build_answer_items, truncate_text
from paddock.kernels.wolfram.line_evaluator import evaluate_code
from paddock.kernels.wolfram.line_history import LineHistory

SVG = EvaluationOutput("picture", data=b"<svg/>", mime="image/svg+xml")
PAST = LineHistory({1: "6*7", 2: "Plot[x, {x, 0, 1}]"}, {1: "42", 2: "-Graphics-"}, 3)


class Scripted:
    """Answers with what it was given for an expression, else with the expression itself."""

    def __init__(self, **answers: EvaluationResult) -> None:
        self.answers = answers
        self.sent: list[str] = []

    def __call__(
        self, code: str, limits: EvaluationLimits, control: EvaluationControl
    ) -> EvaluationResult:
        self.sent.append(code)
        return self.answers.get(code.rstrip("[];"), EvaluationResult("done", code))


def sent(code: str, history: LineHistory = PAST) -> list[str]:
    """What a kernel gets to evaluate."""
    kernel = Scripted()
    evaluate_code(kernel, code, history, EvaluationLimits())
    return kernel.sent


def answered(code: str, **answers: EvaluationResult) -> EvaluationResult:
    """The result of code in a new session."""
    return evaluate_code(Scripted(**answers), code, LineHistory(), EvaluationLimits(seconds=2))


def text(evaluation: EvaluationResult, limit: int = 10_000) -> str:
    """The answer, as much as it is text."""
    return "".join(
        item for item in build_answer_items(evaluation, 1, limit) if isinstance(item, str)
    )


def test_expressions_are_evaluated_one_by_one() -> None:
    assert sent("a = 1\nb[x_] :=\n  x^2; b[2]\n(* end *)") == ["a = 1", "b[x_] :=\n  x^2; b[2]"]


def test_the_value_is_that_of_the_last_expression() -> None:
    assert text(answered("a\nb")) == "Out[1]= b"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("%1 + 1", "(42) + 1"),
        ("Out[1]/Out[ -2 ]", "(42)/(42)"),
        ("%%[[1]]", "(42)[[1]]"),
        ("In[1]", "(6*7)"),
        ("InString[1]", '"6*7"'),
        ("$Line", "3"),
        ("Show[%]", "Show[(Plot[x, {x, 0, 1}])]"),
        ('"%1" <> "Out[1]" (* %1 *)', '"%1" <> "Out[1]"'),
        ("%7", "HoldForm[Out[7]]"),
        ("Out[7] + 1", "HoldForm[Out[7]] + 1"),
        ("Clear[Out]", "Clear[Out]"),
    ],
)
def test_references_to_earlier_lines_are_replaced(code: str, expected: str) -> None:
    assert sent(code) == [expected]


def test_a_line_that_is_only_known_later_is_looked_up_by_the_engine() -> None:
    assert sent("Out /@ {1}", LineHistory({1: "6*7"}, {1: "42"}, 2)) == [
        "(Switch[If[# < 0, 2 + #, #], 1, (42), _, HoldForm[Out[#]]] &) /@ {1}"
    ]


def test_a_picture_made_of_a_picture_is_made_again() -> None:
    history = LineHistory(
        {1: "Plot[x, {x, 0, 1}]", 2: "Show[%]"}, {1: "-Graphics-", 2: "-Graphics-"}, 3
    )

    assert sent("Head[%]", history) == ["Head[(Show[(Plot[x, {x, 0, 1}])])]"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("f[1, g[2", "f[1, g[2]]"),
        ("StringLength['abc']", 'StringLength["abc"]'),
        ("// note\n1 + 1", "1 + 1"),
        ("```wl\n1 + 1\n```", "1 + 1"),
    ],
)
def test_common_slips_are_fixed_and_told(code: str, expected: str) -> None:
    kernel = Scripted()

    evaluation = evaluate_code(kernel, code, LineHistory(), EvaluationLimits())

    assert kernel.sent == [expected]
    assert len(evaluation.notes) == 1


def test_a_syntax_error_says_where_and_evaluates_nothing() -> None:
    kernel = Scripted()

    evaluation = evaluate_code(kernel, "a = 1\nb = {1, 2", LineHistory(), EvaluationLimits())

    assert kernel.sent == []
    assert text(evaluation) == (
        "ToExpression::sntx: { is not closed (line 2, column 5).\n"
        "    b = {1, 2\n"
        "        ^\n"
        "General::messages: Messages were generated during the evaluation that may indicate "
        "errors.\n\nOut[1]= $Failed"
    )


def test_prints_and_messages_come_before_the_result_in_their_order() -> None:
    evaluation = answered(
        "x",
        x=EvaluationResult(
            "done",
            "ComplexInfinity",
            (
                EvaluationOutput("print", "one"),
                EvaluationOutput("message", "Power::infy: Infinite expression 1/0 encountered."),
                EvaluationOutput("print", "two"),
            ),
        ),
    )

    assert text(evaluation) == (
        "During evaluation of In[1]:= one\n"
        "Power::infy: Infinite expression 1/0 encountered.\n"
        "During evaluation of In[1]:= two\n"
        "General::messages: Messages were generated during the evaluation that may indicate "
        "errors.\n\nOut[1]= ComplexInfinity"
    )


def test_messages_after_ten_outputs_are_left_out() -> None:
    outputs = tuple(EvaluationOutput("message", f"f::n{number}: text") for number in range(30))

    assert text(answered("x", x=EvaluationResult("done", "1", outputs))).count("text") == 10


def test_what_is_printed_has_as_much_room_as_the_result() -> None:
    outputs = tuple(EvaluationOutput("print", "0123456789") for _ in range(30))

    answer = text(answered("x", x=EvaluationResult("done", "1", outputs)), limit=100)

    assert answer.count("0123456789") == 10
    assert "(20 more left out)" in answer


def test_a_result_of_several_lines_begins_on_its_own() -> None:
    assert text(answered("x", x=EvaluationResult("done", "1 2\n3 4"))) == "Out[1]=\n1 2\n3 4"


@pytest.mark.parametrize(
    ("length", "limit", "expected"),
    [(25, 20, 25), (26, 20, 20), (12, 3, 12), (16, 3, 10), (10_006, 10_000, 10_000)],
)
def test_the_middle_of_a_long_result_is_left_out(length: int, limit: int, expected: int) -> None:
    cut = truncate_text("x" * length, limit)

    assert len(cut) == expected
    assert (" ... " in cut) == (expected < length)


def test_pictures_is_where_the_result_has_them() -> None:
    evaluation = answered("x", x=EvaluationResult("done", "{1, -Graphics-, 2}", (SVG,)))

    assert build_answer_items(evaluation, 1) == [
        "Out[1]= {1, ",
        OutputImage(b"<svg/>", "image/svg+xml", "-Graphics-"),
        ", 2}",
    ]


def test_a_picture_of_several_follows_the_result() -> None:
    evaluation = answered("x", x=EvaluationResult("done", "{-Graphics-, -Graphics-}", (SVG,)))

    assert build_answer_items(evaluation, 1) == [
        "Out[1]= {-Graphics-, -Graphics-}",
        OutputImage(b"<svg/>", "image/svg+xml", ""),
    ]


def test_a_printed_picture_stands_among_the_prints() -> None:
    evaluation = answered(
        "x", x=EvaluationResult("done", "1", (EvaluationOutput("print", "a"), SVG))
    )

    assert [type(item) for item in build_answer_items(evaluation, 1)] == [str, OutputImage, str]


def test_an_abort_ends_what_follows() -> None:
    kernel = Scripted(Abort=EvaluationResult("done", "$Aborted"))

    evaluation = evaluate_code(kernel, "1\nAbort[]\n2", LineHistory(), EvaluationLimits())

    assert kernel.sent == ["1", "Abort[]"]
    assert text(evaluation) == "Out[1]= $Aborted"


def test_a_time_constraint_within_the_code_does_not() -> None:
    kernel = Scripted(**{"TimeConstrained[f[x], 1": EvaluationResult("done", "$Aborted")})

    evaluation = evaluate_code(
        kernel, "TimeConstrained[f[x], 1]\n2", LineHistory(), EvaluationLimits()
    )

    assert text(evaluation) == "Out[1]= 2"


def test_what_no_one_catches_is_shown_held() -> None:
    thrown = EvaluationOutput("message", "Throw::nocatch: Uncaught Throw[a] returned to top level.")

    evaluation = answered("x\ny", x=EvaluationResult("done", "", (thrown,)))

    assert evaluation.result == "Hold[Throw[a]]"


def test_time_that_is_up_is_a_failure_as_value() -> None:
    evaluation = answered("x\ny", x=EvaluationResult("timed-out"))

    assert text(evaluation) == (
        'Out[1]= Failure["EvaluationTimeExceeded", <|"MessageTemplate" -> '
        '"The evaluation was stopped after 2 seconds. '
        'Use the timeConstraint parameter to allow more.", '
        '"MessageParameters" -> <||>, "TimeConstraint" -> 2|>]'
    )


def test_a_line_that_is_not_there_is_shown_as_it_was_asked_for() -> None:
    assert text(answered("%")) == "Out[1]= Out[0]"
    assert text(answered("Out[99]")) == "Out[1]= Out[99]"


def test_it_is_stated_that_expressions_before_the_one_that_was_stopped_are_kept() -> None:
    stopped = EvaluationResult("timed-out", notes=(f"It took too long. {ROLLED_BACK_NOTE}",))

    assert answered("x\ny", x=stopped).notes == (f"It took too long. {ROLLED_BACK_NOTE}",)
    assert answered("a\nx\ny", x=stopped).notes == (
        (
            "It took too long. The session is as it was before the expression that did not finish; "
            "the expressions before it were kept."
        ),
    )
    quitting = answered("a\nx", x=EvaluationResult("quit", notes=("It ended with exit code 0.",)))
    assert text(quitting) == (
        "General::quit: The code ended the kernel with exit code 0; "
        "the expressions before that were kept."
    )


def test_a_kernel_receives_the_given_limit_and_what_is_left_of_it() -> None:
    told: list[EvaluationLimits] = []

    def run(code: str, limits: EvaluationLimits, _control: EvaluationControl) -> EvaluationResult:
        told.append(limits)
        return EvaluationResult("done", code)

    evaluate_code(run, "a\nb", LineHistory(), EvaluationLimits(seconds=2))

    assert [limits.user_time_limit for limits in told] == [2, 2]
    assert told[1].seconds < told[0].seconds < 2
    assert EvaluationLimits(seconds=2).user_time_limit == 2


def test_quit_has_a_message_and_no_result() -> None:
    evaluation = answered("x\ny", x=EvaluationResult("quit", notes=("It ended with exit code 3.",)))

    assert text(evaluation) == (
        "General::quit: The code ended the kernel with exit code 3; "
        "the session continues as it was before."
    )
    assert evaluation.notes == ()


def test_natural_language_is_stated_not_to_be_understood() -> None:
    kernel = Scripted()

    evaluation = evaluate_code(
        kernel, '\\[FreeformPrompt]["mass of Mars"]', LineHistory(), EvaluationLimits()
    )

    assert kernel.sent == ["$Failed"]
    assert len(evaluation.prints) == 1


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("InputForm[x^2/3]", "x^2/3"),
        ("FullForm[a + b*c]", "Plus[a, Times[b, c]]"),
        ("FullForm[a] + InputForm[b]", "FullForm[a] + InputForm[b]"),
        ("InputForm[a, b]", "InputForm[a, b]"),
    ],
)
def test_a_form_that_a_result_asks_for_is_taken(result: str, expected: str) -> None:
    assert answered("x", x=EvaluationResult("done", result)).result == expected
