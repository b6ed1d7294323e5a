"""References in definitions: whether `package.module:name` and `file.py:name` lead somewhere.

Where nothing may be run, files that are at hand are read instead; of what is elsewhere nothing
is said.

Single definitions: whether a tool, a prompt or a resource can be made of one.
"""

from __future__ import annotations

import inspect
import posixpath
from collections.abc import Mapping
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.prompt import Prompt
from paddock.authoring.prompt_renderer import PromptRenderer, list_placeholders
from paddock.authoring.resource_reader import ResourceReader
from paddock.authoring.tool import Tool
from paddock.authoring.tool_invoker import ToolInvoker, build_tool_entry
from paddock.errors import DefinitionError, LoadError, PaddockError
from paddock.extensions.names import normalize_key
from paddock.extensions.paclets.wolfram_function import StringTemplateHandler, list_slots
from paddock.extensions.prompt_definition import make_prompt
from paddock.extensions.references import is_reference, load_reference
from paddock.extensions.resource_definition import make_resource
from paddock.extensions.tool_definition import make_tool
from paddock.server import Server

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.extensions.manifest import ItemKind
    from paddock.validation.findings import FindingLocation
    from paddock.validation.subject import ValidationSubject


_COMPILED_SUFFIXES = (".so", ".pyd")


class FunctionStub:
    """What stands for a function that was not loaded."""

    def __call__(self) -> None:
        """Do nothing: it is never called."""


def check_reference(
    text: str, subject: ValidationSubject, file: str, place: FindingLocation
) -> object:
    """The object that a reference leads to, or a stub where it is not loaded or leads nowhere."""
    if not subject.is_static:
        try:
            beside = Path(subject.get_path(file)).parent
            return load_reference(text, relative_to=beside, where=str(place))
        except LoadError as error:
            subject.findings.add_error("reference-not-found", error, place)
            return FunctionStub()
    problem = _find_static_problem(text, subject, file)
    if problem is not None:
        remedy = "check the reference, and that the file is included"
        subject.findings.add("reference-not-found", problem, place, remedy)
    return FunctionStub()


def check_file_reference(
    text: str, subject: ValidationSubject, file: str, place: FindingLocation
) -> None:
    """Tell of a path that leads to no file of the extension."""
    if not subject.files.has_file(_join_relative(file, text)):
        message = f"there is no file {text!r}"
        subject.findings.add("reference-not-found", message, place, "paths count from this file")


def _join_relative(file: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), path))


def _find_static_problem(text: str, subject: ValidationSubject, file: str) -> str | None:
    """Why a reference leads nowhere, as far as that can be seen in files."""
    home, _, name = text.rpartition(":")
    if home.endswith(".py"):
        script = _join_relative(file, home)
        if posixpath.isabs(home) or script.startswith("..") or home.startswith("~"):
            if not subject.is_user_server:
                return f"{text!r} leads out of the extension"
            script = str(Path(subject.get_path(file)).parent / Path(home).expanduser())
        if not subject.files.has_file(script):
            return f"{text!r} leads nowhere: there is no {script}"
        return _find_problem_in_file(script, text, name, subject)
    module = _find_module_file(home, subject)
    if module is None:
        return None
    if not module:
        missing = home.replace(".", "/")
        return f"{text!r} leads nowhere: there is no {subject.package_folder}{missing}.py"
    return _find_problem_in_file(module, text, name, subject)


def _find_problem_in_file(
    file: str, text: str, name: str, subject: ValidationSubject
) -> str | None:
    try:
        source = subject.read_python_source(file)
    except (SyntaxError, LoadError) as error:
        return f"{text!r} leads to a file that cannot be read: {error}"
    first = name.partition(".")[0]
    if source.can_define(first) or _is_submodule(file, first, subject):
        return None
    return f"{text!r} leads nowhere: there is no {first!r}"


def _is_submodule(file: str, name: str, subject: ValidationSubject) -> bool:
    """Whether a name is that of a module in the package that a file is, and so may be there."""
    folder, _, last = file.rpartition("/")
    return (
        last == "__init__.py"
        and _get_module_kind(f"{folder}/{name}", subject) is not _ModuleKind.MISSING
    )


class _ModuleKind(Enum):
    """What there is among the files for a part of a dotted name."""

    MODULE = auto()
    PACKAGE = auto()
    NAMESPACE = auto()
    COMPILED = auto()
    MISSING = auto()


def _get_module_kind(place: str, subject: ValidationSubject) -> _ModuleKind:
    files = subject.files
    if files.has_file(f"{place}/__init__.py"):
        return _ModuleKind.PACKAGE
    if files.has_file(f"{place}.py"):
        return _ModuleKind.MODULE
    folder, _, last = place.rpartition("/")
    beside = files.list_file_names(folder or ".")
    if any(one.startswith(f"{last}.") and one.endswith(_COMPILED_SUFFIXES) for one in beside):
        return _ModuleKind.COMPILED
    return _ModuleKind.NAMESPACE if files.has_folder(place) else _ModuleKind.MISSING


def _find_module_file(home: str, subject: ValidationSubject) -> str | None:
    """The file of a module; nothing when it should be there and is not, None for others' modules.

    A namespace may have parts in other distributions, so what is missing there may be elsewhere.
    """
    place, is_owned = subject.package_folder.rstrip("/"), False
    parts = home.split(".")
    for number, name in enumerate(parts, 1):
        place = f"{place}/{name}" if place else name
        found = _get_module_kind(place, subject)
        if found is _ModuleKind.COMPILED:
            return None
        if found is _ModuleKind.MISSING:
            return "" if is_owned else None
        is_owned = is_owned or found in (_ModuleKind.PACKAGE, _ModuleKind.MODULE)
        if number == len(parts):
            return _MODULE_FILES[found].format(place) if found in _MODULE_FILES else None
    return None


_MODULE_FILES = {_ModuleKind.MODULE: "{}.py", _ModuleKind.PACKAGE: "{}/__init__.py"}


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
    return isinstance(value, Mapping) and any(
        isinstance(one, FunctionStub) for one in value.values()
    )


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


def _report_unfilled_placeholders(
    made: Any, definition: LoadedDefinition, subject: ValidationSubject
) -> None:
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
