"""Declarations of tools, their parameters, options and external requirements.

Declarations only store their arguments. Schemas and callables are derived when a tool is first
listed or called (`authoring.tool_invoker`), so declaring thousands of tools is cheap. Loaded before
msgspec, so it imports nothing outside the standard library.
"""

from __future__ import annotations

from paddock.errors import DefinitionError
from paddock.lazy_modules import LazyModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from msgspec import Struct

    from paddock.authoring.app_view import AppView
    from paddock.errors import PaddockError
    from paddock.protocol.content import Icon
    from paddock.protocol.request import TaskSupport

    ToolHandler = Callable[..., Any]
    Json = dict[str, object]
    MissingCheck = Callable[[Mapping[str, Any], Mapping[str, str]], str]
    from paddock.authoring import option_values
else:  # loads msgspec
    option_values = LazyModule("paddock.authoring.option_values")

NO_DEFAULT = type("Nothing", (), {"__repr__": lambda _: "NOTHING"})()
"""Marks a parameter that has no default, because None is a valid default."""

JSON_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
TASK_SUPPORT_VALUES = ("forbidden", "optional", "required")
VISIBILITY_VALUES = ("model", "app")
"""Allowed callers of a tool: the model, and the UI that the client shows for the tool."""
MAX_TOOL_NAME_CHARACTERS = 128
_TOOL_NAME_CHARACTERS = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/"
)


SECRET_MASK = "\u2022\u2022\u2022"  # noqa: S105 - not a password
"""Shown instead of the value of a secret option."""


class Option:
    """An option of a tool.

    Args:
        default: The value used unless the operator sets another.
        type: Type hint to check values against. By default, it is the type of `default`. Values are
            not checked if both are None.
        description: Shown to the operator.
        is_secret: Hide the value in output and error messages.
    """

    __slots__ = ("default", "description", "is_secret", "type")

    def __init__(
        self,
        default: object = None,
        type: Any = None,  # noqa: A002 - same name as in Parameter
        description: str = "",
        *,
        is_secret: bool = False,
    ) -> None:
        self.default = default
        self.type = type
        self.description = description
        self.is_secret = is_secret

    def __repr__(self) -> str:
        return f"Option({self.default!r})"


class Need:
    """An external requirement of a tool, such as an API key, checked during installation.

    Args:
        missing: Takes the values of the tool's options and the server's environment variables.
            Returns what is missing and how to get it, or an empty string.
        is_required: False if the tool works without it, with fewer features.
    """

    __slots__ = ("is_required", "missing")

    def __init__(self, missing: MissingCheck, *, is_required: bool = True) -> None:
        self.missing = missing
        self.is_required = is_required


class Parameter:
    """A parameter of a tool whose handler takes all arguments as one dictionary."""

    __slots__ = ("default", "description", "header", "name", "required", "type")

    def __init__(
        self,
        name: str,
        type: str = "string",  # noqa: A002 - the word of JSON Schema
        description: str = "",
        *,
        required: bool = False,
        default: object = NO_DEFAULT,
        header: str | None = None,
    ) -> None:
        if type not in JSON_TYPES:
            raise DefinitionError(
                f"parameter {name!r} has type {type!r}",
                hint=f"one of {', '.join(JSON_TYPES)}; use input_schema for anything else",
            )
        self.name = name
        self.type = type
        self.description = description
        self.required = required
        self.default = default
        self.header = header


