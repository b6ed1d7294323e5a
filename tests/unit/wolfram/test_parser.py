"""What text means: each line is a source and the full form of what it is read as."""

from itertools import pairwise
from pathlib import Path

import pytest

from paddock.wolfram import (
    WolframSyntaxError,
    are_equal,
    full_form,
    input_form,
    parse,
    parse_strict,
)
from paddock.wolfram.named_characters import OPERATOR_CODES
from paddock.wolfram.operators import INFIX_OPERATORS, PREFIX_OPERATORS
from tests.unit.wolfram.samples import SAMPLES, sample


def read(text: str) -> list[str]:
    source = parse(text)
    assert source.problems == []
    return [full_form(expression) for expression in source.expressions]


def table(text: str) -> list[tuple[str, str]]:
    """Rows of a source and its full form, with `==>` between them."""
    rows = [line.split("==>") for line in text.strip().splitlines()]
    return [(source.strip(), form.strip()) for source, form in rows]


OPERATORS = table(
    r"""
    a+b-c*2              ==> Plus[a, b, Times[-1, c, 2]]
    a-5                  ==> Plus[a, -5]
    a-(b c)              ==> Plus[a, Times[-1, Times[b, c]]]
    -x y                 ==> Times[Times[-1, x], y]
    -2^2                 ==> Times[-1, Power[2, 2]]
    -(2)                 ==> -2
    - - a                ==> Times[-1, Times[-1, a]]
    +a                   ==> Plus[a]
    a/b/c                ==> Times[Times[a, Power[b, -1]], Power[c, -1]]
    a b/c                ==> Times[a, Times[b, Power[c, -1]]]
    a^b^c                ==> Power[a, Power[b, c]]
    a^-b c               ==> Times[Power[a, Times[-1, b]], c]
    2x                   ==> Times[2, x]
    a.5                  ==> Times[a, .5]
    a/.5                 ==> Times[a, Power[.5, -1]]
    x=.5                 ==> Set[x, .5]
    x=.                  ==> Unset[x]
    a = b = c            ==> Set[a, Set[b, c]]
    a := b; c ;          ==> CompoundExpression[SetDelayed[a, b], c, Null]
    x /: f[x] = 5        ==> TagSet[x, f[x], 5]
    x /: f[x] := y := z  ==> TagSetDelayed[x, f[x], SetDelayed[y, z]]
    x /: f[x] =.         ==> TagUnset[x, f[x]]
    a ^= b               ==> UpSet[a, b]
    a ^:= b              ==> UpSetDelayed[a, b]
    a += b -= c          ==> AddTo[a, SubtractFrom[b, c]]
    a *= b /= c          ==> TimesBy[a, DivideBy[b, c]]
    a //= f              ==> ApplyTo[a, f]
    a //f //g            ==> g[f[a]]
    f@g@x                ==> f[g[x]]
    f@@g@@@x             ==> Apply[f, MapApply[g, x]]
    f/@g//@x             ==> Map[f, MapAll[g, x]]
    a~f~b~g~c            ==> g[f[a, b], c]
    f@*g@*h              ==> Composition[f, g, h]
    f/*g                 ==> RightComposition[f, g]
    f@*g@x               ==> Composition[f, g][x]
    a->b:>c              ==> Rule[a, RuleDelayed[b, c]]
    a<->b                ==> TwoWayRule[a, b]
    x|->x^2              ==> Function[x, Power[x, 2]]
    x|->#&               ==> Function[x, Function[Slot[1]]]
    #1+##2&              ==> Function[Plus[Slot[1], SlotSequence[2]]]
    a; b; // f           ==> f[CompoundExpression[a, b, Null]]
    Print[#]; &          ==> Function[CompoundExpression[Print[Slot[1]], Null]]
    a; /. b; c           ==> CompoundExpression[ReplaceAll[CompoundExpression[a, Null], b], c]
    a; ; b               ==> CompoundExpression[a, Null, b]
    a; + b               ==> CompoundExpression[a, Plus[b]]
    {a; & /@ b}          ==> List[Map[Function[CompoundExpression[a, Null]], b]]
    a/.b->c/;d           ==> ReplaceAll[a, Rule[b, Condition[c, d]]]
    a//.b                ==> ReplaceRepeated[a, b]
    a~~b~~c              ==> StringExpression[a, b, c]
    a|b|c                ==> Alternatives[a, b, c]
    a..|b...             ==> Alternatives[Repeated[a], RepeatedNull[b]]
    a||b&&!c||d          ==> Or[a, And[b, Not[c]], d]
    !!a                  ==> Not[Not[a]]
    a===b=!=c            ==> UnsameQ[SameQ[a, b], c]
    a==b==c              ==> Equal[a, b, c]
    a<b<=c==d            ==> Inequality[a, Less, b, LessEqual, c, Equal, d]
    (a<b)<c              ==> Less[Less[a, b], c]
    a!=b>c>=d            ==> Inequality[a, Unequal, b, Greater, c, GreaterEqual, d]
    a.b.c                ==> Dot[a, b, c]
    a**b                 ==> NonCommutativeMultiply[a, b]
    a<>b<>c              ==> StringJoin[a, b, c]
    a!                   ==> Factorial[a]
    a!!b                 ==> Times[Factorial2[a], b]
    ++i--                ==> PreIncrement[Decrement[i]]
    f'[x]                ==> Derivative[1][f][x]
    f''                  ==> Derivative[2][f]
    (f')'                ==> Derivative[1][Derivative[1][f]]
    p?q[x]               ==> PatternTest[p, q][x]
    a::b::c              ==> MessageName[a, "b", "c"]
    a::"b"               ==> MessageName[a, "b"]
    f::[x]               ==> TypeSpecifier[f][x]
    <<ctx`sub`           ==> Get["ctx`sub`"]
    <<"a b.wl"; c        ==> CompoundExpression[Get["a b.wl"], c]
    x>>out.txt           ==> Put[x, "out.txt"]
    x>>>dir\out          ==> PutAppend[x, "dir\\out"]
    a;;b;;c              ==> Span[a, b, c]
    ;;                   ==> Span[1, All]
    a;;                  ==> Span[a, All]
    a;;;;c               ==> Span[a, All, c]
    a;;b;;               ==> Times[Span[a, b], Span[1, All]]
    a;;b;;c;;d           ==> Times[Span[a, b, c], Span[1, d]]
    a;;;;                ==> Times[Span[a, All], Span[1, All]]
    a;;b;;;;c            ==> Times[Span[a, b], Span[1, All, c]]
    ;;*1                 ==> Times[Span[1, All], 1]
    x+;;*2               ==> Plus[x, Times[Span[1, All], 2]]
    f@;;                 ==> f[Span[1, All]]
    f@;;b                ==> f[Span[1, b]]
    a;;;b                ==> CompoundExpression[Span[a, All], b]
    a;;-2                ==> Span[a, -2]
    #;;#2&               ==> Function[Span[Slot[1], Slot[2]]]
    f[;;3]               ==> f[Span[1, 3]]
    x[[1;;-2,All]]       ==> Part[x, Span[1, -2], All]
    x[ [1] ][[ ]]        ==> Part[Part[x, 1]]
    f[g[[1]]]            ==> f[Part[g, 1]]
    f[a,,b,]             ==> f[a, Null, b, Null]
    {}                   ==> List[]
    <||>                 ==> Association[]
    (a;b)                ==> CompoundExpression[a, b]
    %+%%+%5              ==> Plus[Out[], Out[-2], Out[5]]
    %%5                  ==> Times[Out[-2], 5]
    %%%                  ==> Out[-3]
    - --a                ==> Times[-1, PreDecrement[a]]
    a&[x]                ==> Function[a][x]
    f//Attributes = x    ==> Set[Attributes[f], x]
    """
)
PATTERNS = table(
    r"""
    x_                   ==> Pattern[x, Blank[]]
    x__h                 ==> Pattern[x, BlankSequence[h]]
    ___                  ==> BlankNullSequence[]
    _ctx`h               ==> Blank[ctx`h]
    x_.                  ==> Optional[Pattern[x, Blank[]]]
    _.                   ==> Optional[Blank[]]
    x_..                 ==> Repeated[Pattern[x, Blank[]]]
    x_:0                 ==> Optional[Pattern[x, Blank[]], 0]
    x:_:0                ==> Optional[Pattern[x, Blank[]], 0]
    x:a|b                ==> Pattern[x, Alternatives[a, b]]
    None | s:_String     ==> Alternatives[None, Pattern[s, Blank[String]]]
    a | n:_|b:3          ==> Alternatives[a, Optional[Pattern[n, Alternatives[Blank[], b]], 3]]
    _:3 | c              ==> Optional[Blank[], Alternatives[3, c]]
    x_ + y_:0            ==> Plus[Pattern[x, Blank[]], Optional[Pattern[y, Blank[]], 0]]
    x_^n_:1 -> 2         ==> Rule[Power[Pattern[x, Blank[]], Optional[Pattern[n, Blank[]], 1]], 2]
    n:_h?q:3             ==> Optional[Pattern[n, PatternTest[Blank[h], q]], 3]
    n_?q:3               ==> PatternTest[Pattern[n, Blank[]], Pattern[q, 3]]
    x:y:z                ==> Optional[Pattern[x, y], z]
    x_:y_:z              ==> Optional[Pattern[x, Blank[]], Optional[Pattern[y, Blank[]], z]]
    a ~~ x:b ~~ c        ==> StringExpression[a, Pattern[x, b], c]
    -x:_ /; y            ==> Condition[Times[-1, Pattern[x, Blank[]]], y]
    x:(y:z)              ==> Pattern[x, Pattern[y, z]]
    (x|y):z              ==> Optional[Alternatives[x, y], z]
    x_Integer?Positive   ==> PatternTest[Pattern[x, Blank[Integer]], Positive]
    a _b                 ==> Times[a, Blank[b]]
    #name                ==> Slot["name"]
    #"a b"[c]            ==> Slot["a b"][c]
    ##                   ==> SlotSequence[1]
    """
)
ATOMS = table(
    r"""
    `x`y                 ==> `x`y
    $a1                  ==> $a1
    \[Alpha]b            ==> \[Alpha]b
    \[CapitalARing]      ==> \[CapitalARing]
    \:03b1x              ==> \:03b1x
    1.5`20*^3            ==> 1.5`20*^3
    1.``-3.5             ==> 1.``-3.5
    36^^Zz.y`5*^-2       ==> 36^^Zz.y`5*^-2
    1..                  ==> Repeated[1]
    "a\"b\\"             ==> "a\"b\\"
    "(* no comment *)"   ==> "(* no comment *)"
    \( x\/2 \)           ==> \( x\/2 \)
    \!\(x\^2\) y         ==> Times[\!\(x\^2\), y]
    \(a \( b \) "\)" \)  ==> \(a \( b \) "\)" \)
    """
)
NAMED = table(
    r"""
    a\[Rule]b\[RuleDelayed]c                        ==> Rule[a, RuleDelayed[b, c]]
    a\[Equal]b\[LessEqual]c                         ==> Inequality[a, Equal, b, LessEqual, c]
    a\[And]b\[Or]\[Not]c                            ==> Or[And[a, b], Not[c]]
    a\[Element]b\[Element]c                         ==> Element[a, b, c]
    a\[Implies]b\[Implies]c                         ==> Implies[a, Implies[b, c]]
    a\[Times]b\[Divide]c                            ==> Times[a, Times[b, Power[c, -1]]]
    a\[Minus]b                                      ==> Plus[a, Times[-1, b]]
    a\[InvisibleTimes]b                             ==> Times[a, b]
    f\[InvisibleApplication]x                       ==> f[x]
    a\[LeftDoubleBracket]1\[RightDoubleBracket]     ==> Part[a, 1]
    \[LeftAssociation]a\[Rule]1\[RightAssociation]  ==> Association[Rule[a, 1]]
    \[LeftFloor]x\[RightFloor]                      ==> Floor[x]
    \[LeftCeiling]x/2\[RightCeiling]                ==> Ceiling[Times[x, Power[2, -1]]]
    \[LeftAngleBracket]a,b\[RightAngleBracket]      ==> AngleBracket[a, b]
    m\[Transpose].n\[ConjugateTranspose]            ==> Dot[Transpose[m], ConjugateTranspose[n]]
    \[Sqrt]x y                                      ==> Times[Sqrt[x], y]
    \[Integral]x^2\[DifferentialD]x + 1             ==> Plus[Integrate[Power[x, 2], x], 1]
    a\[DirectedEdge]b\[DirectedEdge]c               ==> DirectedEdge[a, DirectedEdge[b, c]]
    a\[Divides]b                                    ==> Divisible[b, a]
    a\[VectorLess]b\[VectorLess]c                   ==> VectorLess[List[a, b, c]]
    x\[Function]x+1                                 ==> Function[x, Plus[x, 1]]
    f[a\[InvisibleComma]b]                          ==> f[a, b]
    a\[ThinSpace]b\[NoBreak]c                       ==> Times[a, b, c]
    a\[TensorProduct]b\[TensorWedge]c               ==> TensorProduct[a, TensorWedge[b, c]]
    """
)
TOP = [
    ("a\nb", ["a", "b"]),
    ("a\r\nb\rc", ["a", "b", "c"]),
    ("a\n+b", ["a", "Plus[b]"]),
    ("a +\nb", ["Plus[a, b]"]),
    ("a;\nb", ["CompoundExpression[a, Null]", "b"]),
    ("a; b\n", ["CompoundExpression[a, b]"]),
    ("a \\\n b", ["Times[a, b]"]),
    ("a \\\r\n b", ["Times[a, b]"]),
    ("12\\\n34", ["1234"]),
    ("1.5\\\r\n  25`20", ["1.525`20"]),
    ("1\\\n2.\\\n5 x", ["Times[12.5, x]"]),
    ("{16^^f\\\nf, .5\\\n5}", ["List[16^^ff, .55]"]),
    ("long\\\n  Name[x]", ["longName[x]"]),
    ("\u00e9\\\n\\[Alpha]b`c\\\nd", ["\u00e9\\[Alpha]b`cd"]),
    ("a\\\n+b", ["Plus[a, b]"]),
    ("5\\\n", ["5"]),
    ("a;;\nb", ["Span[a, All]", "b"]),
    ("f[a\nb]", ["f[Times[a, b]]"]),
    ("(a;\nb)", ["CompoundExpression[a, b]"]),
    ("a (* c\n *) b", ["Times[a, b]"]),
    ("a (* c *)\nb", ["a", "b"]),
    ("a +\n(* c *) b c", ["Plus[a, Times[b, c]]"]),
    ("f[\n(* c *)] g", ["Times[f[], g]"]),
    ("(* a (* b *) c *) d", ["d"]),
    ("a\n<< b`\nc", ["a", 'Get["b`"]', "c"]),
    ("\ufeffa", ["a"]),
    ("#!/usr/bin/env wolframscript\na", ["a"]),
    ("#! /bin/sh\n#!", ["Factorial[Slot[1]]"]),
    ("#!=#2&", ["Function[Unequal[Slot[1], Slot[2]]]"]),
    ("\ufeff#!/bin/sh\r\n#1", ["Slot[1]"]),
    ("", []),
    ("  (* only *) \n", []),
]


