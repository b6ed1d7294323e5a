"""Handler parameters: names, types, defaults, descriptions and constraints.

The parameters of a plain function are read from its code object, because importing `inspect` costs
more than all other work before the first call. `inspect` handles all other callables. Constraints
from msgspec's `Meta`, pydantic's `Field` and `annotated_types` are supported without importing
pydantic.
"""

from __future__ import annotations

import re
import typing
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from paddock.authoring.tool import NO_DEFAULT
from paddock.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Callable


_CONSTRAINT_NAMES = ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")


def to_msgspec_meta(annotation: Any) -> Any:
    """Return the `msgspec.Meta` for an annotation such as pydantic's `Field(ge=0)`.

    Constraints are recognized by their attributes, so pydantic does not have to be installed. The
    result is None if the annotation has no constraints.
    """
    if isinstance(annotation, msgspec.Meta):
        return annotation
    constraints: dict[str, Any] = {}
    # A pydantic Field stores its constraints as a list of annotated_types objects in `metadata`.
    for source in (annotation, *(getattr(annotation, "metadata", None) or ())):
        for name in _CONSTRAINT_NAMES:
            value = getattr(source, name, None)
            if value is not None and not callable(value):
                constraints[name] = value
    return msgspec.Meta(**constraints) if constraints else None


def is_pydantic_field(default: object) -> bool:
    """Return whether a default is a pydantic `Field(...)`."""
    kind = type(default)
    return kind.__name__ == "FieldInfo" and kind.__module__.startswith("pydantic")


def read_pydantic_field(hint: Any, description: str, field: Any) -> tuple[Any, str, object]:
    """Return the type, description and default of a parameter like `limit: int = Field(10, ge=0)`.

    Args:
        hint: The parameter's type hint. The field's constraints are added to it.
        description: The description from the type hint, which takes precedence over the field's.
        field: The pydantic `Field` that is the parameter's default.
    """
    meta = to_msgspec_meta(field)
    if meta is not None:
        hint = typing.Annotated[hint, meta]
    is_required = field.is_required() or field.default_factory is not None
    default = NO_DEFAULT if is_required else field.default
    if field.default_factory is not None:
        default = field.default_factory()
    return hint, description or field.description or "", default


# Values of inspect.CO_COROUTINE, CO_VARARGS and CO_VARKEYWORDS.
_COROUTINE_FLAG = 0x80
_VARIADIC_FLAGS = 0x04 | 0x08


class HandlerParameter(NamedTuple):
    """A handler parameter, as declared by its name, type hint, default and docstring."""

    name: str
    type_hint: Any
    default: object
    """The default value, or `NO_DEFAULT` for a required parameter."""
    description: str
    is_keyword_only: bool

    @property
    def is_required(self) -> bool:
        """Whether a call must provide a value."""
        return self.default is NO_DEFAULT


