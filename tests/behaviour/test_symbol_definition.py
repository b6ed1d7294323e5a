"""The tool SymbolDefinition, as a client sees it, with woxi as its engine."""

import json
import re
from collections.abc import Iterator

import pytest

from paddock import Peer, Server, connect
from paddock.toolkits.wolfram.tools import symbol_definition_tool, wolfram_evaluator_tool

NAME = "SymbolDefinition"
EVALUATOR = "WolframLanguageEvaluator"
DEFINITIONS = """
f[x_] := x^2 + 1; f[0] = 7; f[x_, y_] /; x > 0 := Module[{z = 1}, z + y]
f[{a_, b_}] := a -> b; f[n_?NumericQ, OptionsPattern[]] := OptionValue["A"]
f::usage = "f[x] is a \\"square\\""; Options[f] = {"A" -> 1}; SetAttributes[f, Listable]
g /: f[g] := 12
own := (Print["evaluated!"]; x = 3)
val = {1, "a", 2.5}
sub[a_][b_] := a + b
foo`bar[x_] := foo`Private`helper[x]; foo`Private`helper[x_] := x
sealed[x_] := x; SetAttributes[sealed, {ReadProtected, Locked}]
hidden[x_] := x; SetAttributes[hidden, ReadProtected]
"""


def server(engine: str = "woxi") -> Server:
    """A server with the evaluator and the tool."""
    made = Server("s", tools=[wolfram_evaluator_tool, symbol_definition_tool])
    return made.set_tool_options({EVALUATOR: {"Engine": engine}, NAME: {"Engine": engine}})


@pytest.fixture
def peer() -> Iterator[Peer]:
    """A connection with a session in which things are defined."""
    with connect(server()) as found:
        found.call(EVALUATOR, code=DEFINITIONS)
        yield found


def shown(peer: Peer, symbols: str, **arguments: object) -> str:
    """What is reported about symbols."""
    answer = peer.call(NAME, symbols=symbols, **arguments)
    assert not answer.is_error, answer.text
    return answer.text


def block(title: str, *definitions: str) -> str:
    """How definitions are shown."""
    inside = "\n\n".join(definitions)
    return f"# {title}\n\n## Definition\n\n```wl\n{inside}\n```"


def test_all_that_is_defined_for_a_symbol_is_shown_as_it_was_written(peer: Peer) -> None:
    assert shown(peer, "f") == block(
        "f",
        "Attributes[f] = {Listable}",
        "f[{a_, b_}] := a -> b",
        "f[x_] := x^2 + 1",
        "f[x_, y_] /; x > 0 := Module[{z = 1}, z + y]",
        'f[n_?NumericQ, OptionsPattern[]] := OptionValue["A"]',
        "f[0] = 7",
        'Options[f] = {"A" -> 1}',
        'f::usage = "f[x] is a \\"square\\""',
    )


def test_several_symbols_are_shown_one_after_the_other(peer: Peer) -> None:
    assert shown(peer, " g , sub,val ") == "\n\n".join(
        [
            block("g", "g /: f[g] := 12"),
            block("sub", "sub[a_][b_] := a + b"),
            block("val", 'val = {1, "a", 2.5}'),
        ]
    )


def test_nothing_is_evaluated(peer: Peer) -> None:
    assert shown(peer, "own") == block("own", 'own := (Print["evaluated!"]; x = 3)')
    assert shown(peer, "x") == "# x\n\nNo definitions found"


def test_names_are_shown_without_contexts_and_the_contexts_in_the_end(peer: Peer) -> None:
    text = shown(peer, "foo`bar", includeContextDetails=True)
    assert text.startswith(block("bar", "bar[x_] := helper[x]") + "\n\n## Contexts\n\n```json\n")
    found = json.loads(text.split("```json\n")[1].removesuffix("\n```"))
    assert found["foo`"] == ["bar"]
    assert found["foo`Private`"] == ["helper"]
    assert "SetDelayed" in found["System`"]


def test_a_name_in_two_contexts_is_shown_in_full(peer: Peer) -> None:
    peer.call(EVALUATOR, code="one`h[x_] := two`h[x]")
    assert "one`h[x_] := two`h[x]" in shown(peer, "one`h", session=last_session(peer))


