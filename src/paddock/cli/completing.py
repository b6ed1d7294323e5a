"""The names that a shell completes: servers, clients, tools and prompts.

What knows the names is loaded only when one is completed. A completion never fails: where names
cannot be had there are none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import click

    from paddock.extensions.manifest import Kind

    Names = Iterable[tuple[str, str]]
    Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _server_names() -> Names:
    from paddock.servers.api import list_servers  # noqa: PLC0415 - only to complete

    found = [(server, server.problem) for server in list_servers()]
    return [(one.name, "broken" if problem else one.title or "") for one, problem in found]


def _client_names() -> Names:
    from paddock.clients.table import supported_clients  # noqa: PLC0415 - only to complete

    return [(client.id, client.name) for client in supported_clients().values()]


def _declared_names(kind: Kind) -> Names:
    from paddock.extensions.registry import declared  # noqa: PLC0415 - only to complete

    return [(found.name, found.item.description or "") for found in declared(kind)]


def _completer(*sources: Callable[[], Names]) -> Completer:
    def complete(
        _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        start = incomplete.lower()
        try:
            found = [pair for source in sources for pair in source()]
        except (PaddockError, OSError):
            return []
        return [
            CompletionItem(name, help=summary or None)
            for name, summary in found
            if name.lower().startswith(start)
        ]

    return complete


servers = _completer(_server_names)
clients = _completer(_client_names)
clients_and_servers = _completer(_client_names, _server_names)
tools = _completer(lambda: _declared_names("tools"))
prompts = _completer(lambda: _declared_names("prompts"))
