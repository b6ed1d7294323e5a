"""Converts Wolfram definitions of tools, prompts and servers to property tables.

The tables have the same form as TOML definitions, so `make_tool`, `make_prompt` and
`parse_definition` work with both. Tools can be associations or `LLMTool` expressions. Functions
become `WolframFunction` objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.errors import DefinitionError, LoadError
from paddock.extensions.errors import PromptSpecificationError, ToolSpecificationError
from paddock.extensions.names import normalize_key
from paddock.extensions.paclets.interpreter_schema import (
    InterpreterSchemaBuilder,
    format_interpreter,
)
from paddock.extensions.paclets.property_tables import (
    describe_value,
    get_arguments,
    get_head_name,
    get_symbol_name,
    get_text,
    is_missing,
    to_key,
    to_plain_data,
    to_table,
)
from paddock.extensions.paclets.wolfram_function import (
    StringTemplateHandler,
    WolframFunction,
    WolframInitialization,
    list_slots,
)
from paddock.wolfram.literals import RuleValue, StringTemplate, UnevaluatedExpression

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.authoring.context import Context
    from paddock.extensions.paclets.function_owner import FunctionOwner
    from paddock.extensions.paclets.property_tables import PropertyDict

    PromptArgumentTable = dict[str, object]


JsonSchema = dict[str, Any]
_DETAIL_KEYS = frozenset({"Interpreter", "Help", "Required", "Default", "Description"})
_PARAMETERS_HINT = 'expected {"name" -> <| "Interpreter" -> …, "Help" -> …, "Required" -> … |>, …}'
LLM_TOOL_HEAD = "LLMTool"
_POSITIONAL_KEYS = ("Parameters", "Function")
EVALUATOR_KEY = "LLMEvaluator"
_CONFIGURATION_HEAD = "LLMConfiguration"
_TEXT_KEYS = (
    *("Name", "Title", "DisplayName", "Description"),
    *("ServerVersion", "MCPServerName", "Transport"),
)


def read_tool_parameters(value: object, where: str) -> tuple[JsonSchema, dict[str, str]]:
    """Convert the `Parameters` property of a Wolfram tool definition to an input schema.

    A parameter is a name, a name with a type, or a name with properties, such as `"n" ->
    <|"Interpreter" -> "Integer", "Required" -> False|>`. Parameters are required by default.

    Args:
        value: The value of the property as data.
        where: The location of the definition, for errors.

    Returns:
        The input schema, and the interpreter of each parameter as source text.

    Raises:
        ToolSpecificationError: A parameter is invalid.
    """
    properties: JsonSchema = {}
    interpreters: dict[str, str] = {}
    required: list[str] = []
    for name, parameter in _iterate_parameters(value, where):
        parameter_location = f"{where}: Parameters: {name}"
        if name in properties:
            raise ToolSpecificationError("the parameter is defined twice", where=parameter_location)
        details = _read_details(parameter)
        interpreter = details.get("Interpreter")
        properties[name] = _make_parameter_schema(details, parameter_location)
        interpreters[name] = format_interpreter(interpreter)
        if _is_required(details, parameter_location):
            required.append(name)
    schema: JsonSchema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return schema, interpreters


def _iterate_parameters(value: object, where: str) -> Iterator[tuple[str, object]]:
    """Yield the name and definition of each parameter of a Wolfram tool.

    Parameters can be written in any form that Wolfram's `LLMTool` accepts: an association, a rule,
    a name, or a list of these. A name without a definition gets `"String"`.

    Raises:
        ToolSpecificationError: The value has another form.
    """
    if is_missing(value):
        return
    table = to_table(value) if isinstance(value, Mapping | RuleValue) else None
    if table is not None:
        yield from table.items()
        return
    for item in value if isinstance(value, list) else [value]:
        item_table = to_table(item) if isinstance(item, RuleValue | Mapping) else None
        if isinstance(item, str) and item:
            yield item, "String"
        elif item_table is not None:
            yield from item_table.items()
        else:
            problem = f"Parameters has {describe_value(item)}"
            raise ToolSpecificationError(problem, where=where, hint=_PARAMETERS_HINT)


def _read_details(value: object) -> dict[str, Any]:
    """Return the properties of a parameter. If there is only a type, it is the interpreter."""
    table = to_table(value) if isinstance(value, Mapping | list) and value else None
    return table if table is not None and table.keys() & _DETAIL_KEYS else {"Interpreter": value}


def _make_parameter_schema(details: dict[str, Any], where: str) -> JsonSchema:
    """Return the JSON Schema for a parameter, such as `{"type": "integer", "description": "…"}`.

    Args:
        details: The properties of the parameter, such as `{"Interpreter": "Integer", "Help": "…"}`.
        where: The location of the parameter, for errors.
    """
    schema_builder = InterpreterSchemaBuilder()
    schema = schema_builder.build_schema(details.get("Interpreter"))
    help_text = get_text(details, "Help", where) or get_text(details, "Description", where) or ""
    sentences = [help_text, schema_builder.format_note()]
    description = " ".join(sentence for sentence in sentences if sentence)
    if description:
        schema["description"] = description
    default = details.get("Default")
    if not is_missing(default):
        schema["default"] = to_plain_data(default)
    return schema


def _is_required(details: dict[str, Any], where: str) -> bool:
    """Return whether the model must pass a parameter.

    A parameter with a default is optional, even if it has `"Required" -> True`.

    Args:
        details: The properties of the parameter, such as `{"Interpreter": "Integer", "Help": "…"}`.
        where: The location of the parameter, for errors.

    Raises:
        ToolSpecificationError: The `Required` property is not a boolean.
    """
    required = details.get("Required", True)
    if isinstance(required, bool):
        return required and is_missing(details.get("Default"))
    if is_missing(required):
        return True
    problem = f"Required is {describe_value(required)}"
    raise ToolSpecificationError(problem, where=where, hint="expected True or False")


def read_tool_table(value: object) -> PropertyDict | None:
    """Return the properties of a tool written as an association or an `LLMTool`.

    Wolfram Language accepts `LLMTool[<|…|>]`, `LLMTool[name, parameters, function]` and
    `LLMTool[{name, description}, parameters, function]`. For other values, return None.
    """
    if get_head_name(value) != LLM_TOOL_HEAD:
        return to_table(value)
    first_argument, *other_arguments = get_arguments(value) or [None]
    table = to_table(first_argument) if not isinstance(first_argument, str) else None
    if table is not None and first_argument != []:
        return table
    name, description = first_argument, None
    if isinstance(first_argument, list) and len(first_argument) == 2:
        name, description = first_argument
    table = {"Name": name, **dict(zip(_POSITIONAL_KEYS, other_arguments, strict=False))}
    return table if description is None else {**table, "Description": description}


def make_tool_properties(
    table: PropertyDict, owner: FunctionOwner, where: str
) -> Mapping[str, object]:
    """Convert a Wolfram tool definition to properties that `make_tool` accepts.

    The tool's function becomes a `WolframFunction`, a handler that calls it in a kernel.

    Args:
        table: The properties as written, such as `{"Parameters": …, "Function": …}`.
        owner: The tool.
        where: The location of the definition, for errors.

    Raises:
        ToolSpecificationError: There is no function, or a property is invalid.
    """
    schema, interpreters = read_tool_parameters(table.get("Parameters", []), where)
    initialization = table.get("Initialization")
    properties: dict[str, object] = {
        "name": get_text(table, "Name", where) or owner.item,
        "description": get_text(table, "Description", where) or "",
        "input_schema": schema,
        "function": WolframFunction(
            _read_function(table, where),
            owner,
            initialization=None if is_missing(initialization) else to_plain_data(initialization),
            interpreters=interpreters,
        ),
        "options": _read_options(table.get("Options", []), where),
    }
    title = get_text(table, "DisplayName", where)
    return properties if title is None else {**properties, "title": title}


def _read_function(table: PropertyDict, where: str) -> str:
    """Return the source code in a tool's `Function` property.

    Raises:
        ToolSpecificationError: The property is missing or is not code.
    """
    function = table.get("Function")
    if isinstance(function, UnevaluatedExpression):
        return function.text
    problem = (
        "there is no Function" if function is None else f"Function is {describe_value(function)}"
    )
    hint = 'as in "Function" -> MyPackage`myFunction, or "Function" -> (…&)'
    raise ToolSpecificationError(problem, where=where, hint=hint)


def _read_options(value: object, where: str) -> dict[str, object]:
    table = to_table([]) if is_missing(value) else to_table(value)
    if table is None:
        problem = f"Options is {describe_value(value)}"
        raise ToolSpecificationError(problem, where=where, hint='as in {"MaxItems" -> 10}')
    return {key: get_symbol_name(option) or to_plain_data(option) for key, option in table.items()}


def make_prompt_properties(
    table: PropertyDict, owner: FunctionOwner, where: str
) -> Mapping[str, object]:
    """Convert a Wolfram prompt definition to properties that `make_prompt` accepts.

    Args:
        table: The properties as written, such as `{"Content": …, "Arguments": …}`.
        owner: The prompt.
        where: The location of the definition, for errors.

    Raises:
        PromptSpecificationError: The content or an argument is invalid.
    """
    content = table.get("Content")
    arguments = _read_prompt_arguments(table, where)
    if isinstance(content, StringTemplate) and arguments is None:
        arguments = [dict[str, object](name=name) for name in list_slots(content.text)]
    is_function = (to_key(table.get("Type")) or "").lower() == "function"
    prompt_content = _make_prompt_content(content, arguments or [], owner, is_function=is_function)
    if prompt_content is None:
        problem = (
            "there is no Content" if content is None else f"Content is {describe_value(content)}"
        )
        hint = "expected a string, a StringTemplate or a function"
        raise PromptSpecificationError(problem, where=where, hint=hint)
    properties: dict[str, object] = {
        "name": get_text(table, "Name", where) or owner.item,
        "description": get_text(table, "Description", where) or "",
        "type": "Text" if isinstance(prompt_content, str) else "Function",
        "content": prompt_content,
        "arguments": arguments or [],
    }
    title = get_text(table, "DisplayName", where) or get_text(table, "Title", where)
    return properties if title is None else {**properties, "title": title}


def _make_prompt_content(
    content: object,
    arguments: list[PromptArgumentTable],
    owner: FunctionOwner,
    *,
    is_function: bool,
) -> str | Callable[[dict[str, str], Context], Any] | None:
    """Return a prompt's text, or a function that creates the text from the arguments.

    Args:
        content: The value of the `Content` property: a text, a list of texts, a Wolfram function or
            a `StringTemplate` (a text with slots such as `` `topic` ``).
        arguments: The prompt's arguments, whose order matters for numbered slots.
        owner: The prompt.
        is_function: True if the `Type` property is `Function`, which means that a text is invalid.

    Returns:
        None if the content is invalid.
    """
    if isinstance(content, UnevaluatedExpression) and not is_missing(content):
        return WolframFunction(content.text, owner)
    if isinstance(content, StringTemplate):
        names = [str(argument.get("name")) for argument in arguments]
        return StringTemplateHandler(content.text, names, owner)
    if is_function:
        return None
    if isinstance(content, list):
        return _join_texts(content)
    return content if isinstance(content, str) else None


def _join_texts(parts: list[object]) -> str | None:
    """Join the elements of a list that forms a prompt's content.

    An element is a text, or an association such as `<|"Text" -> "…"|>`. If the list is empty or
    contains anything else, return None.
    """
    texts: list[str] = []
    for part in parts:
        table = to_table(part) if isinstance(part, Mapping) else None
        text = part if table is None else table.get("Text", table.get("text"))
        if not isinstance(text, str):
            return None
        texts.append(text)
    return "".join(texts) if texts else None


def _read_prompt_arguments(table: PropertyDict, where: str) -> list[PromptArgumentTable] | None:
    """Return the arguments listed in a prompt's `Arguments` property, or None if absent."""
    arguments = table.get("Arguments")
    if is_missing(arguments):
        return None
    return [
        _read_prompt_argument(argument, where)
        for argument in (arguments if isinstance(arguments, list) else [arguments])
    ]


