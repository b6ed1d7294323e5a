"""What clients are reported, who is authorized, and where the metadata is."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from paddock import Authorization, DefinitionError, InvalidTokenError, Principal, StaticTokens
from paddock.auth.errors import (
    ForbiddenError,
    RefusalError,
    UnauthorizedError,
    UndecidedError,
)

RESOURCE = "https://example.org/mcp"
METADATA = "https://example.org/.well-known/oauth-protected-resource/mcp"
ADA = Principal("1815", username="Ada", scopes=["read"])


def protected(**options: Any) -> Authorization:
    return Authorization(StaticTokens({"good": ADA}), **{"resource": RESOURCE, **options})


def authenticate(authorization: Authorization, *headers: str) -> Principal:
    return asyncio.run(authorization.authenticate(list(headers)))


def refusal(authorization: Authorization, *headers: str) -> RefusalError:
    with pytest.raises(RefusalError) as refused:
        authenticate(authorization, *headers)
    return refused.value


def told(error: RefusalError) -> tuple[int, list[tuple[str, str]], dict[str, str]]:
    return error.status, error.headers, json.loads(error.body)


@pytest.mark.parametrize("header", ["Bearer good", "bearer good", "BEARER  good", " Bearer good\t"])
def test_a_good_token_tells_who_it_is(header: str) -> None:
    assert authenticate(protected(), header) is ADA


def test_a_request_without_a_token_learns_where_to_get_one_and_receives_no_error() -> None:
    error = refusal(protected(required_scopes=["read", "write"]))
    assert isinstance(error, UnauthorizedError)
    assert told(error) == (
        401,
        [("www-authenticate", f'Bearer resource_metadata="{METADATA}", scope="read write"')],
        {"error": "unauthorized", "error_description": "This server needs an access token."},
    )


def test_a_challenge_has_no_scope_where_none_is_needed() -> None:
    error = refusal(protected())
    assert error.headers == [("www-authenticate", f'Bearer resource_metadata="{METADATA}"')]


def test_another_scheme_counts_as_no_token() -> None:
    assert told(refusal(protected(), "Basic YTpi")) == told(refusal(protected()))


def test_a_wrong_token_is_invalid_and_not_told_why() -> None:
    error = refusal(protected(required_scopes=["read"]), "Bearer bad")
    assert isinstance(error, UnauthorizedError)
    description = "The access token is not valid here."
    assert told(error) == (
        401,
        [
            (
                "www-authenticate",
                (
                    f'Bearer resource_metadata="{METADATA}", scope="read", '
                    f'error="invalid_token", error_description="{description}"'
                ),
            )
        ],
        {"error": "invalid_token", "error_description": description},
    )


@pytest.mark.parametrize(
    "headers",
    [
        ("Bearer good", "Bearer good"),
        ("Bearer",),
        ("Bearer ",),
        ("Bearer one two",),
        ("Bearer good, Bearer good",),
        ('Bearer "good"',),
        ("Bearer gööd",),
        ("Bearer good\r\nX: y",),
        ("Bearer =",),
        ("Bearer " + "a" * 20_000,),
    ],
)
def test_a_malformed_header_is_a_bad_request(headers: tuple[str, ...]) -> None:
    status, challenges, body = told(refusal(protected(), *headers))
    assert (status, body["error"]) == (400, "invalid_request")
    assert 'error="invalid_request"' in challenges[0][1]


def test_a_missing_scope_is_forbidden_and_all_needed_ones_are_named() -> None:
    error = refusal(protected(required_scopes=["read", "write"]), "Bearer good")
    assert isinstance(error, ForbiddenError)
    description = "The access token lacks a scope."
    assert told(error) == (
        403,
        [
            (
                "www-authenticate",
                (
                    f'Bearer resource_metadata="{METADATA}", scope="read write", '
                    f'error="insufficient_scope", error_description="{description}"'
                ),
            )
        ],
        {"error": "insufficient_scope", "error_description": description},
    )


def test_scopes_of_a_tool_are_named_with_those_that_every_request_needs() -> None:
    authorization = protected(required_scopes=["read"])
    error = authorization.insufficient(["read", "write", "offline_access", 'bad"one'], ADA)
    assert error.status == 403
    assert ', scope="read write", ' in error.headers[0][1]


def test_a_scope_may_include_others() -> None:
    authorization = Authorization(
        StaticTokens({"good": {"subject": "ada", "scopes": ["admin"]}}),
        resource=RESOURCE,
        required_scopes=["read"],
        implied_scopes={"admin": ["write"], "write": ["read", "admin"]},
    )
    assert authenticate(authorization, "Bearer good").scopes == {"admin", "write", "read"}


def test_a_realm_is_named_first_and_quoted() -> None:
    error = refusal(protected(realm='the "zoo"'))
    assert error.headers[0][1].startswith('Bearer realm="the \\"zoo\\"", resource_metadata=')


async def knows_ada(principal: Principal) -> bool:
    return principal.username == "Ada"


@pytest.mark.parametrize(
    "options",
    [
        {"allowed": ["1815"]},
        {"allowed": lambda p: p.subject == "1815"},
        {"allowed": knows_ada},
        {"allowed_usernames": {"Ada", "grace"}},
        {"allowed": ["1906"], "allowed_usernames": ["Ada"]},
        {"allowed": ["1815"], "allowed_usernames": ["grace"]},
        {"allowed": knows_ada, "allowed_usernames": []},
    ],
)
def test_who_is_on_a_list_is_authorized(options: dict[str, Any]) -> None:
    assert authenticate(protected(**options), "Bearer good") is ADA


@pytest.mark.parametrize(
    "options",
    [
        {"allowed": []},
        {"allowed": ["1906"]},
        {"allowed": ("",)},
        {"allowed": lambda _: False},
        {"allowed_usernames": []},
        {"allowed_usernames": ["grace"]},
        {"allowed": [], "allowed_usernames": ["grace"]},
    ],
)
def test_who_is_on_no_list_is_forbidden_without_a_challenge(options: dict[str, Any]) -> None:
    error = refusal(protected(**options), "Bearer good")
    assert isinstance(error, ForbiddenError)
    assert told(error) == (
        403,
        [],
        {"error": "forbidden", "error_description": "You may not use this server."},
    )


@pytest.mark.parametrize(
    "options",
    [
        {"allowed": ["Ada"]},
        {"allowed_usernames": ["1815"]},
        {"allowed_usernames": ["ada"]},
        {"allowed_usernames": ["ADA"]},
    ],
)
def test_no_one_passes_for_another_by_a_name_of_their_choice(options: dict[str, Any]) -> None:
    assert refusal(protected(**options), "Bearer good").status == 403


@pytest.mark.parametrize("option", ["allowed", "allowed_usernames"])
def test_a_principal_without_a_name_does_not_pass_for_an_empty_one_on_a_list(option: str) -> None:
    tokens = StaticTokens({"good": {"subject": "someone", "username": ""}})
    lists: dict[str, Any] = {option: ["", "grace"]}
    authorization = Authorization(tokens, resource=RESOURCE, **lists)
    assert refusal(authorization, "Bearer good").status == 403


class Own:
    """An object with a plain `validate`."""

    def validate(self, token: str, resource: str) -> Principal | None:
        return ADA if (token, resource) == ("good", RESOURCE) else None


class OwnAsynchronous:
    async def validate(self, token: str, resource: str) -> Principal:
        if (token, resource) != ("good", RESOURCE):
            raise InvalidTokenError("no")
        return ADA


class OwnCallable:
    async def __call__(self, token: str) -> Principal | None:
        return plain(token)


def plain(token: str) -> Principal | None:
    return {"good": ADA}.get(token)


async def asynchronous(token: str) -> Principal | None:
    return plain(token)


@pytest.mark.parametrize(
    "validator", [plain, asynchronous, Own(), OwnAsynchronous(), OwnCallable()]
)
def test_a_validator_of_ones_own_is_a_function_or_an_object(validator: Any) -> None:
    authorization = Authorization(validator, resource=RESOURCE)
    assert authenticate(authorization, "Bearer good") is ADA
    assert refusal(authorization, "Bearer bad").status == 401


def test_a_plain_validator_that_waits_does_not_hold_up_the_event_loop() -> None:
    async def main() -> Principal:
        loop = asyncio.get_running_loop()
        arrived = asyncio.Event()

        def waits(_token: str) -> Principal:
            # Comes back only if the loop runs in the meantime.
            loop.call_soon_threadsafe(arrived.set)
            asyncio.run_coroutine_threadsafe(arrived.wait(), loop).result(timeout=20)
            return ADA

        authorization = Authorization(waits, resource=RESOURCE)
        return await authorization.authenticate(["Bearer good"])

    assert asyncio.run(main()) is ADA


def fails(token: str) -> Principal:
    raise KeyError(f"no such token: {token}")


def forgets(_token: str) -> Any:
    return {"subject": "ada"}


async def cannot_tell(_token: str) -> Principal:
    raise UndecidedError("no response")


@pytest.mark.parametrize("validator", [fails, forgets, cannot_tell])
def test_a_validator_that_fails_rejects_every_request(
    validator: Callable[[str], Principal | Awaitable[Principal]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        error = refusal(Authorization(validator, resource=RESOURCE), "Bearer s3cret-token")
    assert told(error) == (
        503,
        [("retry-after", "5")],
        {
            "error": "temporarily_unavailable",
            "error_description": "The access token cannot be checked now.",
        },
    )
    assert len(caplog.records) == 1
    assert "s3cret-token" not in caplog.text


def test_a_list_that_fails_rejects_every_request() -> None:
    def broken(principal: Principal) -> bool:
        return bool(principal.claims["email"])

    assert refusal(protected(allowed=broken), "Bearer good").status == 503


def test_the_reason_for_refusing_a_token_is_logged_at_debug_level(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG, logger="paddock"):
        refusal(protected(), "Bearer bad")
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("DEBUG", "A token is refused: not on the list")
    ]


@pytest.mark.parametrize("kind", [InvalidTokenError, UndecidedError, RuntimeError])
def test_a_token_that_a_validator_quotes_is_not_in_the_log(
    kind: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    async def quotes(token: str) -> Principal:
        raise kind(f"never heard of {token}")

    with caplog.at_level(logging.DEBUG, logger="paddock"):
        refusal(Authorization(quotes, resource=RESOURCE), "Bearer s3cret-token")
    assert "never heard of [token]" in caplog.text
    assert "s3cret-token" not in caplog.text


def test_metadata_says_what_clients_need() -> None:
    authorization = protected(
        authorization_servers=["https://issuer.example"],
        required_scopes=["read"],
        scopes_supported=["read", "write"],
        resource_name="Notes",
        resource_documentation="https://example.org/docs",
    )
    assert authorization.metadata() == {
        "resource": RESOURCE,
        "authorization_servers": ["https://issuer.example"],
        "scopes_supported": ["read", "write"],
        "bearer_methods_supported": ["header"],
        "resource_name": "Notes",
        "resource_documentation": "https://example.org/docs",
    }


def test_metadata_leaves_out_what_is_not_known_and_has_the_required_scopes() -> None:
    assert protected(required_scopes=["read"]).metadata() == {
        "resource": RESOURCE,
        "scopes_supported": ["read"],
        "bearer_methods_supported": ["header"],
    }


@pytest.mark.parametrize(
    ("endpoint", "path"),
    [
        ("/mcp", "/.well-known/oauth-protected-resource/mcp"),
        ("/a/b", "/.well-known/oauth-protected-resource/a/b"),
        ("/mcp/", "/.well-known/oauth-protected-resource/mcp/"),
        ("/", "/.well-known/oauth-protected-resource"),
        ("", "/.well-known/oauth-protected-resource"),
    ],
)
def test_the_path_of_the_metadata_has_the_endpoint_inserted(endpoint: str, path: str) -> None:
    assert protected().metadata_path(endpoint) == path


@pytest.mark.parametrize(
    ("given", "resource", "metadata"),
    [
        (
            "HTTPS://Example.ORG:443/mcp",
            "https://example.org/mcp",
            "https://example.org/.well-known/oauth-protected-resource/mcp",
        ),
        (
            "https://example.org/",
            "https://example.org",
            "https://example.org/.well-known/oauth-protected-resource",
        ),
        (
            "http://[::1]:8642/mcp",
            "http://[::1]:8642/mcp",
            "http://[::1]:8642/.well-known/oauth-protected-resource/mcp",
        ),
    ],
)
def test_a_resource_is_known_by_its_canonical_url(given: str, resource: str, metadata: str) -> None:
    authorization = protected(resource=given)
    assert (authorization.resource, authorization.metadata_url) == (resource, metadata)


def test_the_address_served_is_the_resource_unless_one_was_given() -> None:
    served = protected(resource=None)
    served.bind("http://127.0.0.1:8642/mcp")
    served.bind("http://127.0.0.1:8642/mcp")
    assert served.resource == "http://127.0.0.1:8642/mcp"
    given = protected()
    given.bind("http://0.0.0.0:8642/mcp")
    assert given.resource == RESOURCE


@pytest.mark.parametrize(
    "address",
    [
        "http://0.0.0.0:8642/mcp",
        "http://[::]:8642/mcp",
        "http://192.0.2.1:8642/mcp",
        "http://notes.internal/mcp",
    ],
)
def test_an_address_that_clients_cannot_or_should_not_call_is_not_a_resource(address: str) -> None:
    with pytest.raises(DefinitionError):
        protected(resource=None).bind(address)


def test_a_network_of_ones_own_may_go_without_encryption() -> None:
    authorization = protected(resource=None, allow_insecure_http=True)
    authorization.bind("http://notes.internal/mcp")
    assert authorization.resource == "http://notes.internal/mcp"


def test_one_object_does_not_protect_two_addresses() -> None:
    authorization = protected(resource=None)
    authorization.bind("http://127.0.0.1:8642/mcp")
    with pytest.raises(DefinitionError):
        authorization.bind("http://127.0.0.1:8643/mcp")


def test_nothing_works_before_the_resource_is_known() -> None:
    authorization = protected(resource=None)
    for use in (authorization.metadata, lambda: authorization.insufficient([], ADA)):
        with pytest.raises(DefinitionError):
            use()
    with pytest.raises(DefinitionError):
        authenticate(authorization, "Bearer good")


@pytest.mark.parametrize(
    "options",
    [
        {"resource": "example.org/mcp"},
        {"resource": "https://example.org/mcp#part"},
        {"resource": "https://example.org/mcp?query"},
        {"resource": "https://user@example.org/mcp"},
        {"resource": "https://example.org:99999/mcp"},
        {"resource": "https://exa mple.org"},
        {"resource": "ftp://example.org"},
        {"resource": "http://example.org/mcp"},
        {"required_scopes": ["offline_access"]},
        {"scopes_supported": ["offline_access"]},
        {"required_scopes": "read write"},
        {"required_scopes": ["read write"]},
        {"required_scopes": ['re"ad']},
        {"authorization_servers": ["issuer"]},
        {"authorization_servers": ["http://issuer.example"]},
        {"allowed": "ada"},
        {"allowed": [1]},
        {"allowed_usernames": "ada"},
        {"allowed_usernames": [None]},
        {"realm": "zoo\r\nX-Evil: 1"},
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError):
        protected(**options)


def test_what_is_not_a_validator_is_refused_at_once() -> None:
    validator: Any = "secret"
    with pytest.raises(DefinitionError):
        Authorization(validator, resource=RESOURCE)
