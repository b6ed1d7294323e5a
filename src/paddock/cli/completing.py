"""The names that a shell completes: servers, clients, tools, prompts and agents.

What knows the names is loaded only when one is completed. A completion never fails: where names
cannot be had there are none.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import click

    from paddock.extensions.manifest import Kind
    from paddock.servers.lookup import Source

    Names = Iterable[tuple[str, str]]
    Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _server_names() -> Names:
    from paddock.servers.lookup import all_sources  # noqa: PLC0415 - only to complete

    return [(source.name, _title(source)) for source in all_sources()]


def _title(source: Source) -> str:
    """What a server is, as far as that can be said without running anything."""
    if source.declared is not None:
        return source.declared.item.description or ""
    try:
        return source.read().title or ""
    except PaddockError:
        return ""


def _client_names() -> Names:
    from paddock.clients.table import supported_clients  # noqa: PLC0415 - only to complete

    return [(client.id, client.name) for client in supported_clients().values()]


def _declared_names(kind: Kind) -> Names:
    from paddock.extensions.registry import declared  # noqa: PLC0415 - only to complete

    return [(found.name, found.item.description or "") for found in declared(kind)]


def _extension_names() -> Names:
    from paddock.extensions.discovery import discover  # noqa: PLC0415 - only to complete

    found = discover()
    broken = [(one.name, "broken") for one in found.broken]
    return [*((one.name, one.kind) for one in found.extensions), *broken]


def _agent_names() -> Names:
    from paddock.zoo.opening import open_zoo, zoo_address  # noqa: PLC0415 - only to complete

    address = zoo_address()
    if "://" not in address and not Path(address).exists():
        return []  # completing makes no zoo
    with open_zoo(address, wait_seconds=1) as zoo:
        return [(one.id, one.name) for one in zoo.list_agents().items]


def _library_names() -> Names:
    from paddock.zoo.opening import open_zoo, zoo_address  # noqa: PLC0415 - only to complete

    address = zoo_address()
    if "://" not in address and not Path(address).exists():
        return []
    with open_zoo(address, wait_seconds=1) as zoo:
        packs = [(one.id, one.description) for one in zoo.list_packs()]
        return [*packs, *((one.id, one.name) for one in zoo.list_library())]


def _starter_names() -> Names:
    from paddock.zoo.starting import starters  # noqa: PLC0415 - only to complete

    return [(one.id, one.description) for one in starters()]


def _completer(*sources: Callable[[], Names]) -> Completer:
    def complete(
        _context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        start = incomplete.lower()
        try:
            found = [pair for source in sources for pair in source()]
        except (PaddockError, OSError, ModuleNotFoundError):
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
extensions = _completer(_extension_names)
extensions_and_servers = _completer(_extension_names, _server_names)
agents = _completer(_agent_names)
library = _completer(_library_names)
starters = _completer(_starter_names)
prompts = _completer(lambda: _declared_names("prompts"))
