"""The commands `paddock users ...`, which manage the users of `paddock up --team`."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from paddock.cli import output
from paddock.cli.commands import CommandWithSubcommands
from paddock.cli.errors import ArgumentError
from paddock.cli.shared_options import json_option, yes_option
from paddock.zoo.opening import open_zoo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.zoo.accounts import TeamAccounts

PASSWORD_VARIABLE = "PADDOCK_PASSWORD"  # noqa: S105 - the name of a variable


@click.command(
    cls=CommandWithSubcommands,
    subcommands={
        "add": ("paddock.cli.users:add", "Add a user."),
        "password": ("paddock.cli.users:password", "Change the password of a user."),
        "token": ("paddock.cli.users:token", "Create an API token for a user."),
        "delete": ("paddock.cli.users:delete", "Delete a user."),
    },
)
@json_option
def users(*, as_json: bool) -> None:
    """List the users of the team that paddock up --team serves."""
    with _open_accounts() as accounts:
        team_users = accounts.list_users()
    if as_json:
        output.print_json(
            [
                {"name": user.name, "isAdmin": user.is_admin, "createdAt": user.created_at}
                for user in team_users
            ]
        )
    elif team_users:
        rows = [
            (user.name, "yes" if user.is_admin else "", user.created_at[:10]) for user in team_users
        ]
        output.print_table(("user", "administrator", "since"), rows)
    else:
        output.print_note("There are no users yet\nHint: paddock users add NAME --admin")


@click.command()
@click.argument("name")
@click.option("--admin", is_flag=True, help="Allow managing users and using all servers.")
def add(*, name: str, admin: bool) -> None:
    """Add the user NAME with a separate zoo. The first user gets the existing zoo.

    The password is asked for, or read from the environment variable PADDOCK_PASSWORD.
    """
    new_password = _read_password()
    with _open_accounts() as accounts:
        user = accounts.add_user(name, new_password, is_admin=admin)
    output.print_note(f"{user.name} may sign in")


@click.command()
@click.argument("name")
def password(*, name: str) -> None:
    """Change the password of the user NAME, and end their sessions. Tokens remain valid.

    The password is asked for, or read from the environment variable PADDOCK_PASSWORD.
    """
    new_password = _read_password()
    with _open_accounts() as accounts:
        accounts.set_password(name, new_password)
    output.print_note(f"Changed the password of {name}")


@click.command()
@click.argument("name")
@click.option("--label", default="command line", show_default=True, help="Label of the token.")
def token(*, name: str, label: str) -> None:
    """Create an API token for the user NAME and print it. It is not shown again."""
    with _open_accounts() as accounts:
        _, secret = accounts.create_token(name, label)
    click.echo(secret)


@click.command()
@click.argument("name")
@yes_option
def delete(*, name: str, yes: bool) -> None:
    """Delete the user NAME. Their zoo stays in the database."""
    if not yes and output.can_ask():
        output.confirm(f"Delete the user {name}?")
    with _open_accounts() as accounts:
        accounts.delete_user(name)
    output.print_note(f"Deleted the user {name}")


@contextmanager
def _open_accounts() -> Iterator[TeamAccounts]:
    with open_zoo() as zoo:
        yield zoo.accounts()


def _read_password() -> str:
    """Return the password from the environment, or ask for it on the terminal.

    Raises:
        ArgumentError: The variable is not set, and there is no terminal to ask on.
    """
    environment_password = os.environ.get(PASSWORD_VARIABLE)
    if environment_password is not None:
        return environment_password
    if not output.can_ask():
        raise ArgumentError(
            "A password is needed", hint=f"set {PASSWORD_VARIABLE}, or run this on a terminal"
        )
    password: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return password
