"""The API on an empty zoo, in each of the databases."""

from collections.abc import Iterator
from itertools import count

import pytest

from paddock.app.authenticators import LocalAuthenticator, RequestUser
from paddock.transports.http.messages import RequestHead
from paddock.zoo.opening import open_zoo
from tests.app.serving import Client, client_of, make_application
from tests.zoo.conftest import DATABASES

OWNER = "x-test-owner"


class Revolving(LocalAuthenticator):
    """Every test has a zoo of its own in the same database, as the people of a team have."""

    def authenticate(self, head: RequestHead) -> RequestUser | None:
        """The user that the test sets."""
        return RequestUser(owner=head.headers.get(OWNER.encode(), b"").decode())


_numbers = count(1)


@pytest.fixture(scope="session", params=DATABASES)
def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    """The API for all tests with one database."""
    if request.param == "sqlite":
        address = str(tmp_path_factory.mktemp("rest") / "zoo.db")
    else:
        address = request.getfixturevalue("postgresql").new_database()
    application = make_application(zoo := open_zoo(address), authenticator=Revolving())
    with zoo, client_of(application) as client:
        yield client


@pytest.fixture
def api(shared: Client) -> Client:
    """A client of the API, whose zoo is empty."""
    shared.headers[OWNER] = f"owner-{next(_numbers)}"
    return shared
