"""Tokens that the issuer is asked about."""

import asyncio
import base64
import json
import threading
import time
from typing import Any
from urllib.parse import parse_qs

import pytest

from paddock import DefinitionError, IntrospectionValidator, InvalidTokenError, Principal
from paddock.auth.errors import UndecidedError
from tests.unit.auth.local_server import Answer, Asked, LocalServer, local_server

RESOURCE = "https://example.org/mcp"
US: dict[str, Any] = {"client_id": "notes:server", "client_secret": "p%ss wörd"}
GOOD: dict[str, Any] = {"active": True, "sub": "ada", "aud": RESOURCE, "scope": "read write"}


def asking(server: LocalServer, **options: Any) -> IntrospectionValidator:
    return IntrospectionValidator(**{"endpoint": f"{server.url}/ask", **US, **options})


def validate(validator: IntrospectionValidator, token: str = "t0ken") -> Principal:  # noqa: S107 - no secret
    return asyncio.run(validator.validate(token, RESOURCE))


def test_the_issuer_is_asked_with_our_credentials(server: LocalServer) -> None:
    server.set("/ask", {**GOOD, "username": "Ada", "client_id": "browser", "exp": 9_999_999_999})
    ada = validate(asking(server))
    assert (ada.subject, ada.username, ada.client_id) == ("ada", "Ada", "browser")
    assert (ada.issuer, ada.expires_at) == (server.url, 9_999_999_999)
    assert ada.scopes == {"read", "write"}
    (asked,) = server.asked
    assert asked.method == "POST"
    assert parse_qs(asked.body.decode()) == {
        "token": ["t0ken"],
        "token_type_hint": ["access_token"],
    }
    scheme, _, encoded = asked.headers["Authorization"].partition(" ")
    assert (scheme, base64.b64decode(encoded)) == ("Basic", b"notes%3Aserver:p%25ss%20w%C3%B6rd")


@pytest.mark.parametrize(
    "change",
    [
        {"active": False},
        {"active": "true"},
        {"active": 1},
        {"active": None},
        {"aud": None},
        {"aud": "https://example.org/other"},
        {"exp": 1},
        {"exp": "soon"},
        pytest.param({"nbf": time.time() + 3600}, id="nbf in an hour"),
        {"iss": "https://other.example"},
        {"token_type": "refresh_token"},
        {"token_type": "DPoP"},
        {"sub": None},
    ],
    ids=str,
)
def test_an_answer_that_does_not_say_yes_in_every_respect_is_a_no(
    server: LocalServer, change: dict[str, Any]
) -> None:
    answer = {name: value for name, value in {**GOOD, **change}.items() if value is not None}
    server.set("/ask", answer)
    with pytest.raises(InvalidTokenError) as refused:
        validate(asking(server, issuer=server.url))
    assert not isinstance(refused.value, UndecidedError)


def test_users_of_one_program_are_distinguished_by_name_where_there_is_nothing_else(
    server: LocalServer,
) -> None:
    server.set("/ask", {"active": True, "aud": RESOURCE, "username": "ada", "client_id": "browser"})
    assert validate(asking(server)).subject == "ada"
    server.set("/ask", {"active": True, "aud": RESOURCE, "client_id": "machine"})
    assert validate(asking(server)).subject == "machine"


@pytest.mark.parametrize(
    ("status", "body"),
    [(500, b"{}"), (401, b"{}"), (302, b"{}"), (200, b"yes"), (200, b"[]"), (200, b"")],
)
def test_an_issuer_that_makes_no_sense_rejects_every_request(
    server: LocalServer, status: int, body: bytes
) -> None:
    server.set("/ask", body, status, Location="/yes")
    server.set("/yes", GOOD)
    with pytest.raises(UndecidedError):
        validate(asking(server))
    assert server.paths() == ["/ask"]


def test_an_answer_counts_for_a_while_but_a_no_does_not(server: LocalServer) -> None:
    validator = asking(server, cache_seconds=3600)
    server.set("/ask", {"active": False})
    with pytest.raises(InvalidTokenError):
        validate(validator)
    server.set("/ask", GOOD)
    assert [validate(validator).subject for _ in range(3)] == ["ada"] * 3
    assert validate(validator, "another").subject == "ada"
    assert server.paths() == ["/ask"] * 3
    asyncio.run(validator.validate("t0ken", RESOURCE))
    with pytest.raises(InvalidTokenError):
        asyncio.run(validator.validate("t0ken", "https://example.org/other"))


def test_an_answer_does_not_count_longer_than_the_token(server: LocalServer) -> None:
    # Within the leeway, but over: asked about again each time.
    server.set("/ask", {**GOOD, "exp": time.time() - 1})
    validator = asking(server, cache_seconds=3600)
    assert [validate(validator).subject for _ in range(2)] == ["ada", "ada"]
    assert server.paths() == ["/ask"] * 2


def test_answers_may_be_asked_for_again_each_time(server: LocalServer) -> None:
    server.set("/ask", GOOD)
    validator = asking(server, cache_seconds=0)
    assert [validate(validator).subject for _ in range(2)] == ["ada", "ada"]
    assert server.paths() == ["/ask"] * 2


def test_requests_at_the_same_time_with_one_token_share_one_question(server: LocalServer) -> None:
    barrier = threading.Barrier(2)

    def slow(_: Asked) -> Answer:
        barrier.wait(timeout=20)
        return 200, {}, json.dumps(GOOD).encode()

    server.answers["/ask"] = slow
    validator = asking(server)

    async def main() -> list[Principal]:
        waiting = [asyncio.ensure_future(validator.validate("t0ken", RESOURCE)) for _ in range(50)]
        await asyncio.sleep(0)
        await asyncio.to_thread(barrier.wait, 20)
        return await asyncio.gather(*waiting)

    assert {one.subject for one in asyncio.run(main())} == {"ada"}
    assert server.paths() == ["/ask"]


def test_the_metadata_of_the_issuer_says_where_to_ask(server: LocalServer) -> None:
    server.set(
        "/.well-known/oauth-authorization-server",
        {"issuer": server.url, "introspection_endpoint": f"{server.url}/ask"},
    )
    server.set("/ask", GOOD)
    validator = IntrospectionValidator(server.url, **US)
    assert validate(validator).issuer == server.url
    assert validator.authorization_servers == (server.url,)


def test_an_endpoint_that_has_moved_is_found_again(server: LocalServer) -> None:
    metadata = "/.well-known/oauth-authorization-server"
    validator = IntrospectionValidator(server.url, cache_seconds=0, **US)
    with local_server() as first:
        server.set(metadata, {"issuer": server.url, "introspection_endpoint": f"{first.url}/ask"})
        first.set("/ask", GOOD)
        assert [validate(validator).subject for _ in range(2)] == ["ada", "ada"]
    server.set(metadata, {"issuer": server.url, "introspection_endpoint": f"{server.url}/ask"})
    server.set("/ask", GOOD)
    with pytest.raises(UndecidedError):
        validate(validator)
    assert validate(validator).subject == "ada"
    assert server.paths() == [metadata, metadata, "/ask"]


def test_secrets_are_not_shown() -> None:
    validator = IntrospectionValidator("https://issuer.example", **US)
    assert repr(validator) == "IntrospectionValidator('https://issuer.example')"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"issuer": "http://issuer.example"},
        {"endpoint": "http://issuer.example/ask"},
        {"issuer": "https://issuer.example", "client_secret": ""},
        {"issuer": "https://issuer.example", "cache_seconds": -1},
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError):
        IntrospectionValidator(**{**US, **options})
