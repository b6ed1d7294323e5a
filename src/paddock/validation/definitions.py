"""Definition file validation: each declared item must have a definition with valid content.

Data files are parsed. Python files are imported, or only parsed if no code may be run. Each file is
read once for all the items that it defines.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

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
from paddock.validation.findings import FindingLocation
from paddock.validation.items import LoadedDefinition, check_item
from paddock.validation.manifests import report_misspelled_key
from paddock.validation.servers import check_server, check_server_build
from paddock.wolfram.literals import UnevaluatedExpression

if TYPE_CHECKING:
    from paddock.extensions.definition_files import ItemFiles
    from paddock.extensions.manifest import ItemKind, ManifestItem
    from paddock.named_servers.definition import ServerDefinition
    from paddock.validation.subject import ValidationSubject


_REQUIRED_KEYS: dict[str, tuple[str, ...]] = {
    "tools": ("Name", "Function", "Parameters"),
    "prompts": ("Name",),
    "servers": ("LLMEvaluator",),
}
"""Required keys of paclet definitions, as specified by the Wolfram documentation."""
_SHARED_KEYS = ("Name", "Description", "DisplayName")
_KNOWN_KEYS: dict[str, tuple[str, ...]] = {
    "tools": (*_SHARED_KEYS, "Function", "Parameters", "Options", "Initialization"),
    "prompts": (*_SHARED_KEYS, "Title", "Arguments", "Type", "Content"),
}
"""Known keys; those of servers are checked when the definition is parsed."""


def list_combined_item_names(subject: ValidationSubject, combined: str) -> list[str]:
    """Return the names of the tools, prompts or other items defined in a combined file.

    A combined file, such as `tools.toml`, defines all items of a kind. The list is empty for Python
    files and for unreadable files. The latter are reported when their items are checked.
    """
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


def read_item_definition(
    subject: ValidationSubject, kind: ItemKind, item: str, files: ItemFiles
) -> object:
    """Load the definition of an item (a tool, prompt, resource or server) from its file.

    Returns None if a problem with the definition has already been reported, or if loading it would
    require running code, which static validation does not do.

    Raises:
        LoadError: The file cannot be read, or does not define the item.
        DefinitionError: A definition in a paclet is invalid.
    """
    file = files.selected_file or ""
    if subject.is_paclet:
        return _read_paclet_item(subject, kind, item)
    if file.endswith(".py"):
        return _read_python_item(subject, kind, item, file, is_combined=not files.own)
    table = _get_table(subject, file)
    if files.own or table is None:
        return table
    definition = table.get(item)
    if definition is None:
        raise LoadError(
            f"contains no definition of the {kind.removesuffix('s')} {item!r}",
            hint=f"expected a table {item!r}",
        )
    return definition


def _read_paclet_item(subject: ValidationSubject, kind: ItemKind, item: str) -> object:
    """Load an item definition from a paclet, and report missing and misspelled keys.

    A paclet is an extension in Wolfram Language package format. Returns None if a missing key makes
    it impossible to load the definition.
    """
    definition = subject.extension.definition(kind, item)
    # The keys are checked in the file as written, because loading stops at the first problem.
    content = definition.read_properties() if isinstance(definition, PacletDefinition) else {}
    missing_keys = [key for key in _REQUIRED_KEYS.get(kind, ()) if key not in content]
    for key in missing_keys:
        subject.findings.add(
            "missing-key",
            f"the {kind.removesuffix('s')} {item!r} has no {key!r}",
            FindingLocation(str(definition.path), key=key),
            f'add "{key}" -> …',
        )
    for key in content if kind in _KNOWN_KEYS else ():
        location = FindingLocation(str(definition.path), key=key)
        report_misspelled_key(key, _KNOWN_KEYS[kind], location, subject.findings)
    if isinstance(definition, PacletDefinition):
        _report_immediate_initialization(subject, definition, content)
    # Without these keys there is nothing to load, and loading would report the same problem.
    if {"Function", "LLMEvaluator"} & {*missing_keys}:
        return None
    if kind == "prompts" and "Content" not in content:
        return content  # check_item reports the missing content
    return definition.load()


def _report_immediate_initialization(
    subject: ValidationSubject, definition: PacletDefinition, content: Mapping[str, object]
) -> None:
    """Report a paclet definition whose initialization uses `->` instead of `:>`.

    With `->`, a kernel evaluates the code whenever it reads the file.
    """
    key = "Initialization"
    if isinstance(content.get(key), UnevaluatedExpression) and definition.is_evaluated_on_load(key):
        subject.findings.add(
            "immediate-initialization",
            f"the {definition.kind.removesuffix('s')} {definition.item!r} has {key!r} with ->, "
            "so a kernel runs it whenever the file is read",
            FindingLocation(str(definition.path), key=key),
            f'write "{key}" :> …',
        )


def _read_python_item(
    subject: ValidationSubject, kind: ItemKind, item: str, file: str, *, is_combined: bool
) -> object:
    """Load an item definition from a Python file by running the file.

    Static validation only searches the source code, and the result is None.

    Raises:
        LoadError: The file does not define the item, or cannot be run or parsed.
    """
    path = subject.get_path(file)
    if path not in subject.python_files:
        subject.python_files.append(path)
    reference = subject.extension.manifest.find_reference(kind, item)
    if subject.is_static:
        _check_may_define_item(subject, kind, item, file, is_combined=is_combined)
        return None
    if reference is not None:
        return subject.extension.definition(kind, item).load()
    # The file is run by the loader that serves the item, so that validation cannot disagree with
    # it.
    return DefinitionFile(Path(path), kind, item, is_combined).load()


def _check_may_define_item(
    subject: ValidationSubject, kind: ItemKind, item: str, file: str, *, is_combined: bool
) -> None:
    """Check that a Python file may define an item, without running the file.

    Raises:
        LoadError: The file cannot define the item, or cannot be parsed.
    """
    path = subject.get_path(file)
    reference = subject.extension.manifest.find_reference(kind, item)
    try:
        source = subject.read_python_source(file)
    except SyntaxError as error:
        where = f"{path}:{error.lineno}:{error.offset}" if error.lineno else path
        raise LoadError(f"SyntaxError: {error.msg}", where=where) from None
    if reference is not None:
        attribute = reference.rpartition(":")[2]
        if source.can_define(attribute):
            return
        raise LoadError(f"has no attribute {attribute!r}", hint=f"expected {attribute} = …")
    expected_names = {kind, item} if is_combined else source.public_names
    # If the file may define names that the analysis cannot see, the item may be one of them, so
    # nothing is reported.
    if source.has_dynamic_names or expected_names & source.public_names:
        return
    # In a combined file, the item name may be an argument, as in `Tool("name")`, regardless of the
    # variable that the object is assigned to.
    if is_combined and (source.has_string(item) or source.has_foreign_imports):
        return
    item_kind = kind.removesuffix("s")
    expected = f"{kind} = {{{item!r}: …}}" if is_combined else f"{item_kind} = …"
    raise LoadError(
        f"contains no definition of the {item_kind} {item!r}", hint=f"expected {expected}"
    )


def _get_table(subject: ValidationSubject, file: str) -> Mapping[str, object] | None:
    """Return the table from a data file, or None after reporting that it cannot be read."""
    if file not in subject.data_tables:
        subject.data_tables[file] = _read_table(subject, file)
    return subject.data_tables[file]


def _read_table(subject: ValidationSubject, file: str) -> Mapping[str, object] | None:
    """Parse a data file that contains definitions, or return None after reporting a problem."""
    path = subject.get_path(file)
    try:
        table = parse_definition(
            subject.files.read_file(file, MAX_DEFINITION_BYTES), PurePosixPath(file).suffix
        )
        if isinstance(table, Mapping):
            return table
        reason = LoadError("contains no table", where=path, hint="expected { … }")
    except ValueError as error:
        hint = "save it as UTF-8" if isinstance(error, UnicodeDecodeError) else "fix the syntax"
        reason = LoadError(f"cannot be read: {error}", where=path, hint=hint)
    except LoadError as error:
        reason = error
    subject.findings.add_error("unreadable-definition", reason, path)
    return None


class LoadedServer(NamedTuple):
    """A successfully loaded server definition and its location."""

    server: ServerDefinition
    definition: LoadedDefinition


CHECK_ORDER: tuple[ItemKind, ...] = ("servers", "tools", "prompts", "resources")
_IGNORED_PREFIXES = ("_", ".")


def check_definitions(subject: ValidationSubject) -> None:
    """Check all definitions in an extension and report problems as findings.

    First, the files of the declared items are checked, then their contents, and finally the servers
    are built. Nothing is checked if the manifest declares no items or the definition directory is
    missing.
    """
    manifest = subject.extension.manifest
    declares_any = any(manifest.get_items(kind) for kind in ITEM_KINDS)
    if not declares_any or _report_missing_root(subject):
        return
    for kind in CHECK_ORDER:
        for item in manifest.get_items(kind):
            _check_item_files(subject, kind, item.name)
        _check_undeclared_items(subject, kind)
    checked_servers = [
        _check_item_contents(subject, kind, item)
        for kind in CHECK_ORDER
        for item in manifest.get_items(kind)
    ]
    # Servers are built last, because building is skipped if any item has an error.
    for loaded in checked_servers:
        if loaded is not None:
            check_server_build(loaded.server, loaded.definition, subject)


def check_single_item(
    subject: ValidationSubject, kind: ItemKind, item: ManifestItem
) -> LoadedServer | None:
    """Check one item of an extension and return its definition if it is a valid server.

    Returns None for items of other kinds. Problems are reported as findings.
    """
    if _report_missing_root(subject):
        return None
    _check_item_files(subject, kind, item.name)
    return _check_item_contents(subject, kind, item)


def _report_missing_root(subject: ValidationSubject) -> bool:
    """Report a missing definition directory, and return True if it is missing."""
    root = subject.definition_folder
    if root == "." or subject.files.has_folder(root):
        return False
    subject.findings.add(
        "missing-root",
        f"the directory of the definitions does not exist: {root}",
        FindingLocation(
            subject.get_path(subject.manifest), key="Root" if subject.is_paclet else "root"
        ),
        f"create {subject.get_path(root)}, or correct the setting",
    )
    return True


def _check_item_files(subject: ValidationSubject, kind: ItemKind, item: str) -> None:
    """Report problems with the files of an item.

    These are a missing definition, multiple files for one item, and files in `.mx` format, which
    only a Wolfram kernel can read.
    """
    files = subject.find_item_files(kind, item)
    if files.selected_file is None:
        _report_missing_definition(subject, kind, item)
    # Files in the closed .mx format are reported below.
    readable = [file for file in files.own if not file.endswith(MX_SUFFIX)]
    if len(readable) > 1:
        names = ", ".join(PurePosixPath(file).name for file in readable)
        subject.findings.add(
            "duplicate-definition-files",
            f"the {kind.removesuffix('s')} {item!r} has {len(readable)} files: {names}",
            subject.get_path(readable[0]),
            "keep this one, which is used, and delete the other",
        )
    for file in (*files.own, *files.combined):
        if file.endswith(MX_SUFFIX):
            # If this is the only file, the definition cannot be read at all.
            is_selected = file == files.selected_file
            subject.findings.add(
                "closed-format" if is_selected else "closed-format-beside",
                "is in the closed .mx format, which only the kernel that wrote it can read",
                subject.get_path(file),
                "add a .wl or .wxf file beside it" if is_selected else "it is ignored; delete it",
            )


def _report_missing_definition(subject: ValidationSubject, kind: ItemKind, item: str) -> None:
    """Report an item that the manifest declares but no file defines.

    The remedy names the file or module to create.
    """
    reference = subject.extension.manifest.find_reference(kind, item)
    if reference is not None:
        expected = f"the module of {reference} in the package of the manifest"
    else:
        path = PurePosixPath(subject.definition_folder) / subject.get_folder(kind) / item
        suffixes = ".wl" if subject.is_paclet else ".py, .toml or .json"
        expected = f"{subject.get_path(str(path))}{suffixes}"
    subject.findings.add(
        "missing-definition",
        f"the {kind.removesuffix('s')} {item!r} is declared but has no definition",
        subject.find_declaration(kind, item),
        f"expected {expected}",
    )


def _check_undeclared_items(subject: ValidationSubject, kind: ItemKind) -> None:
    """Report definitions that have no effect.

    Either their items are not declared in the manifest, or they are in a combined file but the item
    has its own file, which takes precedence.
    """
    declared_names = {item.name for item in subject.extension.manifest.get_items(kind)}
    folder = str(PurePosixPath(subject.definition_folder) / subject.get_folder(kind))
    for name in subject.files.list_file_names(folder):
        file = PurePosixPath(name)
        has_definition_suffix = file.suffix in subject.definition_suffixes
        is_ignored = name.startswith(_IGNORED_PREFIXES)
        if has_definition_suffix and not is_ignored and file.stem not in declared_names:
            location = FindingLocation(subject.get_path(f"{folder}/{name}"))
            _report_undeclared_item(subject, kind, file.stem, location)
    # A combined file, such as `tools.toml`, defines multiple items.
    for suffix in subject.definition_suffixes:
        combined = f"{folder}{suffix}"
        for name in (
            list_combined_item_names(subject, combined) if subject.files.has_file(combined) else ()
        ):
            location = FindingLocation(subject.get_path(combined), key=name)
            if name not in declared_names:
                _report_undeclared_item(subject, kind, name, location)
            elif own_files := subject.find_item_files(kind, name).own:
                subject.findings.add(
                    "shadowed-definition",
                    f"defines {name!r}, which also has its own file; that file is used",
                    location,
                    f"delete it here, or delete {PurePosixPath(own_files[0]).name}",
                )


def _report_undeclared_item(
    subject: ValidationSubject, kind: ItemKind, name: str, location: FindingLocation
) -> None:
    """Report a definition that has no effect because the manifest does not declare its item."""
    manifest_name = PurePosixPath(subject.manifest).name
    subject.findings.add(
        "undeclared-definition",
        f"defines {name!r}, which is not declared and therefore ignored",
        location,
        f"add it to {subject.get_folder(kind)} in {manifest_name}, or delete it",
    )


def _check_item_contents(
    subject: ValidationSubject, kind: ItemKind, item: ManifestItem
) -> LoadedServer | None:
    """Load an item definition and report its problems.

    Nothing is checked if the item has no readable file. The definition of a valid server is
    returned, because servers are built only after all items have been checked.
    """
    files = subject.find_item_files(kind, item.name)
    file = files.selected_file
    if file is None or file.endswith(MX_SUFFIX):
        return None
    location = FindingLocation(subject.get_path(file), key=None if files.own else item.name)
    try:
        value = read_item_definition(subject, kind, item.name, files)
    except PaddockError as error:
        is_unreadable = isinstance(error, LoadError)
        code = "unreadable-definition" if is_unreadable else f"invalid-{kind.removesuffix('s')}"
        subject.findings.add_error(code, error, location)
        return None
    if value is None:
        return None
    definition = LoadedDefinition(kind, value, file, location, item.name)
    if kind == "servers":
        server = check_server(definition, subject, description=item.description)
        return None if server is None else LoadedServer(server, definition)
    check_item(definition, subject)
    return None
