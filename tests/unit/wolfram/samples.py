"""The sample sources, and expressions as hypothesis makes them."""

from pathlib import Path

from hypothesis import strategies as st

from paddock.wolfram import Atom, Expression, Node, call, string, symbol

SAMPLES = sorted((Path(__file__).parents[2] / "samples" / "wolfram").iterdir())

_HEADS = (
    "AddTo Alternatives And Apply ApplyTo Association Blank BlankNullSequence BlankSequence "
    "CompoundExpression Composition Condition Decrement Derivative Divide Dot Element Equal "
    "Factorial Factorial2 Function Get Greater Increment Inequality Less List Map MapAll MapApply "
    "MessageName Minus NonCommutativeMultiply Not Optional Or Out Part Pattern PatternTest Plus "
    "Power PreDecrement PreIncrement Put Repeated RepeatedNull ReplaceAll ReplaceRepeated "
    "RightComposition Rule RuleDelayed SameQ Sequence Set SetDelayed Slot SlotSequence Span "
    "StringExpression StringJoin Subtract TagSet TagSetDelayed TagUnset Times TwoWayRule Unequal "
    "Unset UpSet Xor f ctx`g"
)
_SYMBOLS = "a b x $c Null All Less Equal ctx`y \\[Alpha] \u00e9"
_NUMBERS = "0 1 2 -1 -3 1.5 -.5 .5 0. 2.`5 1.5``-3 10*^3 1.*^-7 16^^ff"


def sample(path: Path) -> str:
    """The text of a sample, with its line ends as they are."""
    return path.read_bytes().decode("utf-8")


def atoms() -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.sampled_from([symbol(name) for name in _SYMBOLS.split()]),
        st.sampled_from([Atom("number", text) for text in _NUMBERS.split()]),
        st.one_of(st.text(max_size=4), st.sampled_from(["a", "tag", "x1"])).map(string),
    )


def expressions() -> st.SearchStrategy[Expression]:
    heads: st.SearchStrategy[Expression] = st.sampled_from(
        [
            *(symbol(name) for name in _HEADS.split()),
            *(call("Derivative", Atom("number", order)) for order in "1234"),
        ]
    )
    return st.recursive(
        atoms(),
        lambda inner: st.builds(Node, st.one_of(heads, heads, inner), st.lists(inner, max_size=4)),
        max_leaves=14,
    )
