"""Validation of server definitions and the items that they name.

A short name refers to an item of the same extension or a built-in one; a qualified name can refer
to any extension. Items of extensions that are not installed cannot be checked, which results in a
warning.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from paddock.authoring.base_server import BaseServer
from paddock.errors import LoadError, PaddockError
from paddock.extensions.errors import ExtensionNotInstalledError, SpecificationError
from paddock.extensions.manifest import LISTED_KINDS
from paddock.extensions.names import parse_qualified_name
from paddock.extensions.not_found_errors import format_name_list, suggest_names
from paddock.extensions.references import is_reference, reject_python
from paddock.extensions.registry import InstalledItemRegistry
from paddock.named_servers.definition import ServerDefinition, parse_definition
from paddock.named_servers.names import ServerDefinitionError
from paddock.named_servers.pickle_loader import is_pickle, load_pickle
from paddock.named_servers.server_builder import DefinitionOrigin, build_server, check_initializer
from paddock.validation.findings import find_line
from paddock.validation.items import FunctionStub, LoadedDefinition, check_item, resolve_reference

if TYPE_CHECKING:
    from paddock.extensions.manifest import ItemKind, ListedKind
    from paddock.server import Server
    from paddock.validation.findings import FindingLocation
    from paddock.validation.subject import ValidationSubject


def check_server(
    definition: LoadedDefinition, subject: ValidationSubject, *, description: str | None = None
) -> ServerDefinition | None:
    """Report all problems in a server definition, and return the parsed definition if possible.

    Args:
        definition: The definition: a table, or a server created by Python code.
        subject: The extension being validated.
        description: The description in the manifest, used if the definition has none.
    """
    value = definition.value
    # A server created by Python code has no definition table, so its items are checked instead.
    if isinstance(value, BaseServer):
        _check_python_server(value, definition, subject, description)
        return None
    location = definition.location
    if not isinstance(value, Mapping):
        message = f"is {value!r}"[:100]
        subject.findings.add("invalid-server", message, location, "expected a table or a Server")
        return None
    name = f"{subject.extension.name}/{definition.name}"
    try:
        server = parse_definition(value, name=name, place=lambda key: f"{location.file}: {key}")
    except PaddockError as error:
        subject.findings.add_error("invalid-server", error, location)
        return None
    check_item_lists(server, definition, subject)
    if not server.description and not description:
        _report_missing_description(definition, subject)
    return server


def _check_python_server(
    server: BaseServer,
    definition: LoadedDefinition,
    subject: ValidationSubject,
    description: str | None,
) -> None:
    """Report problems with a server that was created by Python code.

    Its tools, prompts, resources and resource templates are checked one by one.
    """
    if not server.metadata.description and not description:
        _report_missing_description(definition, subject)
    items: dict[ItemKind, list[Any]] = {
        "tools": [*server.tools],
        "prompts": [*server.prompts],
        "resources": [*server.resources, *server.templates],
    }
    for kind, kind_items in items.items():
        for item in kind_items:
            location = definition.location._replace(key=f"{kind}: {item.name}")
            check_item(LoadedDefinition(kind, item, definition.file, location), subject)


def _report_missing_description(definition: LoadedDefinition, subject: ValidationSubject) -> None:
    """Report a server without a description, which users and models need in order to choose it."""
    subject.findings.add(
        "missing-description",
        f"the server {definition.name!r} has no description",
        definition.location,
        "describe its purpose, there or in the manifest",
    )


def check_item_lists(
    server: ServerDefinition, definition: LoadedDefinition, subject: ValidationSubject
) -> None:
    """Report a server's tools, prompts and resources that do not exist or are invalid.

    A server definition lists its items as names, references, tables or pickled objects. The
    server's initialization is checked too.
    """
    text = _read_definition_text(definition, subject)
    for kind in LISTED_KINDS:
        for number, spec in enumerate(getattr(server, kind)):
            line = find_line(text, spec) if isinstance(spec, str) else None
            location = definition.location._replace(line=line, key=f"{kind}[{number}]")
            if not _report_python_reference(spec, subject, location):
                listed = LoadedDefinition(kind, spec, definition.file, location)
                _check_listed_item(listed, subject)
    _check_initialization(server.initialization, definition, subject)


def _check_listed_item(listed: LoadedDefinition, subject: ValidationSubject) -> None:
    """Report problems with a tool, prompt or resource listed in a server definition.

    Args:
        listed: The list element: a name, a reference, a table or a pickled object.
        subject: The extension being validated.
    """
    spec, location = listed.value, listed.location
    if not isinstance(spec, str):
        if not _check_pickles(spec, subject, location):
            check_item(listed, subject)
        return
    if not is_reference(spec):
        _check_item_name(listed.kind, spec, subject, location)
        return
    item = resolve_reference(spec, subject, listed.file, location)
    # A stub means that the reference's problem has been reported, or that nothing is known.
    if not isinstance(item, FunctionStub):
        check_item(listed._replace(value=item), subject)


def _check_initialization(
    initializer: object, definition: LoadedDefinition, subject: ValidationSubject
) -> None:
    """Report a server's initialization function if it does not exist or cannot be called.

    The function may be imported, but it is not called.

    Args:
        initializer: The value of `initialization` in the definition, such as a reference.
        definition: The definition of the server.
        subject: The extension being validated.
    """
    location = definition.location._replace(key="initialization")
    if initializer is None or is_pickle(initializer):
        return
    if _report_python_reference(initializer, subject, location):
        return
    if isinstance(initializer, str):
        if not is_reference(initializer):
            hint = "as in package.module:name, or file.py:name"
            subject.findings.add(
                "invalid-server", f"{initializer!r} is not a reference", location, hint
            )
            return
        initializer = resolve_reference(initializer, subject, definition.file, location)
    try:
        check_initializer(initializer, str(location))
    except ServerDefinitionError as error:
        subject.findings.add_error("invalid-server", error, location)


def check_server_build(
    server_definition: ServerDefinition, definition: LoadedDefinition, subject: ValidationSubject
) -> None:
    """Build a server whose parts have no errors, and report problems that prevent it from running.

    This finds problems that checks of the individual parts miss. Items from extensions that are not
    installed are left out. In static validation, nothing is built.
    """
    # If there are already errors, building would only repeat them in other words.
    if subject.is_static or subject.findings.errors:
        return
    items = {
        kind: [spec for spec in getattr(server_definition, kind) if _is_known_item(spec, subject)]
        for kind in LISTED_KINDS
    }
    options = {
        tool: values
        for tool, values in server_definition.options.items()
        if _is_known_item(tool, subject)
    }
    file = Path(subject.get_path(definition.file))
    origin = DefinitionOrigin(str(file), file.parent, subject.extension)
    problems: list[PaddockError] = []
    try:
        server = build_server(
            replace(server_definition, **items, options=options), origin, report=problems.append
        )
    except PaddockError as error:
        problems.append(error)
    else:
        _report_duplicate_names(server, items, definition, subject)
    for problem in problems:
        subject.findings.add_error("invalid-server", problem, definition.location)


def _is_known_item(spec: object, subject: ValidationSubject) -> bool:
    return not isinstance(spec, str) or spec not in subject.unknown_names


def _report_duplicate_names(
    server: Server,
    items: Mapping[ListedKind, list[Any]],
    definition: LoadedDefinition,
    subject: ValidationSubject,
) -> None:
    """Report prompts that share a name and resources that share a URI, because only one is served.

    Args:
        server: The built server, in which later items have replaced earlier ones.
        items: The items in the definition that the server was built from.
        definition: The definition of the server.
        subject: The extension being validated.
    """
    served_counts: dict[ListedKind, int] = {
        "prompts": len(server.prompts),
        "resources": len(server.resources) + len(server.templates),
    }
    for kind, served_count in served_counts.items():
        listed_count = len(items[kind])
        if served_count < listed_count:
            key = "name" if kind == "prompts" else "URI"
            subject.findings.add(
                "duplicate-name",
                f"only {served_count} of {listed_count} {kind} are served; some share a {key}",
                definition.location._replace(key=kind),
                f"give each {kind.removesuffix('s')} a different {key}",
            )


def _report_python_reference(
    spec: object, subject: ValidationSubject, location: FindingLocation
) -> bool:
    """Report a paclet item that refers to Python code, and return True if it does.

    Paddock does not run Python code in paclets (Wolfram Language packages), so such an item could
    not be loaded.
    """
    try:
        reject_python(spec, subject.extension, str(location))
    except SpecificationError as error:
        subject.findings.add_error("invalid-server", error, location)
        return True
    return False


def _check_pickles(spec: object, subject: ValidationSubject, location: FindingLocation) -> bool:
    """Report an item's pickled objects that cannot be loaded.

    Returns True if the item is a pickled object or contains one.
    """
    values = [spec, *(spec.values() if isinstance(spec, Mapping) else ())]
    pickles = [value for value in values if isinstance(value, dict) and is_pickle(value)]
    for pickle in () if subject.is_static else pickles:
        try:
            load_pickle(pickle, Path(location.file).parent, str(location))
        except LoadError as error:
            subject.findings.add_error("reference-not-found", error, location)
    return bool(pickles)


def _read_definition_text(definition: LoadedDefinition, subject: ValidationSubject) -> str:
    """Return the text of a definition file, or an empty string for a binary format."""
    is_text = subject.files.has_file(definition.file) and not definition.file.endswith(".wxf")
    return subject.read_text(definition.file) if is_text else ""


def _check_item_name(
    kind: ItemKind, name: str, subject: ValidationSubject, location: FindingLocation
) -> None:
    """Report a name in a server's list that neither Paddock nor an extension declares.

    If the extension is not installed, the name cannot be checked. That is only a warning, and the
    name is added to `unknown_names` so that the server is built without it.
    """
    registry, owner = InstalledItemRegistry(), subject.extension
    qualified = parse_qualified_name(name)
    # An extension from the same project is not installed yet, but its manifest is known.
    sibling = None if qualified is None else subject.siblings.get(qualified.extension_name)
    if sibling is not None:
        owner = sibling
        subject.unknown_names.add(name)  # The server is built without it.
    try:
        if registry.find_item(kind, name, owner) is not None:
            return
        problem = (
            None if qualified is None else registry.make_missing_item_error(kind, qualified, owner)
        )
    except PaddockError as error:
        subject.unknown_names.add(name)
        message = f"{name!r} cannot be looked up: {error.message}"
        subject.findings.add("extension-not-installed", message, location, error.hint)
        return
    if problem is None:
        _report_unknown_item(kind, name, subject, location)
    elif isinstance(problem, ExtensionNotInstalledError):
        subject.unknown_names.add(name)
        remedy = "install the extension to have it checked"
        subject.findings.add("extension-not-installed", problem.message, location, remedy)
    else:
        subject.findings.add("item-not-declared", problem.message, location, problem.hint)


def _report_unknown_item(
    kind: ItemKind, name: str, subject: ValidationSubject, location: FindingLocation
) -> None:
    """Report a short name in a server's list that neither its extension nor Paddock declares."""
    word = kind.removesuffix("s")
    names = [item.name for item in subject.extension.manifest.get_items(kind)]
    names += [item.name for item in InstalledItemRegistry().list_items(kind)]
    remedy = suggest_names(name, names) or f"there are: {format_name_list(names)}"
    message = f"there is no {word} named {name!r}, declared here or built in"
    subject.findings.add(f"unknown-{word}", message, location, remedy)
