"""Extensions as people use them, by `paddock` in a shell."""

import os
from pathlib import Path

import pytest

from tests.command_line.program import Program
from tests.extensions import samples


def test_extensions_are_listed_with_what_they_bring(paddock: Program) -> None:
    said = paddock("extensions")
    rows = [line.split()[:6] for line in said.out.splitlines()]
    assert rows[0] == ["EXTENSION", "VERSION", "KIND", "SERVERS", "TOOLS", "PROMPTS"]
    assert rows[2:] == [
        ["acme/charts", "1.2.3", "distribution", "2", "4", "2"],
        ["deep", "1.2.3", "distribution", "1", "1", "0"],
        ["mines", "1.2.3", "distribution", "1", "1", "1"],
        ["plain", "1.2.3", "distribution", "0", "4", "0"],
    ]
    assert [one["name"] for one in paddock("extensions", "ACME/*", "--json").json] == [
        "acme/charts"
    ]
    assert paddock("extensions", "nothing*").out == ""


def test_one_extension_is_shown_with_its_items(paddock: Program) -> None:
    said = paddock("extensions", "acme/charts").out
    assert "acme/charts/Table   Draws a table" in said
    (found,) = paddock("extensions", "acme/charts", "--json").json
    assert found["distribution"] == "acme-charts"
    assert found["problem"] is None
    assert [one["name"] for one in found["servers"]] == ["acme/charts/Charts", "acme/charts/Code"]


def test_broken_extensions_are_listed_with_the_reason(
    paddock: Program, all_installed: Path
) -> None:
    assert all_installed.is_dir()
    environment = {"PYTHONPATH": os.environ["PYTHONPATH"]}
    said = paddock("extensions", environment=environment)
    assert said.code == 0
    assert "Warning: new-schema: schema is 2\nHint: expected 1" in said.err
    found = paddock("extensions", "--json", environment=environment).json
    broken = {one["distribution"] for one in found if one["problem"]}
    assert broken == set(samples.BROKEN)


def test_a_server_of_an_extension_can_be_shown_called_and_served(paddock: Program) -> None:
    shown = paddock("show", "acme/charts/Charts", "--json").json
    assert shown["tool_names"] == ["plot", "roll_dice", "Echo", "Search1", "Search2"]
    assert shown["location"] == "acme/charts"
    assert paddock("call", "acme/charts/Charts", "plot", "values=[2, 1]").out == "## #\n"
    assert paddock("inspect", "deep/Small").out.startswith("deep/Small 1.2.3\n")


def test_a_server_can_be_made_of_items_of_extensions(paddock: Program) -> None:
    tools = ["--tool", "acme/charts/Plot", "--tool", "plain/Echo", "--prompt", "acme/charts/Greet"]
    assert paddock("create", "Mine", *tools).code == 0
    assert paddock("call", "Mine", "Echo", "text=x").out == "own x\n"
    refused = paddock("create", "Other", "--tool", "acme/charts/Undeclared")
    assert refused.code == 2
    assert "declares no such item" in refused.err


def test_a_server_of_an_extension_can_be_installed_and_taken_out(paddock: Program) -> None:
    file = paddock.home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    assert paddock("install", "cursor", "deep/Small", "--no-check").code == 0
    text = file.read_text(encoding="utf-8")
    assert '"Small": {' in text
    assert "deep/Small" in text
    assert paddock("uninstall", "cursor", "deep/Small").code == 0
    assert not file.exists()


def test_a_server_of_an_extension_cannot_be_changed(paddock: Program) -> None:
    for words in (("edit", "deep/Small", "--title", "x"), ("delete", "deep/Small", "--yes")):
        said = paddock(*words)
        assert said.code == 2
        assert "deep" in said.err


@pytest.mark.parametrize("command", ["serve", "show", "call", "inspect", "install"])
def test_a_name_that_leads_nowhere_is_reported_by_every_command(
    paddock: Program, command: str
) -> None:
    words = {"install": ["install", "cursor"], "call": ["call"]}.get(command, [command])
    rest = ["draw"] if command == "call" else []
    said = paddock(*words, "someone/graphs/Draw", *rest)
    assert said.code == 2
    assert 'no extension "someone/graphs" is installed' in said.err
    assert "paddock extensions search graphs" in said.err


def test_a_portable_bundle_cannot_bring_an_extension(paddock: Program) -> None:
    said = paddock("bundle", "deep/Small", "--portable")
    assert said.code == 2
    assert "is in the extension 'deep'" in said.err
    assert paddock("bundle", "deep/Small").code == 0
