"""What can be evaluated without an engine."""

import pytest

from paddock.kernels.kernel import EvaluationLimits, EvaluationOutput
from paddock.kernels.wolfram.literal_engine import LITERAL_ENGINE, NO_ENGINE_MESSAGE


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("42", "42"),
        ('"a" <> "b"', '"ab"'),
        ("2 + 3*4", "14"),
        ("6/3", "2"),
        ("1.5", "1.5"),
        ("3./4", "0.75"),
        ("1.5*^20 + 0", "1.5*^20"),
        ('{1, <|"a" -> {True, None}|>, "x" -> Null}', '{1, <|"a" -> {True, None}|>, "x" -> Null}'),
        ("{1 + 1, {2 * 3}}", "{2, {6}}"),
    ],
)
def test_literal_values_are_worked_out(code: str, value: str) -> None:
    outcome = LITERAL_ENGINE.start(EvaluationLimits()).evaluate(code, EvaluationLimits())
    assert (outcome.status, outcome.result, outcome.outputs) == ("done", value, ())


@pytest.mark.parametrize("code", ["x = 5", "Sin[1]", "{1, x}", "2^10", "<|a -> b|>", "1/3", ""])
def test_everything_else_is_answered_with_how_to_get_an_engine(code: str) -> None:
    outcome = LITERAL_ENGINE.start(EvaluationLimits()).evaluate(code, EvaluationLimits())
    assert (outcome.status, outcome.result) == ("failed", None)
    assert outcome.outputs == (EvaluationOutput("message", NO_ENGINE_MESSAGE),)
    assert "pip install" in NO_ENGINE_MESSAGE


def test_a_syntax_error_is_reported_with_its_place() -> None:
    outcome = LITERAL_ENGINE.start(EvaluationLimits()).evaluate("{1, 2", EvaluationLimits())
    assert outcome.status == "failed"
    assert outcome.outputs[0].text.startswith("Syntax::sntx: ")
    assert "line 1" in outcome.outputs[0].text


def test_data_that_is_too_deep_is_refused() -> None:
    outcome = LITERAL_ENGINE.start(EvaluationLimits()).evaluate(
        "{" * 500 + "}" * 500, EvaluationLimits()
    )
    assert outcome.status == "failed"


def test_it_can_be_closed_and_has_no_state() -> None:
    kernel = LITERAL_ENGINE.start(EvaluationLimits(network=True))
    assert (kernel.is_alive, kernel.has_network, kernel.dump_state()) == (True, True, b"")
    kernel.restore(b"")
    kernel.close()
    assert not kernel.is_alive
