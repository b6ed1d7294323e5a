"""JSON Web Token signatures: algorithms, issuer keys and their renewal. Wraps PyJWT.

A key is used only if its type and curve match the algorithm, so a forged header cannot cause a key
to be used with another algorithm. Shared secrets (HMAC) and unsigned tokens are not supported.

If a token names an unknown key, the issuer may have published a new one, so the key set is fetched
again. Fetches are rate-limited, because tokens with random key IDs would otherwise cause unlimited
requests. If a fetch fails, the current keys stay valid for up to a day. Keys are renewed in the
background when they are due, so requests wait for a slow issuer only after a long idle period.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

import jwt
import msgspec
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from paddock.auth.errors import InvalidTokenError, UndecidedError
from paddock.auth.token_lookup import BlockingCallPool
from paddock.auth.urls import validate_url
from paddock.auth.validator_options import create_json_fetcher
from paddock.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Any

MIN_RSA_BITS = 2048
MAX_KEY_SET_KEYS = 100


class _AlgorithmFamily(NamedTuple):
    """Signature algorithms that use the same type of key, such as RS256 and PS512."""

    kty: str
    """The key type, as in a JWK (JSON Web Key, RFC 7517): `RSA`, `EC` or `OKP`."""
    curves: frozenset[str] | None
    """The elliptic curves of the keys, or None for RSA."""
    key_members: tuple[str, ...]
    """The JWK fields that make up the public key. Other fields are ignored."""
    load_key: Callable[[dict[str, Any]], Any]
    """Converts a JWK to a key object."""

    def has_keys_of_type(self, kty: object, curve: object) -> bool:
        """Return whether keys with this `kty` and `crv` are used with these algorithms.

        The curve is compared as well, because a P-256 key must not verify ES384.
        """
        return self.kty == kty and (self.curves is None or curve in self.curves)


_RSA_FAMILY = _AlgorithmFamily("RSA", None, ("n", "e"), RSAAlgorithm.from_jwk)


def _create_elliptic_family(curve: str) -> _AlgorithmFamily:
    return _AlgorithmFamily("EC", frozenset({curve}), ("crv", "x", "y"), ECAlgorithm.from_jwk)


_FAMILIES = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), _RSA_FAMILY),
    "ES256": _create_elliptic_family("P-256"),
    "ES384": _create_elliptic_family("P-384"),
    "ES512": _create_elliptic_family("P-521"),
    "EdDSA": _AlgorithmFamily(
        "OKP", frozenset({"Ed25519", "Ed448"}), ("crv", "x"), OKPAlgorithm.from_jwk
    ),
}
SUPPORTED_ALGORITHMS = tuple(_FAMILIES)

_jws = jwt.PyJWS(algorithms=SUPPORTED_ALGORITHMS)
_UNREADABLE_TOKEN_ERRORS = (
    *(jwt.PyJWTError, msgspec.MsgspecError),
    *(ValueError, TypeError, RecursionError),
)


class IssuerKey(NamedTuple):
    """An issuer's public key, with the properties that limit its use."""

    kid: str | None
    """The ID that tokens use to refer to the key in their header."""
    kty: str
    """The type of the key, such as `RSA`."""
    curve: str | None
    algorithm: str | None
    """The only algorithm that the issuer allows for the key, or None."""
    public_key: Any

    def can_verify(self, algorithm: str, kid: str | None) -> bool:
        """Return whether the key may have signed a token with this algorithm and key ID.

        A token without a key ID may have been signed by any key of the issuer.
        """
        return (
            (kid is None or self.kid == kid)
            and self.algorithm in (None, algorithm)
            and _FAMILIES[algorithm].has_keys_of_type(self.kty, self.curve)
        )


class TokenHeader(NamedTuple):
    """The part of a token's header that concerns the signature."""

    algorithm: str
    kid: str | None


def read_token_header(token: str, algorithms: Collection[str]) -> TokenHeader:
    """Return the header of a JWT, without verifying its signature.

    Args:
        token: The token.
        algorithms: The algorithms that the server accepts.

    Raises:
        InvalidTokenError: The text is not a signed token, or its algorithm is not accepted.
    """
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError) as error:
        raise InvalidTokenError(f"not a signed token: {type(error).__name__}") from None
    algorithm, kid = header.get("alg"), header.get("kid")
    if algorithm not in algorithms:
        raise InvalidTokenError(f"alg is {algorithm!r}, expected {', '.join(algorithms)}")
    # RFC 7515, section 4.1.11: a token with unsupported critical extensions must be rejected.
    if "crit" in header or header.get("b64", True) is not True:
        raise InvalidTokenError("the header requires an extension (crit or b64)")
    return TokenHeader(str(algorithm), kid if isinstance(kid, str) else None)


