"""Accounts in both databases."""

import pytest

from paddock.zoo.errors import InvalidAgentError, UserExistsError, UserNotFoundError
from paddock.zoo.service import Zoo

PASSWORD = "long enough for all"  # noqa: S105 - of no use anywhere else


def test_user_is_known_by_password_session_and_token(zoo: Zoo) -> None:
    accounts = zoo.accounts()
    ada = accounts.add_user(" Ada ", PASSWORD, is_admin=True)
    assert (ada.name, ada.owner, ada.is_admin) == ("ada", "", True)
    assert accounts.authenticate("ADA", PASSWORD) == ada
    assert accounts.authenticate("ada", f"{PASSWORD}!") is None
    assert accounts.authenticate("eve", PASSWORD) is None
    session = accounts.create_session("ada")
    _, token = accounts.create_token("ada", "editor")
    assert accounts.authenticate_secret(session, "session") == ada
    assert accounts.authenticate_secret(token, "token") == ada
    assert accounts.authenticate_secret(session, "token") is None
    accounts.revoke_session(session)
    accounts.revoke_session(token)  # which does not exist
    assert accounts.authenticate_secret(session, "session") is None
    assert accounts.authenticate_secret(token, "token") == ada


def test_everyone_owns_another_zoo_also_who_has_the_name_of_someone_before(zoo: Zoo) -> None:
    accounts = zoo.accounts()
    accounts.add_user("ada", PASSWORD, is_admin=True)
    first = accounts.add_user("eve", PASSWORD)
    zoo.for_owner(first.owner).agents.create({"name": "Secret"})
    accounts.delete_user("eve")
    second = accounts.add_user("eve", PASSWORD)
    assert len({"", first.owner, second.owner}) == 3
    assert zoo.for_owner(second.owner).agents.list_summaries().items == []


def test_what_cannot_be_is_refused(zoo: Zoo) -> None:
    accounts = zoo.accounts()
    accounts.add_user("ada", PASSWORD, is_admin=True)
    with pytest.raises(UserExistsError):
        accounts.add_user("ADA", PASSWORD)
    for refused in (
        lambda: accounts.set_password("unknown", PASSWORD),
        lambda: accounts.delete_user("unknown"),
        lambda: accounts.set_admin("unknown", is_admin=True),
        lambda: accounts.create_token("unknown", "x"),
        lambda: accounts.delete_token("ada", "none"),
    ):
        with pytest.raises(UserNotFoundError):
            refused()
    for wrong in (
        lambda: accounts.set_password("ada", "short"),
        lambda: accounts.delete_user("ada"),
        lambda: accounts.set_admin("ada", is_admin=False),
        lambda: accounts.create_token("ada", " "),
    ):
        with pytest.raises(InvalidAgentError):
            wrong()
    assert [user.name for user in accounts.list_users()] == ["ada"]


def test_password_is_kept_differently_each_time(zoo: Zoo) -> None:
    accounts = zoo.accounts()
    accounts.add_user("ada", PASSWORD, is_admin=True)
    session = accounts.create_session("ada")
    accounts.set_password("ada", PASSWORD)
    assert accounts.authenticate_secret(session, "session") is None
    assert accounts.authenticate("ada", PASSWORD) is not None
