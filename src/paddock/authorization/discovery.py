"""Where an authorization server has its endpoints: RFC 8414 and OpenID Connect discovery."""

from __future__ import annotations

from urllib.parse import urlsplit

from paddock.authorization.errors import UndecidedError
from paddock.authorization.urls import build_well_known_path, get_origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.authorization.fetching import JsonResponse, JsonFetcher

OAUTH_METADATA_PATH = "/.well-known/oauth-authorization-server"
OPENID_CONFIGURATION_PATH = "/.well-known/openid-configuration"


class IssuerEndpoint:
    """One endpoint of an issuer: given, or found through its metadata.

    What was found is kept as long as it leads somewhere.
    """

    def __init__(self, fetcher: JsonFetcher, issuer: str | None, name: str, url: str | None) -> None:
        self._fetcher = fetcher
        self._issuer = issuer or ""
        self._metadata_key = name
        self._configured_url = url
        self._discovered_url: str | None = None

    def request_document(self, question: Callable[[str], JsonResponse]) -> dict[str, object]:
        """The document that the answer to a question at the endpoint holds; blocks.

        Raises:
            UndecidedError: The endpoint is not known now, or does not answer with a document.
        """
        url = self._configured_url or self._discovered_url
        if url is None:
            url = self._discovered_url = self._discover_url()
        try:
            answer = question(url)
            if answer.status != 200 or answer.document is None:
                raise UndecidedError(f"{url} answered {answer.status}, and no document")
        except UndecidedError:
            self._discovered_url = None
            raise
        return answer.document

    def _discover_url(self) -> str:
        refused: list[str] = []
        for url in list_metadata_urls(self._issuer):
            answer = self._fetcher.get(url)
            document = answer.document
            if answer.status != 200 or document is None:
                refused.append(f"{url} answered {answer.status}")
            elif document.get("issuer") != self._issuer:
                # RFC 8414, section 3.3: anything else could be somebody else's document.
                refused.append(f"{url} is about {document.get('issuer')!r}")
            elif not isinstance(found := document.get(self._metadata_key), str):
                refused.append(f"{url} has no {self._metadata_key}")
            else:
                return found
        raise UndecidedError(f"no metadata of {self._issuer}: {'; '.join(refused)}")


def list_metadata_urls(issuer: str) -> Iterator[str]:
    """Where the metadata of an issuer can be, in the order in which MCP wants it looked for."""
    path = urlsplit(issuer).path
    yield get_origin(issuer) + build_well_known_path(OAUTH_METADATA_PATH, path)
    yield get_origin(issuer) + build_well_known_path(OPENID_CONFIGURATION_PATH, path)
    if path.strip("/"):
        yield issuer.rstrip("/") + OPENID_CONFIGURATION_PATH
