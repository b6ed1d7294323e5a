"""Keys of an issuer that exists only in a test, and tokens that it signs."""

import json
import time
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

ISSUER = "https://issuer.example"
RESOURCE = "https://example.org/mcp"


@cache
def private_key(kind: str) -> Any:
    """A key for an algorithm; the same one each time, as making them takes long."""
    curves = {"ES256": ec.SECP256R1(), "ES384": ec.SECP384R1(), "ES512": ec.SECP521R1()}
    if kind in curves:
        return ec.generate_private_key(curves[kind])
    if kind == "EdDSA":
        return ed25519.Ed25519PrivateKey.generate()
    if kind == "Ed448":
        return ed448.Ed448PrivateKey.generate()
    return rsa.generate_private_key(65537, 1024 if kind == "weak" else 2048)


def public_jwk(kind: str, **more: object) -> dict[str, Any]:
    """The entry of a key set for a key; its kid is its name by default."""
    key = private_key(kind).public_key()
    makers: dict[str, Any] = {"ES": ECAlgorithm, "Ed": OKPAlgorithm}
    maker = makers.get(kind[:2], RSAAlgorithm)
    entry = {**json.loads(maker.to_jwk(key)), "kid": kind, **more}
    return {name: value for name, value in entry.items() if value is not None}


def claims(**changes: object) -> dict[str, Any]:
    """Good claims, but for some."""
    good = {"iss": ISSUER, "aud": RESOURCE, "sub": "ada", "exp": int(time.time()) + 600}
    return {name: value for name, value in {**good, **changes}.items() if value is not None}


def signed(kind: str = "RS256", **changes: object) -> str:
    """A token of the issuer, whatever it claims."""
    payload = json.dumps(claims(**changes)).encode()
    return jwt.PyJWS().encode(payload, private_key(kind), kind, headers={"kid": kind})
