"""The provider's access tokens: signed with the key that it publishes, as RFC 9068 wants it."""

import time
import uuid
from typing import Any

from jwcrypto import jwt  # type: ignore[import-untyped]
from oauth2_provider.utils import jwk_from_pem  # type: ignore[import-not-found]

from tests.authorization.provider.project import ISSUER, SIGNING_KEY, TOKEN_SECONDS

KEY = jwk_from_pem(SIGNING_KEY)


def signed(request: Any) -> str:
    """A token for the resources that the client has asked for (RFC 8707)."""
    now = int(time.time())
    resources = [value for name, value in request.decoded_body if name == "resource"]
    user = request.user
    claims = {
        "iss": ISSUER,
        "sub": str(user.pk) if user else request.client.client_id,
        "client_id": request.client.client_id,
        "scope": " ".join(request.scopes),
        "iat": now,
        "exp": now + TOKEN_SECONDS,
        "jti": str(uuid.uuid4()),
        **({"aud": resources} if resources else {}),
        **({"preferred_username": user.get_username()} if user else {}),
    }
    header = {"alg": "RS256", "typ": "at+jwt", "kid": KEY.thumbprint()}
    token = jwt.JWT(header=header, claims=claims)
    token.make_signed_token(KEY)
    return str(token.serialize())
