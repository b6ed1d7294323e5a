"""Which evaluations may be repeated, as their code tells."""

import pytest

from paddock.kernels.sessions.side_effects import SideEffectScan


@pytest.mark.parametrize(
    "code",
    [
        "x = 5",
        "f[n_Integer] := n^2 /; n > 0",
        '"Run away" (* RandomInteger[] *)',
        "DeleteDuplicates[{1, 1}]; FindRoot[x^2 - 2, {x, 1}]; timeStep = 3",
        "roll[n_] := RandomInteger[n]",
    ],
)
def test_what_only_defines_and_computes_has_no_effect(code: str) -> None:
    assert not SideEffectScan().has_side_effects(code)


@pytest.mark.parametrize(
    "code",
    [
        'Run["ls"]',
        "x = 1; y = RandomReal[]",
        "System`RandomInteger[]",
        "<< file",
        "1 >> file",
        "Map[Export, {}]",
        "AbsoluteTime[]",
        'ToExpression["x"]',
        'CountryData["France"]',
        "Quiet[Run[",
    ],
)
def test_what_reaches_outside_or_is_different_each_time_has_an_effect(code: str) -> None:
    assert SideEffectScan().has_side_effects(code)


def test_effects_go_through_definitions_but_not_through_values() -> None:
    effects = SideEffectScan()
    told = {
        code: effects.has_side_effects(code)
        for code in (
            "roll[n_] := RandomInteger[n]",
            "twice[n_] := {roll[n], roll[n]}",
            "twice[6]",
            "value = roll[6]",
            "value + 1",
            "dice = RandomInteger",
            "dice[6]",
            "later = Function[n, roll[n]]",
            "later[6]",
            "n + 1",
        )
    }
    assert [code for code, has_effect in told.items() if not has_effect] == [
        "roll[n_] := RandomInteger[n]",
        "twice[n_] := {roll[n], roll[n]}",
        "value + 1",
        "n + 1",
    ]
