"""What a paclet says about itself, read to its end: each part that cannot be is a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.errors import LoadError
from paddock.extensions.errors import ManifestError
from paddock.extensions.manifest import MAX_MANIFEST_BYTES
from paddock.extensions.paclets.archives import ArchiveError
from paddock.extensions.paclets.files import open_paclet_files
from paddock.extensions.paclets.info import AGENT_TOOLS_EXTENSION, PACLET_INFO_FILE_NAMES, ITEM_LISTS, parse_paclet_info
from paddock.extensions.paclets.paclet import make_paclet_extension
from paddock.extensions.properties import shorten_repr
from paddock.validation.finding import FindingLocation, find_line
from paddock.validation.manifests import check_item_names, report_unknown_key
from paddock.validation.subject import ValidationSubject

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.extensions.paclets.files import PacletFiles
    from paddock.extensions.paclets.info import MalformedItem, PacletInfo
    from paddock.validation.finding import FindingCollector

PACLET_KEYS = ("Root", *ITEM_LISTS)
_KEY_BY_KIND = {kind: key for key, kind in ITEM_LISTS.items()}
_ITEM_FORMS_HINT = (
    'expected "Name", {"Name", "Description"} or <| "Name" -> …, … |>, with a name of letters,'
    " digits, '_', '-', '.' and ' '"
)


def load_paclet_subject(place: Path, findings: FindingCollector) -> ValidationSubject | None:
    """The extension in the directory or archive of a paclet; None when there is none."""
    try:
        files = open_paclet_files(place)
    except ArchiveError as error:
        findings.add_error("invalid-archive", error, str(place))
        return None
    name = next(filter(files.has_file, PACLET_INFO_FILE_NAMES), None)
    if name is None:
        remedy = "a paclet has that file at its top"
        findings.add("missing-manifest", "there is no PacletInfo.wl", str(place), remedy)
        return None
    info = _read_paclet_info(files, name, findings)
    extension = None if info is None else make_paclet_extension(info, files)
    if info is None or extension is None:
        return None
    subject = ValidationSubject(extension, files, name, is_static=True, findings=findings)
    text = subject.read_text(name)
    for one in info.malformed_items:
        _report_malformed_item(one, extension.manifest.get_items(one.kind), subject)
    for key in extension.manifest.extra:
        report_unknown_key(key, PACLET_KEYS, FindingLocation(subject.get_path(name), find_line(text, key), key=key), findings)
    check_item_names(extension.manifest, subject.get_path(name), findings)
    _check_paclet_info(info, subject)
    return None if info.problem is not None else subject


def _check_paclet_info(info: PacletInfo, subject: ValidationSubject) -> None:
    """Tell of what concerns the whole paclet."""
    findings, file = subject.findings, subject.get_path(subject.manifest)
    if info.problem is not None:
        findings.add_error("invalid-value", info.problem, FindingLocation(file, key="Root"))
    if info.extra_declarations:
        findings.add(
            "duplicate-extension",
            f'there are {info.extra_declarations + 1} "{AGENT_TOOLS_EXTENSION}" extensions, of which the first counts',
            FindingLocation(file, key="Extensions"),
            "put everything into one",
        )
    if info.version is None:
        odd = info.invalid_version
        message = "has no version" if odd is None else f"Version is {odd}, which is no string"
        remedy = 'add "Version" -> "1.0.0"' if odd is None else 'write "Version" -> "1.0.0"'
        findings.add("missing-version", message, file, remedy)


def _read_paclet_info(files: PacletFiles, name: str, findings: FindingCollector) -> PacletInfo | None:
    """What the file says; None when it is not to be understood, or declares nothing for us."""
    path = str(files.path / name)
    try:
        info = parse_paclet_info(files.read_file(name, MAX_MANIFEST_BYTES), path)
    except ManifestError as error:
        findings.add_error("invalid-value", error, path)
        return None
    except LoadError as error:
        code = "invalid-archive" if isinstance(error, ArchiveError) else "unreadable-manifest"
        findings.add_error(code, error, path)
        return None
    if info.manifest is None:
        remedy = f'expected "Extensions" -> {{{{"{AGENT_TOOLS_EXTENSION}", "Tools" -> {{…}}, …}}}}'
        message = f'the paclet {info.name!r} has no "{AGENT_TOOLS_EXTENSION}" extension'
        findings.add("no-extension", message, path, remedy)
    return info


def _report_malformed_item(one: MalformedItem, items: tuple[object, ...], subject: ValidationSubject) -> None:
    key, path = _KEY_BY_KIND[one.kind], subject.get_path(subject.manifest)
    if not one.position:
        subject.findings.add(
            "invalid-value", f"is {one.value_text}", FindingLocation(path, key=key), "expected a list: {…}"
        )
        return
    place = FindingLocation(path, key=f"{key}[[{one.position}]]")
    names = {shorten_repr(getattr(item, "name", "")) for item in items}
    if one.value_text in names:
        message = f"{one.value_text} is declared twice"
        subject.findings.add("duplicate-item", message, place, "keep one of them")
    else:
        subject.findings.add("invalid-item", f"is {one.value_text}", place, _ITEM_FORMS_HINT)
