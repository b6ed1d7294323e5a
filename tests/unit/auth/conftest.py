"""What the tests of authorization share."""

from collections.abc import Iterator

import pytest

from tests.unit.auth.local_server import LocalServer, local_server


@pytest.fixture
def server() -> Iterator[LocalServer]:
    """An HTTP server that answers as it is reported."""
    with local_server() as started:
        yield started