def _read_prompt_argument(argument: object, where: str) -> PromptArgumentTable:
    """Convert a prompt argument, which is a name or an association with its properties.

    For example, `<|"Name" -> "topic", "Required" -> True|>` becomes
    `{"name": "topic", "required": True}`.

    Raises:
        PromptSpecificationError: The argument has any other form, or would have to be evaluated.
    """
    if isinstance(argument, str):
        return {"name": argument}
    table = to_table(argument) or {}
    values = [value for value in table.values() if not is_missing(value)]
    if not table or any(isinstance(value, UnevaluatedExpression) for value in values):
        raise PromptSpecificationError(
            f"Arguments has {describe_value(argument)}",
            where=where,
            hint='expected <| "Name" -> …, "Description" -> …, "Required" -> … |>',
        )
    return {normalize_key(key): value for key, value in table.items() if not is_missing(value)}


def make_server_properties(
    table: PropertyDict, owner: FunctionOwner, where: str
) -> Mapping[str, object]:
    """Convert a Wolfram server definition to properties that `parse_definition` accepts.

    The server's version defaults to that of the paclet. Inline tool and prompt definitions are
    converted too.

    Args:
        table: The properties as written.
        owner: The server.
        where: The location of the definition, for errors.

    Raises:
        DefinitionError: `LLMEvaluator` is missing or invalid.
        LoadError: A value would have to be evaluated.
    """
    properties = {key: value for key, value in table.items() if not is_missing(value)}
    evaluator = _read_evaluator(properties, where)
    for key in _TEXT_KEYS:
        if key in properties:
            properties[key] = get_text(properties, key, where)
    if not {"ServerVersion", "Version"} & properties.keys() and owner.version:
        properties["ServerVersion"] = owner.version
    initialization = properties.pop("Initialization", None)
    server_table = {
        key: to_plain_data(value) for key, value in properties.items() if key != EVALUATOR_KEY
    }
    if initialization is not None:
        server_table["Initialization"] = WolframInitialization(to_plain_data(initialization), owner)
    return {**server_table, EVALUATOR_KEY: _convert_evaluator(evaluator, owner, where)}


