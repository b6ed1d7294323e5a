"""Validator for GitHub tokens, which asks GitHub who their users are.

GitHub tokens have no audience. A validator that only asks for the user also accepts tokens that the
user gave to any other program. With an OAuth app's credentials, GitHub confirms that the token was
issued to that app, which replaces the audience check.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

import msgspec

from paddock.auth.errors import InvalidTokenError, NotAllowedError, UndecidedError
from paddock.auth.introspection import encode_basic_credentials
from paddock.auth.token_lookup import TokenLookup
from paddock.auth.urls import get_origin, validate_url
from paddock.auth.validator_options import create_json_fetcher, validate_seconds
from paddock.errors import DefinitionError
from paddock.protocol.principal import Principal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from paddock.auth.json_fetcher import JsonResponse

GITHUB_API_URL = "https://api.github.com"
_GITHUB_TOKEN = re.compile(r"(?:gh[a-z]_|github_pat_).+|[0-9a-f]{40}")
"""GitHub token formats. Other tokens are rejected without being sent to GitHub."""

_API_HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}


class GitHubValidator:
    """Accepts GitHub users' tokens.

    Args:
        api: URL of the REST API, for GitHub Enterprise.
        organization: Allow only active members of this organization. Their tokens need the
            `read:org` scope.
        client_id: The OAuth app that tokens must have been issued to. Without it, tokens issued
            to any other program are accepted.
        client_secret: The app's secret.
        cache_seconds: How long GitHub's responses are cached.
        allow_insecure_http: Allow unencrypted HTTP to machines other than this one.
    """

    def __init__(
        self,
        *,
        api: str = GITHUB_API_URL,
        organization: str | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        cache_seconds: float = 300,
        allow_insecure_http: bool = False,
    ) -> None:
        where = "GitHubValidator"
        if (client_id is None) != (client_secret is None):
            raise DefinitionError("client_id and client_secret must be given together", where=where)
        api_url = validate_url(api, where, allow_insecure_http=allow_insecure_http)
        self._api_url = api_url.rstrip("/")
        self._organization = organization
        self._client_id = client_id
        self._basic_credentials = (
            None if client_id is None else encode_basic_credentials(client_id, client_secret or "")
        )
        self._token_lookup = TokenLookup(validate_seconds(cache_seconds, f"{where}: cache_seconds"))
        self._fetcher = create_json_fetcher(where, allow_insecure_http=allow_insecure_http)
        is_public = urlsplit(self._api_url).hostname == "api.github.com"
        self._issuer = "https://github.com" if is_public else get_origin(self._api_url)

    @property
    def authorization_servers(self) -> tuple[str, ...]:
        """The issuer of accepted tokens."""
        return (f"{self._issuer}/login/oauth",)

    async def validate(self, token: str, resource: str) -> Principal:
        """Return the principal of a token.

        Raises:
            InvalidTokenError: GitHub does not know the token, or issued it to another app.
            NotAllowedError: The user is not a member of the organization.
            UndecidedError: GitHub does not answer.
        """
        if not _GITHUB_TOKEN.fullmatch(token):
            raise InvalidTokenError("not the format of a GitHub token")
        return await self._token_lookup.get_principal(
            token, resource, lambda: self._fetch_principal(token)
        )

    def _fetch_principal(self, token: str) -> Principal:
        """Return the user of a token, after checking their organization. Blocking."""
        has_app = self._basic_credentials is not None
        principal = self._fetch_app_user(token) if has_app else self._fetch_user(token)
        if self._organization is not None:
            self._check_membership(token, self._organization)
        return principal

    def _fetch_user(self, token: str) -> Principal:
        """Return the user of a token, regardless of which app it was issued to."""
        response = self._get_resource("/user", token)
        user = self._require_document(response, refused_statuses=(401,))
        scopes = response.headers.get("X-OAuth-Scopes") or ""
        return self._create_principal(user, [scope.strip() for scope in scopes.split(",")])

    def _fetch_app_user(self, token: str) -> Principal:
        """Return the user of a token that was issued to the configured OAuth app.

        The request uses the app's credentials, so GitHub answers only for the app's own tokens. The
        user's other tokens must not be accepted, because they were not issued for this server.
        """
        response = self._fetcher.post(
            f"{self._api_url}/applications/{quote(self._client_id or '', safe='')}/token",
            msgspec.json.encode({"access_token": token}),
            {
                **_API_HEADERS,
                "Authorization": self._basic_credentials or "",
                "Content-Type": "application/json",
            },
        )
        grant = self._require_document(response, refused_statuses=(404, 422))
        user, scopes = grant.get("user"), grant.get("scopes")
        if not isinstance(user, dict):
            raise InvalidTokenError("the token belongs to no user")
        return self._create_principal(user, scopes if isinstance(scopes, list) else [])

    def _create_principal(self, user: dict[str, object], scopes: list[str]) -> Principal:
        """Return the principal for a GitHub user such as `{"id": 1, "login": "ada", …}`."""
        user_id, login = user.get("id"), user.get("login")
        if not isinstance(user_id, int) or not isinstance(login, str):
            raise UndecidedError("GitHub's response contains no user")
        return Principal(
            # IDs never change, but a user name can be changed and then taken by another user.
            str(user_id),
            issuer=self._issuer,
            scopes=[scope for scope in scopes if scope],
            client_id=self._client_id,
            username=login,
            claims=user,
        )

    def _check_membership(self, token: str, organization: str) -> None:
        """Check that the user of a token is an active member of the organization.

        Raises:
            NotAllowedError: The user is not a member, or the token does not allow GitHub to return
                the membership.
        """
        response = self._get_resource(
            f"/user/memberships/orgs/{quote(organization, safe='')}", token
        )
        # GitHub also returns 403 when a rate limit is exceeded, which has nothing to do with the
        # membership.
        if response.status in (403, 404) and not _is_rate_limited(response):
            raise NotAllowedError(
                f"not a member of {organization}, or the token lacks the scope read:org"
            )
        membership = self._require_document(response, refused_statuses=(401,))
        if membership.get("state") != "active":
            raise NotAllowedError(f"not an active member of {organization}")

    def _get_resource(self, path: str, token: str) -> JsonResponse:
        return self._fetcher.get(
            self._api_url + path, {**_API_HEADERS, "Authorization": f"Bearer {token}"}
        )

    def _require_document(
        self, response: JsonResponse, refused_statuses: tuple[int, ...]
    ) -> dict[str, object]:
        """Return the JSON object in a GitHub response.

        Args:
            response: The response.
            refused_statuses: The statuses that mean that the token is invalid.

        Raises:
            InvalidTokenError: The status is one of those.
            UndecidedError: The request failed for another reason, so the token may be valid.
        """
        if response.status in refused_statuses:
            raise InvalidTokenError(f"GitHub returned status {response.status}")
        if response.status != 200 or response.document is None:
            raise UndecidedError(f"GitHub returned status {response.status}")
        return response.document

    def __repr__(self) -> str:
        return f"GitHubValidator(api={self._api_url!r})"


def _is_rate_limited(response: JsonResponse) -> bool:
    return response.headers.get("X-RateLimit-Remaining") == "0" or "Retry-After" in response.headers