@pytest.mark.parametrize(("text", "form"), [*OPERATORS, *PATTERNS, *ATOMS, *NAMED])
def test_text_means_what_it_should(text: str, form: str) -> None:
    assert read(text) == [form]


@pytest.mark.parametrize(("text", "forms"), TOP)
def test_a_source_is_divided_into_its_expressions(text: str, forms: list[str]) -> None:
    assert read(text) == forms


@pytest.mark.parametrize("text", [text for text, _ in NAMED])
def test_a_character_means_the_same_as_its_name(text: str) -> None:
    characters = text
    for name, code in OPERATOR_CODES.items():
        characters = characters.replace(f"\\[{name}]", chr(code))
    assert len(characters) < len(text) or "Space" in text
    assert read(characters) == read(text)


@pytest.mark.parametrize(
    "text", [text for text in INFIX_OPERATORS if INFIX_OPERATORS[text].shape != "special"]
)
def test_every_operator_between_or_after_operands_is_read(text: str) -> None:
    postfix = INFIX_OPERATORS[text].shape == "postfix"
    (form,) = read(f"a {text}" if postfix else f"a {text} b")
    assert form.startswith(f"{INFIX_OPERATORS[text].head}[")


@pytest.mark.parametrize("text", PREFIX_OPERATORS)
def test_every_operator_before_an_operand_is_read(text: str) -> None:
    assert len(read(f"{text} a")) == 1


