"""Signed tokens: which signatures and claims count, and how keys are fetched."""

import asyncio
import json
import threading
import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest

from paddock import DefinitionError, InvalidTokenError, JwksValidator, Principal
from paddock.auth.errors import UndecidedError
from tests.unit.auth.keys import (
    ISSUER,
    RESOURCE,
    claims,
    private_key,
    public_jwk,
    signed,
)
from tests.unit.auth.local_server import Answer, Asked, LocalServer, local_server

ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]


def with_keys(*entries: dict[str, Any], **options: Any) -> JwksValidator:
    return JwksValidator(ISSUER, keys={"keys": list(entries)}, cache_seconds=0, **options)


def validate(validator: JwksValidator, token: str, resource: str = RESOURCE) -> Principal:
    return asyncio.run(validator.validate(token, resource))


def is_good(validator: JwksValidator, token: str) -> bool:
    try:
        validate(validator, token)
    except UndecidedError:
        raise
    except InvalidTokenError:
        return False
    return True


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_asymmetric_algorithm_is_understood(algorithm: str) -> None:
    assert is_good(with_keys(public_jwk(algorithm)), signed(algorithm))


def test_algorithms_that_are_rarely_used_have_to_be_named() -> None:
    token = signed("ES512")
    assert not is_good(with_keys(public_jwk("ES512")), token)
    assert is_good(with_keys(public_jwk("ES512"), algorithms=["ES512"]), token)
    other_curve = jwt.encode(claims(), private_key("Ed448"), "EdDSA", headers={"kid": "Ed448"})
    assert is_good(with_keys(public_jwk("Ed448")), other_curve)


def test_an_algorithm_that_is_not_on_the_list_does_not_count() -> None:
    assert not is_good(with_keys(public_jwk("RS256"), algorithms=["ES256"]), signed("RS256"))


def test_a_key_is_used_only_for_what_it_is_for() -> None:
    one_key = jwt.encode(claims(), private_key("RS256"), "PS256", headers={"kid": "RS256"})
    assert is_good(with_keys(public_jwk("RS256")), one_key)
    assert not is_good(with_keys(public_jwk("RS256", alg="RS256")), one_key)
    assert not is_good(with_keys(public_jwk("RS256", kid="ES256")), signed("ES256"))
    assert not is_good(with_keys(public_jwk("ES384", kid="ES256")), signed("ES256"))


@pytest.mark.parametrize("kid", [None, "RS256"])
def test_a_token_that_names_no_key_is_tried_with_those_that_fit(kid: str | None) -> None:
    validator = with_keys(public_jwk("RS512", kid=kid), public_jwk("RS256", kid=kid))
    assert is_good(validator, jwt.encode(claims(), private_key("RS256"), "RS256"))
    assert not is_good(validator, jwt.encode(claims(), private_key("RS384"), "RS256"))


@pytest.mark.parametrize(
    "entry",
    [
        public_jwk("RS256", use="enc"),
        public_jwk("RS256", key_ops=["encrypt"]),
        public_jwk("RS256", n="!"),
        public_jwk("RS256", n=None),
        public_jwk("ES256", y="AAAA"),
        public_jwk("weak"),
        {"kty": "oct", "k": "c2VjcmV0", "kid": "RS256"},
        {"kty": "unheard of"},
        {},
        "key",
    ],
)
def test_a_key_that_cannot_verify_anything_is_left_out(entry: Any) -> None:
    with pytest.raises(DefinitionError):
        with_keys(entry)
    assert is_good(with_keys(entry, public_jwk("PS256")), signed("PS256"))


@pytest.mark.parametrize("header", [{"crit": ["exp"]}, {"crit": []}, {"b64": False}])
def test_a_header_that_asks_for_an_extension_is_refused(header: dict[str, Any]) -> None:
    head = {"kid": "RS256", **header}
    if "b64" in header:
        head["crit"] = ["b64"]
    jws = jwt.PyJWS()
    token = jws.encode(json.dumps(claims()).encode(), private_key("RS256"), "RS256", headers=head)
    assert not is_good(with_keys(public_jwk("RS256")), token)


@pytest.mark.parametrize(
    "token", ["", "a", "a.b", "a.b.c", "..", "e30.e30.", "eyJhbGciOiJub25lIn0.e30.", "a.b.c.d.e"]
)
def test_what_is_not_a_signed_token_is_refused(token: str) -> None:
    assert not is_good(with_keys(public_jwk("RS256")), token)


