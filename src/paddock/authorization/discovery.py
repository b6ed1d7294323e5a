"""Where an authorization server has its endpoints: RFC 8414 and OpenID Connect discovery."""

from __future__ import annotations

from urllib.parse import urlsplit

from paddock.authorization.errors import UndecidedError
from paddock.authorization.urls import inserted, origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.authorization.fetching import Answer, Fetcher

OAUTH = "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"


class Endpoint:
    """One endpoint of an issuer: given, or found through its metadata.

    What was found is kept as long as it leads somewhere.
    """

    def __init__(self, fetcher: Fetcher, issuer: str | None, name: str, url: str | None) -> None:
        self._fetcher = fetcher
        self._issuer = issuer or ""
        self._name = name
        self._given = url
        self._found: str | None = None

    def ask(self, question: Callable[[str], Answer]) -> dict[str, object]:
        """The document that the answer to a question at the endpoint holds; blocks.

        Raises:
            UndecidedError: The endpoint is not known now, or does not answer with a document.
        """
        url = self._given or self._found
        if url is None:
            url = self._found = self._find()
        try:
            answer = question(url)
            if answer.status != 200 or answer.document is None:
                raise UndecidedError(f"{url} answered {answer.status}, and no document")
        except UndecidedError:
            self._found = None
            raise
        return answer.document

    def _find(self) -> str:
        refused: list[str] = []
        for url in well_known(self._issuer):
            answer = self._fetcher.get(url)
            document = answer.document
            if answer.status != 200 or document is None:
                refused.append(f"{url} answered {answer.status}")
            elif document.get("issuer") != self._issuer:
                # RFC 8414, section 3.3: anything else could be somebody else's document.
                refused.append(f"{url} is about {document.get('issuer')!r}")
            elif not isinstance(found := document.get(self._name), str):
                refused.append(f"{url} has no {self._name}")
            else:
                return found
        raise UndecidedError(f"no metadata of {self._issuer}: {'; '.join(refused)}")


def well_known(issuer: str) -> Iterator[str]:
    """Where the metadata of an issuer can be, in the order in which MCP wants it looked for."""
    path = urlsplit(issuer).path
    yield origin(issuer) + inserted(OAUTH, path)
    yield origin(issuer) + inserted(OPENID, path)
    if path.strip("/"):
        yield issuer.rstrip("/") + OPENID
