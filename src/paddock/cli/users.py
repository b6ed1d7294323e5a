"""`paddock users`: the people of the team that `paddock up --team` serves."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from paddock.cli import output
from paddock.cli.commands import CommandWithSubcommands
from paddock.cli.errors import ArgumentError
from paddock.zoo.opening import open_zoo

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from paddock.zoo.accounts import TeamAccounts

PASSWORD_VARIABLE = "PADDOCK_PASSWORD"  # noqa: S105 - the name of a variable


class UsersCommand(CommandWithSubcommands):
    """The list of users, and what can be done with them."""

    subcommands: Mapping[str, tuple[str, str]] = {
        "add": ("paddock.cli.users:add", "Let somebody in."),
        "password": ("paddock.cli.users:password", "Give somebody another password."),
        "token": ("paddock.cli.users:token", "Make a token for a program of somebody."),
        "delete": ("paddock.cli.users:delete", "Let somebody in no more."),
    }


@click.command(cls=UsersCommand)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def users(*, as_json: bool) -> None:
    """List the people of the team that `paddock up --team` serves."""
    with _open_accounts() as accounts:
        found = accounts.list_users()
    if as_json:
        output.print_json(
            [
                {"name": one.name, "isAdmin": one.is_admin, "createdAt": one.created_at}
                for one in found
            ]
        )
    elif found:
        rows = [(one.name, "yes" if one.is_admin else "", one.created_at[:10]) for one in found]
        output.print_table(("user", "administrator", "since"), rows)
    else:
        output.print_note("There is nobody yet\nHint: paddock users add NAME --admin")


@click.command()
@click.argument("name")
@click.option("--admin", is_flag=True, help="Let them add and delete others, and use all servers.")
def add(*, name: str, admin: bool) -> None:
    """Let NAME in, with a zoo of their own; the first one gets the zoo that is there.

    The password is asked for, or read from the environment variable PADDOCK_PASSWORD.
    """
    chosen = _read_password()
    with _open_accounts() as accounts:
        made = accounts.add_user(name, chosen, is_admin=admin)
    output.print_note(f"{made.name} may sign in")


@click.command()
@click.argument("name")
def password(*, name: str) -> None:
    """Give NAME another password; they have to sign in again, their tokens stay.

    The password is asked for, or read from the environment variable PADDOCK_PASSWORD.
    """
    chosen = _read_password()
    with _open_accounts() as accounts:
        accounts.set_password(name, chosen)
    output.print_note(f"{name} has a new password")


@click.command()
@click.argument("name")
@click.option("--label", default="command line", show_default=True, help="What it is called.")
def token(*, name: str, label: str) -> None:
    """Make a token for a program of NAME, and print it; it is not shown again."""
    with _open_accounts() as accounts:
        _, secret = accounts.create_token(name, label)
    click.echo(secret)


@click.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Ask nothing.")
def delete(*, name: str, yes: bool) -> None:
    """Let NAME in no more. Their zoo stays in the database."""
    if not yes and output.can_ask() and not output.ask_yes_no(f"Let {name} in no more?"):
        raise click.Abort
    with _open_accounts() as accounts:
        accounts.delete_user(name)
    output.print_note(f"{name} is let in no more")


@contextmanager
def _open_accounts() -> Iterator[TeamAccounts]:
    with open_zoo() as zoo:
        yield zoo.accounts()


def _read_password() -> str:
    given = os.environ.get(PASSWORD_VARIABLE)
    if given is not None:
        return given
    if not output.can_ask():
        raise ArgumentError(
            "A password is needed", hint=f"set {PASSWORD_VARIABLE}, or run this on a terminal"
        )
    chosen: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return chosen
