"""Constraints on a parameter, whoever has invented the notation.

msgspec's `Meta` is used as it is. Pydantic's `Field`, in `Annotated` or as a default, and the
`annotated_types` behind it are translated, without importing either.

What a function takes: its parameters, their types, defaults and descriptions.

Reads the function's code object where it can, since `inspect` costs more than everything else on
the way to the first call; callables that are no plain functions are left to `inspect`.
"""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.tool import NO_DEFAULT
from paddock.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Callable


_CONSTRAINT_NAMES = ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")


def to_msgspec_meta(note: Any) -> Any:
    """What a note in `Annotated` demands, as msgspec knows it; None when it demands nothing."""
    if isinstance(note, msgspec.Meta):
        return note
    found: dict[str, Any] = {}
    for part in (note, *(getattr(note, "metadata", None) or ())):
        for bound in _CONSTRAINT_NAMES:
            value = getattr(part, bound, None)
            if value is not None and not callable(value):
                found[bound] = value
    return msgspec.Meta(**found) if found else None


def is_pydantic_field(default: object) -> bool:
    """Whether a default is pydantic's way to say more about a parameter."""
    kind = type(default)
    return kind.__name__ == "FieldInfo" and kind.__module__.startswith("pydantic")


def read_pydantic_field(hint: Any, note: str, field: Any) -> tuple[Any, str, object]:
    """The type, description and default of a parameter whose default is a `Field`."""
    meta = to_msgspec_meta(field)
    if meta is not None:
        hint = typing.Annotated[hint, meta]
    is_required = field.is_required() or field.default_factory is not None
    default = NO_DEFAULT if is_required else field.default
    if field.default_factory is not None:
        default = field.default_factory()
    return hint, note or field.description or "", default


_COROUTINE_FLAG = 0x80
_VARIADIC_FLAGS = 0x04 | 0x08


class HandlerParameter:
    """One parameter of a function."""

    __slots__ = ("default", "description", "is_keyword_only", "name", "type_hint")

    def __init__(
        self, name: str, hint: Any, default: object, note: str, *, is_keyword_only: bool
    ) -> None:
        self.name = name
        self.type_hint = hint
        self.default = default
        self.description = note
        self.is_keyword_only = is_keyword_only

    @property
    def is_required(self) -> bool:
        """Whether a call must give it."""
        return self.default is NO_DEFAULT


class HandlerSignature:
    """The parameters of a function, its return type, and which parameter takes the context."""

    __slots__ = (
        "_docstring",
        "context_parameter",
        "context_position",
        "is_async",
        "parameters",
        "return_type",
    )

    def __init__(
        self,
        function: Callable[..., Any],
        context_type: type,
        where: str,
        *,
        is_schema_needed: bool = True,
    ) -> None:
        target = _unwrap_function(function)
        hints = _resolve_type_hints(target, where)
        self._docstring = _get_docstring(function)
        self.return_type = hints.pop("return", NO_DEFAULT)
        self.is_async = is_coroutine_function(function)
        self.context_parameter: str | None = None
        self.context_position: int | None = None
        self.parameters: list[HandlerParameter] = []
        if not is_schema_needed:
            return
        for name, default, is_keyword_only in _read_parameters(function, target, where):
            hint = hints.get(name, Any)
            if _is_context_type(hint, context_type):
                self.context_parameter = name
                self.context_position = None if is_keyword_only else len(self.parameters)
                continue
            self.parameters.append(
                _create_parameter(name, hint, default, is_keyword_only=is_keyword_only)
            )

    @property
    def keyword_only_names(self) -> list[str]:
        """The parameters that can only be given by name; they come last."""
        return [taken.name for taken in self.parameters if taken.is_keyword_only]

    @property
    def description(self) -> str:
        """What the docstring says about the function."""
        return self._parse_docstring()[0]

    def get_parameter_descriptions(self) -> dict[str, str]:
        """What hints and docstring say about the parameters."""
        found = self._parse_docstring()[1]
        return {
            taken.name: taken.description or found.get(taken.name, "") for taken in self.parameters
        }

    def _parse_docstring(self) -> tuple[str, dict[str, str]]:
        # Not needed to call the function, so not part of the way to the first call.
        from paddock.authoring.docstring_parser import parse_docstring  # noqa: PLC0415 - see above

        return parse_docstring(self._docstring)


def _create_parameter(
    name: str, hint: Any, default: object, *, is_keyword_only: bool
) -> HandlerParameter:
    hint, note = _split_annotated(hint)
    if is_pydantic_field(default):
        hint, note, default = read_pydantic_field(hint, note, default)
    if default is None:
        hint = _make_optional(hint)
    return HandlerParameter(name, hint, default, note, is_keyword_only=is_keyword_only)


