"""What a tool needs besides this package, such as a key for a service.

Whoever installs a server is told before its first call fails. Loaded before msgspec, so it needs
nothing but the interpreter.

Tools and their parameters, as their authors declare them.

Plain classes that only hold what they are given: what a tool's schema is and how it is called is
worked out when it is first listed or called (`authoring.invocation`), so that declaring thousands
costs next to nothing. Loaded before msgspec, so it needs nothing but the interpreter.
"""

from __future__ import annotations

from paddock.authoring.tool_option import Option
from paddock.errors import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    MissingCheck = Callable[[Mapping[str, Any], Mapping[str, str]], str]


class Need:
    """Something without which a tool does nothing, or less.

    `missing` is given the values of the tool's options and the environment of its server, and says
    what is missing and how to get it; nothing when all is there. A tool that works without what it
    needs, though not as well, has `is_required=False`.
    """

    __slots__ = ("is_required", "missing")

    def __init__(self, missing: MissingCheck, *, is_required: bool = True) -> None:
        self.missing = missing
        self.is_required = is_required


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from paddock.authoring.app_view import AppView
    from paddock.errors import PaddockError
    from paddock.protocol.content import Icon
    from paddock.protocol.request import TaskSupport

    ToolHandler = Callable[..., Any]
    Json = dict[str, object]

NO_DEFAULT = type("Nothing", (), {"__repr__": lambda _: "NOTHING"})()
"""Stands for a default that was not given, since None is a default like any other."""

JSON_TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
TASK_SUPPORT_VALUES = ("forbidden", "optional", "required")
VISIBILITY_VALUES = ("model", "app")
"""Who may call a tool: the model, and the page that the client shows for it."""
MAX_TOOL_NAME_CHARACTERS = 128
_TOOL_NAME_CHARACTERS = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/"
)


class Parameter:
    """One parameter of a tool that is declared without type hints."""

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

    With `parameters` or `input_schema` the handler takes one dictionary of arguments; without
    them the handler's own type hints say what it takes. Either way it may also take a `Context`.
    `input_schema` is passed on as it is and wins over `parameters`. Over HTTP only a principal
    who has all `scopes` may call it. With `task` a call may, or must, become a task that goes on
    after it was answered: at once, or with `task_from_handler` when the handler says so by
    `ctx.detach()`. `options` are what whoever runs the server may set: each a default, or an
    `Option`; the handler finds their values in `ctx.options`. A `lenient` tool takes "10" where a
    number is wanted and "true" where a truth value is, as some clients send them. `failures` makes
    of the error that ended a call the JSON data that the model is told instead of a text.
    number is wanted and "true" where a truth value is, as some clients send them. `needs` says what
    else must be there, for whoever installs the server.
    """

    __slots__ = (
        "annotations",
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
        handler: ToolHandler,
        *,
        description: str | None = None,
        title: str | None = None,
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
            key: given if isinstance(given, Option) else Option(given)
            for key, given in (options or {}).items()
        }
        self.option_values = {key: option.default for key, option in self.options.items()}
        if input_schema is not None and input_schema.get("type") != "object":
            raise DefinitionError(
                f"input_schema has type {input_schema.get('type')!r}",
                where=name,
                hint='the protocol wants "type": "object" at the top',
            )
        names = [parameter.name for parameter in parameters or ()]
        if len(set(names)) < len(names):
            raise DefinitionError(f"parameters of one name: {', '.join(names)}", where=name)
        if not callable(handler):
            raise DefinitionError(f"expected a callable handler, got {handler!r}", where=name)
        _check_ui(ui, visibility, name)
        _check_tool_name(name)

    def with_name(self, name: str) -> Tool:
        """The same tool under another name."""
        _check_tool_name(name)
        return self._copy_with_attribute("name", name)

    def with_options(self, values: Mapping[str, object]) -> Tool:
        """The same tool with values set for its options; text is read as what an option takes.

        Raises:
            OptionError: when it has no such option, or the option cannot have that value.
        """
        from paddock.authoring.option_values import validate_options  # noqa: PLC0415 - after msgspec

        found = validate_options(self.options, values, self.name)
        return self._copy_with_attribute("option_values", {**self.option_values, **found})

    def _copy_with_attribute(self, attribute: str, value: object) -> Tool:
        changed = object.__new__(type(self))
        for slot in Tool.__slots__:
            setattr(changed, slot, getattr(self, slot))
        setattr(changed, attribute, value)
        return changed

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"


def _check_tool_name(name: str) -> None:
    if (
        not name
        or len(name) > MAX_TOOL_NAME_CHARACTERS
        or not _TOOL_NAME_CHARACTERS.issuperset(name)
    ):
        raise DefinitionError(
            f"{name!r} cannot be the name of a tool",
            hint=f"1 to {MAX_TOOL_NAME_CHARACTERS} of A-Z a-z 0-9 _ - . /",
        )


def _check_ui(ui: str | AppView | None, visibility: Sequence[str] | None, where: str) -> None:
    uri = getattr(ui, "uri", ui)
    if ui is not None and (not isinstance(uri, str) or not uri.startswith("ui://")):
        raise DefinitionError(
            f"{ui!r} cannot be the URI of a view", where=where, hint="as in ui://weather/view"
        )
    if visibility is not None and (not visibility or not set(visibility) <= set(VISIBILITY_VALUES)):
        raise DefinitionError(
            f"visibility is {visibility!r}", where=where, hint='expected ["model", "app"] or one'
        )
