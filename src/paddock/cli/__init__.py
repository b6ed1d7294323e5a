"""The `paddock` command.

Clients start servers with `paddock serve TARGET`. This form is parsed here because importing
click takes longer than starting the server. All other commands are in `cli.commands`.

This package may import any other package, but imports most of them only when a command needs them.
"""

from __future__ import annotations

import sys

from paddock.errors import PaddockError


def main() -> None:
    """Run the command in `sys.argv`. This is the entry point of the `paddock` program.

    Clients start servers with `paddock serve TARGET` and no other options. That command runs
    without loading click, which makes servers start faster.
    """
    # On a terminal, click is needed because the user may be asked to install missing extensions.
    is_typed = sys.stdin is not None and sys.stdin.isatty()
    plain_target = None if is_typed else parse_plain_serve(sys.argv[1:])
    if plain_target is None:
        from paddock.cli.commands import root_command  # noqa: PLC0415 - saves 20 ms of click

        root_command(prog_name="paddock")  # `python -m paddock` would show "__main__.py"
        return
    # Other commands do not serve: the import budget of tests/architecture limits what they load.
    from paddock.named_servers.server_ref import ServerRef, find_target  # noqa: PLC0415 - see above
    from paddock.serving.stdio import serve_target  # noqa: PLC0415 - see above

    target, is_name = plain_target
    try:
        serve_target(ServerRef(target) if is_name else find_target(target))
    except PaddockError as error:
        sys.stderr.write(f"Error: {format_error(error)}\n")
        sys.exit(2)


def parse_plain_serve(arguments: list[str]) -> tuple[str, bool] | None:
    """Return the target of a `serve` command that has no other options, or None.

    The second item is True if the target can only be a server name. For example,
    `serve server.py` gives `("server.py", False)`, and `serve --named weather` gives
    `("weather", True)`.
    """
    match arguments:
        case ["serve", target] if not target.startswith("-"):
            return target, False
        case ["serve", "--named", name]:
            return name, True
    return None


def format_error(error: PaddockError) -> str:
    """Format an error as one line, followed by a second line with its hint, if any."""
    text = f"{error.where}: {error.message}" if error.where else error.message
    return f"{text}\nHint: {error.hint}" if error.hint else text
