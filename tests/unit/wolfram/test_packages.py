"""Packages that are read without a kernel: names in full, in the order of their files."""

from paddock.wolfram.context_resolver import ContextResolver, PackageFile

SYSTEM = {"Module", "ToString", "Plus", "StringJoin", "Print"}
MAIN = """
BeginPackage["Acme`Calc`", {"Acme`Calc`Util`"}];
add::usage = "add[as] adds";
describe;
Begin["`Private`"];
add[as_] := helper[as["add"], as["y"]] (* add *)
helper[x_, y_] := Module[{z = double[x]}, z + y]
describe[x_] := "add " <> ToString[`helper[x, 1]];
$count = 0;
End[];
EndPackage[];
after = add[1]
"""
UTIL = """
BeginPackage["Acme`Calc`Util`"]
double
Begin["`Private`"]
double[x_] := 2 x
End[]
EndPackage[]
"""


def packages(**files: str) -> ContextResolver:
    """Packages of which some files are there."""
    named = {f"Acme`{name.replace('_', '`')}`": text for name, text in files.items()}
    return ContextResolver(
        lambda context: PackageFile(named[context], context) if context in named else None,
        lambda name: name in SYSTEM,
    )


def test_definitions_have_full_names_and_local_variables_stay() -> None:
    found = packages(Calc=MAIN, Calc_Util=UTIL)
    assert found.load("Acme`Calc`")
    assert found.take_new_code() == [
        "Acme`Calc`Util`double",
        "Acme`Calc`Util`double[x_] := 2 x",
        'Acme`Calc`add::usage = "add[as] adds";',
        "Acme`Calc`describe;",
        'Acme`Calc`add[as_] := Acme`Calc`Private`helper[as["add"], as["y"]]',
        "Acme`Calc`Private`helper[x_, y_] := Module[{z = Acme`Calc`Util`double[x]}, z + y]",
        'Acme`Calc`describe[x_] := "add " <> ToString[Acme`Calc`Private`helper[x, 1]];',
        "Acme`Calc`Private`$count = 0;",
        "after = Acme`Calc`add[1]",
    ]
    assert found.take_new_code() == []


def test_names_in_parentheses_and_over_two_lines_are_full_too() -> None:
    text = 'BeginPackage["Acme`Calc`"];\nadd[x_] := x;\nsum = (add)[1] + ad\\\nd[2];\nEndPackage[]'
    found = packages(Calc=text)
    assert found.load("Acme`Calc`")
    assert found.take_new_code()[1] == "Acme`Calc`sum = (Acme`Calc`add)[1] + Acme`Calc`add[2];"


def test_each_file_is_read_once() -> None:
    found = packages(Calc=MAIN, Calc_Util=UTIL)
    found.load("Acme`Calc`")
    found.take_new_code()
    assert found.load("Acme`Calc`Util`")
    assert found.take_new_code() == []


def test_code_from_outside_finds_what_is_public() -> None:
    found = packages(Calc=MAIN, Calc_Util=UTIL)
    found.load("Acme`Calc`")
    assert found.qualify_code("add[#] + double[helper] &") == (
        "Acme`Calc`add[#] + Acme`Calc`Util`double[helper] &"
    )
    assert found.has_symbol("Acme`Calc`add")
    assert not found.has_symbol("Acme`Calc`helper")


def test_contexts_that_no_one_has_and_files_that_cannot_be_read_are_reported() -> None:
    found = packages(A='Needs["Other`"]\nNeeds["System`X`"]\nGet["file.wl"]', B="f[x_ := 1")
    assert found.load("Acme`A`")
    assert found.load("Acme`B`")
    assert not found.load("Acme`C`")
    assert found.missing_contexts == ["Other`"]
    assert [problem.split(": ")[0] for problem in found.problems] == ["Acme`B`:1:2"]
    assert found.take_new_code() == ['Get["file.wl"]']


def test_ends_without_a_beginning_are_harmless() -> None:
    found = packages(A="End[]\nEndPackage[]\nf[x_] := 1")
    found.load("Acme`A`")
    assert found.take_new_code() == ["f[x_] := 1"]