def verify_token(token: str, keys: Iterable[IssuerKey], algorithm: str) -> dict[str, object]:
    """Verify the signature of a JWT with each of the keys, and return the token's claims.

    Raises:
        InvalidTokenError: No key verifies the signature, or the payload is not a JSON object.
    """
    for key in keys:
        try:
            # Only the signature is verified here. `auth.claims` checks the claims.
            payload = _jws.decode_complete(token, key.public_key, [algorithm])["payload"]
            return msgspec.json.decode(payload, type=dict[str, object])
        except jwt.InvalidSignatureError:
            continue
        except _UNREADABLE_TOKEN_ERRORS as error:
            raise InvalidTokenError(f"cannot be read: {type(error).__name__}") from None
    raise InvalidTokenError("the signature matches no key of the issuer")


def parse_key_set(document: Mapping[str, object]) -> list[IssuerKey]:
    """Return the keys in a JWKS document (RFC 7517) that verify signatures."""
    entries = document.get("keys")
    if not isinstance(entries, list):
        return []
    keys = (_parse_key(entry) for entry in entries[:MAX_KEY_SET_KEYS] if isinstance(entry, dict))
    return [key for key in keys if key is not None]


def _parse_key(entry: dict[str, Any]) -> IssuerKey | None:
    """Return the key in an entry of a JWKS document, the list of keys that an issuer publishes.

    An entry looks like `{"kty": "RSA", "kid": "2024-1", "n": …, "e": "AQAB"}`. Return None for keys
    that are unsupported or not for signatures. They are skipped rather than reported, because an
    issuer may publish keys for other purposes in the same document.
    """
    kty, curve = entry.get("kty"), entry.get("crv")
    families = (family for family in _FAMILIES.values() if family.has_keys_of_type(kty, curve))
    family = next(families, None)
    if family is None or not _is_for_signatures(entry):
        return None
    try:
        public_key = family.load_key(
            {"kty": family.kty, **{name: entry[name] for name in family.key_members}}
        )
    except (jwt.PyJWTError, KeyError, ValueError, TypeError):
        return None
    # RFC 7518, section 3.3: shorter keys must not be used.
    if family is _RSA_FAMILY and public_key.key_size < MIN_RSA_BITS:
        return None
    return IssuerKey(
        _get_string(entry.get("kid")),
        family.kty,
        _get_string(curve),
        _get_string(entry.get("alg")),
        public_key,
    )


def _is_for_signatures(entry: dict[str, Any]) -> bool:
    operations = entry.get("key_ops")
    return entry.get("use", "sig") == "sig" and (
        operations is None or (isinstance(operations, list) and "verify" in operations)
    )


def _get_string(value: object) -> str | None:
    return value if isinstance(value, str) else None


RETRY_SECONDS = 1.0
"""Interval between fetches while no keys are known."""

MAX_KEY_AGE_SECONDS = 24 * 3600.0
"""Maximum age of keys that cannot be renewed."""

_log = logging.getLogger("paddock")


class StaticKeySet:
    """An issuer's keys from the server's configuration. They never change."""

    def __init__(self, keys: list[IssuerKey]) -> None:
        self._keys = keys

    async def find_matching_keys(self, header: TokenHeader) -> list[IssuerKey]:
        """Return the keys that may have signed a token with this header."""
        return [key for key in self._keys if key.can_verify(*header)]


