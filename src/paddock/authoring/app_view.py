"""UI resources: HTML pages that clients show for tool results (MCP Apps extension).

Loaded before msgspec, so it imports nothing outside the standard library.
"""

from __future__ import annotations

import os

from paddock.authoring.author_code import find_caller_file, resolve_path
from paddock.authoring.resource import Resource
from paddock.errors import DefinitionError
from paddock.protocol.versions import APP_MIME_TYPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from paddock.protocol.content import Annotations, Icon

    Json = dict[str, object]

PERMISSION_NAMES = {
    "camera": "camera",
    "microphone": "microphone",
    "geolocation": "geolocation",
    "clipboard_write": "clipboardWrite",
}


class AppView(Resource):
    """An HTML page that a client shows for a tool's result.

    An app view is a resource with a `ui://` URI. Tools refer to it with `Tool(…, ui=view)`. Exactly
    one of `html`, `file` and `handler` provides the page. Clients run it in a sandbox without
    network access, apart from the domains declared here.

    Args:
        uri: The `ui://` URI.
        html: The page.
        file: A file with the page, read on each request. A relative path is resolved against the
            file that creates the view.
        handler: A function that takes nothing or a `Context` and returns the page.
        connect_domains: Origins that scripts may connect to.
        resource_domains: Origins to load images, scripts, styles and fonts from.
        frame_domains: Origins allowed in frames.
        base_uri_domains: Origins allowed as the base URI.
        permissions: Requested permissions: `camera`, `microphone`, `geolocation`,
            `clipboard_write`.
        domain: The origin to serve the view from, in a client-specific form.
        prefers_border: Whether the client should draw a border around the view.
    """

    def __init__(
        self,
        uri: str,
        html: str | None = None,
        *,
        file: str | os.PathLike[str] | None = None,
        handler: Callable[..., Any] | None = None,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        connect_domains: Sequence[str] = (),
        resource_domains: Sequence[str] = (),
        frame_domains: Sequence[str] = (),
        base_uri_domains: Sequence[str] = (),
        permissions: Iterable[str] = (),
        domain: str | None = None,
        prefers_border: bool | None = None,
        annotations: Annotations | Json | None = None,
        icons: Sequence[Icon | Json] | None = None,
        meta: Json | None = None,
        listed: bool = True,
    ) -> None:
        if sum(source is not None for source in (html, file, handler)) != 1:
            raise DefinitionError("a view needs exactly one of html, file and handler", where=uri)
        if not uri.startswith("ui://"):
            raise DefinitionError(
                f"{uri!r} cannot be the URI of a view", hint="as in ui://weather/view"
            )
        if html is not None:
            handler = _create_html_handler(html)
        elif file is not None:
            handler = _create_file_handler(resolve_path(file, find_caller_file()), uri)
        csp = _build_csp(
            connectDomains=connect_domains,
            resourceDomains=resource_domains,
            frameDomains=frame_domains,
            baseUriDomains=base_uri_domains,
        )
        settings: Json = {
            "csp": csp,
            "permissions": _build_permissions(permissions, uri),
            "domain": domain,
            "prefersBorder": prefers_border,
        }
        settings = {key: value for key, value in settings.items() if value not in (None, {})}
        ui_meta: Json = {"ui": settings} if settings else {}
        super().__init__(
            uri,
            handler,  # type: ignore[arg-type]  # set, because exactly one source was given
            name=name,
            title=title,
            description=description,
            mime_type=APP_MIME_TYPE,
            annotations=annotations,
            icons=icons,
            meta={**(meta or {}), **ui_meta} or None,
            listed=listed,
        )
        self.contents_meta = ui_meta or None

    def __repr__(self) -> str:
        return f"AppView({self.uri!r})"


def _create_html_handler(html: str) -> Callable[[], str]:
    return lambda: html


def _create_file_handler(path: str, where: str) -> Callable[[], str]:
    """Return a resource handler that reads an HTML page from a file on each request.

    Changes to the file take effect immediately.

    Raises:
        DefinitionError: The file does not exist.
    """
    if not os.path.isfile(path):
        raise DefinitionError(f"file not found: {path}", where=where)

    def read_page() -> str:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()

    return read_page


def _build_csp(**domains: Sequence[str]) -> Json:
    """Return the origins that an HTML page may use, as in `{"connectDomains": ["https://a.org"]}`.

    Clients turn them into the page's content security policy.

    Raises:
        DefinitionError: A value is a string instead of a list of strings.
    """
    for key, origins in domains.items():
        if isinstance(origins, str):
            raise DefinitionError(
                f"{key} is the string {origins!r}", hint="expected a list of strings"
            )
    return {key: list(origins) for key, origins in domains.items() if origins}


def _build_permissions(names: Iterable[str], where: str) -> Json:
    """Return the permissions of an HTML page in the format of the MCP Apps extension.

    For example, `["clipboard_write"]` becomes `{"clipboardWrite": {}}`.

    Raises:
        DefinitionError: A permission is unknown.
    """
    requested = [names] if isinstance(names, str) else list(names)
    unknown = set(requested) - set(PERMISSION_NAMES)
    if unknown:
        raise DefinitionError(
            f"unknown permissions: {', '.join(sorted(unknown))}",
            where=where,
            hint=f"known are {', '.join(PERMISSION_NAMES)}",
        )
    return {PERMISSION_NAMES[name]: {} for name in requested}
