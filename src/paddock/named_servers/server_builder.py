"""Construction of a `Server` from its definition.

Names and references are resolved each time. When a server is created, an error in any item rejects
the whole definition. When a server is started, errors are reported and the other items are served.
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
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from pathlib import Path

    from paddock.authoring.tool import Tool
    from paddock.extensions.extension import Extension
    from paddock.extensions.manifest import ItemKind
    from paddock.named_servers.definition import ServerDefinition
    from paddock.named_servers.tool_options import ErrorReporter, ToolOptionValues


_thread_state = threading.local()


def number_duplicate_names(names: Iterable[str]) -> list[str]:
    """Append numbers to names that occur more than once, as in `Search1` and `Search2`.

    Unique names are not changed, and a numbered name never equals another name.
    """
    all_names = list(names)
    counts = Counter(all_names)
    used_names = set(all_names)
    last_numbers: Counter[str] = Counter()
    return [
        name if counts[name] == 1 else _make_unique_name(name, used_names, last_numbers)
        for name in all_names
    ]


def _make_unique_name(name: str, used_names: set[str], last_numbers: Counter[str]) -> str:
    """Return the name with the next number that makes it unique, such as `Search2`.

    Both `used_names` and `last_numbers`, the last number tried for each name, are updated.
    """
    while True:
        last_numbers[name] += 1
        candidate = f"{name}{last_numbers[name]}"
        if candidate not in used_names:
            used_names.add(candidate)
            return candidate


class _ResolvedItem(NamedTuple):
    """An element in a definition's list, with the tool, prompt or resource it resolves to."""

    spec: Any
    item: Any


class DefinitionOrigin(NamedTuple):
    """The origin of a definition, which determines how its names and paths are resolved."""

    where: str
    """The location of the definition, for error messages."""
    relative_to: Path | None = None
    """The directory that relative paths in the definition are relative to."""
    owner: Extension | None = None
    """The extension that contains the definition, which can refer to its items without a prefix."""


def is_building_server() -> bool:
    """Return whether this thread is building a server, and thus loading the definition's files.

    A program that creates a server from its own functions can be such a file. It must not create
    the server again each time the server is loaded.
    """
    return getattr(_thread_state, "depth", 0) > 0


def raise_error(error: PaddockError) -> None:
    """Raise an error. This is the reporter for servers that are being created."""
    raise error


def build_server(
    definition: ServerDefinition,
    origin: DefinitionOrigin,
    *,
    report: ErrorReporter = raise_error,
    options: Sequence[ToolOptionValues] = (),
    initialization: ServerInitialization | None = None,
) -> Server:
    """Build the server for a definition, and load all its items.

    The initialization runs when the server starts, not here.

    Args:
        definition: The definition.
        origin: The origin of the definition, which determines how names and paths are resolved.
        report: Called with the error for each item that cannot be loaded. If it does not raise the
            error, the item is omitted. By default, the first error is raised.
        options: Tool option values from multiple sources. Later sources take precedence, and all of
            them take precedence over the definition.
        initialization: For a reload, the existing initialization. None for the first load.

    Raises:
        DefinitionError: An item cannot be loaded, and `report` has raised the error.
    """
    with _mark_building(), LoadScope():
        return _build_from_definition(
            definition, origin, report, options, initialization or ServerInitialization()
        )


@contextmanager
def _mark_building() -> Generator[None]:
    """Make `is_building_server` return True in this thread while the `with` block runs."""
    # This is a counter, because loading one of the definition's files can build another server.
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
    """Resolve a definition's items, and register them in a new server.

    Option values and the initialization are set last, because they may apply to any of the tools.
    """
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
    # Tools from different extensions may have the same name, but clients need unique names.
    exposed_names = number_duplicate_names(resolved.item.name for resolved in tools)
    exposed_names_by_spec: list[tuple[object, str]] = []
    for (spec, tool), name in zip(tools, exposed_names, strict=True):
        server.register([tool if tool.name == name else _rename_tool(tool, name)])
        exposed_names_by_spec.append((spec, name))
    for kind in ("prompts", "resources"):
        items = _resolve_items(kind, getattr(definition, kind), origin, report)
        server.register(resolved.item for resolved in items)
    # A tool may have one name in the definition and another that clients see. Sources of option
    # values may use either, so all of them are mapped to the names that clients see.
    option_sources = [
        map_to_exposed_names(source, exposed_names_by_spec)
        for source in (definition.options, *options)
    ]
    set_option_values(server, merge_option_values(*option_sources), report)
    initialization.attach(server, _find_initializer(definition.initialization, origin, report))
    return server