@pytest.mark.parametrize("payload", [b"", b"text", b"[]", b"null", b'{"exp": Infinity}', b"\xff"])
def test_a_signature_over_something_else_than_claims_is_not_a_token(payload: bytes) -> None:
    key = private_key("RS256")
    token = jwt.PyJWS().encode(payload, key, "RS256", headers={"kid": "RS256"})
    assert not is_good(with_keys(public_jwk("RS256")), token)


@pytest.mark.parametrize(
    "change",
    [
        {"exp": 0},
        {"exp": None},
        {"exp": "9999999999"},
        {"exp": 10**400},
        {"nbf": -(10**400)},
        {"exp": True},
        {"nbf": "never"},
        {"nbf": True},
        pytest.param({"nbf": int(time.time()) + 3600}, id="nbf in an hour"),
        pytest.param({"iat": int(time.time()) + 3600}, id="iat in an hour"),
        {"iss": ISSUER + "/"},
        {"iss": ISSUER.upper()},
        {"iss": [ISSUER]},
        {"aud": []},
        {"aud": {"any": RESOURCE}},
        {"aud": RESOURCE + "/"},
        {"aud": "https://example.org"},
        {"aud": "https://someone@example.org/mcp"},
        {"sub": ""},
        {"sub": 7},
    ],
    ids=str,
)
def test_a_claim_that_is_wrong_is_refused(change: dict[str, Any]) -> None:
    assert not is_good(with_keys(public_jwk("RS256")), signed(**change))


def test_clocks_may_differ_as_far_as_the_leeway() -> None:
    token = signed(exp=int(time.time()) - 30, nbf=int(time.time()) + 30)
    assert is_good(with_keys(public_jwk("RS256")), token)
    assert not is_good(with_keys(public_jwk("RS256"), leeway=0), token)


@pytest.mark.parametrize("named", ["HTTPS://EXAMPLE.org:443/mcp", ["https://other", RESOURCE]])
def test_an_audience_is_compared_as_a_url_and_may_be_one_of_many(named: object) -> None:
    assert is_good(with_keys(public_jwk("RS256")), signed(aud=named))


def test_an_audience_may_be_given() -> None:
    validator = with_keys(public_jwk("RS256"), audience=["api://notes", "https://example.org"])
    assert is_good(validator, signed(aud="api://notes"))
    assert not is_good(validator, signed(aud=RESOURCE))


@pytest.mark.parametrize(
    ("change", "scopes"),
    [
        ({"scope": "read  write"}, {"read", "write"}),
        ({"scope": ["read", "write", 1]}, {"read", "write"}),
        ({"scp": ["read"]}, {"read"}),
        ({"scp": "read write"}, {"read", "write"}),
        ({"scope": "", "scp": "read"}, set()),
        ({"scope": 7}, set()),
        ({}, set()),
    ],
)
def test_scopes_are_found_wherever_issuers_put_them(
    change: dict[str, Any], scopes: set[str]
) -> None:
    assert validate(with_keys(public_jwk("RS256")), signed(**change)).scopes == scopes


def test_a_principal_has_all_that_the_token_says() -> None:
    more = {"azp": "browser", "preferred_username": "Ada", "email": "ada@example.org"}
    principal = validate(with_keys(public_jwk("RS256")), signed(exp=9_999_999_999, **more))
    assert (principal.subject, principal.issuer) == ("ada", ISSUER)
    assert (principal.client_id, principal.username) == ("browser", "Ada")
    assert principal.expires_at == 9_999_999_999
    assert principal.claims["email"] == "ada@example.org"


def test_a_token_found_good_for_one_server_is_not_good_for_another() -> None:
    validator = JwksValidator(ISSUER, keys={"keys": [public_jwk("RS256")]}, cache_seconds=60)
    token = signed()
    assert validate(validator, token) is validate(validator, token)
    with pytest.raises(InvalidTokenError):
        validate(validator, token, "https://example.org/other")


@pytest.mark.parametrize(
    "options",
    [
        {"algorithms": ["HS256"]},
        {"algorithms": ["none"]},
        {"algorithms": []},
        {"keys": {"keys": [public_jwk("RS256")]}, "jwks_uri": "https://issuer.example/keys"},
        {"keys": {}},
        {"jwks_uri": "http://issuer.example/keys"},
        {"issuer": "http://issuer.example"},
        {"issuer": "issuer"},
        {"issuer": "", "keys": {"keys": [public_jwk("RS256")]}},
        {"audience": []},
        {"audience": ""},
        {"leeway": -1},
        {"cache_seconds": "1"},
        {"refresh_seconds": float("nan")},
    ],
)
def test_what_makes_no_sense_is_refused_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError):
        JwksValidator(**{"issuer": ISSUER, **options})


