"""Values as kernels write them in InputForm."""

import pytest

from paddock.wolfram import format_real, parse_strict, value_form


@pytest.mark.parametrize(
    ("full", "text"),
    [
        ("Rational[1, 2]", "1/2"),
        ("Rational[-1, 2]", "-1/2"),
        ("Times[Rational[1, 2], Power[x, 2]]", "x^2/2"),
        ("Times[Rational[-1, 2], a]", "-1/2*a"),
        ("Times[Rational[-1, 2], a, b]", "-1/2*(a*b)"),
        ("Times[Rational[-1, 2], a, Power[b, -1]]", "-1/2*a/b"),
        ("Times[Rational[2, 3], x]", "(2*x)/3"),
        ("Times[Rational[-2, 3], x]", "(-2*x)/3"),
        ("Times[Rational[1, 2], Power[x, -1]]", "1/(2*x)"),
        ("Times[-1, a, b]", "-(a*b)"),
        ("Times[-1, x, Power[y, -1]]", "-(x/y)"),
        ("Times[-1, Power[x, -1]]", "-x^(-1)"),
        ("Times[-1, Power[x, 2]]", "-x^2"),
        ("Times[3, Power[x, -1]]", "3/x"),
        ("Times[x, Power[y, -1], Power[z, -2]]", "x/(y*z^2)"),
        ("Times[a, b, Power[c, -1]]", "(a*b)/c"),
        ("Times[Plus[a, b], Power[Plus[c, d], -1]]", "(a + b)/(c + d)"),
        ("Times[2, Plus[a, b]]", "2*(a + b)"),
        ("Times[-1.5, x]", "-1.5*x"),
        ("Power[x, -1]", "x^(-1)"),
        ("Power[x, Rational[1, 2]]", "Sqrt[x]"),
        ("Power[x, Rational[-1, 2]]", "1/Sqrt[x]"),
        ("Power[x, Rational[1, 3]]", "x^(1/3)"),
        ("Times[2, Power[x, Rational[-1, 2]]]", "2/Sqrt[x]"),
        ("Power[E, Times[-1, x]]", "E^(-x)"),
        ("Power[-2, x]", "(-2)^x"),
        ("Power[Rational[1, 2], x]", "(1/2)^x"),
        ("Power[Complex[1, 2], x]", "(1 + 2*I)^x"),
        ("Power[Complex[0, 1], x]", "I^x"),
        ("Plus[a, Times[-1, b]]", "a - b"),
        ("Plus[a, Times[Rational[-1, 2], x]]", "a - x/2"),
        ("Plus[a, Times[-2, b, c]]", "a - 2*b*c"),
        ("Plus[a, Times[-1.5, x]]", "a - 1.5*x"),
        ("Plus[a, Rational[-1, 2]]", "a - 1/2"),
        ("Plus[-1, x]", "-1 + x"),
        ("Plus[Times[-1, a], Times[-1, b]]", "-a - b"),
        ("Plus[a, Times[-1, Plus[b, c]]]", "a - (b + c)"),
        ("Complex[0, 1]", "I"),
        ("Complex[0, -1]", "-I"),
        ("Complex[0, 2]", "2*I"),
        ("Complex[1, -2]", "1 - 2*I"),
        ("Complex[Rational[1, 2], Rational[1, 3]]", "1/2 + I/3"),
        ("Times[Complex[0, 1], x]", "I*x"),
        ("Times[Complex[0, Rational[1, 2]], x]", "(I/2)*x"),
        ("Times[Complex[1, 2], x]", "(1 + 2*I)*x"),
        ("DirectedInfinity[1]", "Infinity"),
        ("DirectedInfinity[-1]", "-Infinity"),
        ("DirectedInfinity[]", "ComplexInfinity"),
        ("DirectedInfinity[z]", "DirectedInfinity[z]"),
        ("Derivative[1][f][x]", "Derivative[1][f][x]"),
        ("{Association[Rule[a, Rational[1, 2]]]}", "{<|a -> 1/2|>}"),
        ("Times[]", "Times[]"),
        ("Plus[a]", "Plus[a]"),
        ("Rational[a, b]", "Rational[a, b]"),
        ("Complex[1]", "Complex[1]"),
        ("Power[a]", "Power[a]"),
    ],
)
def test_a_value_is_written_as_a_kernel_writes_it(full: str, text: str) -> None:
    (expression,) = parse_strict(full)
    assert value_form(expression) == text
    assert parse_strict(text)


def test_depth_is_not_that_of_the_stack() -> None:
    text = "Power[Rational[1, 2], " * 5000 + "x" + "]" * 5000
    (expression,) = parse_strict(text)
    assert value_form(expression).startswith("(1/2)^(1/2)^")


@pytest.mark.parametrize(
    ("python", "text"),
    [
        ("2.0", "2."),
        ("-0.5", "-0.5"),
        ("0.0", "0."),
        ("123456.5", "123456.5"),
        ("1234567.0", "1.234567*^6"),
        ("1e+20", "1.*^20"),
        ("1.5e-07", "1.5*^-7"),
        ("0.00001", "0.00001"),
        ("-1.25e+300", "-1.25*^300"),
        ("5", "5."),
    ],
)
def test_a_number_with_a_point_is_written_as_a_kernel_writes_it(python: str, text: str) -> None:
    assert format_real(python) == text