class Tool:
    """A function that a model can call.

    By default, the input schema is derived from the handler's type hints. With `arguments`, the
    handler takes a Struct instead. With `parameters` or `input_schema`, it takes a dictionary of
    arguments. In all cases, it may also take a `Context`.

    Args:
        name: 1 to 128 of A-Z a-z 0-9 _ - . /
        handler: The function, plain or `async`, or a reference such as `package.module:function` to
            a plain function that is imported on the first call and takes the arguments and a
            `Context`. A tool with a reference must declare its description and arguments.
        description: Sent to the model; by default, the handler's docstring.
        title: Display name.
        arguments: A msgspec Struct class, whose fields are the parameters.
        parameters: Simple parameters that a schema is built from.
        input_schema: A complete JSON Schema; takes precedence over `parameters`.
        output_schema: JSON Schema of the structured result; by default, from the return type.
        return_type: The return type, if the handler has no return annotation.
        mime_type: Media type of binary results.
        annotations: MCP tool annotations, such as `readOnlyHint`.
        icons: Icons that clients can show.
        meta: The `_meta` of the tool.
        inline: Run the handler on the thread that reads messages. Only for fast handlers.
        lenient: Accept "10" for a number and "true" for a boolean, as some clients send them.
        scopes: OAuth scopes that a caller over HTTP must have.
        task: `optional` or `required` if a call may or must continue as a task after its request is
            answered.
        task_from_handler: Let the handler decide with `ctx.detach()` whether a call becomes a task.
            By default, a call becomes a task immediately.
        ui: An `AppView` or `ui://` URI that clients show for the tool.
        visibility: Allowed callers: `model`, `app`, or both.
        options: Settings for the server's operator, each given as a default or an `Option`. The
            handler reads their values from `ctx.options`.
        failures: Maps the exception raised by a call to JSON data, which is sent to the model
            instead of the error text.
        needs: An external requirement, checked when the server is installed.
    """

    __slots__ = (
        "annotations",
        "arguments",
        "description",
        "failures",
        "handler",
        "icons",
        "inline",
        "input_schema",
        "lenient",
        "meta",
        "mime_type",
        "name",
        "needs",
        "option_values",
        "options",
        "output_schema",
        "parameters",
        "return_type",
        "scopes",
        "task",
        "task_from_handler",
        "title",
        "ui",
        "visibility",
    )

    def __init__(
        self,
        name: str,
        handler: ToolHandler | str,
        *,
        description: str | None = None,
        title: str | None = None,
        arguments: type[Struct] | None = None,
        parameters: Sequence[Parameter] | None = None,
        input_schema: Mapping[str, Any] | None = None,
        output_schema: Mapping[str, Any] | None = None,
        return_type: object = None,
        mime_type: str | None = None,
        annotations: Mapping[str, Any] | None = None,
        icons: Sequence[Icon | Json] | None = None,
        meta: Mapping[str, Any] | None = None,
        inline: bool = False,
        lenient: bool = False,
        scopes: Iterable[str] = (),
        task: TaskSupport = "forbidden",
        task_from_handler: bool = False,
        ui: str | AppView | None = None,
        visibility: Sequence[str] | None = None,
        options: Mapping[str, Option | object] | None = None,
        failures: Callable[[PaddockError], Mapping[str, object]] | None = None,
        needs: Need | None = None,
    ) -> None:
        self.name = name
        self.handler = handler
        self.description = description
        self.title = title
        self.arguments = arguments
        self.parameters = parameters
        self.input_schema: dict[str, Any] | None = (
            None if input_schema is None else {**input_schema}
        )
        self.output_schema: dict[str, Any] | None = (
            None if output_schema is None else {**output_schema}
        )
        self.return_type = return_type
        self.mime_type = mime_type
        self.annotations = annotations
        self.icons = icons
        self.meta = meta
        self.inline = inline
        self.lenient = lenient
        self.scopes = frozenset([scopes] if isinstance(scopes, str) else scopes)
        self.task = task
        self.task_from_handler = task_from_handler
        if task not in TASK_SUPPORT_VALUES:
            raise DefinitionError(
                f"task is {task!r}", where=name, hint=f"one of {', '.join(TASK_SUPPORT_VALUES)}"
            )
        self.needs = needs
        self.ui = ui
        self.visibility = visibility
        self.failures = failures
        self.options = {
            key: default if isinstance(default, Option) else Option(default)
            for key, default in (options or {}).items()
        }
        self.option_values = {key: option.default for key, option in self.options.items()}
        if input_schema is not None and input_schema.get("type") != "object":
            raise DefinitionError(
                f"input_schema has type {input_schema.get('type')!r}",
                where=name,
                hint='the protocol requires "type": "object" at the top level',
            )
        names = [parameter.name for parameter in parameters or ()]
        if len(set(names)) < len(names):
            raise DefinitionError(f"duplicate parameter names: {', '.join(names)}", where=name)
        if isinstance(handler, str):
            _check_handler_reference(self)
        elif not callable(handler):
            raise DefinitionError(f"expected a callable handler, got {handler!r}", where=name)
        _check_ui(ui, visibility, name)
        _check_tool_name(name)

    def with_name(self, name: str) -> Tool:
        """Return a copy of the tool with another name."""
        _check_tool_name(name)
        return self._copy_with_attribute("name", name)

    def with_options(self, values: Mapping[str, object]) -> Tool:
        """Return a copy of the tool with these option values. Text is parsed as the option's type.

        Raises:
            OptionError: An option does not exist, or its value is invalid.
        """
        new_values = option_values.validate_options(self.options, values, self.name)
        return self._copy_with_attribute("option_values", {**self.option_values, **new_values})

    def _copy_with_attribute(self, attribute: str, value: object) -> Tool:
        """Return a copy of the tool with another value of one attribute."""
        # The constructor is not called, because its checks have already been made.
        tool_copy = object.__new__(type(self))
        for slot in Tool.__slots__:
            setattr(tool_copy, slot, getattr(self, slot))
        setattr(tool_copy, attribute, value)
        return tool_copy

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"