def last_session(peer: Peer) -> str:
    """A session in which something of two contexts is defined."""
    text = peer.call(EVALUATOR, code="one`h[x_] := two`h[x]").text
    found = re.search(r'session="(\w+)"', text)
    assert found is not None
    return found[1]


def test_a_name_that_is_known_elsewhere_is_reported_from_one_that_is_not(peer: Peer) -> None:
    assert shown(peer, "bar") == (
        "# bar\n\nError: The symbol bar does not exist\n\nDid you mean one of these?\n\n"
        "```wl\nfoo`bar\n```"
    )
    assert shown(peer, "nowhere") == "# nowhere\n\nError: The symbol nowhere does not exist"


@pytest.mark.parametrize("name", ["1x", "a_b", "f[x]", "a``b", "`a", "x + y"])
def test_what_cannot_be_a_name_is_reported(peer: Peer, name: str) -> None:
    assert "Error: Invalid symbol name" in shown(peer, name)


def test_a_symbol_that_only_appears_has_no_definitions(peer: Peer) -> None:
    assert shown(peer, "z") == "# z\n\nNo definitions found"


def test_protected_symbols_are_shown_unless_they_are_locked_too(peer: Peer) -> None:
    assert "hidden[x_] := x" in shown(peer, "hidden")
    assert shown(peer, "sealed").startswith("# sealed\n\nError: sealed is Locked and ReadProtected")


def test_built_in_symbols_have_a_placeholder(peer: Peer) -> None:
    assert 'Sin[___] := "<kernel function>"' in shown(peer, "Sin")
    assert shown(peer, "System`Sin") == shown(peer, "Sin")
    assert "Attributes[Pi] = {Constant, Protected, ReadProtected}" in shown(peer, "Pi")


def test_what_is_too_long_is_cut(peer: Peer) -> None:
    text = shown(peer, "val", maxLength=10)
    assert "```wl\nval = {1, \n... [truncated, showing 10/19 characters]\n```" in text
    assert shown(peer, "val", maxLength=0) == shown(peer, "val")
    assert shown(peer, "val", maxLength="20", includeContextDetails="false") == shown(peer, "val")


def test_long_definitions_are_broken_into_lines(peer: Peer) -> None:
    printed = 'Print["something that takes a lot of room", a]'
    peer.call(EVALUATOR, code=f"long[x_, y_] := Module[{{a = x}}, {printed}; If[a > y, a, y]]")
    lines = ["{a = x},", f"{printed};", "If[a > y, a, y]"]
    inside = "".join(f"        {line}\n" for line in lines)
    assert f"long[x_, y_] :=\n    Module[\n{inside}    ]" in shown(peer, "long")


def test_a_session_can_be_named() -> None:
    with connect(server()) as peer:
        first = peer.call(EVALUATOR, code="here = 1").text
        peer.call(EVALUATOR, code="there = 1")
        found = re.search(r'session="(\w+)"', first)
        assert found is not None
        assert "does not exist" in shown(peer, "here")
        assert "here = 1" in shown(peer, "here", session=found[1])


def test_looking_leaves_no_trace_in_the_session(peer: Peer) -> None:
    session = last_session(peer)
    shown(peer, "h", session=session)
    assert "Out[2]= 2" in peer.call(EVALUATOR, code="1 + 1", session=session).text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"symbols": ""}, "`symbols` contains no names"),
        ({"symbols": " , "}, "`symbols` contains no names"),
        ({"symbols": "f", "session": "nowhere1"}, "the session 'nowhere1' does not exist"),
    ],
)
def test_what_is_asked_wrongly_is_an_error(
    peer: Peer, arguments: dict[str, str], said: str
) -> None:
    answer = peer.call(NAME, arguments)
    assert answer.is_error
    assert said in answer.text


def test_without_an_engine_nothing_has_a_definition() -> None:
    alone = Server("s", tools=[symbol_definition_tool])
    with connect(alone.set_tool_options({NAME: {"Engine": "none"}})) as peer:
        answer = peer.call(NAME, symbols="Sin")
    assert answer.is_error
    assert "No Wolfram Language engine is installed" in answer.text