def fetching(server: LocalServer, **options: Any) -> JwksValidator:
    """A validator of our issuer that gets its keys from a server of this machine."""
    uri = f"{server.url}/keys"
    return JwksValidator(ISSUER, jwks_uri=uri, **{"cache_seconds": 0, **options})


def test_keys_are_fetched_once_and_kept(server: LocalServer) -> None:
    server.set("/keys", {"keys": [public_jwk("RS256")]})
    validator = fetching(server)
    assert [is_good(validator, signed()) for _ in range(3)] == [True, True, True]
    assert server.paths() == ["/keys"]
    assert server.asked[0].headers["Accept-Encoding"] == "identity"


def test_requests_at_the_same_time_share_one_fetch(server: LocalServer) -> None:
    barrier = threading.Barrier(2)

    def slow(_: Asked) -> Answer:
        barrier.wait(timeout=20)
        return 200, {}, json.dumps({"keys": [public_jwk("RS256")]}).encode()

    server.answers["/keys"] = slow
    validator = fetching(server)

    async def main() -> list[Principal]:
        waiting = [asyncio.ensure_future(validator.validate(signed(), RESOURCE)) for _ in range(50)]
        impatient = waiting.pop()
        await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.to_thread(barrier.wait, 20)
        return await asyncio.gather(*waiting)

    assert {one.subject for one in asyncio.run(main())} == {"ada"}
    assert server.paths() == ["/keys"]


def test_an_unknown_key_is_looked_for_again_but_not_too_often(server: LocalServer) -> None:
    server.set("/keys", {"keys": [public_jwk("RS256")]})
    eager, patient = fetching(server, refetch_seconds=0), fetching(server, refetch_seconds=3600)
    for validator in (eager, patient):
        assert is_good(validator, signed())
    server.set("/keys", {"keys": [public_jwk("PS256"), public_jwk("RS256")]})
    assert is_good(eager, signed("PS256"))
    assert not is_good(patient, signed("PS256"))
    asked = len(server.asked)
    assert [is_good(patient, signed("ES256")) for _ in range(5)] == [False] * 5
    assert len(server.asked) == asked


def test_keys_that_are_too_old_are_fetched_again(server: LocalServer) -> None:
    server.set("/keys", {"keys": [public_jwk("RS256")]})
    validator = fetching(server, refresh_seconds=0, refetch_seconds=0)
    assert is_good(validator, signed())
    server.set("/keys", {"keys": [public_jwk("PS256")]})
    assert not is_good(validator, signed())
    assert is_good(validator, signed("PS256"))


class Slow:
    """Answers with a new key, when it is reported to."""

    def __init__(self) -> None:
        self.gate = threading.Event()

    def answer(self, _: Asked) -> Answer:
        assert self.gate.wait(20)
        return 200, {}, json.dumps({"keys": [public_jwk("PS256")]}).encode()

    async def comes_through(self, validator: JwksValidator) -> bool:
        """Whether the fetch that is under way still counts: no one has waited for it in vain."""
        new = asyncio.create_task(validator.validate(signed("PS256"), RESOURCE))
        await asyncio.sleep(0)
        self.gate.set()
        return (await new).subject == "ada"


def test_no_one_waits_for_a_slow_issuer_whose_key_is_at_hand(server: LocalServer) -> None:
    server.set("/keys", {"keys": [public_jwk("RS256")]})
    validator, slow = fetching(server, refresh_seconds=1, refetch_seconds=0), Slow()

    async def main() -> bool:
        await validator.validate(signed(), RESOURCE)
        server.answers["/keys"] = slow.answer
        while len(server.asked) == 1:
            await validator.validate(signed(), RESOURCE)
            await asyncio.sleep(0.01)
        await validator.validate(signed(), RESOURCE)
        return await slow.comes_through(validator)

    assert asyncio.run(main())
    assert server.paths() == ["/keys"] * 2


def test_no_one_waits_again_for_an_issuer_that_has_failed(server: LocalServer) -> None:
    server.set("/keys", {"keys": [public_jwk("RS256")]})
    validator, slow = fetching(server, refresh_seconds=0, refetch_seconds=0), Slow()

    async def main() -> bool:
        await validator.validate(signed(), RESOURCE)
        server.answers["/keys"] = failing
        await validator.validate(signed(), RESOURCE)
        server.answers["/keys"] = slow.answer
        for _ in range(3):
            await validator.validate(signed(), RESOURCE)
        return await slow.comes_through(validator)

    assert asyncio.run(main())
    assert server.paths() == ["/keys"] * 3


