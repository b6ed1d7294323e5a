"""What a person is reported who does not know the commands."""

import click
import pytest

from paddock.cli.commands import COMMAND_GROUPS, COMMANDS, root_command
from tests.command_line.program import Program


def test_the_name_alone_prints_the_commands_in_groups(paddock: Program) -> None:
    said = paddock()
    assert (said.code, said.err) == (0, "")
    headings = [line for line in said.out.splitlines() if line.endswith(":") and line[0] != " "]
    assert headings == ["Options:", *(f"{title}:" for title in COMMAND_GROUPS), "First steps:"]
    assert paddock("--help").out == said.out


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_repeats_the_help_of_each_command(name: str) -> None:
    command = root_command.get_command(click.Context(root_command), name)
    assert command is not None
    assert command.name == name
    assert command.help


def test_an_unknown_command_is_answered_with_the_nearest(paddock: Program) -> None:
    said = paddock("instal", "cursor")
    assert (said.code, said.out) == (2, "")
    assert said.err == "Error: No such command: instal\nHint: did you mean install or uninstall?\n"


def test_a_word_that_is_like_no_command_leads_to_help(paddock: Program) -> None:
    said = paddock("xyzzy")
    assert said.err == "Error: No such command: xyzzy\nHint: paddock --help lists the commands\n"


def test_a_wrong_option_is_one_line_and_a_hint(paddock: Program) -> None:
    said = paddock("servers", "--jsn")
    assert (said.code, said.out) == (2, "")
    assert said.err.splitlines() == [
        "Error: No such option '--jsn'. Did you mean '--json'?",
        "Hint: paddock servers --help describes the command",
    ]
