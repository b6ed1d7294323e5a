"""Creates tools from definitions: a `Tool`, a function, or a table of properties.

A definition can name an initialization function, which runs once before the first call. A server
runs it at startup; otherwise, the first call does. If it fails, the call fails with the reason, and
the next call tries again.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.component_registry import find_attached_item
from paddock.authoring.handler_errors import ToolError
from paddock.authoring.signature import is_coroutine_function
from paddock.authoring.tool import JSON_TYPES, NO_DEFAULT, Option, Parameter, Tool
from paddock.extensions.errors import ToolSpecificationError
from paddock.extensions.names import normalize_key
from paddock.extensions.properties import PropertyTable, convert_definition_errors, shorten_repr
from paddock.extensions.references import (
    get_function_name,
    list_required_parameters,
    read_function_property,
)
from paddock.lazy_modules import LazyModule

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator
    from pathlib import Path
else:  # 45 ms, and already loaded where coroutines exist
    asyncio = LazyModule("asyncio")

_PARAMETER_KEYS = {
    "name": "name",
    "interpreter": "type",
    "type": "type",
    "help": "description",
    "description": "description",
    "required": "required",
    "default": "default",
    "header": "header",
}
_PAIR_LENGTH = 2
_PARAMETERS_HINT = "expected { name = { type, help, required }, … } or a list of { name, type, … }"
_TABLE_PROPERTIES = ("input_schema", "output_schema", "annotations", "meta")
_LIST_PROPERTIES = ("icons", "scopes", "visibility")
_FLAG_PROPERTIES = ("inline", "lenient", "task_from_handler")
_TEXT_PROPERTIES = ("title", "description", "mime_type")
_PROPERTIES = (
    *(*_TEXT_PROPERTIES, *_TABLE_PROPERTIES, *_LIST_PROPERTIES, *_FLAG_PROPERTIES),
    *("name", "function", "initialization", "parameters", "options", "task", "ui", "llm_kit"),
)
_TOOL_KEYS = {key: key for key in _PROPERTIES} | {"display_name": "title", "handler": "function"}
"""The allowed keys. `llm_kit`, a subscription requirement of Wolfram tools, is ignored."""


class _ParameterEntry(NamedTuple):
    """A tool parameter as written in its definition, before it is checked."""

    name: object
    """The name, or None if the properties must contain it."""
    properties: object
    """A table such as `{ type = "Integer", help = "…" }`, or a `Parameter`."""
    where: str
    """The location of the parameter, for errors."""


def read_parameters(value: object, where: str) -> list[Parameter]:
    """Read the `parameters` property. Parameters are required by default.

    Raises:
        ToolSpecificationError: A parameter is invalid.
    """
    return [_read_parameter(*entry) for entry in _iter_parameter_entries(value, where)]


def _iter_parameter_entries(value: object, where: str) -> Iterator[_ParameterEntry]:
    """Yield the parameters in a tool's `parameters` property.

    The value is a table of parameters by name, or a list. A list element is such a table, a pair of
    name and properties, a table of properties with a name, or a `Parameter`.

    Raises:
        ToolSpecificationError: The value is neither a table nor a list.
    """
    if isinstance(value, Mapping):
        for name, properties in value.items():
            yield _ParameterEntry(name, properties, f"{where}: parameters.{name}")
    elif isinstance(value, list | tuple):
        for index, entry in enumerate(value):
            location = f"{where}: parameters[{index}]"
            if isinstance(entry, tuple) and len(entry) == _PAIR_LENGTH:
                yield _ParameterEntry(entry[0], entry[1], location)
            elif isinstance(entry, Mapping) and _has_only_tables(entry):
                yield from (_ParameterEntry(*pair, location) for pair in entry.items())
            else:
                yield _ParameterEntry(None, entry, location)
    else:
        raise ToolSpecificationError(
            f"parameters is {shorten_repr(value)}", where=where, hint=_PARAMETERS_HINT
        )


def _has_only_tables(table: Mapping[object, object]) -> bool:
    """Return whether a table contains parameters by name rather than the properties of one."""
    return bool(table) and all(isinstance(value, Mapping) for value in table.values())


def _read_parameter(name: object, parameter: object, where: str) -> Parameter:
    """Convert a tool parameter, as written in its definition, to a `Parameter`.

    Args:
        name: The name, or None if the table contains it.
        parameter: A table such as `{ type = "Integer", help = "…" }`, or a `Parameter`.
        where: The location of the parameter, for errors.

    Raises:
        ToolSpecificationError: The parameter is not a table or has no name.
    """
    if isinstance(parameter, Parameter):
        return parameter
    if not isinstance(parameter, Mapping):
        raise ToolSpecificationError(shorten_repr(parameter), where=where, hint=_PARAMETERS_HINT)
    properties = PropertyTable(parameter, _PARAMETER_KEYS, ToolSpecificationError, where)
    name = properties.get_text("name") if name is None else name
    if not isinstance(name, str) or not name:
        raise properties.make_error("a parameter has no name", _PARAMETERS_HINT)
    return Parameter(
        name,
        _read_json_type(properties),
        properties.get_text("description") or "",
        required=properties.get_flag("required", default=True),
        default=properties.get("default") if "default" in properties else NO_DEFAULT,
        header=properties.get_text("header"),
    )


def _read_json_type(properties: PropertyTable) -> str:
    """Return the JSON Schema type for an interpreter such as `String` or `Integer`."""
    type_name = properties.get_text("type") or "string"
    if type_name.lower() not in JSON_TYPES:
        hint = f"one of {', '.join(JSON_TYPES)}"
        raise properties.make_error(f"type is {shorten_repr(type_name)}", hint)
    return type_name.lower()


class OneTimeInitializer:
    """Calls a tool's initialization function once, even if multiple threads need it.

    If the function fails, it is called again next time.
    """

    __slots__ = ("_function", "_is_done", "_lock")

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function
        self._lock = threading.Lock()
        self._is_done = False

    def run(self) -> None:
        """Call the function unless it has already succeeded.

        Other threads wait for the call to finish. The function's exceptions are propagated.
        """
        if self._is_done:
            return
        with self._lock:
            # Another thread may have run the function while this one waited for the lock.
            if not self._is_done:
                self._function()
                self._is_done = True

    def run_for_call(self) -> None:
        """Call the function before a tool call, unless it has already succeeded.

        Raises:
            ToolError: The function failed. The model receives the message.
        """
        try:
            self.run()
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise ToolError(f"The tool could not be initialised: {reason}") from error


def add_initializer(
    handler: Callable[..., Any], initializer: OneTimeInitializer
) -> Callable[..., Any]:
    """Wrap a tool's handler so that the initialization runs before the first call.

    The wrapper of a coroutine function is also a coroutine function. Its `initialization` attribute
    is the initializer.
    """
    if is_coroutine_function(handler):

        @functools.wraps(handler)
        async def call(*arguments: object, **keywords: object) -> Any:
            # The initialization runs in a thread, because it may block.
            await asyncio.to_thread(initializer.run_for_call)
            return await handler(*arguments, **keywords)
    else:

        @functools.wraps(handler)
        def call(*arguments: object, **keywords: object) -> Any:
            initializer.run_for_call()
            return handler(*arguments, **keywords)

    vars(call)["initialization"] = initializer
    return call


def get_initializer(tool: Tool) -> OneTimeInitializer | None:
    """Return a tool's initialization for a server to run at startup, or None."""
    initializer = getattr(tool.handler, "initialization", None)
    return initializer if isinstance(initializer, OneTimeInitializer) else None


