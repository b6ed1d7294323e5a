"""Tokens and headers: who gets to see them."""

import logging
import threading
from collections.abc import Callable

import pytest

from paddock import ConnectError, connect
from paddock.client.connect_options import ConnectOptions, ConnectSettings
from paddock.client.errors import AccessRefusedError, HttpError
from paddock.client.http.connection_pool import parse_server_url
from paddock.client.http.request_sender import RequestSender
from tests.unit.client.http.web import STATELESS, Asked, Handler, Web, in_session

Serve = Callable[[dict[str, Handler]], Web]

PATIENCE = 5.0
SECRET = "secret-1"  # noqa: S105 - no secret at all
CHALLENGE = (
    'Bearer error="invalid_token", error_description="no longer secret-1", '
    'scope="tools:read tools:call", '
    'resource_metadata="https://example.org/.well-known/oauth-protected-resource/mcp"'
)


def only_with(token: str) -> Handler:
    def discover(asked: Asked) -> None:
        if asked.headers.get("authorization") == f"Bearer {token}":
            asked.reply(STATELESS)
        else:
            asked.body(b"who are you?", 401, "text/plain", WWW_Authenticate=CHALLENGE)

    return discover


def test_a_token_goes_with_every_request(serve: Serve) -> None:
    web = serve({"server/discover": only_with("secret-1")})
    with connect(web.url, token=SECRET, headers={"X-Team": "paddock"}, record=True) as peer:
        peer.call("count")
    assert {asked.headers["authorization"] for asked in web.asked} == {"Bearer secret-1"}
    assert {asked.headers["x-team"] for asked in web.asked} == {"paddock"}
    assert b"secret-1" not in b"".join(message.frame for message in peer.transcript.messages)


def test_a_token_that_is_refused_is_asked_for_again_once(serve: Serve) -> None:
    tokens = iter(["secret-1", "secret-2"])
    web = serve({"server/discover": only_with("secret-2")})
    with connect(web.url, token=lambda: next(tokens)) as peer:
        peer.call("count")
    sent = [asked.headers["authorization"] for asked in web.asked]
    assert sent == ["Bearer secret-1"] + ["Bearer secret-2"] * 3


class SealedError(Exception):
    """What a function that gives tokens may raise."""


def test_a_function_that_has_no_token_fails_what_needs_one_and_nothing_else(serve: Serve) -> None:
    calls = iter(range(100))

    def token() -> str:
        if next(calls):
            raise SealedError("no key")
        return SECRET

    refuse: Handler = lambda asked: asked.body(b"", 401)  # noqa: E731 - used twice
    arrived = threading.Event()

    def arrive(asked: Asked) -> None:
        asked.accept()
        arrived.set()

    handlers = {**in_session(), "notifications/initialized": refuse, "notifications/x": refuse}
    web = serve({**handlers, "prompts/get": refuse, "notifications/y": arrive})
    with connect(web.url, era="2025-11-25", token=token, timeout=PATIENCE) as peer:
        assert peer.call("count").text == "done"
        for _ in range(20):
            peer.notify("notifications/x")
        with pytest.raises(ConnectError, match="SealedError: no key") as caught:
            peer.prompt("hello")
        assert isinstance(caught.value.__cause__, SealedError)
        peer.notify("notifications/y")
        assert arrived.wait(PATIENCE)


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("token", [None, "secret-1", lambda: "secret-1"])
def test_a_refusal_says_what_is_asked_for_and_never_the_token(
    serve: Serve,
    caplog: pytest.LogCaptureFixture,
    status: int,
    token: str | Callable[[], str] | None,
) -> None:
    web = serve(
        {
            "server/discover": lambda asked: asked.body(
                b"not with secret-1", status, WWW_Authenticate=CHALLENGE
            )
        }
    )
    with caplog.at_level(logging.DEBUG), pytest.raises(AccessRefusedError) as caught:
        connect(web.url, token=token)
    error = caught.value
    assert (error.status, error.scope) == (status, "tools:read tools:call")
    assert error.resource_metadata is not None
    assert error.scope is not None
    assert error.resource_metadata in str(error)
    assert error.scope in str(error)
    if token is not None:
        assert "secret-1" not in str(error) + caplog.text
    assert "initialize" not in web.methods()


def test_a_refusal_without_a_challenge_has_an_excerpt(serve: Serve) -> None:
    web = serve({"server/discover": lambda asked: asked.body(b"Not you.", 403, "text/plain")})
    with pytest.raises(AccessRefusedError, match=r"HTTP 403: Not you\."):
        connect(web.url)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_nothing_is_sent_to_another_origin(serve: Serve, status: int) -> None:
    other = serve({})
    web = serve(
        {"server/discover": lambda asked: asked.body(b"", status, Location=f"{other.origin}/mcp")}
    )
    with pytest.raises(HttpError, match="not followed"):
        connect(web.url, token=SECRET, era="2026-07-28")
    assert other.asked == []


