"""Server definitions: whether one can be read, and where the names in it lead.

A short name is an item of the extension itself or a built-in one; a qualified name is that of any
extension. One that is not installed here cannot be looked at, which is no error of the definition.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from paddock.authoring.base_server import BaseServer
from paddock.errors import LoadError, PaddockError
from paddock.extensions.errors import ExtensionNotInstalledError, SpecificationError
from paddock.extensions.names import parse_qualified_name
from paddock.extensions.not_found_errors import find_similar_names, format_name_list
from paddock.extensions.references import is_reference, reject_python
from paddock.extensions.registry import create_installed_registry
from paddock.named_servers.definition import ServerDefinition, parse_definition
from paddock.named_servers.names import ServerDefinitionError
from paddock.named_servers.pickle_loader import is_pickle, load_pickle
from paddock.named_servers.server_builder import DefinitionOrigin, build_server, check_initializer
from paddock.validation.findings import find_line
from paddock.validation.items import FunctionStub, LoadedDefinition, check_item, check_reference

if TYPE_CHECKING:
    from paddock.extensions.manifest import ItemKind
    from paddock.server import Server
    from paddock.validation.findings import FindingLocation
    from paddock.validation.subject import ValidationSubject

LISTED_KINDS: tuple[ItemKind, ...] = ("tools", "prompts", "resources")
"""What a server lists."""


def check_server(
    definition: LoadedDefinition, subject: ValidationSubject, *, description: str | None = None
) -> ServerDefinition | None:
    """Tell of everything that is wrong with the definition of a server; what it says."""
    value = definition.value
    if isinstance(value, BaseServer):
        _check_python_server(value, definition, subject, description)
        return None
    place = definition.location
    if not isinstance(value, Mapping):
        message = f"holds {value!r}"[:100]
        subject.findings.add("invalid-server", message, place, "expected a table or a Server")
        return None
    name = f"{subject.extension.name}/{definition.name}"
    try:
        found = parse_definition(value, name=name, place=lambda key: f"{place.file}: {key}")
    except PaddockError as error:
        subject.findings.add_error("invalid-server", error, place)
        return None
    check_item_lists(found, definition, subject)
    if not found.description and not description:
        _report_missing_description(definition, subject)
    return found


def _check_python_server(
    made: BaseServer,
    definition: LoadedDefinition,
    subject: ValidationSubject,
    description: str | None,
) -> None:
    """Check what a server has that its own code has made."""
    if not made.metadata.description and not description:
        _report_missing_description(definition, subject)
    items: dict[ItemKind, list[Any]] = {
        "tools": [*made.tools],
        "prompts": [*made.prompts],
        "resources": [*made.resources, *made.templates],
    }
    for kind, several in items.items():
        for one in several:
            place = definition.location._replace(key=f"{kind}: {one.name}")
            check_item(LoadedDefinition(kind, one, definition.file, place), subject)


def _report_missing_description(definition: LoadedDefinition, subject: ValidationSubject) -> None:
    subject.findings.add(
        "missing-description",
        f"the server {definition.name!r} has no description",
        definition.location,
        "say what it is for, there or in the manifest",
    )


def check_item_lists(
    found: ServerDefinition, definition: LoadedDefinition, subject: ValidationSubject
) -> None:
    """Tell of what a definition refers to and is not there."""
    text = _read_definition_text(definition, subject)
    for kind in LISTED_KINDS:
        for number, spec in enumerate(getattr(found, kind)):
            line = find_line(text, spec) if isinstance(spec, str) else None
            place = definition.location._replace(line=line, key=f"{kind}[{number}]")
            if _reject_python(spec, subject, place):
                continue
            if not isinstance(spec, str):
                if not _check_pickles(spec, subject, place):
                    check_item(LoadedDefinition(kind, spec, definition.file, place), subject)
            elif is_reference(spec):
                made = check_reference(spec, subject, definition.file, place)
                if not isinstance(made, FunctionStub):
                    check_item(LoadedDefinition(kind, made, definition.file, place), subject)
            else:
                _check_item_name(kind, spec, subject, place)
    _check_initialization(found.initialization, definition, subject)


def _check_initialization(
    start: object, definition: LoadedDefinition, subject: ValidationSubject
) -> None:
    place = definition.location._replace(key="initialization")
    if start is None or is_pickle(start) or _reject_python(start, subject, place):
        return
    if isinstance(start, str):
        if not is_reference(start):
            hint = "as in package.module:name, or file.py:name"
            subject.findings.add("invalid-server", f"{start!r} is not a reference", place, hint)
            return
        start = check_reference(start, subject, definition.file, place)
    try:
        check_initializer(start, str(place))
    except ServerDefinitionError as error:
        subject.findings.add_error("invalid-server", error, place)


def check_assembly(
    found: ServerDefinition, definition: LoadedDefinition, subject: ValidationSubject
) -> None:
    """Assemble a server in which nothing has been found wrong, and tell of what cannot be served.

    So nothing passes that those who look at single parts do not know of.
    """
    if subject.is_static or any(one.severity == "error" for one in subject.findings.to_tuple()):
        return
    known = {
        kind: [one for one in getattr(found, kind) if _is_known_item(one, subject)]
        for kind in LISTED_KINDS
    }
    options = {
        tool: given for tool, given in found.options.items() if _is_known_item(tool, subject)
    }
    file = Path(subject.get_path(definition.file))
    origin = DefinitionOrigin(str(file), file.parent, subject.extension)
    problems: list[PaddockError] = []
    try:
        server = build_server(
            replace(found, **known, options=options), origin, report=problems.append
        )
    except PaddockError as error:
        problems.append(error)
    else:
        _report_duplicate_names(server, known, definition, subject)
    for problem in problems:
        subject.findings.add_error("invalid-server", problem, definition.location)


def _is_known_item(spec: object, subject: ValidationSubject) -> bool:
    return not isinstance(spec, str) or spec not in subject.unknown_names


def _report_duplicate_names(
    server: Server,
    given: dict[ItemKind, list[Any]],
    definition: LoadedDefinition,
    subject: ValidationSubject,
) -> None:
    """Tell of prompts or resources of which another has taken the place."""
    held: dict[ItemKind, int] = {
        "prompts": len(server.prompts),
        "resources": len(server.resources) + len(server.templates),
    }
    for kind, number in held.items():
        listed = given[kind]
        if number < len(listed):
            same = "name" if kind == "prompts" else "URI"
            subject.findings.add(
                "duplicate-name",
                f"of {len(listed)} {kind} only {number} are served: some have the same {same}",
                definition.location._replace(key=kind),
                f"give each {kind.removesuffix('s')} a {same} of its own",
            )


def _reject_python(spec: object, subject: ValidationSubject, place: FindingLocation) -> bool:
    """Whether something in a paclet, of which nothing is run, leads to Python; it is told of."""
    try:
        reject_python(spec, subject.extension, str(place))
    except SpecificationError as error:
        subject.findings.add_error("invalid-server", error, place)
        return True
    return False


def _check_pickles(spec: object, subject: ValidationSubject, place: FindingLocation) -> bool:
    """Whether something is, or has in it, an object that was stored beside the definition.

    One that is gone is told of.
    """
    parts = [spec, *(spec.values() if isinstance(spec, Mapping) else ())]
    kept = [one for one in parts if isinstance(one, dict) and is_pickle(one)]
    for one in () if subject.is_static else kept:
        try:
            load_pickle(one, Path(place.file).parent, str(place))
        except LoadError as error:
            subject.findings.add_error("reference-not-found", error, place)
    return bool(kept)


def _read_definition_text(definition: LoadedDefinition, subject: ValidationSubject) -> str:
    """The text of the file that a definition stands in; nothing for one that is no text."""
    is_text = subject.files.has_file(definition.file) and not definition.file.endswith(".wxf")
    return subject.read_text(definition.file) if is_text else ""


def _check_item_name(
    kind: ItemKind, name: str, subject: ValidationSubject, place: FindingLocation
) -> None:
    known, owner = create_installed_registry(), subject.extension
    qualified = parse_qualified_name(name)
    beside = None if qualified is None else subject.siblings.get(qualified.extension_name)
    if beside is not None:
        owner = beside
        subject.unknown_names.add(name)  # to those who assemble the server: it is not installed
    try:
        if known.find_item(kind, name, owner) is not None:
            return
        problem = (
            None if qualified is None else known.make_missing_item_error(kind, qualified, owner)
        )
    except PaddockError as error:
        subject.unknown_names.add(name)
        message = f"{name!r} cannot be looked for: {error.message}"
        subject.findings.add("extension-not-installed", message, place, error.hint)
        return
    if problem is None:
        _report_unknown_item(kind, name, subject, place)
    elif isinstance(problem, ExtensionNotInstalledError):
        subject.unknown_names.add(name)
        remedy = "it cannot be checked; install the extension to have it checked"
        subject.findings.add("extension-not-installed", problem.message, place, remedy)
    else:
        subject.findings.add("item-not-declared", problem.message, place, problem.hint)


def _report_unknown_item(
    kind: ItemKind, name: str, subject: ValidationSubject, place: FindingLocation
) -> None:
    declared, word = create_installed_registry().list_items(kind), kind.removesuffix("s")
    names = [item.name for item in subject.extension.manifest.get_items(kind)]
    names += [one.name for one in declared]
    near = find_similar_names(name, names)
    remedy = (
        f"did you mean {' or '.join(near)}?" if near else f"there are: {format_name_list(names)}"
    )
    message = f"there is no {word} named {name!r}, declared here or built in"
    subject.findings.add(f"unknown-{word}", message, place, remedy)
