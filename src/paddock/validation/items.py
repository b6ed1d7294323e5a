"""Single definitions: whether a tool, a prompt or a resource can be made of one."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.entries import build_tool_entry
from paddock.authoring.invocation import ToolInvoker
from paddock.authoring.prompt import Prompt
from paddock.authoring.reading import ResourceReader
from paddock.authoring.rendering import PromptRenderer
from paddock.authoring.text_template import list_placeholders
from paddock.authoring.tool import Tool
from paddock.errors import DefinitionError, PaddockError
from paddock.extensions.keys import normalize_key
from paddock.extensions.paclets.string_templates import StringTemplateHandler, list_slots
from paddock.extensions.prompt_definition import make_prompt
from paddock.extensions.references import is_reference
from paddock.extensions.resource_definition import make_resource
from paddock.extensions.tool_definition import make_tool
from paddock.server import Server
from paddock.validation.references import FunctionStub, check_file_reference, check_reference

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.extensions.manifest import ItemKind
    from paddock.validation.finding import FindingLocation
    from paddock.validation.subject import ValidationSubject

_ITEM_FACTORIES: dict[str, Callable[..., Any]] = {
    "tools": make_tool,
    "prompts": make_prompt,
    "resources": make_resource,
}
_CONTENT_KEYS = ("content", "function")
_FUNCTION_KEYS = ("function", "handler", "initialization")


class LoadedDefinition(NamedTuple):
    """A definition that has been read, and where it stands."""

    kind: ItemKind
    value: object
    file: str
    """The file's name among those of the extension."""
    location: FindingLocation
    name: str | None = None


def check_item(definition: LoadedDefinition, subject: ValidationSubject) -> None:
    """Tell of everything that keeps an item from being made, and of a missing description."""
    if _is_prompt_without_content(definition):
        subject.findings.add(
            "prompt-without-content",
            "there is no content",
            definition.location,
            "give a text, a template or a function as its content",
        )
        return
    value = _resolve_functions(definition, subject)
    try:
        made = _ITEM_FACTORIES[definition.kind](
            value,
            relative_to=Path(subject.get_path(definition.file)).parent,
            where=str(definition.location),
            name=definition.name,
        )
        described = _get_description(definition.kind, made)
    except PaddockError as error:
        if not (error.where or "").startswith(definition.location.file):
            error.where = None  # the name of the item
        code = f"invalid-{definition.kind.removesuffix('s')}"
        subject.findings.add_error(code, error, definition.location)
        return
    _report_unfilled_placeholders(made, definition, subject)
    is_known = not _has_stub(value)
    if definition.kind != "resources" and is_known and not (described or "").strip():
        word = definition.kind.removesuffix("s")
        subject.findings.add(
            "missing-description",
            f"the {word} {made.name!r} has no description",
            definition.location,
            "say what it does: models and people choose by it",
        )


def _is_prompt_without_content(definition: LoadedDefinition) -> bool:
    value = definition.value
    if definition.kind != "prompts" or not isinstance(value, Mapping):
        return False
    contents = [one for key, one in value.items() if normalize_key(str(key)) in _CONTENT_KEYS]
    return not any(one is not None and one not in ("", []) for one in contents)


def _resolve_functions(definition: LoadedDefinition, subject: ValidationSubject) -> object:
    """A definition with its references resolved, each that leads nowhere told of."""
    value = definition.value
    if not isinstance(value, Mapping):
        return value
    keys = {normalize_key(str(key)): key for key in value}
    is_function = str(value.get(keys.get("type"), "")).lower() == "function"
    wanted = (*_FUNCTION_KEYS, "content") if is_function else _FUNCTION_KEYS
    found = dict(value)
    for key, spelled in keys.items():
        given = value[spelled]
        if not isinstance(given, str):
            continue
        place = definition.location._replace(key=str(spelled))
        if key in wanted and is_reference(given):
            found[spelled] = check_reference(given, subject, definition.file, place)
        elif key == "file" and definition.kind == "resources" and subject.is_static:
            check_file_reference(given, subject, definition.file, place)
            del found[spelled]
            found["text"] = ""
    return found


def _has_stub(value: object) -> bool:
    return isinstance(value, Mapping) and any(isinstance(one, FunctionStub) for one in value.values())


def _get_description(kind: ItemKind, made: Any) -> str | None:
    """What the item says of itself to those who see it; with it, that it can be served."""
    scratch = Server("scratch")
    text: object
    if isinstance(made, Tool):
        ToolInvoker(made, scratch)
        if made.input_schema is not None or made.parameters is not None:
            _check_accepts_arguments(made.handler)
        text = build_tool_entry(made).get("description")
    elif kind == "prompts":
        text = PromptRenderer(made, scratch).description
        if made.takes_dictionary:
            _check_accepts_arguments(made.handler)
    else:
        text = ResourceReader(made, scratch).description
    return text if isinstance(text, str) else None


def _check_accepts_arguments(handler: Callable[..., Any]) -> None:
    """Refuse a function that is to be called with a dictionary and takes nothing at all."""
    try:
        taken = inspect.signature(handler).parameters
    except (TypeError, ValueError):
        return
    if not taken and not isinstance(handler, FunctionStub):
        raise DefinitionError(
            "the function takes no argument",
            hint="with parameters or arguments of its own, a definition's function is called with "
            "a dictionary of them",
        )


def _report_unfilled_placeholders(made: Any, definition: LoadedDefinition, subject: ValidationSubject) -> None:
    """Tell of blanks in a prompt's text that no argument can fill."""
    if not isinstance(made, Prompt) or made.arguments is None:
        return
    if isinstance(made.handler, StringTemplateHandler):
        blanks = list_slots(made.handler.text)
    elif made.handler is None and isinstance(made.messages, str):
        blanks = list_placeholders(made.messages)
    else:
        return
    known = {one.name for one in made.arguments}
    for blank in dict.fromkeys(blanks):
        if blank not in known:
            subject.findings.add(
                "unfilled-blank",
                f"the prompt {made.name!r} has a blank {blank!r}, and no such argument",
                definition.location,
                f"its arguments: {', '.join(known) or 'none'}",
            )
