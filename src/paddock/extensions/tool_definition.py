"""The parameters of a tool, as a table of properties lists them.

What a tool needs done once before it is first called.

It is done at the latest by the first call, and before that when a server starts and asks for it.
What fails is told to whoever calls, and tried again with the next call.

Tools from their definitions: an object, a function, or a table of properties.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.authoring.component_registry import find_attached_item
from paddock.authoring.handler_errors import ToolError
from paddock.authoring.signature import is_coroutine_function
from paddock.authoring.tool import JSON_TYPES, NO_DEFAULT, Parameter, Tool
from paddock.authoring.tool_option import Option
from paddock.extensions.errors import ToolSpecificationError
from paddock.extensions.names import normalize_key
from paddock.extensions.properties import PropertyTable, convert_definition_errors, shorten_repr
from paddock.extensions.references import (
    get_function_name,
    list_required_parameters,
    read_function_property,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


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


def read_parameters(value: object, where: str) -> list[Parameter]:
    """The parameters in their order, each required unless it says otherwise.

    Raises:
        ToolSpecificationError: when one cannot be understood.
    """
    if isinstance(value, Mapping):
        return [
            _read_parameter(name, one, f"{where}: parameters.{name}") for name, one in value.items()
        ]
    if isinstance(value, list | tuple):
        return list(_read_parameter_list(value, where))
    raise ToolSpecificationError(
        f"parameters is {shorten_repr(value)}", where=where, hint=_PARAMETERS_HINT
    )


def _read_parameter_list(several: Iterable[object], where: str) -> Iterator[Parameter]:
    for index, one in enumerate(several):
        here = f"{where}: parameters[{index}]"
        if isinstance(one, Parameter):
            yield one
        elif isinstance(one, tuple) and len(one) == _PAIR_LENGTH:
            yield _read_parameter(one[0], one[1], here)
        elif isinstance(one, Mapping):
            yield from _read_parameter_table(one, here)
        else:
            raise ToolSpecificationError(shorten_repr(one), where=here, hint=_PARAMETERS_HINT)


def _read_parameter_table(table: Mapping[object, object], where: str) -> Iterator[Parameter]:
    """One parameter with its name among its properties, or any number by their names."""
    if table and all(isinstance(value, Mapping) for value in table.values()):
        for name, one in table.items():
            yield _read_parameter(name, one, where)
    else:
        yield _read_parameter(None, table, where)


def _read_parameter(name: object, given: object, where: str) -> Parameter:
    if isinstance(given, Parameter):
        return given
    if not isinstance(given, Mapping):
        raise ToolSpecificationError(shorten_repr(given), where=where, hint=_PARAMETERS_HINT)
    properties = PropertyTable(given, _PARAMETER_KEYS, ToolSpecificationError, where)
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
    """The word of JSON Schema for an interpreter: `String`, `Integer`, and so on."""
    given = properties.get_text("type") or "string"
    if given.lower() in JSON_TYPES:
        return given.lower()
    raise properties.make_error(f"type is {shorten_repr(given)}", f"one of {', '.join(JSON_TYPES)}")


class OneTimeInitializer:
    """A function that is run until it has worked once."""

    __slots__ = ("_function", "_is_done", "_lock")

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function
        self._lock = threading.Lock()
        self._is_done = False

    def run(self) -> None:
        """Do what is to be done, unless it has been; raises what the function raises."""
        if self._is_done:
            return
        with self._lock:
            if not self._is_done:
                self._function()
                self._is_done = True

    def run_for_call(self) -> None:
        """The same on behalf of a call.

        Raises:
            ToolError: when it fails, for the model to read.
        """
        try:
            self.run()
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise ToolError(f"The tool could not be initialised: {reason}") from error


def add_initializer(
    handler: Callable[..., Any], initialization: OneTimeInitializer
) -> Callable[..., Any]:
    """A handler that has its initialization run before its first call."""
    if is_coroutine_function(handler):

        @functools.wraps(handler)
        async def call(*arguments: object, **named: object) -> Any:
            import asyncio  # noqa: PLC0415 - loaded by then, and not for servers without coroutines

            await asyncio.to_thread(initialization.run_for_call)
            return await handler(*arguments, **named)
    else:

        @functools.wraps(handler)
        def call(*arguments: object, **named: object) -> Any:
            initialization.run_for_call()
            return handler(*arguments, **named)

    vars(call)["initialization"] = initialization
    return call


def get_initializer(tool: Tool) -> OneTimeInitializer | None:
    """What a tool needs done before it is called; for a server that is about to start."""
    found = getattr(tool.handler, "initialization", None)
    return found if isinstance(found, OneTimeInitializer) else None


_TABLE_PROPERTIES = ("input_schema", "output_schema", "annotations", "meta")
_LIST_PROPERTIES = ("icons", "scopes", "visibility")
_FLAG_PROPERTIES = ("inline", "lenient", "task_from_handler")
_TEXT_PROPERTIES = ("title", "description", "mime_type")
_TOOL_KEYS = {
    **{
        key: key
        for key in (*_TEXT_PROPERTIES, *_TABLE_PROPERTIES, *_LIST_PROPERTIES, *_FLAG_PROPERTIES)
    },
    **{key: key for key in ("name", "function", "parameters", "options", "task", "ui")},
    **{key: key for key in ("initialization", "llm_kit")},
    "display_name": "title",
    "handler": "function",
}
"""`llm_kit` says whether a tool of the Wolfram Language wants a subscription; none here does."""


def make_tool(
    definition: object, *, relative_to: Path | None = None, where: str, name: str | None = None
) -> Tool:
    """The tool that a definition means.

    With `parameters` the function takes one dictionary; without, its own type hints count.

    Args:
        definition: A `Tool`, a function, or a table of properties.
        relative_to: The directory from which paths in references count.
        where: Where the definition stands, for errors.
        name: The tool's name when the table does not say.

    Raises:
        ToolSpecificationError: when it is not the definition of a tool.
        LoadError: when a reference in it leads nowhere.
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
    properties = PropertyTable(definition, _TOOL_KEYS, ToolSpecificationError, where)
    name = properties.get_text("name") or name
    if not name:
        raise properties.make_error("there is no name", 'as in name = "Plot"')
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
            raise properties.make_error("initialization is async def", "expected a plain function")
        needed = list_required_parameters(initialization)
        if needed:
            raise properties.make_error(
                f"initialization needs {', '.join(needed)}", "expected one without parameters"
            )
        function = add_initializer(function, OneTimeInitializer(initialization))
    return Tool(name, function, **_read_optional_properties(properties, where))


def _read_optional_properties(properties: PropertyTable, where: str) -> dict[str, Any]:
    """What else a tool is made with, as far as the definition says."""
    found: dict[str, Any] = {
        **{key: properties.get_text(key) for key in _TEXT_PROPERTIES},
        **{key: properties.get_table(key) for key in _TABLE_PROPERTIES},
        **{key: properties.get_list(key) for key in _LIST_PROPERTIES if key in properties},
        **{key: properties.get_flag(key, default=False) for key in _FLAG_PROPERTIES},
        **properties.get_present("task", "ui"),
    }
    options = None if properties.get("options") == [] else properties.get_table("options")
    if options is not None:
        found["options"] = {key: _read_option(value) for key, value in options.items()}
    if "parameters" in properties:
        found["parameters"] = read_parameters(properties.get("parameters"), where)
    return found


def _read_option(given: object) -> object:
    """An option as it is; a table that says what its default is becomes one."""
    if not isinstance(given, Mapping):
        return given
    table = {normalize_key(str(key)): value for key, value in given.items()}
    if "default" not in table or not set(table) <= {"default", "description"}:
        return given
    return Option(table["default"], description=str(table.get("description", "")))
