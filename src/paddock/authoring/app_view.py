"""Views: pages of a server's that a client can show beside the results of its tools.

Loaded before msgspec, so it needs nothing but the interpreter.
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
    """A page, in HTML, in which a client shows what a tool has found.

    It is a resource at a `ui://` address, which tools name: `Tool(…, ui=view)`. Its content is a
    text, a file that is read when it is asked for, or what a handler returns. The page may use
    nothing but itself, unless it says what else it needs.

    Args:
        html: The page itself.
        file: The file that holds it; a relative path counts from the file that makes the view.
        handler: A function of nothing, or of a `Context`, that returns it.
        connect_domains: Origins that its scripts may talk to.
        resource_domains: Origins that it may load pictures, scripts, styles and fonts from.
        frame_domains: Origins that it may show in frames.
        base_uri_domains: Origins that its base address may have.
        permissions: Which of `camera`, `microphone`, `geolocation` and `clipboard_write` it asks
            for.
        domain: The origin that the client shall give it, in the client's own form.
        prefers_border: Whether the client shall draw a border around it.
    """

    __slots__ = ()

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
        if sum(one is not None for one in (html, file, handler)) != 1:
            raise DefinitionError("a view has either html, a file or a handler", where=uri)
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
        own: Json = {"ui": settings} if settings else {}
        super().__init__(
            uri,
            handler,  # type: ignore[arg-type]  # one of the three is there
            name=name,
            title=title,
            description=description,
            mime_type=APP_MIME_TYPE,
            annotations=annotations,
            icons=icons,
            meta={**(meta or {}), **own} or None,
            listed=listed,
        )
        self.contents_meta = own or None

    def __repr__(self) -> str:
        return f"AppView({self.uri!r})"


def _create_html_handler(html: str) -> Callable[[], str]:
    return lambda: html


def _create_file_handler(path: str, where: str) -> Callable[[], str]:
    if not os.path.isfile(path):  # noqa: PTH113 - pathlib is 8 ms
        raise DefinitionError(f"there is no file {path}", where=where)

    def read() -> str:
        with open(path, encoding="utf-8", newline="") as file:  # noqa: PTH123 - pathlib is 8 ms
            return file.read()

    return read


def _build_csp(**domains: Sequence[str]) -> Json:
    for key, origins in domains.items():
        if isinstance(origins, str):
            raise DefinitionError(f"{key} is the text {origins!r}", hint="expected a list of texts")
    return {key: list(origins) for key, origins in domains.items() if origins}


def _build_permissions(names: Iterable[str], where: str) -> Json:
    wanted = [names] if isinstance(names, str) else list(names)
    unknown = set(wanted) - set(PERMISSION_NAMES)
    if unknown:
        raise DefinitionError(
            f"unknown permissions: {', '.join(sorted(unknown))}",
            where=where,
            hint=f"known are {', '.join(PERMISSION_NAMES)}",
        )
    return {PERMISSION_NAMES[name]: {} for name in wanted}
