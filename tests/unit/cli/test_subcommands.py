"""A command that also has further commands below it."""

import click
from click.testing import CliRunner

from paddock.cli.commands import CommandWithSubcommands


@click.command()
@click.argument("word")
def search(word: str) -> None:
    """Look for a word."""
    click.echo(f"searching {word}")


@click.command(
    cls=CommandWithSubcommands,
    subcommands={"search": (f"{__name__}:search", "Look for a word.")},
)
@click.argument("pattern", default="*")
def things(pattern: str) -> None:
    """List things."""
    click.echo(f"listing {pattern}")


@click.group()
def program() -> None:
    """Do something."""


program.add_command(things)


def said(*words: str) -> str:
    return CliRunner().invoke(program, list(words)).output


def test_a_word_that_names_a_command_runs_it_and_any_other_is_an_argument() -> None:
    assert said("things") == "listing *\n"
    assert said("things", "sea*") == "listing sea*\n"
    assert said("things", "search", "it") == "searching it\n"


def test_help_lists_the_subcommands() -> None:
    assert "search  Look for a word." in said("things", "--help")
    assert said("things", "search", "--help").startswith("Usage: program things search")
