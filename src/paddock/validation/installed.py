"""Extensions that are installed, also those that cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.extensions.extension import MANIFEST_FILE_NAME
from paddock.extensions.paclets.info import PACLET_INFO_FILE_NAMES
from paddock.validation.distributions import load_package_subject
from paddock.validation.paclets import load_paclet_subject

if TYPE_CHECKING:
    from paddock.extensions.extension import BrokenExtension, Extension
    from paddock.validation.finding import FindingCollector
    from paddock.validation.subject import ValidationSubject

_FINDING_CODES = {"extension-not-found": "missing-manifest", "invalid-manifest": "invalid-entry-point"}
"""What is wrong when it is not in the manifest, by the code of the error."""


def load_installed_subject(
    extension: Extension, findings: FindingCollector, *, is_static: bool
) -> ValidationSubject | None:
    """An installed extension, its manifest read anew."""
    if extension.kind == "paclet":
        return load_paclet_subject(extension.directory, findings)
    package = extension.name.rpartition("/")[2]
    return load_package_subject(
        extension.directory, package, findings, is_static=is_static, like=extension
    )


def load_broken_subject(one: BrokenExtension, findings: FindingCollector, *, is_static: bool) -> ValidationSubject | None:
    """What there is of an extension that cannot be used; why is told in any case."""
    before = len(findings.to_tuple())
    subject, place = None, one.place
    if one.kind == "paclet":
        home = place.parent if place.name in PACLET_INFO_FILE_NAMES else place
        subject = load_paclet_subject(home, findings) if home.exists() else None
    elif place.name == MANIFEST_FILE_NAME:
        subject = load_package_subject(place.parent, one.name, findings, is_static=is_static)
    if not any(finding.severity == "error" for finding in findings.to_tuple()[before:]):
        code = _FINDING_CODES.get(one.problem.code, "broken-extension")
        findings.add_error(code, one.problem, str(place))
    return subject
