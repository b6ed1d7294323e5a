"""The server that tests install into clients, for those who have its token."""

from paddock import Authorization, Server, StaticTokens
from tests.clients.lighthouse import ready

TOKEN = "open-sesame"  # noqa: S105 - guards nothing

authorization = Authorization(StaticTokens({TOKEN: {"subject": "ada"}}))
server = Server("lighthouse", version="1.0", authorization=authorization)
server.tool(ready)
