"""What definition files hold, read from wherever they are.

Data is read. Python is run, unless nothing may be run; then it is only parsed. Each file is read
once for all items that it defines.

Definition files: whether each declared item has one, and whether that is what it should be.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from paddock.errors import LoadError, PaddockError
from paddock.extensions.definition_files import (
    MAX_DEFINITION_BYTES,
    DefinitionFile,
    parse_definition,
)
from paddock.extensions.manifest import ITEM_KINDS
from paddock.extensions.paclets.definition_source import parse_content
from paddock.extensions.paclets.definitions import MX_SUFFIX, PacletDefinition
from paddock.extensions.paclets.property_tables import to_table
from paddock.suggestions import did_you_mean
from paddock.validation.findings import FindingLocation
from paddock.validation.items import LoadedDefinition, check_item
from paddock.validation.servers import check_assembly, check_server
from paddock.wolfram.literals import UnevaluatedExpression

if TYPE_CHECKING:
    from paddock.extensions.manifest import ItemKind, ManifestItem
    from paddock.extensions.paclets.definitions import PacletItemFiles
    from paddock.named_servers.definition import ServerDefinition
    from paddock.validation.subject import ValidationSubject


_REQUIRED_KEYS: dict[str, tuple[str, ...]] = {
    "tools": ("Name", "Function", "Parameters"),
    "prompts": ("Name",),
    "servers": ("LLMEvaluator",),
}
"""What definitions in paclets have to have, as the Wolfram documents say."""
_SHARED_KEYS = ("Name", "Description", "DisplayName")
_KNOWN_KEYS: dict[str, tuple[str, ...]] = {
    "tools": (*_SHARED_KEYS, "Function", "Parameters", "Options", "Initialization"),
    "prompts": (*_SHARED_KEYS, "Title", "Arguments", "Type", "Content"),
}
"""What they may have; of servers, slips are told of by those who read them."""
_MIN_LIKENESS = 0.8


def list_item_names(subject: ValidationSubject, combined: str) -> list[str]:
    """The items that a combined file of data defines; what it cannot be read for is told later."""
    if combined.endswith((".toml", ".json")):
        return [str(name) for name in _get_table(subject, combined) or ()]
    suffix, path = PurePosixPath(combined).suffix, subject.get_path(combined)
    if suffix in (MX_SUFFIX, ".py"):
        return []
    try:
        content = parse_content(
            subject.files.read_file(combined, MAX_DEFINITION_BYTES), suffix, path
        )
        return list(to_table(content.to_data()) or ())
    except LoadError:
        return []


def read_item(
    subject: ValidationSubject, kind: ItemKind, item: str, files: PacletItemFiles
) -> object:
    """What a file holds for an item; None when that has been told of, or cannot be known.

    Raises:
        LoadError: when it cannot be read, or does not hold the item.
        DefinitionError: when a paclet says what cannot be.
    """
    file = files.selected_file or ""
    if subject.is_paclet:
        return _read_paclet_item(subject, kind, item)
    if file.endswith(".py"):
        return _read_python_item(subject, kind, item, file, is_combined=not files.own)
    table = _get_table(subject, file)
    if files.own or table is None:
        return table
    found = table.get(item)
    if found is None:
        raise LoadError(
            f"holds no definition of the {kind.removesuffix('s')} {item!r}",
            hint=f"expected a table {item!r}",
        )
    return found


def _read_paclet_item(subject: ValidationSubject, kind: ItemKind, item: str) -> object:
    found = subject.extension.definition(kind, item)
    content = found.read_properties() if isinstance(found, PacletDefinition) else {}
    missing = [key for key in _REQUIRED_KEYS.get(kind, ()) if key not in content]
    for key in missing:
        subject.findings.add(
            "missing-key",
            f"the {kind.removesuffix('s')} {item!r} has no {key!r}",
            FindingLocation(str(found.path), key=key),
            f'add "{key}" -> …',
        )
    _report_misspelled_keys(subject, kind, content, str(found.path))
    if isinstance(found, PacletDefinition):
        _report_immediate_initialization(subject, found, content)
    if {"Function", "LLMEvaluator"} & {*missing}:
        return None
    if kind == "prompts" and "Content" not in content:
        return content  # told of by those who look for it
    return found.load()


def _report_misspelled_keys(
    subject: ValidationSubject, kind: ItemKind, content: Mapping[str, object], file: str
) -> None:
    """Tell of keys that are probably misspelt; others may be for a kernel, which knows more."""
    known = _KNOWN_KEYS.get(kind, ())
    for key in content if known else ():
        remedy = None if key in known else did_you_mean(key, known, most=1, likeness=_MIN_LIKENESS)
        if remedy is not None:
            place = FindingLocation(file, key=key)
            subject.findings.add("unknown-key", f"the key {key!r} is unknown", place, remedy)


def _report_immediate_initialization(
    subject: ValidationSubject, found: PacletDefinition, content: Mapping[str, object]
) -> None:
    key = "Initialization"
    if isinstance(content.get(key), UnevaluatedExpression) and found.is_immediate(key):
        subject.findings.add(
            "immediate-initialization",
            f"the {found.kind.removesuffix('s')} {found.item!r} has {key!r} with ->, so a kernel "
            "runs it whenever the file is read",
            FindingLocation(str(found.path), key=key),
            f'write "{key}" :> …',
        )


def _read_python_item(
    subject: ValidationSubject, kind: ItemKind, item: str, file: str, *, is_combined: bool
) -> object:
    path = subject.get_path(file)
    if path not in subject.python_files:
        subject.python_files.append(path)
    reference = subject.extension.manifest.find_reference(kind, item)
    if not subject.is_static:
        if reference is not None:
            return subject.extension.definition(kind, item).load()
        return DefinitionFile(Path(path), kind, item, is_combined).load()
    try:
        source = subject.read_python_source(file)
    except SyntaxError as error:
        where = f"{path}:{error.lineno}:{error.offset}" if error.lineno else path
        raise LoadError(f"SyntaxError: {error.msg}", where=where) from None
    if reference is not None:
        attribute = reference.rpartition(":")[2]
        if source.can_define(attribute):
            return None
        raise LoadError(f"has no attribute {attribute!r}", hint=f"expected {attribute} = …")
    wanted = {kind, item} if is_combined else source.public_names
    if source.has_dynamic_names or wanted & source.public_names:
        return None
    if is_combined and (source.has_string(item) or source.has_foreign_imports):
        return None  # an object may have the name, whatever it is bound to
    word = kind.removesuffix("s")
    expected = f"{kind} = {{{item!r}: …}}" if is_combined else f"{word} = …"
    raise LoadError(f"holds no definition of the {word} {item!r}", hint=f"expected {expected}")


def _get_table(subject: ValidationSubject, file: str) -> Mapping[str, object] | None:
    """The table in a file of data; None after telling that it cannot be read."""
    if file not in subject.data_tables:
        subject.data_tables[file] = _read_table(subject, file)
    return subject.data_tables[file]


def _read_table(subject: ValidationSubject, file: str) -> Mapping[str, object] | None:
    path = subject.get_path(file)
    try:
        found = parse_definition(
            subject.files.read_file(file, MAX_DEFINITION_BYTES), PurePosixPath(file).suffix
        )
        if isinstance(found, Mapping):
            return found
        reason = LoadError("holds no table", where=path, hint="expected { … }")
    except ValueError as error:
        hint = "save it as UTF-8" if isinstance(error, UnicodeDecodeError) else "mend it there"
        reason = LoadError(f"cannot be read: {error}", where=path, hint=hint)
    except LoadError as error:
        reason = error
    subject.findings.add_error("unreadable-definition", reason, path)
    return None


CHECK_ORDER: tuple[ItemKind, ...] = ("servers", "tools", "prompts", "resources")
_IGNORED_PREFIXES = ("_", ".")


def check_definitions(subject: ValidationSubject) -> None:
    """Check the files of all declared items, then what they hold."""
    manifest = subject.extension.manifest
    declares_any = any(manifest.get_items(kind) for kind in ITEM_KINDS)
    if not declares_any or _is_root_missing(subject):
        return
    found: list[tuple[ItemKind, ManifestItem, PacletItemFiles]] = []
    for kind in CHECK_ORDER:
        for item in manifest.get_items(kind):
            files = subject.find_item_files(kind, item.name)
            _check_item_files(subject, kind, item.name, files)
            found.append((kind, item, files))
        _check_undeclared_items(subject, kind)
    servers: list[tuple[ServerDefinition, LoadedDefinition]] = []
    for kind, item, files in found:
        if files.selected_file is not None and not files.selected_file.endswith(MX_SUFFIX):
            checked = _check_item_contents(subject, kind, item, files)
            servers += [] if checked is None else [checked]
    for server, definition in servers:
        check_assembly(server, definition, subject)


def check_single_item(
    subject: ValidationSubject, kind: ItemKind, item: ManifestItem
) -> tuple[ServerDefinition, LoadedDefinition] | None:
    """Check one item alone; what it says, if it is a server and can be read."""
    if _is_root_missing(subject):
        return None
    files = subject.find_item_files(kind, item.name)
    _check_item_files(subject, kind, item.name, files)
    if files.selected_file is None or files.selected_file.endswith(MX_SUFFIX):
        return None
    return _check_item_contents(subject, kind, item, files)


def _is_root_missing(subject: ValidationSubject) -> bool:
    root = subject.definition_folder
    if root == "." or subject.files.has_folder(root):
        return False
    subject.findings.add(
        "missing-root",
        f"the directory of the definitions is not there: {root}",
        FindingLocation(
            subject.get_path(subject.manifest), key="Root" if subject.is_paclet else "root"
        ),
        f"make {subject.get_path(root)}, or say where they are",
    )
    return True


def _check_item_files(
    subject: ValidationSubject, kind: ItemKind, item: str, files: PacletItemFiles
) -> None:
    findings, word = subject.findings, kind.removesuffix("s")
    readable = [one for one in files.own if not one.endswith(MX_SUFFIX)]
    if files.selected_file is None:
        expected = PurePosixPath(subject.definition_folder) / subject.get_folder(kind) / item
        ending = ".wl" if subject.is_paclet else ".py, .toml or .json"
        reference = subject.extension.manifest.find_reference(kind, item)
        hint = f"{subject.get_path(str(expected))}{ending}"
        if reference is not None:
            hint = f"the module of {reference} in the package of the manifest"
        findings.add(
            "missing-definition",
            f"the {word} {item!r} is declared and has no definition",
            subject.find_declaration(kind, item),
            f"expected {hint}",
        )
    if len(readable) > 1:
        findings.add(
            "duplicate-definition-files",
            f"the {word} {item!r} has {len(readable)} files: "
            + ", ".join(PurePosixPath(one).name for one in readable),
            subject.get_path(readable[0]),
            "keep this one, which counts, and delete the other",
        )
    for closed in files.mx_files:
        is_alone = closed == files.selected_file
        findings.add(
            "closed-format" if is_alone else "closed-format-beside",
            "is in the closed .mx format, which only the kernel that wrote it can read",
            subject.get_path(closed),
            "put a .wl or .wxf file beside it" if is_alone else "it is passed over; delete it",
        )


def _check_undeclared_items(subject: ValidationSubject, kind: ItemKind) -> None:
    declared = {item.name for item in subject.extension.manifest.get_items(kind)}
    folder = str(PurePosixPath(subject.definition_folder) / subject.get_folder(kind))
    for name in subject.files.list_file_names(folder):
        file = PurePosixPath(name)
        is_definition = file.suffix in subject.definition_suffixes and not name.startswith(
            _IGNORED_PREFIXES
        )
        if is_definition and file.stem not in declared:
            _report_undeclared_item(
                subject, kind, file.stem, FindingLocation(subject.get_path(f"{folder}/{name}"))
            )
    for ending in subject.definition_suffixes:
        combined = f"{folder}{ending}"
        for name in list_item_names(subject, combined) if subject.files.has_file(combined) else ():
            place = FindingLocation(subject.get_path(combined), key=name)
            if name not in declared:
                _report_undeclared_item(subject, kind, name, place)
            elif own := subject.find_item_files(kind, name).own:
                subject.findings.add(
                    "shadowed-definition",
                    f"defines {name!r}, which has a file of its own that counts instead",
                    place,
                    f"delete it here, or {PurePosixPath(own[0]).name}",
                )


def _report_undeclared_item(
    subject: ValidationSubject, kind: ItemKind, name: str, place: FindingLocation
) -> None:
    subject.findings.add(
        "undeclared-definition",
        f"defines {name!r}, which is not declared and so does not exist",
        place,
        f"add it to {subject.get_folder(kind)} in {PurePosixPath(subject.manifest).name}, or delete it",
    )


def _check_item_contents(
    subject: ValidationSubject, kind: ItemKind, item: ManifestItem, files: PacletItemFiles
) -> tuple[ServerDefinition, LoadedDefinition] | None:
    file = files.selected_file or ""
    place = FindingLocation(subject.get_path(file), key=None if files.own else item.name)
    try:
        value = read_item(subject, kind, item.name, files)
    except PaddockError as error:
        code = "unreadable-definition" if isinstance(error, LoadError) else _get_invalid_code(kind)
        subject.findings.add_error(code, error, place)
        return None
    if value is None:
        return None
    definition = LoadedDefinition(kind, value, file, place, item.name)
    if kind == "servers":
        server = check_server(definition, subject, description=item.description)
        return None if server is None else (server, definition)
    check_item(definition, subject)
    return None


def _get_invalid_code(kind: ItemKind) -> str:
    return f"invalid-{kind.removesuffix('s')}"
