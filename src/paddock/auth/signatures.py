"""Signatures of JSON Web Tokens: which keys fit which algorithms, and whether one verifies.

The only module that knows PyJWT. A key is used with an algorithm only if both its type and its
curve are that algorithm's, so that no header can talk us into using a key for something else.
Secrets shared with an issuer (HMAC) and unsigned tokens do not exist here.

The keys of an issuer: fetched when they are needed, kept, and fetched again.

A key that is not known may be a new one, so the document is fetched again, but not more often
than set: otherwise anybody could make us ask, with tokens that name keys at random. A document
that cannot be had or makes no sense leaves the keys that are there, for a day at the most.

Nobody waits for an issuer that is slow if the key is at hand: keys that are due are used while
they are renewed. Only after a long time without a request they are renewed first, once.
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Any

MIN_RSA_BITS = 2048
MAX_KEY_SET_KEYS = 100


class _AlgorithmFamily(NamedTuple):
    """Algorithms that use one type of key."""

    kty: str
    curves: frozenset[str] | None
    key_members: tuple[str, ...]
    """What a public key consists of; anything else in a document is not looked at."""
    load_key: Callable[[dict[str, Any]], Any]


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


class IssuerKey(NamedTuple):
    """A public key of an issuer."""

    kid: str | None
    kty: str
    curve: str | None
    algorithm: str | None
    """The only algorithm that it is for, if the issuer says so."""
    public_key: Any

    def can_verify(self, algorithm: str, kid: str | None) -> bool:
        """Whether it may have signed a token with such a header."""
        family = _FAMILIES[algorithm]
        return (
            (kid is None or self.kid == kid)
            and self.kty == family.kty
            and (family.curves is None or self.curve in family.curves)
            and self.algorithm in (None, algorithm)
        )


class TokenHeader(NamedTuple):
    """What the header of a token says about its signature."""

    algorithm: str
    kid: str | None


def read_token_header(token: str, algorithms: Collection[str]) -> TokenHeader:
    """The header of a token, if its algorithm is one that is allowed.

    Raises:
        InvalidTokenError: It is not a signed token, or not signed in a way that counts.
    """
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError) as error:
        raise InvalidTokenError(f"not a signed token: {type(error).__name__}") from None
    algorithm, kid = header.get("alg"), header.get("kid")
    if algorithm not in algorithms:
        raise InvalidTokenError(f"alg is {algorithm!r}, allowed are {', '.join(algorithms)}")
    if "crit" in header or header.get("b64", True) is not True:
        raise InvalidTokenError("the header asks for an extension (crit or b64)")
    return TokenHeader(str(algorithm), kid if isinstance(kid, str) else None)


def verify_token(token: str, keys: Iterable[IssuerKey], algorithm: str) -> dict[str, object]:
    """The claims of a token that one of the keys has signed.

    Raises:
        InvalidTokenError: None of them has, or what is signed is not a set of claims.
    """
    for key in keys:
        try:
            payload = _jws.decode_complete(token, key.public_key, [algorithm])["payload"]
            return msgspec.json.decode(payload, type=dict[str, object])
        except jwt.InvalidSignatureError:
            continue
        except (jwt.PyJWTError, msgspec.MsgspecError, ValueError, TypeError, RecursionError) as no:
            raise InvalidTokenError(f"cannot be read: {type(no).__name__}") from None
    raise InvalidTokenError("no key of the issuer has signed this")


def parse_key_set(document: Mapping[str, object]) -> list[IssuerKey]:
    """The keys of a JWKS document (RFC 7517) that verify signatures; others are left out."""
    listed = document.get("keys")
    if not isinstance(listed, list):
        return []
    found = (_parse_key(entry) for entry in listed[:MAX_KEY_SET_KEYS] if isinstance(entry, dict))
    return [key for key in found if key is not None]


def _parse_key(entry: dict[str, Any]) -> IssuerKey | None:
    family = next(
        (
            one
            for one in _FAMILIES.values()
            if one.kty == entry.get("kty")
            and (one.curves is None or entry.get("crv") in one.curves)
        ),
        None,
    )
    if family is None or not _is_for_signatures(entry):
        return None
    try:
        value = family.load_key(
            {"kty": family.kty, **{name: entry[name] for name in family.key_members}}
        )
    except (jwt.PyJWTError, KeyError, ValueError, TypeError):
        return None
    if family is _RSA_FAMILY and value.key_size < MIN_RSA_BITS:
        return None
    return IssuerKey(
        _get_text(entry.get("kid")),
        family.kty,
        _get_text(entry.get("crv")),
        _get_text(entry.get("alg")),
        value,
    )


def _is_for_signatures(entry: dict[str, Any]) -> bool:
    operations = entry.get("key_ops")
    return entry.get("use", "sig") == "sig" and (
        operations is None or (isinstance(operations, list) and "verify" in operations)
    )


def _get_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from paddock.auth.token_lookup import BlockingCallPool

    class KeySource(Protocol):
        """Where keys come from."""

        async def find_matching_keys(self, header: TokenHeader) -> list[IssuerKey]:
            """The keys that may have signed a token with a header."""


RETRY_SECONDS = 1.0
"""How soon to ask again while there are no keys at all."""

MAX_KEY_AGE_SECONDS = 24 * 3600.0
"""How long keys count that could not be renewed."""

_log = logging.getLogger("paddock")


class StaticKeySet:
    """Keys that the user has given."""

    def __init__(self, keys: list[IssuerKey]) -> None:
        self._keys = keys

    async def find_matching_keys(self, header: TokenHeader) -> list[IssuerKey]:
        """Those that may have signed a token with such a header."""
        return [key for key in self._keys if key.can_verify(*header)]


class RemoteKeySet:
    """Keys that the issuer publishes."""

    def __init__(
        self,
        fetch: Callable[[], dict[str, object]],
        calls: BlockingCallPool,
        *,
        refresh_seconds: float,
        refetch_seconds: float,
    ) -> None:
        self._fetch_document = fetch
        self._call_pool = calls
        self._refresh_seconds = refresh_seconds
        self._refetch_seconds = refetch_seconds
        self._keys: list[IssuerKey] = []
        self._fetched_at = self._attempted_at = float("-inf")

    async def find_matching_keys(self, header: TokenHeader) -> list[IssuerKey]:
        """Those that may have signed a token with such a header.

        Raises:
            UndecidedError: There are no keys, and none can be had now.
        """
        age = monotonic() - self._fetched_at
        found = self._filter_keys(header)
        if not found or (age >= 2 * self._refresh_seconds and not self._has_failed):
            await self._refresh()
            found = self._filter_keys(header)
        elif age >= self._refresh_seconds and not self._is_too_soon():
            self._call_pool.start(self, self._fetch_keys)
        if not self._keys or monotonic() - self._fetched_at > MAX_KEY_AGE_SECONDS:
            raise UndecidedError("there are no keys of the issuer that still count")
        return found

    def _filter_keys(self, header: TokenHeader) -> list[IssuerKey]:
        return [key for key in self._keys if key.can_verify(*header)]

    async def _refresh(self) -> None:
        """Fetch, or wait for the fetch that is under way; what goes wrong changes nothing."""
        if not self._is_too_soon():
            with suppress(UndecidedError):  # it takes long
                await self._call_pool.run(self, self._fetch_keys)

    @property
    def _has_failed(self) -> bool:
        return self._attempted_at > self._fetched_at

    def _is_too_soon(self) -> bool:
        pause = self._refetch_seconds if self._keys else RETRY_SECONDS
        return monotonic() - self._attempted_at < pause

    def _fetch_keys(self) -> None:
        """In a thread, one at a time."""
        if self._is_too_soon():
            return
        keys: list[IssuerKey] = []
        try:
            keys = parse_key_set(self._fetch_document())
        except Exception as error:  # noqa: BLE001 - whatever it is, the keys that are there stay
            _log.warning("The keys of an issuer cannot be fetched: %s", error)
        else:
            if not keys:
                _log.warning("The key set of an issuer has no key that could be used")
        self._attempted_at = monotonic()
        if keys:
            self._keys, self._fetched_at = keys, self._attempted_at
