"""Pairs that are written as one word on the command line: `K=V`, `N:V`, `TOOL.OPTION=VALUE`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.cli.complaints import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable

ToolOptions = dict[str, dict[str, object]]


def parse_header(text: str, where: str) -> tuple[str, str]:
    """The name and the value of `NAME:VALUE`.

    Raises:
        ArgumentError: when it has no colon.
    """
    name, colon, value = text.partition(":")
    if not (colon and name.strip()):
        # Not the text itself: it may be nothing but a secret.
        raise ArgumentError("Expected NAME:VALUE", where=where)
    return name.strip(), value.strip()


def parse_variables(texts: Iterable[str], where: str) -> dict[str, str]:
    """The environment that `NAME=VALUE` words describe.

    Raises:
        ArgumentError: when one of them has no name or no equals sign.
    """
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (equals and name.strip()):
            # Not the text itself: it may be nothing but a secret.
            raise ArgumentError("Expected NAME=VALUE", where=where)
        found[name.strip()] = value
    return found


def parse_forwarded_variables(texts: Iterable[str], where: str) -> dict[str, str | None]:
    """The environment that `NAME=VALUE` and `NAME` words describe; the latter have no value.

    Raises:
        ArgumentError: when one of them is neither.
    """
    found: dict[str, str | None] = {}
    for text in texts:
        if "=" in text:
            found |= parse_variables([text], where)
        elif text.isidentifier() and text.isascii():
            found[text] = None
        else:
            raise ArgumentError("Expected NAME=VALUE, or the NAME of a variable", where=where)
    return found


def parse_tool_options(texts: Iterable[str], where: str = "--option") -> ToolOptions:
    """The options of tools that `TOOL.OPTION=VALUE` words describe.

    A value is text, which is read as what the option takes when it is set. The name of a tool may
    hold dots, that of an option does not.

    Raises:
        ArgumentError: when one of them has another form.
    """
    found: ToolOptions = {}
    for text in texts:
        path, equals, value = text.partition("=")
        tool, dot, option = path.rpartition(".")
        if not (equals and dot and tool and option):
            raise ArgumentError(
                f"Expected TOOL.OPTION=VALUE, got {text!r}",
                where=where,
                hint="for example roll_dice.sides=20",
            )
        found.setdefault(tool, {})[option] = value
    return found
