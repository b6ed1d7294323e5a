"""What can be evaluated without an engine."""

import pytest

from paddock.kernels.engines.none import REFUSAL, NoEngine
from paddock.kernels.limits import Limits
from paddock.kernels.outcome import Output


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
    outcome = NoEngine().start(Limits()).evaluate(code, Limits())
    assert (outcome.status, outcome.result, outcome.outputs) == ("done", value, ())


@pytest.mark.parametrize("code", ["x = 5", "Sin[1]", "{1, x}", "2^10", "<|a -> b|>", "1/3", ""])
def test_everything_else_is_answered_with_how_to_get_an_engine(code: str) -> None:
    outcome = NoEngine().start(Limits()).evaluate(code, Limits())
    assert (outcome.status, outcome.result) == ("failed", None)
    assert outcome.outputs == (Output("message", REFUSAL),)
    assert "pip install" in REFUSAL


def test_a_syntax_error_is_told_with_its_place() -> None:
    outcome = NoEngine().start(Limits()).evaluate("{1, 2", Limits())
    assert outcome.status == "failed"
    assert outcome.outputs[0].text.startswith("Syntax::sntx: ")
    assert "line 1" in outcome.outputs[0].text


def test_data_that_is_too_deep_is_refused() -> None:
    outcome = NoEngine().start(Limits()).evaluate("{" * 500 + "}" * 500, Limits())
    assert outcome.status == "failed"


def test_it_can_be_closed_and_has_no_state() -> None:
    kernel = NoEngine().start(Limits(network=True))
    assert (kernel.is_alive, kernel.has_network, kernel.state()) == (True, True, b"")
    kernel.restore(b"")
    kernel.close()
    assert not kernel.is_alive