def make_tool(
    definition: object, *, relative_to: Path | None = None, where: str, name: str | None = None
) -> Tool:
    """Create a tool from a definition in an extension or server.

    If a table of properties contains `parameters`, its function is called with one dictionary.
    Otherwise, the input schema is derived from the function's type hints.

    Args:
        definition: A `Tool`, a function, or a table of properties.
        relative_to: The directory for relative paths in references.
        where: The location of the definition, for errors.
        name: The tool's name if the definition does not specify one.

    Raises:
        ToolSpecificationError: The definition is invalid.
        LoadError: A reference in it cannot be resolved.
    """
    if isinstance(definition, Tool):
        return definition
    with convert_definition_errors(ToolSpecificationError, where):
        if isinstance(definition, Mapping):
            return _make_tool_from_table(definition, relative_to, where, name)
        if callable(definition) and not isinstance(definition, type):
            decorated = find_attached_item(definition, Tool)
            return decorated or Tool(name or get_function_name(definition), definition)
    raise ToolSpecificationError(
        shorten_repr(definition),
        where=where,
        hint="expected a name, a reference, a function, a Tool or a table of properties",
    )


def _make_tool_from_table(
    definition: Mapping[object, object], relative_to: Path | None, where: str, name: str | None
) -> Tool:
    """Create a tool from a table of properties, such as `{"name": "Plot", "function": …}`.

    The function and the optional initialization can be references such as `charts.py:plot`.

    Args:
        definition: The properties as written.
        relative_to: The directory for relative paths in references.
        where: The location of the definition, for errors.
        name: The tool's name if the definition does not specify one.
    """
    properties = PropertyTable(definition, _TOOL_KEYS, ToolSpecificationError, where)
    name = properties.get_text("name") or name
    if not name:
        raise properties.make_error("there is no name", 'add a name, as in name = "Plot"')
    function = read_function_property(properties, "function", relative_to=relative_to, where=where)
    if function is None:
        raise properties.make_error(
            f"{name!r} has no function", 'as in function = "package.module:name"'
        )
    initialization = read_function_property(
        properties, "initialization", relative_to=relative_to, where=where
    )
    if initialization is not None:
        if is_coroutine_function(initialization):
            raise properties.make_error(
                "initialization is a coroutine function", "expected a plain function"
            )
        required_parameters = list_required_parameters(initialization)
        if required_parameters:
            raise properties.make_error(
                f"initialization needs {', '.join(required_parameters)}",
                "expected a function without parameters",
            )
        function = add_initializer(function, OneTimeInitializer(initialization))
    return Tool(name, function, **_read_optional_properties(properties, where))