def _configure_prebuilt_server(
    definition: ServerDefinition, report: ErrorReporter, options: Sequence[ToolOptionValues]
) -> Server:
    """Configure and return the `Server` that an extension's Python file has created.

    The server gets the name and version from the definition, and the option values for its tools.
    """
    server: Server = definition.prebuilt_server
    server.metadata.name = definition.name
    server.metadata.version = definition.version
    set_option_values(server, merge_option_values(*options), report)
    return server


def _resolve_items(
    kind: ItemKind, specs: list[Any], origin: DefinitionOrigin, report: ErrorReporter
) -> Iterator[_ResolvedItem]:
    """Yield each element in a definition's list along with the item that it specifies.

    Elements that cannot be loaded are reported and omitted.

    Args:
        kind: The name of the list, such as `tools`.
        specs: The elements of the list. See `_resolve_item` for their forms.
        origin: The origin of the definition.
        report: Called with the error for each element that cannot be loaded.
    """
    for number, spec in enumerate(specs):
        where = f"{origin.where}: {kind}[{number}]"
        try:
            yield _ResolvedItem(spec, _resolve_item(kind, spec, origin, where))
        except (DefinitionError, LoadError) as error:
            report(error)


def _resolve_item(kind: ItemKind, spec: Any, origin: DefinitionOrigin, where: str) -> Any:
    """Return the tool, prompt or resource that an element in a definition's list specifies.

    Args:
        kind: The name of the list, such as `tools`.
        spec: A name, a reference such as `tools.py:add`, a table, a pickled object, or the item.
        origin: The origin of the definition.
        where: The location of the element, for error messages.
    """
    # Paclets must not refer to Python. This is checked before any code is loaded.
    reject_python(spec, origin.owner, where)
    spec = _load_if_pickled(spec, origin, where)
    if isinstance(spec, Mapping):
        spec = {key: _load_if_pickled(value, origin, where) for key, value in spec.items()}
    return InstalledItemRegistry().resolve_item(
        kind, spec, relative_to=origin.relative_to, owner=origin.owner, where=where
    )


def _load_if_pickled(spec: Any, origin: DefinitionOrigin, where: str) -> Any:
    """Load a pickled object if the value is a table that refers to one, else return it unchanged.

    Such a table is `{"pickle": "Calc.pickle/1f.pkl", "python": "3.12"}`.
    """
    if not is_pickle(spec):
        return spec
    if origin.relative_to is None:
        raise ServerDefinitionError(
            "a definition without a file cannot contain pickled objects", where=where
        )
    return load_pickle(spec, origin.relative_to, where)


def _rename_tool(tool: Tool, name: str) -> Tool:
    # A copy, because other servers in this process share the extension's tool.
    renamed = copy.copy(tool)
    renamed.name = name
    return renamed


def _find_initializer(
    spec: Any, origin: DefinitionOrigin, report: ErrorReporter
) -> Callable[[], Any] | None:
    """Return the function that a definition runs when its server starts, or None if it has none.

    If the function cannot be loaded, the error is reported, and a function that raises the error
    is returned instead.
    """
    if spec is None:
        return None
    try:
        return _load_initializer(spec, origin, f"{origin.where}: initialization")
    except (DefinitionError, LoadError) as error:
        report(error)
        # A server may behave wrongly without its initialization, so its calls must fail.
        return _make_failing_function(error)


def _load_initializer(spec: Any, origin: DefinitionOrigin, where: str) -> Callable[[], Any]:
    reject_python(spec, origin.owner, where)
    initializer: object = _load_if_pickled(spec, origin, where)
    if isinstance(spec, str):
        initializer = load_reference(spec, relative_to=origin.relative_to, where=where)
    return check_initializer(initializer, where)


def check_initializer(initializer: object, where: str) -> Callable[[], Any]:
    """Check that an object can be called when a server starts, and return it.

    Raises:
        ServerDefinitionError: The object is not a function, or requires arguments other than
            `server`.
    """
    hint = "use a function without parameters, or with the parameter `server`"
    if not callable(initializer):
        message = f"{initializer!r} is not a function"
        raise ServerDefinitionError(message[:100], where=where, hint=hint)
    required_parameters = list_required_parameters(initializer)
    if required_parameters and not is_lifespan_function(initializer):
        message = f"the function requires {', '.join(required_parameters)}"
        raise ServerDefinitionError(message, where=where, hint=hint)
    return initializer


def _make_failing_function(error: PaddockError) -> Callable[[], Any]:
    def fail() -> None:
        raise error

    return fail


def collect_option_values(
    options: ToolOptionValues, report: ErrorReporter
) -> list[ToolOptionValues]:
    """Return the option values from the environment variable, followed by the caller's.

    The caller's values come last, because later values take precedence. If the environment
    variable is not valid, the error is reported and the variable is ignored.
    """
    try:
        return [read_environment_options(), options]
    except PaddockError as error:
        report(error)
        return [options]
