"""Signatures of JSON Web Tokens: which keys fit which algorithms, and whether one verifies.

The only module that knows PyJWT. A key is used with an algorithm only if both its type and its
curve are that algorithm's, so that no header can talk us into using a key for something else.
Secrets shared with an issuer (HMAC) and unsigned tokens do not exist here.
"""

from __future__ import annotations

from typing import NamedTuple

import jwt
import msgspec
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from paddock.authorization.errors import InvalidTokenError

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
    "EdDSA": _AlgorithmFamily("OKP", frozenset({"Ed25519", "Ed448"}), ("crv", "x"), OKPAlgorithm.from_jwk),
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
        value = family.load_key({"kty": family.kty, **{name: entry[name] for name in family.key_members}})
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
