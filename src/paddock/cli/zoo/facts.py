"""The options that say what an agent is, and what they mean by its JSON keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from paddock.cli.texts import read_text_or_file

F = TypeVar("F", bound=Callable[..., object])


def agent_options(function: F) -> F:
    """What an agent is."""
    description = click.option(
        "--description", metavar="TEXT", help="What it is for, in a sentence."
    )
    soul = click.option(
        "--soul", metavar="TEXT|@FILE", help="Who it is and how it behaves, or @file with it."
    )
    tags = click.option(
        "--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be repeated."
    )
    return description(soul(tags(function)))


def collect_agent_options(facts: dict[str, Any]) -> dict[str, Any]:
    """What of `facts_options` was given, by JSON key.

    Raises:
        ArgumentError: when a file cannot be read.
    """
    given: dict[str, Any] = {}
    if facts["description"] is not None:
        given["description"] = facts["description"]
    if facts["soul"] is not None:
        given["systemPrompt"] = read_text_or_file(facts["soul"], "--soul")
    if facts["tags"]:
        given["tags"] = list(facts["tags"])
    return given
