import os

from paddock import (
    Authorization,
    GitHubValidator,
    IntrospectionValidator,
    InvalidTokenError,
    JwksValidator,
    Principal,
)

# region: signed
signed = Authorization(
    JwksValidator("https://login.example.org"),
    resource="https://notes.example.org/mcp",
    required_scopes=["notes:read"],
    scopes_supported=["notes:read", "notes:write"],
    resource_name="Notes",
)
# endregion

# region: opaque
opaque = Authorization(
    IntrospectionValidator(
        "https://login.example.org",
        client_id="notes-server",
        client_secret=os.environ["NOTES_SECRET"],
    ),
    resource="https://notes.example.org/mcp",
)
# endregion

# region: github
github = Authorization(
    GitHubValidator(
        client_id=os.environ["GITHUB_CLIENT_ID"],
        client_secret=os.environ["GITHUB_CLIENT_SECRET"],
        organization="example",
    ),
    resource="https://notes.example.org/mcp",
    allowed_usernames=["octocat", "hubot"],
)
# endregion

# region: own
KEYS = {"3f2a": ("ada", ["notes:read", "notes:write"])}


async def by_key(token: str) -> Principal | None:
    if not token.startswith("key-"):
        raise InvalidTokenError("expected a token that starts with key-")
    user = KEYS.get(token.removeprefix("key-"))
    return Principal(user[0], scopes=user[1]) if user else None


own = Authorization(by_key, resource="https://notes.example.org/mcp")
# endregion

# region: levels
levels = Authorization(
    by_key,
    resource="https://notes.example.org/mcp",
    required_scopes=["notes:read"],
    implied_scopes={"notes:admin": ["notes:write"], "notes:write": ["notes:read"]},
    allowed=lambda principal: principal.subject != "bob",
)
# endregion
