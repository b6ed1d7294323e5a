"""GitHub's tokens, with a server of this machine that answers as GitHub's API is documented to."""

import asyncio
import json
from typing import Any

import pytest

from paddock import Authorization, DefinitionError, GitHubValidator, InvalidTokenError, Principal
from paddock.auth.errors import ForbiddenError, NotAllowedError, UndecidedError
from tests.unit.auth.local_server import Answer, Asked, LocalServer

RESOURCE = "https://example.org/mcp"
OCTOCAT = {"login": "octocat", "id": 583231, "name": "The Octocat", "type": "User"}
MEMBERSHIP = "/user/memberships/orgs/github"
APP: dict[str, Any] = {"client_id": "Iv1.app", "client_secret": "app secret"}
CHECK = "/applications/Iv1.app/token"


@pytest.fixture
def github(server: LocalServer) -> LocalServer:
    """Knows one token, which belongs to a user of several organizations."""

    def user(asked: Asked) -> Answer:
        if asked.headers["Authorization"] != "Bearer gho_good":
            return 401, {}, json.dumps({"message": "Bad credentials"}).encode()
        scopes = {"X-OAuth-Scopes": "read:org, read:user"}
        return 200, scopes, json.dumps(OCTOCAT).encode()

    def check(asked: Asked) -> Answer:
        assert asked.headers["Authorization"] == "Basic SXYxLmFwcDphcHAlMjBzZWNyZXQ="
        if json.loads(asked.body) != {"access_token": "gho_good"}:
            return 404, {}, json.dumps({"message": "Not Found"}).encode()
        grant = {"id": 1, "scopes": ["read:user"], "user": OCTOCAT, "app": {"client_id": "Iv1.app"}}
        return 200, {}, json.dumps(grant).encode()

    server.answers["/user"] = user
    server.answers[CHECK] = check
    server.set(MEMBERSHIP, {"state": "active", "role": "member"})
    server.set("/user/memberships/orgs/invited", {"state": "pending", "role": "member"})
    return server


def validate(validator: GitHubValidator, token: str = "gho_good") -> Principal:  # noqa: S107 - no secret
    return asyncio.run(validator.validate(token, RESOURCE))


def test_a_user_is_known_by_number_and_called_by_login(github: LocalServer) -> None:
    octocat = validate(GitHubValidator(api=github.url))
    assert (octocat.subject, octocat.username, octocat.issuer) == ("583231", "octocat", github.url)
    assert octocat.scopes == {"read:org", "read:user"}
    assert octocat.claims["name"] == "The Octocat"
    assert github.asked[0].headers["X-GitHub-Api-Version"] == "2022-11-28"


def test_a_token_that_github_does_not_know_is_refused(github: LocalServer) -> None:
    with pytest.raises(InvalidTokenError) as refused:
        validate(GitHubValidator(api=github.url), "gho_bad")
    assert not isinstance(refused.value, UndecidedError)


@pytest.mark.parametrize("token", ["eyJhbGciOiJub25lIn0.e30.", "secret", "ghost", "gho_", "f" * 39])
def test_github_is_not_asked_about_tokens_that_cannot_be_its_own(
    github: LocalServer, token: str
) -> None:
    with pytest.raises(InvalidTokenError) as refused:
        validate(GitHubValidator(api=github.url), token)
    assert not isinstance(refused.value, UndecidedError)
    assert github.paths() == []


def test_what_github_has_said_counts_for_a_while(github: LocalServer) -> None:
    validator = GitHubValidator(api=github.url, organization="github")
    assert validate(validator) is validate(validator)
    assert github.paths() == ["/user", MEMBERSHIP]
    uncached = GitHubValidator(api=github.url, cache_seconds=0)
    assert validate(uncached) is not validate(uncached)


@pytest.mark.parametrize("organization", ["invited", "unknown"])
def test_who_is_not_an_active_member_is_forbidden(github: LocalServer, organization: str) -> None:
    validator = GitHubValidator(api=github.url, organization=organization)
    with pytest.raises(NotAllowedError):
        validate(validator)
    authorization = Authorization(validator, resource=RESOURCE)
    with pytest.raises(ForbiddenError):
        asyncio.run(authorization.authenticate(["Bearer gho_good"]))


def test_the_name_of_an_organization_cannot_lead_elsewhere(github: LocalServer) -> None:
    with pytest.raises(NotAllowedError):
        validate(GitHubValidator(api=github.url, organization="../../user"))
    assert github.paths()[-1] == "/user/memberships/orgs/..%2F..%2Fuser"


def test_with_the_credentials_of_an_app_only_its_own_tokens_count(github: LocalServer) -> None:
    validator = GitHubValidator(api=github.url, **APP)
    octocat = validate(validator)
    assert (octocat.username, octocat.client_id) == ("octocat", "Iv1.app")
    assert octocat.scopes == {"read:user"}
    with pytest.raises(InvalidTokenError):
        validate(validator, "gho_of_another_app")
    assert github.paths() == [CHECK, CHECK]


@pytest.mark.parametrize(
    ("path", "status", "headers"),
    [
        ("/user", 500, {}),
        ("/user", 403, {"X_RateLimit_Remaining": "0"}),
        ("/user", 200, {}),
        (MEMBERSHIP, 403, {"X_RateLimit_Remaining": "0"}),
        (MEMBERSHIP, 502, {}),
    ],
)
def test_a_github_that_cannot_say_rejects_every_request(
    github: LocalServer, path: str, status: int, headers: dict[str, str]
) -> None:
    github.set(path, {}, status, **headers)
    with pytest.raises(UndecidedError):
        validate(GitHubValidator(api=github.url, organization="github"))


def test_clients_are_sent_to_github() -> None:
    assert GitHubValidator().authorization_servers == ("https://github.com/login/oauth",)
    enterprise = GitHubValidator(api="https://github.example/api/v3")
    assert enterprise.authorization_servers == ("https://github.example/login/oauth",)
    authorization = Authorization(
        GitHubValidator(), resource=RESOURCE, allowed_usernames=["octocat"]
    )
    assert authorization.metadata()["authorization_servers"] == ["https://github.com/login/oauth"]


@pytest.mark.parametrize(
    "options", [{"api": "http://github.example"}, {"client_id": "app"}, {"cache_seconds": -1}]
)
def test_what_makes_no_sense_is_refused_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError):
        GitHubValidator(**options)
