"""Servers behind HTTP; what they sent is checked against the protocol when a test ends."""

from collections.abc import Iterator

import pytest

from tests.http.hosting import CARRIERS, Host


@pytest.fixture
def host() -> Iterator[Host]:
    """Serves servers on sockets."""
    host = Host()
    yield host
    host.stop()
    transcripts = [one for endpoint in host.endpoints for one in endpoint.transcripts]
    assert [fault for transcript in transcripts for fault in transcript.faults()] == []


@pytest.fixture(params=CARRIERS)
def on(request: pytest.FixtureRequest) -> str:
    """Our own server and those of others, for what must be the same on all."""
    name: str = request.param
    return name
