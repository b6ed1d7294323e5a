"""Two patterns find tokens: one that is quick, and one that knows everything."""

from hypothesis import given, settings
from hypothesis import strategies as st

from paddock.wolfram.tokens import TOKEN_PATTERN, get_full_token_pattern, is_symbol_name

PIECES = (
    'a x1 $b ` é → _ __ _. # ## "s" " \\[Alpha] \\[Rule] \\[ThinSpace] \\:03b1 [ [[ ] { } ( ) , '
    "1 2.5 .5 .. + - * / ^ = : :: <| |> << >> ; ;; & | ! ? @ ~ ' % \\( \\) (* *) \\"
)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from([*PIECES.split(), " ", "\n"]), max_size=9).map("".join))
def test_what_the_quick_pattern_finds_the_full_one_finds_too(text: str) -> None:
    for start in range(len(text)):
        quick, full = TOKEN_PATTERN.match(text, start), get_full_token_pattern().match(text, start)
        if quick is not None:
            assert full is not None
            assert (quick.lastindex, quick.span()) == (full.lastindex, full.span())


def test_names_of_symbols_are_reported_from_other_text() -> None:
    names = ["a", "$x1", "ctx`a", "`a`b", "é", "aβ", "\\[Alpha]b", "\uf7b5", "∞"]
    others = ["", "1a", "a b", " a", "a`", "a[", "a_", "f[1]", "→", "\\[Rule]", "a\n"]
    assert [name for name in names if not is_symbol_name(name)] == []
    assert [other for other in others if is_symbol_name(other)] == []
