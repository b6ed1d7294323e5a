"""Tokens of a real authorization server, got by real OAuth flows, and what forgers make of them."""

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from paddock import Authorization, IntrospectionValidator, JwksValidator, Principal
from paddock.auth.errors import ForbiddenError, UnauthorizedError
from tests.authorization.issuer import Issuer
from tests.authorization.provider.accounts import RESOURCE_SERVER
from tests.ports import free_port

RESOURCE = "http://127.0.0.1:8642/mcp"
ELSEWHERE = "http://127.0.0.1:8643/mcp"


def signed_tokens(issuer: Issuer, **options: Any) -> Authorization:
    validator = JwksValidator(issuer.url, cache_seconds=0, **options)
    return Authorization(validator, resource=RESOURCE, required_scopes=["notes:read"])


def asked_about(issuer: Issuer, **options: Any) -> Authorization:
    validator = IntrospectionValidator(
        issuer.url,
        client_id=RESOURCE_SERVER.name,
        client_secret=RESOURCE_SERVER.secret,
        **options,
    )
    return Authorization(validator, resource=RESOURCE, required_scopes=["notes:read"])


BOTH = pytest.mark.parametrize("protect", [signed_tokens, asked_about])


def present(authorization: Authorization, token: str) -> Principal:
    return asyncio.run(authorization.authenticate([f"Bearer {token}"]))


def status(authorization: Authorization, token: str) -> int:
    """What HTTP says to a token; 200 for one that is authorized."""
    try:
        present(authorization, token)
    except (UnauthorizedError, ForbiddenError) as refusal:
        return refusal.status
    return 200


@BOTH
def test_a_program_with_credentials_of_its_own_is_authorized(
    issuer: Issuer, protect: Callable[[Issuer], Authorization]
) -> None:
    token = issuer.client_credentials(RESOURCE, "notes:read notes:write")
    machine = present(protect(issuer), token)
    assert (machine.subject, machine.client_id, machine.username) == ("machine", "machine", None)
    assert machine.scopes == {"notes:read", "notes:write"}
    assert machine.issuer == issuer.url
    assert machine.expires_at is not None
    assert machine.expires_at > time.time()


@BOTH
def test_a_user_who_logs_in_and_agrees_is_authorized(
    issuer: Issuer, protect: Callable[[Issuer], Authorization]
) -> None:
    ada = present(protect(issuer), issuer.authorization_code(RESOURCE))
    assert (ada.username, ada.client_id) == ("ada", "browser")
    assert ada.scopes == {"notes:read"}


def test_a_user_is_authorized_by_number_or_by_name_and_by_neither_instead_of_the_other(
    issuer: Issuer,
) -> None:
    token = issuer.authorization_code(RESOURCE)
    ada = present(signed_tokens(issuer), token)

    def told(**lists: Any) -> int:
        validator = JwksValidator(issuer.url)
        return status(Authorization(validator, resource=RESOURCE, **lists), token)

    assert (ada.subject, ada.username) == ("1", "ada")
    assert [told(allowed=["1"]), told(allowed_usernames=["ada"])] == [200, 200]
    assert [told(allowed=["ada"]), told(allowed_usernames=["1"])] == [403, 403]


@BOTH
def test_a_token_for_another_server_or_for_none_in_particular_is_refused(
    issuer: Issuer, protect: Callable[[Issuer], Authorization]
) -> None:
    assert status(protect(issuer), issuer.client_credentials(ELSEWHERE)) == 401
    assert status(protect(issuer), issuer.client_credentials(None)) == 401


@BOTH
def test_a_token_without_the_needed_scope_is_forbidden_and_learns_the_scope(
    issuer: Issuer, protect: Callable[[Issuer], Authorization]
) -> None:
    token = issuer.client_credentials(RESOURCE, "notes:write")
    with pytest.raises(ForbiddenError) as refused:
        present(protect(issuer), token)
    (challenge,) = refused.value.headers
    assert refused.value.status == 403
    assert 'scope="notes:read"' in challenge[1]


