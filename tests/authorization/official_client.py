"""The client of the official Python SDK: `python -m … URL MODE`.

It is reported nothing but the URL of the server. It writes each page that its user has to visit on
standard output and reads where the user ended up from standard input; at the end it writes what
the tools have said.
"""

import asyncio
import json
import sys
from urllib.parse import parse_qs, urlsplit

from mcp import Client  # type: ignore[import-not-found]
from mcp.client.auth import OAuthClientProvider  # type: ignore[import-not-found]
from mcp.client.streamable_http import streamable_http_client  # type: ignore[import-not-found]
from mcp.shared._httpx_utils import create_mcp_http_client  # type: ignore[import-not-found]
from mcp.shared.auth import (  # type: ignore[import-not-found]
    AuthorizationCodeResult,
    OAuthClientMetadata,
)

from tests.authorization.provider.accounts import REDIRECT


class Memory:
    """Where the SDK keeps what it got."""

    def __init__(self) -> None:
        self.tokens: object = None
        self.client_info: object = None

    async def get_tokens(self) -> object:
        return self.tokens

    async def set_tokens(self, tokens: object) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> object:
        return self.client_info

    async def set_client_info(self, client_info: object) -> None:
        self.client_info = client_info


async def send_user(url: str) -> None:
    print(url, flush=True)


async def user_is_back() -> AuthorizationCodeResult:
    answer = parse_qs(urlsplit(await asyncio.to_thread(sys.stdin.readline)).query)
    given = {name: values[0].strip() for name, values in answer.items()}
    return AuthorizationCodeResult(**given)


async def main(url: str, mode: str) -> None:
    metadata = OAuthClientMetadata(
        client_name="official SDK",
        redirect_uris=[REDIRECT],
        grant_types=["authorization_code"],
        token_endpoint_auth_method="none",  # noqa: S106 - it has no secret
    )
    provider = OAuthClientProvider(url, metadata, Memory(), send_user, user_is_back)
    async with create_mcp_http_client(auth=provider) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode) as client:
            answers = [
                await client.call_tool("whoami", {}),
                await client.call_tool("write", {"text": "Hello"}),
            ]
    print(json.dumps([answer.content[0].text for answer in answers]), flush=True)


asyncio.run(main(*sys.argv[1:]))
