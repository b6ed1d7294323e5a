"""Definition files: whether each declared item has one, and whether that is what it should be."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from paddock.errors import LoadError, PaddockError
from paddock.extensions.manifest import ITEM_KINDS
from paddock.extensions.paclets.definitions import MX_SUFFIX
from paddock.validation.contents import list_item_names, read_item
from paddock.validation.finding import FindingLocation
from paddock.validation.items import LoadedDefinition, check_item
from paddock.validation.servers import check_assembly, check_server

if TYPE_CHECKING:
    from paddock.extensions.manifest import ManifestItem, ItemKind
    from paddock.extensions.paclets.definitions import PacletItemFiles
    from paddock.servers.definition import ServerDefinition
    from paddock.validation.subject import ValidationSubject

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
        FindingLocation(subject.get_path(subject.manifest), key="Root" if subject.is_paclet else "root"),
        f"make {subject.get_path(root)}, or say where they are",
    )
    return True


def _check_item_files(subject: ValidationSubject, kind: ItemKind, item: str, files: PacletItemFiles) -> None:
    findings, word = subject.findings, kind.removesuffix("s")
    readable = [one for one in files.own if not one.endswith(MX_SUFFIX)]
    if files.selected_file is None:
        expected = PurePosixPath(subject.definition_folder) / subject.get_folder(kind) / item
        ending = ".wl" if subject.is_paclet else ".py, .toml or .json"
        findings.add(
            "missing-definition",
            f"the {word} {item!r} is declared and has no definition",
            subject.find_declaration(kind, item),
            f"expected {subject.get_path(str(expected))}{ending}",
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
        is_definition = file.suffix in subject.definition_suffixes and not name.startswith(_IGNORED_PREFIXES)
        if is_definition and file.stem not in declared:
            _report_undeclared_item(subject, kind, file.stem, FindingLocation(subject.get_path(f"{folder}/{name}")))
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


def _report_undeclared_item(subject: ValidationSubject, kind: ItemKind, name: str, place: FindingLocation) -> None:
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
