"""From a definition to the server that it defines.

Every name and reference is resolved anew. A server that is being created is refused as a whole
when one of them leads nowhere; a server that starts says so and serves the others.

Telling apart tools that would be exposed under one name.
"""

from __future__ import annotations

import copy
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.author_code import LoadScope
from paddock.errors import DefinitionError, LoadError, PaddockError
from paddock.extensions.references import list_required_parameters, load_reference, reject_python
from paddock.extensions.registry import InstalledItemRegistry
from paddock.named_servers.initialization import ServerInitialization, is_lifespan_function
from paddock.named_servers.names import ServerDefinitionError
from paddock.named_servers.pickle_loader import is_pickle, load_pickle
from paddock.named_servers.tool_options import (
    map_to_exposed_names,
    merge_option_values,
    read_environment_options,
    set_option_values,
)
from paddock.protocol.versions import UI_EXTENSION
from paddock.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterable


def number_duplicate_names(names: Iterable[str]) -> list[str]:
    """The names in order, those that several share with numbers: Search1, Search2.

    A name that nobody shares stays as it is, and no number leads to a name that is taken.
    """
    wanted = list(names)
    counts = Counter(wanted)
    taken = set(wanted)
    used: Counter[str] = Counter()
    return [name if counts[name] == 1 else _find_free_name(name, taken, used) for name in wanted]


def _find_free_name(name: str, taken: set[str], used: Counter[str]) -> str:
    while True:
        used[name] += 1
        candidate = f"{name}{used[name]}"
        if candidate not in taken:
            taken.add(candidate)
            return candidate


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from paddock.authoring.tool import Tool
    from paddock.extensions.extension import Extension
    from paddock.extensions.manifest import ItemKind
    from paddock.named_servers.definition import ServerDefinition

    ToolOptionValues = Mapping[str, Mapping[str, Any]]
    ErrorReporter = Callable[[PaddockError], object]

_thread_state = threading.local()


class DefinitionOrigin(NamedTuple):
    """Where a definition is from, and how its names are meant."""

    where: str
    """What complaints call it."""
    relative_to: Path | None = None
    """The directory from which its paths count."""
    owner: Extension | None = None


def is_building_server() -> bool:
    """Whether this thread is running a file that a definition refers to.

    A program that creates a server of its own functions is such a file, and must not create the
    server again whenever it is served.
    """
    return getattr(_thread_state, "depth", 0) > 0


def raise_error(error: PaddockError) -> None:
    """Let nothing pass: for a server that is being created."""
    raise error


def build_server(
    definition: ServerDefinition,
    origin: DefinitionOrigin,
    *,
    report: ErrorReporter = raise_error,
    options: Sequence[ToolOptionValues] = (),
    initialization: ServerInitialization | None = None,
) -> Server:
    """The server that a definition defines; its initialization runs when it starts.

    Args:
        definition: What it is made of.
        origin: Where the definition is from.
        report: Is given what cannot be used; unless it raises, the rest is served.
        options: Values for options of tools, from several sources. Later ones win, and all of them
            win over those of the definition.
        initialization: That of the same server as it was before it was loaded anew.

    Raises:
        DefinitionError: when `report` does, or nothing at all can be served.
    """
    with _mark_building(), LoadScope():
        return _build_from_definition(
            definition, origin, report, options, initialization or ServerInitialization()
        )


@contextmanager
def _mark_building() -> Iterator[None]:
    _thread_state.depth = getattr(_thread_state, "depth", 0) + 1
    try:
        yield
    finally:
        _thread_state.depth -= 1


def _build_from_definition(
    definition: ServerDefinition,
    origin: DefinitionOrigin,
    report: ErrorReporter,
    options: Sequence[ToolOptionValues],
    initialization: ServerInitialization,
) -> Server:
    if definition.prebuilt_server is not None:
        return _configure_prebuilt_server(definition, report, options)
    server = Server(
        definition.name,
        version=definition.version,
        title=definition.title,
        description=definition.description,
        instructions=definition.instructions,
    )
    if definition.views:
        server.metadata.declare_extension(UI_EXTENSION, {})
    tools = list(_resolve_items("tools", definition.tools, origin, report))
    names = number_duplicate_names(tool.name for _, tool in tools)
    server.register(
        tool if tool.name == name else _rename_tool(tool, name)
        for (_, tool), name in zip(tools, names, strict=True)
    )
    for kind in ("prompts", "resources"):
        found = _resolve_items(kind, getattr(definition, kind), origin, report)
        server.register(item for _, item in found)
    aliases = [(spec, name) for (spec, _), name in zip(tools, names, strict=True)]
    # Each source may call a tool by another of its names.
    sources = [map_to_exposed_names(source, aliases) for source in (definition.options, *options)]
    set_option_values(server, merge_option_values(*sources), report)
    initialization.attach(server, _find_initializer(definition.initialization, origin, report))
    return server


