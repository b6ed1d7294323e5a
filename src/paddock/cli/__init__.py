"""The `paddock` command.

The plain form of `paddock serve` is recognised here and served without loading the command-line
library, which would cost more than the server itself; everything else is in `cli.commands`.
"""

from __future__ import annotations

import sys

from paddock.errors import PaddockError


def main() -> None:
    """Run the command that was given."""
    target = plain_serve(sys.argv[1:])
    if target is None:
        from paddock.cli.commands import commands  # noqa: PLC0415 - see above

        commands(prog_name="paddock")  # however Python was started
        return
    from paddock.serving.stdio import serve_target  # noqa: PLC0415 - see above
    from paddock.serving.target import Target  # noqa: PLC0415 - see above

    try:
        serve_target(Target(target))
    except PaddockError as error:
        sys.stderr.write(f"Error: {error}\n")
        sys.exit(2)


def plain_serve(arguments: list[str]) -> str | None:
    """The target of `serve TARGET` without any option."""
    if len(arguments) == 2 and arguments[0] == "serve" and not arguments[1].startswith("-"):
        return arguments[1]
    return None
