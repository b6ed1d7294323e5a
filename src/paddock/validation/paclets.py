"""What a paclet says about itself, read to its end: each part that cannot be is a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.errors import LoadError
from paddock.extensions.errors import ManifestError
from paddock.extensions.manifest import MAX_MANIFEST
from paddock.extensions.paclets.archives import ArchiveError
from paddock.extensions.paclets.files import paclet_files
from paddock.extensions.paclets.info import EXTENSION, INFO_NAMES, LISTS, parse_info
from paddock.extensions.paclets.paclet import as_extension
from paddock.extensions.properties import shown
from paddock.validation.finding import Place, line_with
from paddock.validation.manifests import check_names, unknown_key
from paddock.validation.subject import Subject

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.extensions.paclets.files import PacletFiles
    from paddock.extensions.paclets.info import Malformed, PacletInfo
    from paddock.validation.finding import Findings

KEYS = ("Root", *LISTS)
_FOLDERS = {kind: key for key, kind in LISTS.items()}
_FORMS = (
    'expected "Name", {"Name", "Description"} or <| "Name" -> …, … |>, with a name of letters,'
    " digits, '_', '-', '.' and ' '"
)


def paclet_subject(place: Path, findings: Findings) -> Subject | None:
    """The extension in the directory or archive of a paclet; None when there is none."""
    try:
        files = paclet_files(place)
    except ArchiveError as error:
        findings.add_error("invalid-archive", error, str(place))
        return None
    name = next(filter(files.has, INFO_NAMES), None)
    if name is None:
        remedy = "a paclet has that file at its top"
        findings.add("missing-manifest", "there is no PacletInfo.wl", str(place), remedy)
        return None
    info = _read(files, name, findings)
    extension = None if info is None else as_extension(info, files)
    if info is None or extension is None:
        return None
    subject = Subject(extension, files, name, is_static=True, findings=findings)
    text = subject.text(name)
    for one in info.malformed:
        _tell_malformed(one, extension.manifest.items(one.kind), subject)
    for key in extension.manifest.extra:
        unknown_key(key, KEYS, Place(subject.path(name), line_with(text, key), key=key), findings)
    check_names(extension.manifest, subject.path(name), findings)
    _check_whole(info, subject)
    return None if info.problem is not None else subject


def _check_whole(info: PacletInfo, subject: Subject) -> None:
    """Tell of what concerns the whole paclet."""
    findings, file = subject.findings, subject.path(subject.manifest)
    if info.problem is not None:
        findings.add_error("invalid-value", info.problem, Place(file, key="Root"))
    if info.further:
        findings.add(
            "duplicate-extension",
            f'there are {info.further + 1} "{EXTENSION}" extensions, of which the first counts',
            Place(file, key="Extensions"),
            "put everything into one",
        )
    if info.version is None:
        odd = info.odd_version
        message = "has no version" if odd is None else f"Version is {odd}, which is no string"
        remedy = 'add "Version" -> "1.0.0"' if odd is None else 'write "Version" -> "1.0.0"'
        findings.add("missing-version", message, file, remedy)


def _read(files: PacletFiles, name: str, findings: Findings) -> PacletInfo | None:
    """What the file says; None when it is not to be understood, or declares nothing for us."""
    path = str(files.place / name)
    try:
        info = parse_info(files.read(name, MAX_MANIFEST), path)
    except ManifestError as error:
        findings.add_error("invalid-value", error, path)
        return None
    except LoadError as error:
        code = "invalid-archive" if isinstance(error, ArchiveError) else "unreadable-manifest"
        findings.add_error(code, error, path)
        return None
    if info.manifest is None:
        remedy = f'expected "Extensions" -> {{{{"{EXTENSION}", "Tools" -> {{…}}, …}}}}'
        message = f'the paclet {info.name!r} has no "{EXTENSION}" extension'
        findings.add("no-extension", message, path, remedy)
    return info


def _tell_malformed(one: Malformed, items: tuple[object, ...], subject: Subject) -> None:
    key, path = _FOLDERS[one.kind], subject.path(subject.manifest)
    if not one.position:
        subject.findings.add(
            "invalid-value", f"is {one.found}", Place(path, key=key), "expected a list: {…}"
        )
        return
    place = Place(path, key=f"{key}[[{one.position}]]")
    names = {shown(getattr(item, "name", "")) for item in items}
    if one.found in names:
        message = f"{one.found} is declared twice"
        subject.findings.add("duplicate-item", message, place, "keep one of them")
    else:
        subject.findings.add("invalid-item", f"is {one.found}", place, _FORMS)
