"""Server definitions: whether one can be read, and where the names in it lead.

A short name is an item of the extension itself or a built-in one; a qualified name is that of any
extension. One that is not installed here cannot be looked at, which is no error of the definition.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from paddock.authoring.offering import Offering
from paddock.errors import LoadError, PaddockError
from paddock.extensions.data_only import refuse_python
from paddock.extensions.errors import ExtensionNotInstalledError, SpecificationError
from paddock.extensions.missing import listed, near_names
from paddock.extensions.names import parse_qualified
from paddock.extensions.references import is_reference
from paddock.extensions.registry import registry
from paddock.servers.assembly import Origin, assemble, initializer
from paddock.servers.definition import ServerDefinition, from_mapping
from paddock.servers.errors import ServerDefinitionError
from paddock.servers.unpickling import is_pickle, load_pickle
from paddock.validation.finding import line_with
from paddock.validation.items import Definition, check_item
from paddock.validation.references import Stub, check_reference

if TYPE_CHECKING:
    from paddock.extensions.manifest import Kind
    from paddock.server import Server
    from paddock.validation.finding import Place
    from paddock.validation.subject import Subject

LISTS: tuple[Kind, ...] = ("tools", "prompts", "resources")
"""What a server lists."""


def check_server(
    definition: Definition, subject: Subject, *, description: str | None = None
) -> ServerDefinition | None:
    """Tell of everything that is wrong with the definition of a server; what it says."""
    value = definition.value
    if isinstance(value, Offering):
        _check_made(value, definition, subject, description)
        return None
    place = definition.place
    if not isinstance(value, Mapping):
        message = f"holds {value!r}"[:100]
        subject.findings.add("invalid-server", message, place, "expected a table or a Server")
        return None
    name = f"{subject.extension.name}/{definition.name}"
    try:
        found = from_mapping(value, name=name, place=lambda key: f"{place.file}: {key}")
    except PaddockError as error:
        subject.findings.add_error("invalid-server", error, place)
        return None
    check_lists(found, definition, subject)
    if not found.description and not description:
        _tell_undescribed(definition, subject)
    return found


def _check_made(
    made: Offering, definition: Definition, subject: Subject, description: str | None
) -> None:
    """Check what a server has that its own code has made."""
    if not made.facts.description and not description:
        _tell_undescribed(definition, subject)
    items: dict[Kind, list[Any]] = {
        "tools": [*made.tools],
        "prompts": [*made.prompts],
        "resources": [*made.resources, *made.templates],
    }
    for kind, several in items.items():
        for one in several:
            place = definition.place._replace(key=f"{kind}: {one.name}")
            check_item(Definition(kind, one, definition.file, place), subject)


def _tell_undescribed(definition: Definition, subject: Subject) -> None:
    subject.findings.add(
        "missing-description",
        f"the server {definition.name!r} has no description",
        definition.place,
        "say what it is for, there or in the manifest",
    )


def check_lists(found: ServerDefinition, definition: Definition, subject: Subject) -> None:
    """Tell of what a definition refers to and is not there."""
    text = _text(definition, subject)
    for kind in LISTS:
        for number, spec in enumerate(getattr(found, kind)):
            line = line_with(text, spec) if isinstance(spec, str) else None
            place = definition.place._replace(line=line, key=f"{kind}[{number}]")
            if _leads_to_python(spec, subject, place):
                continue
            if not isinstance(spec, str):
                if not _is_kept(spec, subject, place):
                    check_item(Definition(kind, spec, definition.file, place), subject)
            elif is_reference(spec):
                made = check_reference(spec, subject, definition.file, place)
                if not isinstance(made, Stub):
                    check_item(Definition(kind, made, definition.file, place), subject)
            else:
                _check_name(kind, spec, subject, place)
    _check_initialization(found.initialization, definition, subject)


def _check_initialization(start: object, definition: Definition, subject: Subject) -> None:
    place = definition.place._replace(key="initialization")
    if start is None or is_pickle(start) or _leads_to_python(start, subject, place):
        return
    if isinstance(start, str):
        if not is_reference(start):
            hint = "as in package.module:name, or file.py:name"
            subject.findings.add("invalid-server", f"{start!r} is not a reference", place, hint)
            return
        start = check_reference(start, subject, definition.file, place)
    try:
        initializer(start, str(place))
    except ServerDefinitionError as error:
        subject.findings.add_error("invalid-server", error, place)


def check_assembly(found: ServerDefinition, definition: Definition, subject: Subject) -> None:
    """Assemble a server in which nothing has been found wrong, and tell of what cannot be served.

    So nothing passes that those who look at single parts do not know of.
    """
    if subject.is_static or any(one.severity == "error" for one in subject.findings.all()):
        return
    known = {
        kind: [one for one in getattr(found, kind) if _is_known(one, subject)] for kind in LISTS
    }
    options = {tool: given for tool, given in found.options.items() if _is_known(tool, subject)}
    file = Path(subject.path(definition.file))
    origin = Origin(str(file), file.parent, subject.extension)
    problems: list[PaddockError] = []
    try:
        server = assemble(replace(found, **known, options=options), origin, report=problems.append)
    except PaddockError as error:
        problems.append(error)
    else:
        _tell_lost(server, known, definition, subject)
    for problem in problems:
        subject.findings.add_error("invalid-server", problem, definition.place)


def _is_known(spec: object, subject: Subject) -> bool:
    return not isinstance(spec, str) or spec not in subject.unknown_names


def _tell_lost(
    server: Server, given: dict[Kind, list[Any]], definition: Definition, subject: Subject
) -> None:
    """Tell of prompts or resources of which another has taken the place."""
    held: dict[Kind, int] = {
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
                definition.place._replace(key=kind),
                f"give each {kind.removesuffix('s')} a {same} of its own",
            )


def _leads_to_python(spec: object, subject: Subject, place: Place) -> bool:
    """Whether something in a paclet, of which nothing is run, leads to Python; it is told of."""
    try:
        refuse_python(spec, subject.extension, str(place))
    except SpecificationError as error:
        subject.findings.add_error("invalid-server", error, place)
        return True
    return False


def _is_kept(spec: object, subject: Subject, place: Place) -> bool:
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


def _text(definition: Definition, subject: Subject) -> str:
    """The text of the file that a definition stands in; nothing for one that is no text."""
    is_text = subject.files.has(definition.file) and not definition.file.endswith(".wxf")
    return subject.text(definition.file) if is_text else ""


def _check_name(kind: Kind, name: str, subject: Subject, place: Place) -> None:
    known, owner = registry(), subject.extension
    qualified = parse_qualified(name)
    beside = None if qualified is None else subject.siblings.get(qualified.package_name)
    if beside is not None:
        owner = beside
        subject.unknown_names.add(name)  # to those who assemble the server: it is not installed
    try:
        if known.find(kind, name, owner) is not None:
            return
        problem = None if qualified is None else known.absent(kind, qualified, owner)
    except PaddockError as error:
        subject.unknown_names.add(name)
        message = f"{name!r} cannot be looked for: {error.message}"
        subject.findings.add("extension-not-installed", message, place, error.hint)
        return
    if problem is None:
        _tell_unknown(kind, name, subject, place)
    elif isinstance(problem, ExtensionNotInstalledError):
        subject.unknown_names.add(name)
        remedy = "it cannot be checked; install the extension to have it checked"
        subject.findings.add("extension-not-installed", problem.message, place, remedy)
    else:
        subject.findings.add("item-not-declared", problem.message, place, problem.hint)


def _tell_unknown(kind: Kind, name: str, subject: Subject, place: Place) -> None:
    declared, word = registry().declared(kind), kind.removesuffix("s")
    names = [item.name for item in subject.extension.manifest.items(kind)]
    names += [one.name for one in declared]
    near = near_names(name, names)
    remedy = f"did you mean {' or '.join(near)}?" if near else f"there are: {listed(names)}"
    message = f"there is no {word} named {name!r}, declared here or built in"
    subject.findings.add(f"unknown-{word}", message, place, remedy)
