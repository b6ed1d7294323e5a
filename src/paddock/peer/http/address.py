"""Where a server is."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urljoin

from msgspec import Struct
from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

from paddock.errors import ConnectError

DEFAULT_PORTS = {"http": 80, "https": 443}


class ServerUrl(Struct, frozen=True):
    """The parts of a URL that a request needs."""

    scheme: str
    host: str
    port: int
    target: str
    """Path and query."""

    @property
    def origin(self) -> tuple[str, str, int]:
        """Who answers there; a token is for one origin only."""
        return self.scheme, self.host, self.port

    @property
    def is_confidential(self) -> bool:
        """Whether nobody on the way can read what is sent there."""
        return self.scheme == "https" or self._is_loopback

    @property
    def _is_loopback(self) -> bool:
        host = self.host.strip("[]")
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    def __str__(self) -> str:
        """For people: without the query, which may hold a secret."""
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}{self.target.partition('?')[0]}"

    def resolve(self, location: str) -> ServerUrl:
        """The address that a redirection leads to."""
        port = f":{self.port}"
        return parse_server_url(urljoin(f"{self.scheme}://{self.host}{port}{self.target}", location))


def parse_server_url(url: str) -> ServerUrl:
    """The address that a URL names.

    Raises:
        ConnectError: when it names none, or holds a password.
    """
    try:
        parts = parse_url(url)
    except LocationParseError:
        raise ConnectError(f"Not a URL: {url!r:.200}") from None
    if parts.scheme not in DEFAULT_PORTS or not parts.host:
        raise ConnectError(f"Not an http or https URL: {url!r:.200}")
    if parts.auth is not None:
        raise ConnectError(
            f"The URL of {parts.host} holds a user name or password",
            hint="give it as a header or a token instead",
        )
    return ServerUrl(
        scheme=parts.scheme,
        host=parts.host,
        port=parts.port or DEFAULT_PORTS[parts.scheme],
        target=parts.request_uri,
    )
