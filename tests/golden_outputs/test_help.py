"""The commands and their options, and the help of each.

Options are the contract, in `options.json`; the help is wording, in a file for each command.
"""

from collections.abc import Iterator
from typing import Any

import click

from tests.golden_outputs.golden_files import GoldenFiles, dump_json
from tests.golden_outputs.program import Program


def walk_commands(
    command: click.Command, context: click.Context, *words: str
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield a command and all below it, each with the words that lead to it."""
    yield words, command
    for item in command.shell_complete(context, ""):
        below = get_subcommand(command, context, item.value)
        # With its parent, since commands remember the help option that they first had.
        inner = click.Context(below, context, item.value)
        yield from walk_commands(below, inner, *words, item.value)


def get_subcommand(command: click.Command, context: click.Context, word: str) -> click.Command:
    if isinstance(command, click.Group):
        found = command.get_command(context, word)
        assert found is not None
        return found
    below = command.make_context(None, [word], context, resilient_parsing=True).command
    assert below is not command
    return below


def describe_parameter(parameter: click.Parameter) -> dict[str, Any]:
    kind = parameter.type
    facts: dict[str, Any] = {
        "words": [*parameter.opts, *parameter.secondary_opts],
        "kind": parameter.param_type_name,
        "required": parameter.required,
        "values": parameter.nargs,
        "type": kind.name,
    }
    if isinstance(kind, click.Choice):
        facts["choices"] = list(kind.choices)
    if parameter.envvar:
        facts["variable"] = parameter.envvar
    if isinstance(parameter, click.Option):
        facts |= {"multiple": parameter.multiple, "flag": parameter.is_flag}
    return facts


def test_options_and_help_of_every_command(golden: GoldenFiles, paddock: Program) -> None:
    root = paddock.root_command()
    options, files = {}, {}
    context = root.make_context("paddock", [], resilient_parsing=True)
    for words, command in walk_commands(root, context):
        parameters = [describe_parameter(one) for one in command.params]
        options[" ".join(words)] = {
            # The name of an argument is ours; that of an option is what people type.
            "arguments": [{**one, "words": []} for one in parameters if one["kind"] == "argument"],
            "options": [one for one in parameters if one["kind"] == "option"],
        }
        result = paddock(*words, "--help")
        assert (result.code, result.err) == (0, "")
        files[f"{'.'.join(words) or 'paddock'}.wording.txt"] = result.out
    golden.check("help", {**files, "options.json": dump_json(options)})
