"""From a definition to the server that it defines.

Every name and reference is resolved anew. A server that is being created is refused as a whole
when one of them leads nowhere; a server that starts says so and serves the others.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.loading_files import Loading
from paddock.errors import DefinitionError, LoadError, PaddockError
from paddock.extensions.data_only import refuse_python
from paddock.extensions.functions import required_parameters
from paddock.extensions.references import load_reference
from paddock.extensions.registry import resolve_prompt, resolve_resource, resolve_tool
from paddock.protocol.extensions import UI
from paddock.server import Server
from paddock.servers.errors import ServerDefinitionError
from paddock.servers.initialization import Initialization, is_lifespan
from paddock.servers.naming import distinct_names
from paddock.servers.tool_options import (
    exposed,
    merged,
    options_from_environment,
    set_options,
)
from paddock.servers.unpickling import is_pickle, load_pickle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from paddock.authoring.tool import Tool
    from paddock.extensions.extension import Extension
    from paddock.servers.definition import ServerDefinition

    Values = Mapping[str, Mapping[str, Any]]
    Report = Callable[[PaddockError], object]

_RESOLVE: dict[str, Callable[..., Any]] = {
    "tools": resolve_tool,
    "prompts": resolve_prompt,
    "resources": resolve_resource,
}
_state = threading.local()


class Origin(NamedTuple):
    """Where a definition is from, and how its names are meant."""

    where: str
    """What complaints call it."""
    relative_to: Path | None = None
    """The directory from which its paths count."""
    owner: Extension | None = None


def is_assembling() -> bool:
    """Whether this thread is running a file that a definition refers to.

    A program that creates a server of its own functions is such a file, and must not create the
    server again whenever it is served.
    """
    return getattr(_state, "depth", 0) > 0


def refuse(error: PaddockError) -> None:
    """Let nothing pass: for a server that is being created."""
    raise error


def assemble(
    definition: ServerDefinition,
    origin: Origin,
    *,
    report: Report = refuse,
    options: Sequence[Values] = (),
    initialization: Initialization | None = None,
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
    with _assembling(), Loading():
        return _assembled(definition, origin, report, options, initialization or Initialization())


@contextmanager
def _assembling() -> Iterator[None]:
    _state.depth = getattr(_state, "depth", 0) + 1
    try:
        yield
    finally:
        _state.depth -= 1


def _assembled(
    definition: ServerDefinition,
    origin: Origin,
    report: Report,
    options: Sequence[Values],
    initialization: Initialization,
) -> Server:
    if definition.made is not None:
        return _as_made(definition, report, options)
    server = Server(
        definition.name,
        version=definition.version,
        title=definition.title,
        description=definition.description,
        instructions=definition.instructions,
    )
    if definition.views:
        server.facts.declare_extension(UI, {})
    tools = list(_resolved("tools", definition.tools, origin, report))
    names = distinct_names(tool.name for _, tool in tools)
    server.register(
        tool if tool.name == name else _renamed(tool, name)
        for (_, tool), name in zip(tools, names, strict=True)
    )
    for kind in ("prompts", "resources"):
        found = _resolved(kind, getattr(definition, kind), origin, report)
        server.register(item for _, item in found)
    aliases = [(spec, name) for (spec, _), name in zip(tools, names, strict=True)]
    # Each source may call a tool by another of its names.
    sources = [exposed(source, aliases) for source in (definition.options, *options)]
    set_options(server, merged(*sources), report)
    initialization.attach(server, _initializer(definition.initialization, origin, report))
    return server


def _as_made(definition: ServerDefinition, report: Report, options: Sequence[Values]) -> Server:
    """The server that an extension has made, under the name by which it was found."""
    server: Server = definition.made
    server.facts.name = definition.name
    server.facts.version = definition.version
    set_options(server, merged(*options), report)
    return server


def _resolved(
    kind: str, specs: list[Any], origin: Origin, report: Report
) -> Iterator[tuple[Any, Any]]:
    """What stands in a list, each with the item that it leads to."""
    for number, spec in enumerate(specs):
        where = f"{origin.where}: {kind}[{number}]"
        try:
            yield spec, _item(kind, spec, origin, where)
        except (DefinitionError, LoadError) as error:
            report(error)


def _item(kind: str, spec: Any, origin: Origin, where: str) -> Any:
    refuse_python(spec, origin.owner, where)  # before anything is loaded
    spec = _unpickled(spec, origin, where)
    if isinstance(spec, Mapping):
        spec = {key: _unpickled(value, origin, where) for key, value in spec.items()}
    return _RESOLVE[kind](spec, relative_to=origin.relative_to, owner=origin.owner, where=where)


def _unpickled(spec: Any, origin: Origin, where: str) -> Any:
    if not is_pickle(spec):
        return spec
    if origin.relative_to is None:
        raise ServerDefinitionError("has no file beside which objects are kept", where=where)
    return load_pickle(spec, origin.relative_to, where)


def _renamed(tool: Tool, name: str) -> Tool:
    renamed = copy.copy(tool)
    renamed.name = name
    return renamed


def _initializer(spec: Any, origin: Origin, report: Report) -> Callable[[], Any] | None:
    """What is run when the server starts; one that cannot be found fails then."""
    if spec is None:
        return None
    try:
        return _initializing_function(spec, origin, f"{origin.where}: initialization")
    except (DefinitionError, LoadError) as error:
        report(error)
        return _failing(error)


def _initializing_function(spec: Any, origin: Origin, where: str) -> Callable[[], Any]:
    refuse_python(spec, origin.owner, where)
    found: object = _unpickled(spec, origin, where)
    if isinstance(spec, str):
        found = load_reference(spec, relative_to=origin.relative_to, where=where)
    return initializer(found, where)


def initializer(found: object, where: str) -> Callable[[], Any]:
    """What can be called when a server starts.

    Raises:
        ServerDefinitionError: when it is no function, or one that needs other arguments.
    """
    hint = "expected one without parameters, or with the parameter `server`"
    if not callable(found):
        raise ServerDefinitionError(f"{found!r} is no function"[:100], where=where, hint=hint)
    needed = required_parameters(found)
    if needed and not is_lifespan(found):
        text = f"the function needs {', '.join(needed)}"
        raise ServerDefinitionError(text, where=where, hint=hint)
    return found


def _failing(error: PaddockError) -> Callable[[], Any]:
    def fail() -> None:
        raise error

    return fail


def serving_options(given: Values, report: Report) -> list[Values]:
    """The values for options of tools that hold when a server starts; later ones win."""
    try:
        return [options_from_environment(), given]
    except PaddockError as error:
        report(error)
        return [given]
