"""Where an authorization server has its endpoints: RFC 8414 and OpenID Connect discovery."""

from __future__ import annotations

from urllib.parse import urlsplit

from paddock.authorization.errors import UndecidedError
from paddock.authorization.urls import inserted, origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.authorization.fetching import Fetcher

OAUTH = "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"


class Discovery:
    """The endpoints of one issuer; asked once, and again after `forget`."""

    def __init__(self, fetcher: Fetcher, issuer: str) -> None:
        self._fetcher = fetcher
        self._issuer = issuer
        self._metadata: dict[str, object] | None = None

    def endpoint(self, name: str) -> str:
        """The URL that the issuer's metadata has under a name; blocks.

        Raises:
            UndecidedError: There is no such document now, or it does not say.
        """
        if self._metadata is None:
            self._metadata = self._find(name)
        url = self._metadata.get(name)
        if not isinstance(url, str):
            raise UndecidedError(f"the metadata of {self._issuer} has no {name}")
        return url

    def forget(self) -> None:
        """Ask again next time: what was found did not lead anywhere."""
        self._metadata = None

    def _find(self, name: str) -> dict[str, object]:
        refused: list[str] = []
        for url in well_known(self._issuer):
            answer = self._fetcher.get(url)
            document = answer.document
            if answer.status != 200 or document is None:
                refused.append(f"{url} answered {answer.status}")
            elif document.get("issuer") != self._issuer:
                # RFC 8414, section 3.3: anything else could be somebody else's document.
                refused.append(f"{url} is about {document.get('issuer')!r}")
            elif name not in document:
                refused.append(f"{url} has no {name}")
            else:
                return document
        raise UndecidedError(f"no metadata of {self._issuer}: {'; '.join(refused)}")


def well_known(issuer: str) -> Iterator[str]:
    """Where the metadata of an issuer can be, in the order in which MCP wants it looked for."""
    path = urlsplit(issuer).path
    yield origin(issuer) + inserted(OAUTH, path)
    yield origin(issuer) + inserted(OPENID, path)
    if path.strip("/"):
        yield issuer.rstrip("/") + OPENID