def _configure_prebuilt_server(
    definition: ServerDefinition, report: ErrorReporter, options: Sequence[ToolOptionValues]
) -> Server:
    """The server that an extension has made, under the name by which it was found."""
    server: Server = definition.prebuilt_server
    server.metadata.name = definition.name
    server.metadata.version = definition.version
    set_option_values(server, merge_option_values(*options), report)
    return server


def _resolve_items(
    kind: ItemKind, specs: list[Any], origin: DefinitionOrigin, report: ErrorReporter
) -> Iterator[tuple[Any, Any]]:
    """What stands in a list, each with the item that it leads to."""
    for number, spec in enumerate(specs):
        where = f"{origin.where}: {kind}[{number}]"
        try:
            yield spec, _resolve_item(kind, spec, origin, where)
        except (DefinitionError, LoadError) as error:
            report(error)


def _resolve_item(kind: ItemKind, spec: Any, origin: DefinitionOrigin, where: str) -> Any:
    reject_python(spec, origin.owner, where)  # before anything is loaded
    spec = _load_if_pickled(spec, origin, where)
    if isinstance(spec, Mapping):
        spec = {key: _load_if_pickled(value, origin, where) for key, value in spec.items()}
    return InstalledItemRegistry().resolve_item(
        kind, spec, relative_to=origin.relative_to, owner=origin.owner, where=where
    )


def _load_if_pickled(spec: Any, origin: DefinitionOrigin, where: str) -> Any:
    if not is_pickle(spec):
        return spec
    if origin.relative_to is None:
        raise ServerDefinitionError("has no file beside which objects are kept", where=where)
    return load_pickle(spec, origin.relative_to, where)


def _rename_tool(tool: Tool, name: str) -> Tool:
    renamed = copy.copy(tool)
    renamed.name = name
    return renamed


def _find_initializer(
    spec: Any, origin: DefinitionOrigin, report: ErrorReporter
) -> Callable[[], Any] | None:
    """What is run when the server starts; one that cannot be found fails then."""
    if spec is None:
        return None
    try:
        return _load_initializer(spec, origin, f"{origin.where}: initialization")
    except (DefinitionError, LoadError) as error:
        report(error)
        return _make_failing_function(error)


def _load_initializer(spec: Any, origin: DefinitionOrigin, where: str) -> Callable[[], Any]:
    reject_python(spec, origin.owner, where)
    found: object = _load_if_pickled(spec, origin, where)
    if isinstance(spec, str):
        found = load_reference(spec, relative_to=origin.relative_to, where=where)
    return check_initializer(found, where)


def check_initializer(found: object, where: str) -> Callable[[], Any]:
    """What can be called when a server starts.

    Raises:
        ServerDefinitionError: when it is no function, or one that needs other arguments.
    """
    hint = "expected one without parameters, or with the parameter `server`"
    if not callable(found):
        raise ServerDefinitionError(f"{found!r} is no function"[:100], where=where, hint=hint)
    needed = list_required_parameters(found)
    if needed and not is_lifespan_function(found):
        text = f"the function needs {', '.join(needed)}"
        raise ServerDefinitionError(text, where=where, hint=hint)
    return found


def _make_failing_function(error: PaddockError) -> Callable[[], Any]:
    def fail() -> None:
        raise error

    return fail


def collect_option_values(given: ToolOptionValues, report: ErrorReporter) -> list[ToolOptionValues]:
    """The values for options of tools that hold when a server starts; later ones win."""
    try:
        return [read_environment_options(), given]
    except PaddockError as error:
        report(error)
        return [given]