def _read_evaluator(table: PropertyDict, where: str) -> PropertyDict:
    """Return the contents of a server's `LLMEvaluator` property, which lists tools and prompts.

    In the Wolfram Language, it is an association `<|…|>` or `LLMConfiguration[<|…|>]`.

    Raises:
        DefinitionError: The property is missing or not a table.
    """
    value = table.get(EVALUATOR_KEY)
    if get_head_name(value) == _CONFIGURATION_HEAD:
        value = (get_arguments(value) or [None])[0]
    evaluator = None if value is None else to_table(value)
    if evaluator is None:
        problem = "there is no" if value is None else f"{describe_value(value)} is not a table for"
        hint = f'as in "{EVALUATOR_KEY}" -> <| "Tools" -> {{…}}, "MCPPrompts" -> {{…}} |>'
        raise DefinitionError(f"{problem} {EVALUATOR_KEY}", where=where, hint=hint)
    return evaluator


def _convert_evaluator(
    evaluator: PropertyDict, owner: FunctionOwner, where: str
) -> dict[str, object]:
    """Convert the contents of a server's `LLMEvaluator` property to plain data.

    Tools and prompts that are defined inline, rather than referred to by name, become properties
    for `make_tool` and `make_prompt`.
    """
    properties = {key: value for key, value in evaluator.items() if not is_missing(value)}
    item_lists = {
        key: _convert_item_list(properties.pop(key), make_inline, owner, f"{where}: {key}")
        for key, make_inline in _INLINE_ITEM_MAKERS.items()
        if key in properties
    }
    other_properties = {
        key: _read_evaluator_property(value, where) for key, value in properties.items()
    }
    return {**other_properties, **item_lists}