def test_a_redirection_within_the_origin_is_followed(serve: Serve) -> None:
    def discover(asked: Asked) -> None:
        if asked.target == "/mcp":
            asked.body(b"", 307, Location="/mcp/")
        else:
            asked.reply(STATELESS)

    web = serve({"server/discover": discover})
    with connect(web.url, token=SECRET):
        assert [asked.target for asked in web.asked] == ["/mcp", "/mcp/"]
    assert {asked.headers["authorization"] for asked in web.asked} == {"Bearer secret-1"}


def test_redirections_in_a_circle_are_an_error(serve: Serve) -> None:
    web = serve({"server/discover": lambda asked: asked.body(b"", 308, Location="/mcp")})
    with pytest.raises(HttpError, match="redirects more than 5 times"):
        connect(web.url, era="2026-07-28")


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "", "größe"])
def test_a_token_that_cannot_be_sent_is_refused_without_showing_it(token: str) -> None:
    with pytest.raises(ConnectError) as caught:
        connect("http://127.0.0.1:1/mcp", token=token)
    assert not token or token not in str(caught.value)


@pytest.mark.parametrize(
    "headers", [{"X-Evil": "a\r\nb"}, {"X Evil": "a"}, {"Mcp-Method": "x"}, {"Host": "x"}]
)
def test_headers_that_would_confuse_the_server_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(ConnectError):
        connect("http://127.0.0.1:1/mcp", headers=headers)


@pytest.mark.parametrize("name", ["Authorization", "authorization"])
def test_a_token_and_a_header_in_its_place_are_refused(name: str) -> None:
    with pytest.raises(ConnectError, match="got both"):
        connect("http://127.0.0.1:1/mcp", token=SECRET, headers={name: "Basic eHg="})


@pytest.mark.parametrize(
    "options", [{"token": SECRET}, {"headers": {"authorization": f"Basic {SECRET}"}}]
)
def test_a_token_does_not_travel_unencrypted_to_another_host(options: ConnectOptions) -> None:
    url = "http://kitchen.invalid/mcp"
    with pytest.raises(ConnectError, match="unencrypted"):
        connect(url, **options)
    allowed: ConnectOptions = {**options, "allow_plain_http": True}
    RequestSender(url, ConnectSettings(**allowed)).close()
    RequestSender(url, ConnectSettings()).close()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "[::1]", "localhost", "a.localhost"])
def test_a_token_may_travel_unencrypted_on_this_machine(host: str) -> None:
    assert parse_server_url(f"http://{host}:8642/mcp").is_confidential


@pytest.mark.parametrize("host", ["10.0.0.1", "[::2]", "localhost.example.org"])
def test_other_machines_are_not_taken_for_this_one(host: str) -> None:
    assert not parse_server_url(f"http://{host}/mcp").is_confidential
    assert parse_server_url(f"https://{host}/mcp").is_confidential


@pytest.mark.parametrize(
    "answer",
    [
        lambda asked, echo: asked.body(b"", 302, Location=f"https://login.example/{echo}"),
        lambda asked, echo: asked.body(b"", 307, Location=f"http://[{echo}"),
        lambda asked, echo: asked.body(echo.encode(), 500, "text/plain"),
        lambda asked, echo: asked.body(echo.encode(), 200, "text/plain"),
        lambda asked, echo: asked.body(b"", 401, WWW_Authenticate=f'Bearer scope="{echo}"'),
    ],
)
def test_errors_do_not_repeat_the_secrets_that_a_server_repeats(
    serve: Serve, answer: Callable[[Asked, str], None]
) -> None:
    def call(asked: Asked) -> None:
        answer(asked, asked.headers["authorization"].split()[1] + asked.headers["x-api-key"])

    headers = {"X-Api-Key": "key-of-the-house"}
    web, refused = serve({"tools/call": call}), pytest.raises(HttpError)
    with connect(web.url, token=SECRET, headers=headers) as peer, refused as caught:
        peer.call("echo")
    assert "…" in str(caught.value)
    assert SECRET not in str(caught.value)
    assert "key-of-the-house" not in str(caught.value)


def test_a_token_for_a_server_without_a_url_is_refused() -> None:
    with pytest.raises(ConnectError, match="token applies only to servers with a URL"):
        connect("some-command", token=SECRET)