def _read_optional_properties(properties: PropertyTable, where: str) -> dict[str, Any]:
    """Return the optional properties of a tool definition as keyword arguments for `Tool`."""
    tool_properties: dict[str, Any] = {
        **{key: properties.get_text(key) for key in _TEXT_PROPERTIES},
        **{key: properties.get_table(key) for key in _TABLE_PROPERTIES},
        **{key: properties.get_list(key) for key in _LIST_PROPERTIES if key in properties},
        **{key: properties.get_flag(key, default=False) for key in _FLAG_PROPERTIES},
        **properties.get_present("task", "ui"),
    }
    options = None if properties.get("options") == [] else properties.get_table("options")
    if options is not None:
        tool_properties["options"] = {key: _read_option(value) for key, value in options.items()}
    if "parameters" in properties:
        tool_properties["parameters"] = read_parameters(properties.get("parameters"), where)
    return tool_properties


def _read_option(option: object) -> object:
    """Convert a tool option to an `Option`, or return it if it is just a default.

    A table such as `{ default = 10, description = "…" }` becomes an `Option`. Any other value is
    the option's default.
    """
    if not isinstance(option, Mapping):
        return option
    properties = {normalize_key(str(key)): value for key, value in option.items()}
    if "default" not in properties or not set(properties) <= {"default", "description"}:
        return option
    return Option(properties["default"], description=str(properties.get("description", "")))