@BOTH
def test_a_token_of_another_issuer_is_refused(
    issuer: Issuer,
    own_issuer: Callable[[], Issuer],
    protect: Callable[[Issuer], Authorization],
) -> None:
    assert status(protect(issuer), own_issuer().client_credentials(RESOURCE)) == 401


def test_a_revoked_token_is_refused_by_servers_that_ask_the_issuer(issuer: Issuer) -> None:
    token = issuer.client_credentials(RESOURCE)
    authorization = asked_about(issuer, cache_seconds=0)
    assert status(authorization, token) == 200
    issuer.revoke(token)
    assert status(authorization, token) == 401


def test_wrong_credentials_of_paddock_let_no_one_in(issuer: Issuer) -> None:
    wrong = RESOURCE_SERVER.secret.upper()
    validator = IntrospectionValidator(
        issuer.url, client_id=RESOURCE_SERVER.name, client_secret=wrong
    )
    authorization = Authorization(validator, resource=RESOURCE)
    assert status(authorization, issuer.client_credentials(RESOURCE)) == 503


def parts(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header and the claims of a real token, to start from."""
    claims = jwt.decode(token, options={"verify_signature": False})
    return jwt.get_unverified_header(token), claims


def encoded(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def by_the_issuer(issuer: Issuer, **changes: object) -> str:
    """What the issuer itself would sign, with its key and its kid, but for some claims."""
    header, claims = parts(issuer.client_credentials(RESOURCE))
    claims = {name: value for name, value in {**claims, **changes}.items() if value is not None}
    return jwt.encode(claims, issuer.key, "RS256", headers={"kid": header["kid"]})


def unsigned(issuer: Issuer) -> str:
    _, claims = parts(issuer.client_credentials(RESOURCE))
    return jwt.encode(claims, "", "none")


def unsigned_under_the_name_of_the_key(issuer: Issuer) -> str:
    header, claims = parts(issuer.client_credentials(RESOURCE))
    return jwt.encode(claims, "", "none", headers={"kid": header["kid"]})


def swapped_to_hmac(issuer: Issuer) -> str:
    """Signed with the public key as if it were a shared secret; by hand, as PyJWT would not."""
    header, claims = parts(issuer.client_credentials(RESOURCE))
    private = load_pem_private_key(issuer.key, None)
    secret = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    head = encoded(json.dumps({**header, "alg": "HS256"}).encode())
    text = f"{head}.{encoded(json.dumps(claims).encode())}"
    return f"{text}.{encoded(hmac.digest(secret, text.encode(), hashlib.sha256))}"


def tampered(issuer: Issuer) -> str:
    token = issuer.client_credentials(RESOURCE)
    head, _, signature = token.split(".")
    _, claims = parts(token)
    claims["scope"] = "notes:read notes:write"
    return f"{head}.{encoded(json.dumps(claims).encode())}.{signature}"


def without_its_signature(issuer: Issuer) -> str:
    return issuer.client_credentials(RESOURCE).rpartition(".")[0] + "."


def of_an_unknown_key(issuer: Issuer) -> str:
    _, claims = parts(issuer.client_credentials(RESOURCE))
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return jwt.encode(claims, key, "RS256", headers={"kid": "unknown"})


def of_another_key_under_the_known_name(issuer: Issuer) -> str:
    header, claims = parts(issuer.client_credentials(RESOURCE))
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return jwt.encode(claims, key, "RS256", headers={"kid": header["kid"]})


def with_a_key_of_its_own_in_the_header(issuer: Issuer) -> str:
    header, claims = parts(issuer.client_credentials(RESOURCE))
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    own = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
    return jwt.encode(claims, key, "RS256", headers={"kid": header["kid"], "jwk": own})


FORGERIES = [
    unsigned,
    unsigned_under_the_name_of_the_key,
    swapped_to_hmac,
    tampered,
    without_its_signature,
    of_an_unknown_key,
    of_another_key_under_the_known_name,
    with_a_key_of_its_own_in_the_header,
]


@BOTH
@pytest.mark.parametrize("forge", FORGERIES)
def test_a_forged_token_is_refused(
    issuer: Issuer,
    protect: Callable[[Issuer], Authorization],
    forge: Callable[[Issuer], str],
) -> None:
    assert status(protect(issuer), forge(issuer)) == 401


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": 1_000_000_000},
        {"exp": None},
        {"exp": "tomorrow"},
        {"nbf": 9_999_999_999},
        {"iss": "https://example.org"},
        {"iss": None},
        {"aud": [ELSEWHERE]},
        {"aud": None},
        {"aud": "http://127.0.0.1:8642"},
        {"sub": None, "client_id": None},
    ],
    ids=str,
)
def test_a_token_signed_by_the_issuer_with_wrong_claims_is_refused(
    issuer: Issuer, claims: dict[str, object]
) -> None:
    authorization = signed_tokens(issuer)
    assert status(authorization, by_the_issuer(issuer)) == 200
    assert status(authorization, by_the_issuer(issuer, **claims)) == 401


def test_a_new_key_of_the_issuer_is_followed_and_a_withdrawn_one_counts_no_more(
    own_issuer: Callable[[], Issuer],
) -> None:
    issuer = own_issuer()
    authorization = signed_tokens(issuer, refetch_seconds=0)
    first = issuer.client_credentials(RESOURCE)
    assert status(authorization, first) == 200
    issuer.stop()
    issuer.new_key()
    issuer.start()
    second = issuer.client_credentials(RESOURCE)
    assert [status(authorization, one) for one in (second, first)] == [200, 200]
    issuer.stop()
    for old in issuer.directory.glob("old-*.pem"):
        old.unlink()
    issuer.new_key(keep_old=False)
    issuer.start()
    third = issuer.client_credentials(RESOURCE)
    assert [status(authorization, one) for one in (third, second, first)] == [200, 401, 401]


def test_an_issuer_that_is_gone_leaves_its_keys_and_lets_no_one_else_in(
    own_issuer: Callable[[], Issuer],
) -> None:
    issuer = own_issuer()
    token = issuer.client_credentials(RESOURCE)
    with_keys = signed_tokens(issuer, refresh_seconds=0, refetch_seconds=0)
    asking = asked_about(issuer, cache_seconds=0)
    assert [status(one, token) for one in (with_keys, asking)] == [200, 200]
    issuer.stop()
    without_keys = signed_tokens(issuer)
    assert status(with_keys, token) == 200
    assert status(with_keys, of_an_unknown_key_of(token)) == 401
    assert [status(one, token) for one in (without_keys, asking)] == [503, 503]
    issuer.start()
    assert [status(one, token) for one in (with_keys, asking)] == [200, 200]


def of_an_unknown_key_of(token: str) -> str:
    """The claims of a token, signed by someone else."""
    _, claims = parts(token)
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return jwt.encode(claims, key, "RS256", headers={"kid": "unknown"})


def test_an_issuer_that_was_never_there_refuses_without_hanging() -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    validator = JwksValidator(nowhere)
    token = jwt.encode({"sub": "x"}, rsa.generate_private_key(65537, 2048), "RS256")
    assert status(Authorization(validator, resource=RESOURCE), token) == 503


def test_tokens_are_not_in_the_log(issuer: Issuer, caplog: pytest.LogCaptureFixture) -> None:
    tokens = [issuer.client_credentials(RESOURCE), *(forge(issuer) for forge in FORGERIES)]
    with caplog.at_level(logging.DEBUG):
        for token in tokens:
            for authorization in (signed_tokens(issuer), asked_about(issuer)):
                status(authorization, token)
    assert caplog.records
    secrets = [part for token in tokens for part in (token, token.split(".")[2]) if part]
    assert [secret for secret in secrets if secret in caplog.text] == []
