"""The `paddock` command.

The plain form of `paddock serve` is recognised here and served without loading the command-line
library, which would cost more than the server itself; everything else is in `cli.commands`.
"""

from __future__ import annotations

import sys

from paddock.errors import PaddockError


def main() -> None:
    """Run the command that was given."""
    # Somebody who types may be asked something.
    is_typed = sys.stdin is not None and sys.stdin.isatty()
    named = None if is_typed else parse_plain_serve(sys.argv[1:])
    if named is None:
        from paddock.cli.commands import root_command  # noqa: PLC0415 - see above

        root_command(prog_name="paddock")  # however Python was started
        return
    from paddock.named_servers.server_ref import ServerRef, find_target  # noqa: PLC0415 - see above
    from paddock.serving.stdio import serve_target  # noqa: PLC0415 - see above

    name, is_name = named
    try:
        serve_target(ServerRef(name) if is_name else find_target(name))
    except PaddockError as error:
        from paddock.cli.error_text import format_error  # noqa: PLC0415 - see above

        sys.stderr.write(f"Error: {format_error(error)}\n")
        sys.exit(2)


def parse_plain_serve(arguments: list[str]) -> tuple[str, bool] | None:
    """What `serve TARGET`, or `serve --named NAME`, is to serve, and whether it is a name."""
    match arguments:
        case ["serve", target] if not target.startswith("-"):
            return target, False
        case ["serve", "--named", name]:
            return name, True
    return None
