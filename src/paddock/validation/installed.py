"""Extensions that are installed, also those that cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.extensions.extension import MANIFEST_NAME
from paddock.extensions.paclets.info import INFO_NAMES
from paddock.validation.distributions import package_subject
from paddock.validation.paclets import paclet_subject

if TYPE_CHECKING:
    from paddock.extensions.extension import BrokenExtension, Extension
    from paddock.validation.finding import Findings
    from paddock.validation.subject import Subject

_CODES = {"extension-not-found": "missing-manifest", "invalid-manifest": "invalid-entry-point"}
"""What is wrong when it is not in the manifest, by the code of the error."""


def installed_subject(
    extension: Extension, findings: Findings, *, is_static: bool
) -> Subject | None:
    """An installed extension, its manifest read anew."""
    if extension.kind == "paclet":
        return paclet_subject(extension.directory, findings)
    package = extension.name.rpartition("/")[2]
    return package_subject(
        extension.directory, package, findings, is_static=is_static, like=extension
    )


def broken_subject(one: BrokenExtension, findings: Findings, *, is_static: bool) -> Subject | None:
    """What there is of an extension that cannot be used; why is told in any case."""
    before = len(findings.all())
    subject, place = None, one.place
    if one.kind == "paclet":
        home = place.parent if place.name in INFO_NAMES else place
        subject = paclet_subject(home, findings) if home.exists() else None
    elif place.name == MANIFEST_NAME:
        subject = package_subject(place.parent, one.name, findings, is_static=is_static)
    if not any(finding.severity == "error" for finding in findings.all()[before:]):
        code = _CODES.get(one.problem.code, "broken-extension")
        findings.add_error(code, one.problem, str(place))
    return subject