def precedences() -> list[tuple[str, str]]:
    """Each operator that groups to the left, with the next that binds more tightly."""
    known = sorted(
        (operator.precedence, text)
        for text, operator in INFIX_OPERATORS.items()
        if operator.shape in ("left", "chain", "compare", "right") and text != "?"
    )
    firsts = dict(reversed(known))
    rows = sorted(firsts.items())
    return [(low, high) for (_, low), (_, high) in pairwise(rows)]


@pytest.mark.parametrize(("low", "high"), precedences())
def test_what_binds_more_tightly_is_inside(low: str, high: str) -> None:
    for text in (f"a {low} b {high} c", f"a {high} b {low} c"):
        (form,) = read(text)
        assert form.startswith(f"{INFIX_OPERATORS[low].head}[")
        assert f"{INFIX_OPERATORS[high].head}[" in form


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_samples_are_read_without_a_problem(path: Path) -> None:
    assert parse(sample(path)).problems == []


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_samples_read_back_as_they_were_printed(path: Path) -> None:
    for expression in parse(sample(path)).expressions:
        for text in (full_form(expression), input_form(expression)):
            (again,) = parse_strict(f"({text})")
            assert are_equal(again, expression)


def test_the_place_of_a_syntax_error_is_reported() -> None:
    with pytest.raises(WolframSyntaxError) as caught:
        parse_strict('{\n  "a",\n  b +\n}', where="file.wl")
    assert str(caught.value) == "file.wl:4:1: Expected an expression before '}'"


def test_strict_reading_gives_expressions() -> None:
    assert [full_form(one) for one in parse_strict("a\nb[c]")] == ["a", "b[c]"]