def _convert_item_list(
    value: object,
    make_inline: Callable[[object, FunctionOwner, str], object],
    owner: FunctionOwner,
    where: str,
) -> object:
    """Convert a server's list of tools or prompts, which can be nested.

    Names are returned unchanged. Inline definitions are converted with `make_inline`.
    """
    if isinstance(value, list):
        return [_convert_item_list(item, make_inline, owner, where) for item in value]
    return value if isinstance(value, str) else make_inline(value, owner, where)


def _make_inline_tool(value: object, owner: FunctionOwner, where: str) -> object:
    is_tool = isinstance(value, Mapping) or get_head_name(value) == LLM_TOOL_HEAD
    table = read_tool_table(value) if is_tool else None
    if table is None:
        return to_plain_data(value)
    return make_tool_properties(table, _make_inline_owner(owner, "tool", table), where)


def _make_inline_prompt(value: object, owner: FunctionOwner, where: str) -> object:
    table = to_table(value) if isinstance(value, Mapping) else None
    if table is None:
        return to_plain_data(value)
    return make_prompt_properties(table, _make_inline_owner(owner, "prompt", table), where)


def _make_inline_owner(owner: FunctionOwner, kind: str, table: PropertyDict) -> FunctionOwner:
    """Return the owner of an inline item's function, for error messages to name."""
    name = table.get("Name")
    return owner._replace(kind=kind, item=name if isinstance(name, str) else owner.item)


_INLINE_ITEM_MAKERS: dict[str, Callable[[object, FunctionOwner, str], Any]] = {
    "Tools": _make_inline_tool,
    "MCPPrompts": _make_inline_prompt,
}


def _read_evaluator_property(value: object, where: str) -> object:
    """Return a property of `LLMEvaluator` other than the item lists, as plain data.

    An example is `Prompts`, which contains the instructions for the model.

    Raises:
        LoadError: The value would have to be evaluated.
    """
    texts = value if isinstance(value, list) else [value]
    if any(isinstance(text, UnevaluatedExpression | StringTemplate) for text in texts):
        raise LoadError(
            f"{describe_value(value)} would have to be evaluated",
            where=where,
            hint="write it as a string",
        )
    return to_plain_data(value)
