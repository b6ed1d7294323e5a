"""After `paddock install` a real client connects to the server and calls its tool.

What a client says is believed only where the server has seen its requests. The quick clients run
in `make test`, all of them in `make clients`.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.clients.fake_model import RESULT, TOOL
from tests.clients.guarded_lighthouse import TOKEN
from tests.clients.household import KEY, Household, HttpServer, household
from tests.clients.programs import HERE, Ended
from tests.clients.real_clients import REAL_CLIENTS, RealClient

every_client = pytest.mark.every_client
WAYS = ("stdio", "http")


def parameters(*clients: RealClient) -> list[object]:
    """Clients as parameters, those that are not quick with their marker."""
    marks = {False: [every_client], True: []}
    return [pytest.param(client, id=client.id, marks=marks[client.is_quick]) for client in clients]


LOOKING = parameters(*(client for client in REAL_CLIENTS if client.look))
TURNING = parameters(*(client for client in REAL_CLIENTS if client.turn))
TURNING_ONLY = parameters(*(client for client in REAL_CLIENTS if not client.look))
SENDING_HEADERS = parameters(*(client for client in REAL_CLIENTS if client.has_headers))
CALLING = parameters(*(client for client in REAL_CLIENTS if client.call))


@contextmanager
def installed(client: RealClient, way: str) -> Iterator[tuple[Household, Household | HttpServer]]:
    """A home in which a server is in a client's settings, and who knows what is asked."""
    with household() as home:
        client.own_settings(home.place)
        install = client.install_command(home.place)
        if way == "stdio":
            home.paddock(*install)
            home.forget()  # the check that goes with an installation
            yield home, home
            return
        with home.serving_http() as server:
            home.paddock(*install, "--http", server.url)
            server.forget()
            yield home, server


def printed(ended: Ended) -> str:
    return ended.output + ended.errors


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("client", LOOKING)
def test_a_client_says_that_the_server_is_connected(client: RealClient, way: str) -> None:
    assert client.look
    with installed(client, way) as (home, server):
        ended = home.start(client.look)
        assert client.says_connected(printed(ended), KEY), printed(ended)
        assert not client.says_failed(printed(ended), KEY), printed(ended)
        assert server.seen().is_connected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("client", TURNING)
def test_the_model_of_a_client_calls_the_tool_of_the_server(client: RealClient, way: str) -> None:
    assert client.turn
    with installed(client, way) as (home, server):
        ended = home.start(client.turn)
        assert home.model.tool_results[:1] == [RESULT], printed(ended)
        assert server.seen().is_called


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("client", CALLING)
def test_a_client_without_a_model_calls_the_tool_of_the_server(
    client: RealClient, way: str
) -> None:
    assert client.call
    with installed(client, way) as (home, server):
        ended = home.start(client.call)
        assert RESULT in ended.output, printed(ended)
        assert server.seen().is_called


@pytest.mark.parametrize("client", LOOKING)
def test_a_client_says_that_a_server_which_ends_at_once_has_failed(client: RealClient) -> None:
    assert client.look
    with installed(client, "stdio") as (home, _server):
        home.break_python()
        ended = home.start(client.look)
        assert client.says_failed(printed(ended), KEY), printed(ended)
        assert not client.says_connected(printed(ended), KEY), printed(ended)


@pytest.mark.parametrize("client", TURNING_ONLY)
def test_a_client_offers_its_model_no_tool_of_a_server_which_ends_at_once(
    client: RealClient,
) -> None:
    assert client.turn
    with installed(client, "stdio") as (home, server):
        home.break_python()
        ended = home.start(client.turn)
        assert home.model.tool_results == []
        assert not [name for name in home.model.offered if TOOL in name]
        assert server.seen().methods == ()
        assert client.says_failed(printed(ended), KEY) == bool(client.failed), printed(ended)


@every_client
@pytest.mark.parametrize("client", SENDING_HEADERS)
def test_a_client_is_authorized_by_the_token_that_it_was_reported(client: RealClient) -> None:
    starting = client.call or client.turn or client.look
    assert starting
    with household() as home, home.serving_http(str(HERE / "guarded_lighthouse.py")) as server:
        client.own_settings(home.place)
        token = ["--header", f"Authorization: Bearer {TOKEN}"]
        home.paddock(*client.install_command(home.place), "--http", server.url, *token)
        server.forget()
        ended = home.start(starting)
        assert server.seen().is_connected, printed(ended)


@every_client
@pytest.mark.parametrize("client", TURNING)
def test_a_client_that_has_run_has_the_server_no_more_after_uninstalling(
    client: RealClient,
) -> None:
    """Several rewrite their files while they run."""
    assert client.turn
    with installed(client, "stdio") as (home, server):
        home.start(client.turn)
        home.paddock(*client.uninstall_command(home.place))
        home.forget()
        home.model.forget()
        ended = home.start(client.turn)
        assert home.model.requests, printed(ended)
        assert not [name for name in home.model.offered if TOOL in name]
        assert server.seen().methods == ()
