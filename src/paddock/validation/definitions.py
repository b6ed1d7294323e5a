"""Definition files: whether each declared item has one, and whether that is what it should be."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from paddock.errors import LoadError, PaddockError
from paddock.extensions.manifest import KINDS
from paddock.extensions.paclets.definitions import CLOSED
from paddock.validation.contents import names_in, read_item
from paddock.validation.finding import Place
from paddock.validation.items import Definition, check_item
from paddock.validation.servers import check_assembly, check_server

if TYPE_CHECKING:
    from paddock.extensions.manifest import Item, Kind
    from paddock.extensions.paclets.definitions import ItemFiles
    from paddock.servers.definition import ServerDefinition
    from paddock.validation.subject import Subject

ORDER: tuple[Kind, ...] = ("servers", "tools", "prompts", "resources")
_ASIDE = ("_", ".")


def check_definitions(subject: Subject) -> None:
    """Check the files of all declared items, then what they hold."""
    manifest = subject.extension.manifest
    declares_any = any(manifest.items(kind) for kind in KINDS)
    if not declares_any or _is_without_root(subject):
        return
    found: list[tuple[Kind, Item, ItemFiles]] = []
    for kind in ORDER:
        for item in manifest.items(kind):
            files = subject.item_files(kind, item.name)
            _check_files(subject, kind, item.name, files)
            found.append((kind, item, files))
        _check_undeclared(subject, kind)
    servers: list[tuple[ServerDefinition, Definition]] = []
    for kind, item, files in found:
        if files.used is not None and not files.used.endswith(CLOSED):
            checked = _check_contents(subject, kind, item, files)
            servers += [] if checked is None else [checked]
    for server, definition in servers:
        check_assembly(server, definition, subject)


def check_single(
    subject: Subject, kind: Kind, item: Item
) -> tuple[ServerDefinition, Definition] | None:
    """Check one item alone; what it says, if it is a server and can be read."""
    if _is_without_root(subject):
        return None
    files = subject.item_files(kind, item.name)
    _check_files(subject, kind, item.name, files)
    if files.used is None or files.used.endswith(CLOSED):
        return None
    return _check_contents(subject, kind, item, files)


def _is_without_root(subject: Subject) -> bool:
    root = subject.root
    if root == "." or subject.files.has_folder(root):
        return False
    subject.findings.add(
        "missing-root",
        f"the directory of the definitions is not there: {root}",
        Place(subject.path(subject.manifest), key="Root" if subject.is_paclet else "root"),
        f"make {subject.path(root)}, or say where they are",
    )
    return True


def _check_files(subject: Subject, kind: Kind, item: str, files: ItemFiles) -> None:
    findings, word = subject.findings, kind.removesuffix("s")
    readable = [one for one in files.own if not one.endswith(CLOSED)]
    if files.used is None:
        expected = PurePosixPath(subject.root) / subject.folder(kind) / item
        ending = ".wl" if subject.is_paclet else ".py, .toml or .json"
        findings.add(
            "missing-definition",
            f"the {word} {item!r} is declared and has no definition",
            subject.declared_at(kind, item),
            f"expected {subject.path(str(expected))}{ending}",
        )
    if len(readable) > 1:
        findings.add(
            "duplicate-definition-files",
            f"the {word} {item!r} has {len(readable)} files: "
            + ", ".join(PurePosixPath(one).name for one in readable),
            subject.path(readable[0]),
            "keep this one, which counts, and delete the other",
        )
    for closed in files.closed:
        is_alone = closed == files.used
        findings.add(
            "closed-format" if is_alone else "closed-format-beside",
            "is in the closed .mx format, which only the kernel that wrote it can read",
            subject.path(closed),
            "put a .wl or .wxf file beside it" if is_alone else "it is passed over; delete it",
        )


def _check_undeclared(subject: Subject, kind: Kind) -> None:
    declared = {item.name for item in subject.extension.manifest.items(kind)}
    folder = str(PurePosixPath(subject.root) / subject.folder(kind))
    for name in subject.files.names_in(folder):
        file = PurePosixPath(name)
        is_definition = file.suffix in subject.endings and not name.startswith(_ASIDE)
        if is_definition and file.stem not in declared:
            _tell_undeclared(subject, kind, file.stem, Place(subject.path(f"{folder}/{name}")))
    for ending in subject.endings:
        combined = f"{folder}{ending}"
        for name in names_in(subject, combined) if subject.files.has(combined) else ():
            place = Place(subject.path(combined), key=name)
            if name not in declared:
                _tell_undeclared(subject, kind, name, place)
            elif own := subject.item_files(kind, name).own:
                subject.findings.add(
                    "shadowed-definition",
                    f"defines {name!r}, which has a file of its own that counts instead",
                    place,
                    f"delete it here, or {PurePosixPath(own[0]).name}",
                )


def _tell_undeclared(subject: Subject, kind: Kind, name: str, place: Place) -> None:
    subject.findings.add(
        "undeclared-definition",
        f"defines {name!r}, which is not declared and so does not exist",
        place,
        f"add it to {subject.folder(kind)} in {PurePosixPath(subject.manifest).name}, or delete it",
    )


def _check_contents(
    subject: Subject, kind: Kind, item: Item, files: ItemFiles
) -> tuple[ServerDefinition, Definition] | None:
    file = files.used or ""
    place = Place(subject.path(file), key=None if files.own else item.name)
    try:
        value = read_item(subject, kind, item.name, files)
    except PaddockError as error:
        code = "unreadable-definition" if isinstance(error, LoadError) else _invalid(kind)
        subject.findings.add_error(code, error, place)
        return None
    if value is None:
        return None
    definition = Definition(kind, value, file, place, item.name)
    if kind == "servers":
        server = check_server(definition, subject, description=item.description)
        return None if server is None else (server, definition)
    check_item(definition, subject)
    return None


def _invalid(kind: Kind) -> str:
    return f"invalid-{kind.removesuffix('s')}"
