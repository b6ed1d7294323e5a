"""Validation of individual items and the references in their definitions.

If no code may be run, references are looked up in the target's source files. References to other
packages are not checked in that case.
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
from paddock.extensions.references import is_reference, list_reference_keys, load_reference
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
    """Replaces a function that was not loaded, so that the rest of its item can be checked."""

    def __call__(self) -> None:
        """Do nothing. Never called, because a stub only completes a definition."""


def resolve_reference(
    text: str, subject: ValidationSubject, file: str, location: FindingLocation
) -> object:
    """Import the object named by a reference such as `package.module:name`.

    In static validation, the reference is only looked up in the source files. A broken reference is
    reported as a finding. In both cases, a stub is returned instead of the object.

    Args:
        text: The reference.
        subject: The extension being validated.
        file: The definition file. Relative paths in the reference are relative to its directory.
        location: The location of the reference, for findings.
    """
    if not subject.is_static:
        try:
            directory = Path(subject.get_path(file)).parent
            return load_reference(text, relative_to=directory, where=str(location))
        except LoadError as error:
            subject.findings.add_error("reference-not-found", error, location)
            return FunctionStub()
    problem = _find_reference_problem(text, subject, file)
    if problem is not None:
        remedy = "check the reference, and that the file is included"
        subject.findings.add("reference-not-found", problem, location, remedy)
    return FunctionStub()


def check_file_reference(
    text: str, subject: ValidationSubject, file: str, location: FindingLocation
) -> None:
    """Report the path of a file that the extension does not contain."""
    if not subject.files.has_file(_join_relative(file, text)):
        message = f"there is no file {text!r}"
        remedy = "paths are relative to this file"
        subject.findings.add("reference-not-found", message, location, remedy)


def _join_relative(file: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), path))


def _find_reference_problem(text: str, subject: ValidationSubject, file: str) -> str | None:
    """Return the reason why a reference cannot be resolved, or None if the files reveal no problem.

    Used in static validation, which imports nothing. References to modules in other packages cannot
    be checked, so they count as resolvable.
    """
    module_path, _, name = text.rpartition(":")
    if module_path.endswith(".py"):
        script = _join_relative(file, module_path)
        # The extension is installed elsewhere, where such a path leads to different files.
        if posixpath.isabs(module_path) or script.startswith("..") or module_path.startswith("~"):
            if not subject.is_user_server:
                return f"{text!r} is outside the extension"
            script = str(Path(subject.get_path(file)).parent / Path(module_path).expanduser())
        if not subject.files.has_file(script):
            return f"{text!r} leads nowhere: there is no {script}"
        return _find_problem_in_file(script, text, name, subject)
    module = _find_module_file(module_path, subject)
    if module is None:
        return None
    if not module:
        missing = module_path.replace(".", "/")
        return f"{text!r} leads nowhere: there is no {subject.package_folder}{missing}.py"
    return _find_problem_in_file(module, text, name, subject)


def _find_problem_in_file(
    file: str, text: str, name: str, subject: ValidationSubject
) -> str | None:
    """Return the reason why a file does not define the name in a reference, or None if it does.

    Args:
        file: The Python file.
        text: The reference, as quoted in the reason.
        name: The name in the reference, which may be dotted.
        subject: The extension.
    """
    try:
        source = subject.read_python_source(file)
    except (SyntaxError, LoadError) as error:
        return f"{text!r} leads to a file that cannot be read: {error}"
    first = name.partition(".")[0]
    # Only the first part of a dotted name is checked, because attributes of objects are unknown
    # without running the code.
    if source.can_define(first) or _is_submodule(file, first, subject):
        return None
    return f"{text!r} leads nowhere: there is no {first!r}"


def _is_submodule(file: str, name: str, subject: ValidationSubject) -> bool:
    """Return whether a package contains a submodule with this name."""
    folder, _, file_name = file.rpartition("/")
    return (
        file_name == "__init__.py"
        and _get_module_kind(f"{folder}/{name}", subject) is not _ModuleKind.MISSING
    )


class _ModuleKind(Enum):
    """The kind of file or folder that part of a dotted module name refers to."""

    MODULE = auto()
    PACKAGE = auto()
    NAMESPACE = auto()
    COMPILED = auto()
    MISSING = auto()


def _get_module_kind(path: str, subject: ValidationSubject) -> _ModuleKind:
    """Return the kind of module at a path in the extension, without importing it.

    Args:
        path: The module path without a suffix, such as `package/module`.
        subject: The extension being validated.
    """
    files = subject.files
    if files.has_file(f"{path}/__init__.py"):
        return _ModuleKind.PACKAGE
    if files.has_file(f"{path}.py"):
        return _ModuleKind.MODULE
    folder, _, module_name = path.rpartition("/")
    for file_name in files.list_file_names(folder or "."):
        if file_name.startswith(f"{module_name}.") and file_name.endswith(_COMPILED_SUFFIXES):
            return _ModuleKind.COMPILED
    return _ModuleKind.NAMESPACE if files.has_folder(path) else _ModuleKind.MISSING


def _find_module_file(module_path: str, subject: ValidationSubject) -> str | None:
    """Return the extension's file for a dotted module name, such as `package.module`.

    A namespace package may have parts in other distributions, so a module that is missing here may
    exist there.

    Returns:
        The file name. An empty string if the extension should contain the module but does not; None
        for a module in another package or one without Python source.
    """
    path, is_own_package = subject.package_folder.rstrip("/"), False
    kind = _ModuleKind.NAMESPACE
    for name in module_path.split("."):
        path = f"{path}/{name}" if path else name
        kind = _get_module_kind(path, subject)
        if kind is _ModuleKind.COMPILED:
            return None
        if kind is _ModuleKind.MISSING:
            return "" if is_own_package else None
        is_own_package = is_own_package or kind is not _ModuleKind.NAMESPACE
    if kind is _ModuleKind.NAMESPACE:
        return None
    return f"{path}.py" if kind is _ModuleKind.MODULE else f"{path}/__init__.py"


_ITEM_FACTORIES: dict[str, Callable[..., Any]] = {
    "tools": make_tool,
    "prompts": make_prompt,
    "resources": make_resource,
}
_CONTENT_KEYS = ("content", "function")


class LoadedDefinition(NamedTuple):
    """A loaded definition and its location."""

    kind: ItemKind
    value: object
    file: str
    """Name of the file within the extension."""
    location: FindingLocation
    name: str | None = None


def check_item(definition: LoadedDefinition, subject: ValidationSubject) -> None:
    """Report problems with a tool, prompt or resource, such as a missing description.

    To find all problems, the item is created just as it would be for a server. Functions that were
    not loaded are replaced with stubs.
    """
    # Missing content is reported here, because the factory's message would not name the key.
    if _is_prompt_without_content(definition):
        remedy = "set content to a text, a template or a function"
        subject.findings.add(
            "prompt-without-content", "there is no content", definition.location, remedy
        )
        return
    value = _resolve_references(definition, subject)
    try:
        item = _ITEM_FACTORIES[definition.kind](
            value,
            relative_to=Path(subject.get_path(definition.file)).parent,
            where=str(definition.location),
            name=definition.name,
        )
        description = _get_description(definition.kind, item)
    except PaddockError as error:
        # Otherwise, `where` is only the item's name, and the definition's location is more precise.
        if not (error.where or "").startswith(definition.location.file):
            error.where = None
        code = f"invalid-{definition.kind.removesuffix('s')}"
        subject.findings.add_error(code, error, definition.location)
        return
    _report_unfilled_placeholders(item, definition, subject)
    # The description may come from the docstring of a function that was not loaded.
    is_description_known = not _has_stub(value)
    lacks_description = is_description_known and not (description or "").strip()
    if definition.kind != "resources" and lacks_description:
        message = f"the {definition.kind.removesuffix('s')} {item.name!r} has no description"
        remedy = "describe what it does: models and users choose by it"
        subject.findings.add("missing-description", message, definition.location, remedy)


def _is_prompt_without_content(definition: LoadedDefinition) -> bool:
    """Return True if a definition is a prompt table whose content is missing or empty."""
    value = definition.value
    if definition.kind != "prompts" or not isinstance(value, Mapping):
        return False
    return not any(
        normalize_key(str(key)) in _CONTENT_KEYS and content not in (None, "", [])
        for key, content in value.items()
    )


def _resolve_references(definition: LoadedDefinition, subject: ValidationSubject) -> object:
    """Return a definition's value with its references replaced by functions or stubs.

    Broken references are reported. In static validation, a resource's file is not read either, but
    replaced with empty text.
    """
    value = definition.value
    if not isinstance(value, Mapping):
        return value
    reference_keys = list_reference_keys(value)
    resolved = dict(value)
    for spelling, text in value.items():
        key = normalize_key(str(spelling))
        if not isinstance(text, str):
            continue
        location = definition.location._replace(key=str(spelling))
        if key in reference_keys and is_reference(text):
            resolved[spelling] = resolve_reference(text, subject, definition.file, location)
        elif key == "file" and definition.kind == "resources" and subject.is_static:
            check_file_reference(text, subject, definition.file, location)
            del resolved[spelling]
            resolved["text"] = ""
    return resolved


def _has_stub(value: object) -> bool:
    return isinstance(value, Mapping) and any(
        isinstance(member, FunctionStub) for member in value.values()
    )


def _get_description(kind: ItemKind, item: Any) -> str | None:
    """Return the description of an item that clients will see.

    It may come from a function's docstring, so the item is prepared as it would be by a server.

    Raises:
        PaddockError: The item cannot be served.
    """
    server = Server("scratch")
    text: object
    if isinstance(item, Tool):
        ToolInvoker(item, server)
        takes_dictionary = item.input_schema is not None or item.parameters is not None
        if takes_dictionary and callable(item.handler):
            _check_accepts_arguments(item.handler)
        text = build_tool_entry(item).get("description")
    elif kind == "prompts":
        text = PromptRenderer(item, server).description
        if item.takes_dictionary:
            _check_accepts_arguments(item.handler)
    else:
        text = ResourceReader(item, server).description
    return text if isinstance(text, str) else None


def _check_accepts_arguments(handler: Callable[..., Any]) -> None:
    """Raise an error for a function that takes no arguments but is called with a dictionary."""
    try:
        parameters = inspect.signature(handler).parameters
    except (TypeError, ValueError):
        return
    if not parameters and not isinstance(handler, FunctionStub):
        raise DefinitionError(
            "the function takes no argument",
            hint="a definition with parameters or arguments calls its function with one "
            "dictionary of them",
        )


def _report_unfilled_placeholders(
    prompt: Any, definition: LoadedDefinition, subject: ValidationSubject
) -> None:
    """Report placeholders in a prompt's text that are not arguments of the prompt.

    Other items, and prompts whose arguments or text are unknown, are ignored.
    """
    if not isinstance(prompt, Prompt) or prompt.arguments is None:
        return
    if isinstance(prompt.handler, StringTemplateHandler):
        placeholders = list_slots(prompt.handler.text)
    elif prompt.handler is None and isinstance(prompt.messages, str):
        placeholders = list_placeholders(prompt.messages)
    else:
        return
    arguments = {argument.name for argument in prompt.arguments}
    for placeholder in dict.fromkeys(placeholders):
        if placeholder not in arguments:
            subject.findings.add(
                "unfilled-blank",
                f"the prompt {prompt.name!r} uses {placeholder!r}, which is not an argument",
                definition.location,
                f"its arguments: {', '.join(arguments) or 'none'}",
            )