def _check_handler_reference(tool: Tool) -> None:
    """Check a tool whose handler is a reference, such as `package.module:function`.

    The handler is imported on the first call. Its description and arguments cannot be read before
    then, so the tool must declare everything that a tool list contains.

    Raises:
        DefinitionError: The reference is invalid, or the description or arguments are missing.
    """
    module_name, _, function_name = str(tool.handler).partition(":")
    if not module_name or not function_name:
        raise DefinitionError(
            f"expected a callable handler, got {tool.handler!r}",
            where=tool.name,
            hint="or a reference to one: package.module:function",
        )
    declarations = (tool.arguments, tool.parameters, tool.input_schema)
    has_arguments = any(declaration is not None for declaration in declarations)
    if tool.description is None or not has_arguments:
        raise DefinitionError(
            "a handler that is a reference is not imported to list the tool",
            where=tool.name,
            hint="give description, and one of arguments, parameters and input_schema",
        )


def _check_tool_name(name: str) -> None:
    """Check that clients accept a tool's name.

    Raises:
        DefinitionError: The name is too long, empty, or contains other characters.
    """
    has_valid_length = 0 < len(name) <= MAX_TOOL_NAME_CHARACTERS
    if not has_valid_length or not _TOOL_NAME_CHARACTERS.issuperset(name):
        raise DefinitionError(
            f"{name!r} cannot be the name of a tool",
            hint=f"1 to {MAX_TOOL_NAME_CHARACTERS} of A-Z a-z 0-9 _ - . /",
        )


def _check_ui(ui: str | AppView | None, visibility: Sequence[str] | None, where: str) -> None:
    """Check the HTML page that clients show for a tool, and the callers that may see the tool.

    Args:
        ui: The page, its URI such as `ui://weather/view`, or None.
        visibility: The allowed callers: `model`, `app` (the page itself) or both; None for the
            default.
        where: The tool's name, for error messages.

    Raises:
        DefinitionError: The URI or a caller is invalid.
    """
    uri = getattr(ui, "uri", ui)
    if ui is not None and (not isinstance(uri, str) or not uri.startswith("ui://")):
        raise DefinitionError(
            f"{ui!r} cannot be the URI of a view", where=where, hint="as in ui://weather/view"
        )
    if visibility is not None and (not visibility or not set(visibility) <= set(VISIBILITY_VALUES)):
        raise DefinitionError(
            f"visibility is {visibility!r}", where=where, hint='expected ["model"], ["app"] or both'
        )