def is_coroutine_function(function: Callable[..., Any]) -> bool:
    """Whether a function is written as a coroutine.

    A plain wrapper around one is not: what it does with the coroutine is its own business.
    """
    try:
        called = _unwrap_function(function, is_unwrapped=False)
    except DefinitionError:  # a wrapper written in C, such as functools.cache
        return False
    return bool(called.__code__.co_flags & _COROUTINE_FLAG)


def count_required_arguments(function: Callable[..., Any]) -> int:
    """How many positional arguments a function cannot do without."""
    target = _unwrap_function(function)
    bound = 1 if _is_bound_method(function, target) else 0
    return int(target.__code__.co_argcount) - bound - len(target.__defaults__ or ())


def find_context_parameter(
    function: Callable[..., Any], context_type: type
) -> tuple[str | None, int | None, bool]:
    """The parameter that takes the context, by its type: its name, and its place if it has one.

    And whether there is another parameter, for the arguments.
    """
    target = _unwrap_function(function)
    hints = _resolve_type_hints(target, getattr(function, "__name__", "handler"))
    code = target.__code__
    bound = 1 if _is_bound_method(function, target) else 0
    positional = code.co_varnames[bound : code.co_argcount]
    keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    for name in (*positional, *keywords):
        if _is_context_type(hints.get(name), context_type):
            place = positional.index(name) if name in positional else None
            return name, place, len(positional) + len(keywords) > 1
    return None, None, True


def _unwrap_function(function: Any, *, is_unwrapped: bool = True) -> Any:
    """The function whose code runs when a callable is called, or the one that it wraps."""
    while True:
        if is_unwrapped and hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif hasattr(function, "func"):  # functools.partial
            function = function.func
        elif hasattr(function, "__func__"):  # a bound method
            function = function.__func__
        elif hasattr(function, "__code__"):
            return function
        else:
            call = vars(type(function)).get("__call__")
            if call is None or not hasattr(call, "__code__"):
                raise DefinitionError(
                    f"{function!r} is not a Python function", hint="wrap it in one with type hints"
                )
            function = call


def _is_bound_method(function: Any, target: Any) -> bool:
    return hasattr(function, "__self__") or (
        function is not target
        and not hasattr(function, "__code__")
        and vars(type(function)).get("__call__") is target
    )


def _read_parameters(function: Any, target: Any, where: str) -> list[tuple[str, object, bool]]:
    if function is not target:
        return _inspect_parameters(function, where)
    code = target.__code__
    if code.co_flags & _VARIADIC_FLAGS:
        raise _create_variadic_error(where)
    count, keyword_only = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames[: count + keyword_only]
    defaults = target.__defaults__ or ()
    named = target.__kwdefaults__ or {}
    first = count - len(defaults)
    positional = [
        (name, defaults[index - first] if index >= first else NO_DEFAULT, False)
        for index, name in enumerate(names[:count])
    ]
    return positional + [(name, named.get(name, NO_DEFAULT), True) for name in names[count:]]


def _inspect_parameters(function: Any, where: str) -> list[tuple[str, object, bool]]:
    import inspect  # noqa: PLC0415 - 14 ms, for callables that are no plain functions

    found = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise _create_variadic_error(where)
        default = NO_DEFAULT if parameter.default is parameter.empty else parameter.default
        is_keyword_only = parameter.kind is parameter.KEYWORD_ONLY
        found.append((parameter.name, default, is_keyword_only))
    return found


def _create_variadic_error(where: str) -> DefinitionError:
    return DefinitionError(
        "*args and **kwargs have no schema", where=where, hint="name each parameter"
    )


def _resolve_type_hints(target: Any, where: str) -> dict[str, Any]:
    hints = dict(getattr(target, "__annotations__", None) or {})
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
    if hint is context_type:
        return True
    if typing.get_origin(hint) is None:
        return isinstance(hint, type) and issubclass(hint, context_type)
    return any(_is_context_type(part, context_type) for part in typing.get_args(hint))


def _split_annotated(hint: Any) -> tuple[Any, str]:
    """A type hint, and the description in it: `Annotated[int, "how many"]`."""
    if typing.get_origin(hint) is not typing.Annotated:
        return hint, ""
    inner, *notes = typing.get_args(hint)
    texts = [note for note in notes if isinstance(note, str)]
    described = [getattr(note, "description", None) for note in notes]
    for note in (to_msgspec_meta(note) for note in notes):
        if note is not None:
            inner = typing.Annotated[inner, note]
    return inner, next((text for text in (*texts, *described) if text), "")


def _make_optional(hint: Any) -> Any:
    """A type that admits None too, since that is the default."""
    if hint is Any or type(None) in typing.get_args(hint):
        return hint
    try:
        return hint | None
    except TypeError:
        return hint


def _get_docstring(function: Any) -> str | None:
    while hasattr(function, "func"):  # a partial has only a docstring about partials
        function = function.func
    text = getattr(function, "__doc__", None)
    return text if isinstance(text, str) else None