class HandlerSignature:
    """A handler's parameters, context parameter and return type.

    Args:
        function: The handler: a function, a method, a partial or another callable.
        context_type: The context class. A parameter with this type is not an argument.
        where: The name of the tool or prompt, for error messages.
        reads_parameters: Pass False for a tool that declares its own schema, to read only the
            return type and the docstring.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        context_type: type,
        where: str,
        *,
        reads_parameters: bool = True,
    ) -> None:
        target = _unwrap_function(function)
        hints = _resolve_type_hints(target, where)
        self._docstring = _get_docstring(function)
        self.return_type = hints.pop("return", NO_DEFAULT)
        self.is_async = is_coroutine_function(function)
        self.context_parameter: str | None = None
        self.context_position: int | None = None
        self.parameters: list[HandlerParameter] = []
        if not reads_parameters:
            return
        for name, default, is_keyword_only in _read_parameters(function, target, where):
            # Parameters without a hint accept any JSON value.
            hint = hints.get(name, Any)
            if not _is_context_type(hint, context_type):
                parameter = _create_parameter(name, hint, default, is_keyword_only=is_keyword_only)
                self.parameters.append(parameter)
                continue
            self.context_parameter = name
            self.context_position = None if is_keyword_only else len(self.parameters)

    @property
    def keyword_only_names(self) -> list[str]:
        """The parameters that must be passed by keyword, which come last."""
        return [parameter.name for parameter in self.parameters if parameter.is_keyword_only]

    @property
    def description(self) -> str:
        """The description in the docstring."""
        return self._parse_docstring()[0]

    def get_parameter_descriptions(self) -> dict[str, str]:
        """Return the parameter descriptions in type hints, or else those in the docstring."""
        docstring_descriptions = self._parse_docstring()[1]
        return {
            parameter.name: parameter.description or docstring_descriptions.get(parameter.name, "")
            for parameter in self.parameters
        }

    def _parse_docstring(self) -> tuple[str, dict[str, str]]:
        return parse_docstring(self._docstring)


def list_struct_parameters(struct: type[msgspec.Struct]) -> list[HandlerParameter]:
    """Return the fields of a Struct as parameters, for a handler whose only argument is the Struct.

    Clients send the fields as the tool's arguments.
    """
    parameters = []
    for field in msgspec.structs.fields(struct):
        default = field.default
        if field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        parameters.append(
            _create_parameter(
                field.encode_name,
                field.type,
                NO_DEFAULT if default is msgspec.NODEFAULT else default,
                is_keyword_only=True,
            )
        )
    return parameters


def _create_parameter(
    name: str, hint: Any, default: object, *, is_keyword_only: bool
) -> HandlerParameter:
    """Return a parameter of a handler.

    Args:
        name: The name of the parameter.
        hint: Its type hint, which may contain a description, as in `Annotated[int, "in grams"]`.
        default: Its default, `NO_DEFAULT`, or a pydantic `Field` with a default and a description.
        is_keyword_only: Whether the handler accepts it only by name.
    """
    hint, description = _split_annotated(hint)
    if is_pydantic_field(default):
        hint, description, default = read_pydantic_field(hint, description, default)
    if default is None:
        hint = _make_optional(hint)
    return HandlerParameter(name, hint, default, description, is_keyword_only=is_keyword_only)


def is_coroutine_function(function: Callable[..., Any]) -> bool:
    """Return whether a callable is implemented by an `async def` function.

    A plain function that wraps one (`functools.wraps`) does not count, because it may return
    something other than a coroutine.
    """
    try:
        # `__wrapped__` would lead to the `async def` function. However, calling the wrapper runs
        # the wrapper's own code, so only that code is examined.
        function_with_code = _find_called_function(function)
    except DefinitionError:  # a callable written in C, such as functools.cache
        return False
    return bool(function_with_code.__code__.co_flags & _COROUTINE_FLAG)


def count_required_arguments(function: Callable[..., Any]) -> int:
    """Return the number of positional parameters without a default."""
    target = _unwrap_function(function)
    # A method's code object also lists `self`.
    bound_count = 1 if _is_bound_method(function, target) else 0
    return int(target.__code__.co_argcount) - bound_count - len(target.__defaults__ or ())


class ContextParameter(NamedTuple):
    """The handler parameter that receives the context."""

    name: str
    position: int | None
    """The position among the positional parameters. None if it is keyword-only."""
    is_only_parameter: bool


def find_context_parameter(
    function: Callable[..., Any], context_type: type
) -> ContextParameter | None:
    """Return the parameter that receives a handler's context, or None.

    Args:
        function: The handler.
        context_type: The context class, which must be the type hint of the parameter.
    """
    target = _unwrap_function(function)
    hints = _resolve_type_hints(target, getattr(function, "__name__", "handler"))
    code = target.__code__
    bound_count = 1 if _is_bound_method(function, target) else 0
    positional = code.co_varnames[bound_count : code.co_argcount]
    keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    for name in (*positional, *keywords):
        if _is_context_type(hints.get(name), context_type):
            position = positional.index(name) if name in positional else None
            return ContextParameter(name, position, len(positional) + len(keywords) == 1)
    return None


def _unwrap_function(function: Any) -> Any:
    """Return the Python function that defines a callable's parameters.

    For a wrapper made with `functools.wraps`, the wrapped function is returned, because the wrapper
    usually just takes `*args` and `**kwargs`.

    Raises:
        DefinitionError: The callable is not implemented in Python.
    """
    while True:
        is_wrapper = hasattr(function, "__wrapped__")
        inner = function.__wrapped__ if is_wrapper else _get_inner_callable(function)
        if inner is None:
            return function
        function = inner


def _find_called_function(function: Any) -> Any:
    """Return the Python function that runs first when a callable is called.

    Unlike `_unwrap_function`, this returns a wrapper rather than the function that it wraps.

    Raises:
        DefinitionError: The callable is not implemented in Python.
    """
    while (inner := _get_inner_callable(function)) is not None:
        function = inner
    return function


def _get_inner_callable(function: Any) -> Any:
    """Return the callable behind a partial, a method or an object; None for a plain function."""
    if hasattr(function, "func"):  # functools.partial
        return function.func
    if hasattr(function, "__func__"):  # a bound method
        return function.__func__
    if hasattr(function, "__code__"):
        return None
    # Python looks up special methods on the type, not on the object.
    call = vars(type(function)).get("__call__")
    if call is None or not hasattr(call, "__code__"):
        raise DefinitionError(
            f"{function!r} is not a Python function", hint="wrap it in one with type hints"
        )
    return call


def _is_bound_method(function: Any, target: Any) -> bool:
    """Return whether the first parameter of `target` is already bound, like `self`."""
    return hasattr(function, "__self__") or (
        function is not target
        and not hasattr(function, "__code__")
        and vars(type(function)).get("__call__") is target
    )


class _DeclaredParameter(NamedTuple):
    """A parameter as the code declares it, without its type hint."""

    name: str
    default: object
    is_keyword_only: bool


def _read_parameters(function: Any, target: Any, where: str) -> list[_DeclaredParameter]:
    """Return the names and defaults of a handler's parameters, in declaration order.

    They are read from the code object if possible, because importing `inspect` is slow.

    Args:
        function: The handler.
        target: The Python function behind the handler.
        where: The name of the tool or prompt, for error messages.
    """
    # The code object does not show which arguments a partial or a bound method has already bound.
    if function is not target:
        return _inspect_parameters(function, where)
    code = target.__code__
    if code.co_flags & _VARIADIC_FLAGS:
        raise _create_variadic_error(where)
    # co_varnames starts with positional parameters, followed by keyword-only ones.
    positional_names = code.co_varnames[: code.co_argcount]
    keyword_names = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    defaults = target.__defaults__ or ()
    # Defaults belong to the last positional parameters.
    required_count = len(positional_names) - len(defaults)
    positional_defaults = [*[NO_DEFAULT] * required_count, *defaults]
    keyword_defaults = target.__kwdefaults__ or {}
    positional_parameters = [
        _DeclaredParameter(name, default, False)
        for name, default in zip(positional_names, positional_defaults, strict=True)
    ]
    keyword_parameters = [
        _DeclaredParameter(name, keyword_defaults.get(name, NO_DEFAULT), True)
        for name in keyword_names
    ]
    return positional_parameters + keyword_parameters


def _inspect_parameters(function: Any, where: str) -> list[_DeclaredParameter]:
    """Return the parameter names and defaults of a partial, a method or an object.

    `_read_parameters` is faster, but can only read plain functions.

    Raises:
        DefinitionError: The callable has `*args` or `**kwargs`.
    """
    import inspect  # 14 ms, and most handlers are plain functions

    parameters = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise _create_variadic_error(where)
        default = NO_DEFAULT if parameter.default is parameter.empty else parameter.default
        is_keyword_only = parameter.kind is parameter.KEYWORD_ONLY
        parameters.append(_DeclaredParameter(parameter.name, default, is_keyword_only))
    return parameters


def _create_variadic_error(where: str) -> DefinitionError:
    return DefinitionError(
        "*args and **kwargs have no schema", where=where, hint="name each parameter"
    )


def _resolve_type_hints(target: Any, where: str) -> dict[str, Any]:
    """Return a function's type hints, evaluating those written as strings.

    Raises:
        DefinitionError: A hint refers to a name that does not exist at run time.
    """
    hints = dict(getattr(target, "__annotations__", None) or {})
    # Only hints in quotes need get_type_hints, which is slow.
    if not any(isinstance(hint, str) for hint in hints.values()):
        return hints
    try:
        return typing.get_type_hints(target, include_extras=True)
    except Exception as error:  # noqa: BLE001 - a hint in quotes can be any code
        raise DefinitionError(
            f"a type hint cannot be resolved: {error}",
            where=where,
            hint="import the type at module level, not under TYPE_CHECKING",
        ) from None


def _is_context_type(hint: Any, context_type: type) -> bool:
    """Return whether a type hint is the context class, a subclass, or an optional one."""
    if hint is context_type:
        return True
    if typing.get_origin(hint) is None:
        return isinstance(hint, type) and issubclass(hint, context_type)
    return any(_is_context_type(part, context_type) for part in typing.get_args(hint))


def _split_annotated(hint: Any) -> tuple[Any, str]:
    """Split a type hint into the hint without annotations and the description among these.

    For example, `Annotated[int, "in grams"]` gives `(int, "in grams")`. Constraints such as
    `Field(ge=0)` remain in the hint as `msgspec.Meta`.
    """
    if typing.get_origin(hint) is not typing.Annotated:
        return hint, ""
    inner_hint, *annotations = typing.get_args(hint)
    texts = [annotation for annotation in annotations if isinstance(annotation, str)]
    texts += [getattr(annotation, "description", None) or "" for annotation in annotations]
    for meta in map(to_msgspec_meta, annotations):
        if meta is not None:
            inner_hint = typing.Annotated[inner_hint, meta]
    return inner_hint, next(filter(None, texts), "")


def _make_optional(hint: Any) -> Any:
    """Return a type hint that also allows None, for a parameter whose default is None."""
    if hint is Any or type(None) in typing.get_args(hint):
        return hint
    try:
        return hint | None
    except TypeError:  # some valid hints, such as strings, do not support the operator
        return hint


def _get_docstring(function: Any) -> str | None:
    while hasattr(function, "func"):  # the docstring of a functools.partial describes `partial`
        function = function.func
    text = getattr(function, "__doc__", None)
    return text if isinstance(text, str) else None


# The patterns are compiled for the first docstring, because calls do not need descriptions.
_SECTION = (
    r"^(Args|Arguments|Parameters|Params|Returns?|Raises|Yields?|Examples?|Notes?|Warnings?|"
    r"See Also|Attributes|References|Todo):?\s*$"
)
_GOOGLE_ITEM = r"^(\s*)\*{0,2}(\w+)\s*(?:\(.*?\))?\s*:\s*(.*)$"
_NUMPY_ITEM = r"^\*{0,2}(\w+)\s*(?::.*)?$"
_SPHINX_ITEM = r"^\s*:(?:param|parameter|arg|argument)\s+(?:[^:]*\s)?\*{0,2}(\w+):\s*(.*)$"
_SPHINX_FIELD = r"^\s*:\w+[^:]*:"
_PARAMETER_SECTIONS = frozenset({"Args", "Arguments", "Parameters", "Params"})


def parse_docstring(text: str | None) -> tuple[str, dict[str, str]]:
    """Return the descriptions of a function and its parameters from its docstring.

    Google, NumPy and Sphinx styles are supported. Sections about return values, exceptions and the
    like are left out. For example, a docstring with the section `Args:` and the line
    `amount: In grams.` gives `{"amount": "In grams."}` for the parameters.
    """
    if not text:
        return "", {}
    first_line, _, remaining_text = text.strip("\n").partition("\n")
    lines = [first_line.strip(), *_dedent_lines(remaining_text)]
    description_lines: list[str] = []
    parameter_descriptions: dict[str, str] = {}
    index = 0
    while index < len(lines):
        line = lines[index]
        # An indented heading is part of other text.
        heading = re.match(_SECTION, line.strip()) if line == line.lstrip() or not index else None
        if heading:
            section_lines, index = _read_section(lines, index + 1)
            if heading[1] in _PARAMETER_SECTIONS:
                parameter_descriptions.update(_parse_parameter_descriptions(section_lines))
            continue
        if re.match(_SPHINX_FIELD, line):
            field_lines, index = _read_sphinx_field(lines, index)
            parameter_descriptions.update(_parse_sphinx_field(field_lines))
            continue
        description_lines.append(line)
        index += 1
    return "\n".join(description_lines).strip(), parameter_descriptions


def _dedent_lines(text: str) -> list[str]:
    lines = text.expandtabs().splitlines()
    margin = min((_count_indent(line) for line in lines if line.strip()), default=0)
    return [line[margin:] for line in lines]


def _read_section(lines: list[str], start: int) -> tuple[list[str], int]:
    """Return the lines of a docstring's section, and the index of the first line after it.

    Args:
        lines: The lines of the docstring.
        start: The index of the line after the section's heading. In NumPy style, this line
            underlines the heading with hyphens.
    """
    is_numpy = start < len(lines) and set(lines[start].strip()) == {"-"}
    index = start + 1 if is_numpy else start
    section_lines: list[str] = []
    while index < len(lines):
        line = lines[index]
        # A Google section is indented, so it also ends at the first unindented line.
        if re.match(_SECTION, line) or (not is_numpy and line and not line[0].isspace()):
            break
        section_lines.append(line)
        index += 1
    return section_lines, index


def _parse_parameter_descriptions(section_lines: list[str]) -> dict[str, str]:
    """Return the descriptions in a docstring section such as `Args:`, by parameter name.

    Args:
        section_lines: The lines of the section without its heading.
    """
    text_lines = [line for line in section_lines if line.strip()]
    if not text_lines:
        return {}
    margin = min(_count_indent(line) for line in text_lines)
    # Google style indents items below the heading, NumPy style does not.
    pattern = _GOOGLE_ITEM if margin else _NUMPY_ITEM
    texts_by_name: dict[str, list[str]] = {}
    current_texts: list[str] | None = None
    for line in text_lines:
        match = re.match(pattern, line[margin:]) if _count_indent(line) == margin else None
        if match:
            name, text = (match[2], match[3]) if margin else (match[1], "")
            current_texts = texts_by_name.setdefault(name, [])
            current_texts.append(text)
        elif current_texts is not None:
            current_texts.append(line.strip())
    return {name: " ".join(texts).strip() for name, texts in texts_by_name.items()}


def _count_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _read_sphinx_field(lines: list[str], start: int) -> tuple[list[str], int]:
    index = start + 1
    while index < len(lines) and lines[index].strip() and not re.match(_SPHINX_FIELD, lines[index]):
        index += 1
    return lines[start:index], index


def _parse_sphinx_field(block: list[str]) -> dict[str, str]:
    match = re.match(_SPHINX_ITEM, block[0])
    if not match:
        return {}
    return {match[1]: " ".join([match[2], *(line.strip() for line in block[1:])]).strip()}