def redirecting(asked: Asked) -> Answer:
    return 302, {"Location": "/good" if asked.path == "/keys" else asked.path}, b""


def failing(_: Asked) -> Answer:
    return 500, {}, json.dumps({"keys": [public_jwk("PS256")]}).encode()


def too_large(_: Asked) -> Answer:
    good = {"keys": [public_jwk("PS256")], "padding": "x" * 2**20}
    return 200, {}, json.dumps(good).encode()


def not_json(_: Asked) -> Answer:
    return 200, {}, b"<html>"


def no_keys(_: Asked) -> Answer:
    return 200, {}, b'{"keys": []}'


BAD = [redirecting, failing, too_large, not_json, no_keys]


@pytest.mark.parametrize("answer", BAD)
def test_a_bad_document_rejects_every_request_and_leaves_the_keys_that_are_there(
    server: LocalServer, answer: Callable[[Asked], Answer]
) -> None:
    server.set("/good", {"keys": [public_jwk("PS256")]})
    server.set("/keys", {"keys": [public_jwk("RS256")]})
    validator = fetching(server, refresh_seconds=0, refetch_seconds=0)
    assert is_good(validator, signed())
    server.answers["/keys"] = answer
    assert is_good(validator, signed())
    assert not is_good(validator, signed("PS256"))
    with pytest.raises(UndecidedError):
        is_good(fetching(server), signed())
    assert "/good" not in server.paths()


METADATA = "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"


@pytest.mark.parametrize(
    ("path", "place", "asked"),
    [
        ("", METADATA, [METADATA]),
        ("", OPENID, [METADATA, OPENID]),
        ("/tenant", METADATA + "/tenant", [METADATA + "/tenant"]),
        ("/tenant", OPENID + "/tenant", [METADATA + "/tenant", OPENID + "/tenant"]),
        (
            "/tenant",
            "/tenant" + OPENID,
            [METADATA + "/tenant", OPENID + "/tenant", "/tenant" + OPENID],
        ),
    ],
)
def test_the_issuer_says_where_its_keys_are(
    server: LocalServer, path: str, place: str, asked: list[str]
) -> None:
    issuer = server.url + path
    server.set(place, {"issuer": issuer, "jwks_uri": f"{server.url}/keys"})
    server.set("/keys", {"keys": [public_jwk("RS256")]})
    assert is_good(JwksValidator(issuer), signed(iss=issuer))
    assert server.paths() == [*asked, "/keys"]


def test_keys_that_have_moved_are_found_again(server: LocalServer) -> None:
    validator = JwksValidator(server.url, refresh_seconds=0, refetch_seconds=0, cache_seconds=0)
    with local_server() as first:
        server.set(METADATA, {"issuer": server.url, "jwks_uri": f"{first.url}/keys"})
        first.set("/keys", {"keys": [public_jwk("RS256")]})
        assert is_good(validator, signed(iss=server.url))
    server.set(METADATA, {"issuer": server.url, "jwks_uri": f"{server.url}/keys"})
    server.set("/keys", {"keys": [public_jwk("PS256")]})
    assert not is_good(validator, signed("PS256", iss=server.url))
    assert is_good(validator, signed("PS256", iss=server.url))


@pytest.mark.parametrize(
    "document",
    [
        {"issuer": "https://other.example", "jwks_uri": "{}/keys"},
        {"jwks_uri": "{}/keys"},
        {"issuer": "{}"},
        {"issuer": "{}", "jwks_uri": 7},
        {"issuer": "{}", "jwks_uri": "file:///etc/keys"},
        # Reaches this machine, but does not say so.
        {"issuer": "{}", "jwks_uri": "http://0.0.0.0:{port}/keys"},
        [],
    ],
    ids=str,
)
def test_metadata_that_cannot_be_trusted_leads_nowhere(
    server: LocalServer, document: object
) -> None:
    port = server.url.rpartition(":")[2]
    text = json.dumps(document).replace("{}", server.url).replace("{port}", port)
    server.set(METADATA, text.encode())
    server.set("/keys", {"keys": [public_jwk("RS256")]})
    with pytest.raises(UndecidedError):
        validate(JwksValidator(server.url), signed(iss=server.url))
    assert "/keys" not in server.paths()
