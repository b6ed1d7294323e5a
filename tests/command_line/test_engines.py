"""`paddock engines`: what evaluates Wolfram Language here."""

import json

from tests.command_line.program import Program

NAMES = ["wolfram", "woxi", "mathics", "none"]


def test_all_engines_are_listed_with_the_one_that_is_used(paddock: Program) -> None:
    said = paddock("engines", environment={"PADDOCK_WOLFRAM_ENGINE": "none"})
    assert (said.code, said.err) == (0, "")
    heading, *lines = said.out.splitlines()
    assert heading.split() == ["ENGINE", "VERSION", "LICENCE", "FOUND", "USED"]
    assert [line.split()[0] for line in lines[:4]] == NAMES
    assert [line.endswith(" yes") for line in lines[:4]] == [False, False, False, True]
    assert "No engine is used: selected by PADDOCK_WOLFRAM_ENGINE." in lines


def test_json_has_licences_and_reasons(paddock: Program) -> None:
    said = paddock("engines", "--json", environment={"PADDOCK_WOLFRAM_ENGINE": "none"})
    found = {engine["name"]: engine for engine in json.loads(said.out)}
    assert list(found) == NAMES
    assert found["woxi"]["licence"] == "AGPL-3.0-or-later"
    assert found["mathics"]["licence"] == "GPL-3.0-or-later"
    assert found["none"]["reason"] == "selected by PADDOCK_WOLFRAM_ENGINE"
    assert [name for name in found if found[name]["is_chosen"]] == ["none"]


def test_a_setting_that_cannot_be_is_reported_after_the_list(paddock: Program) -> None:
    said = paddock("engines", environment={"PADDOCK_WOLFRAM_ENGINE": "mathcs"})
    assert said.code == 2
    assert said.err == (
        "Error: There is no engine 'mathcs', which PADDOCK_WOLFRAM_ENGINE names\n"
        "Hint: did you mean mathics?\n"
    )
    assert said.out.startswith("ENGINE")


def test_a_kernel_that_is_named_and_not_there_is_reported(paddock: Program) -> None:
    said = paddock("engines", environment={"PADDOCK_WOLFRAM_KERNEL": "/gone"})
    assert "'/gone', which PADDOCK_WOLFRAM_KERNEL names, is not a program" in said.out