class RemoteKeySet:
    """Keys that the issuer publishes."""

    def __init__(
        self,
        fetch: Callable[[], dict[str, object]],
        call_pool: BlockingCallPool,
        *,
        refresh_seconds: float,
        refetch_seconds: float,
    ) -> None:
        self._fetch_document = fetch
        self._call_pool = call_pool
        self._refresh_seconds = refresh_seconds
        self._refetch_seconds = refetch_seconds
        self._keys: list[IssuerKey] = []
        self._fetched_at = self._attempted_at = float("-inf")

    async def find_matching_keys(self, header: TokenHeader) -> list[IssuerKey]:
        """Return the keys that may have signed a token with this header.

        The keys are fetched from the issuer again from time to time. The request waits for the
        fetch if none of the known keys matches, or if the keys are twice as old as the refresh
        interval. Newer keys are renewed in the background. After a failed fetch, requests use the
        known keys without waiting.

        Raises:
            UndecidedError: The keys were never fetched, or are too old to be trusted.
        """
        age = monotonic() - self._fetched_at
        matching_keys = self._filter_keys(header)
        if not matching_keys or (age >= 2 * self._refresh_seconds and not self._has_failed):
            await self._refresh()
            matching_keys = self._filter_keys(header)
        elif age >= self._refresh_seconds and not self._is_too_soon():
            # Renew the keys in the background while this request uses the current ones.
            self._call_pool.start(self, self._fetch_keys)
        if not self._keys or monotonic() - self._fetched_at > MAX_KEY_AGE_SECONDS:
            raise UndecidedError("the issuer's signing keys are unavailable; retry later")
        return matching_keys

    def _filter_keys(self, header: TokenHeader) -> list[IssuerKey]:
        return [key for key in self._keys if key.can_verify(*header)]

    async def _refresh(self) -> None:
        """Fetch the keys, or wait for a fetch in progress. Errors leave the keys unchanged."""
        if not self._is_too_soon():
            with suppress(UndecidedError):  # timed out; the known keys remain in use
                await self._call_pool.run(self, self._fetch_keys)

    @property
    def _has_failed(self) -> bool:
        return self._attempted_at > self._fetched_at

    def _is_too_soon(self) -> bool:
        pause = self._refetch_seconds if self._keys else RETRY_SECONDS
        return monotonic() - self._attempted_at < pause

    def _fetch_keys(self) -> None:
        """Fetch the keys from the issuer. If the fetch fails, the known keys remain in use.

        Runs in a thread of the call pool, which allows only one run per object at a time.
        """
        if self._is_too_soon():
            return
        keys: list[IssuerKey] = []
        try:
            keys = parse_key_set(self._fetch_document())
        except Exception as error:  # noqa: BLE001 - after any error the known keys remain in use
            _log.warning("The keys of an issuer cannot be fetched: %s", error)
        else:
            if not keys:
                _log.warning("The key set of an issuer contains no usable key")
        # The time is taken after the fetch, so that a slow issuer is not asked again immediately.
        self._attempted_at = monotonic()
        if keys:
            self._keys, self._fetched_at = keys, self._attempted_at


KeySource = StaticKeySet | RemoteKeySet


def create_static_keys(document: Mapping[str, object]) -> StaticKeySet:
    """Return the keys of a JWKS document that is part of the configuration.

    Raises:
        DefinitionError: The document contains no usable key.
    """
    keys = parse_key_set(document)
    if not keys:
        raise DefinitionError(
            "keys contains no public key that verifies signatures",
            where="JwksValidator",
            hint='a JWKS document: {"keys": [{"kty": "RSA", "kid": …, "n": …, "e": …}]}',
        )
    return StaticKeySet(keys)


def create_remote_keys(
    issuer: str,
    jwks_uri: str | None,
    *,
    refresh_seconds: float,
    refetch_seconds: float,
    allow_insecure_http: bool,
) -> RemoteKeySet:
    """Return a set of an issuer's published keys. They are fetched when the first token arrives.

    Args:
        issuer: The URL of the issuer.
        jwks_uri: The URL of the keys. By default, it is read from the issuer's metadata.
        refresh_seconds: The age after which keys are fetched again.
        refetch_seconds: The minimum time between two fetches.
        allow_insecure_http: Accept unencrypted URLs.

    Raises:
        DefinitionError: urllib3 is not installed, or `jwks_uri` is not a safe URL.
    """
    fetcher = create_json_fetcher("JwksValidator", allow_insecure_http=allow_insecure_http)
    if jwks_uri is not None:
        where = "JwksValidator: jwks_uri"
        jwks_uri = validate_url(jwks_uri, where, allow_insecure_http=allow_insecure_http)
    endpoint = fetcher.create_endpoint(issuer, "jwks_uri", jwks_uri)
    return RemoteKeySet(
        lambda: endpoint.request_document(fetcher.get),
        BlockingCallPool(),
        refresh_seconds=refresh_seconds,
        refetch_seconds=refetch_seconds,
    )
