"""Distribution manifest validation, with one finding for each invalid part.

Manifests are read by the same code that serves extensions. Here, it reports each problem as a
finding and continues instead of stopping at the first one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.extensions.errors import ManifestError
from paddock.extensions.manifest import ITEM_KINDS, KNOWN_ITEM_PROPERTIES, parse_manifest
from paddock.suggestions import did_you_mean
from paddock.validation.findings import FindingLocation, find_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paddock.extensions.manifest import ExtensionManifest, ManifestProblem
    from paddock.validation.findings import FindingCollector

MANIFEST_KEYS = ("schema", "publisher", "root", *ITEM_KINDS)
_MISSPELLING_LIKENESS = 0.8
"""Minimum similarity, from 0 to 1, for an unknown key to count as a misspelling."""


def check_manifest(data: bytes, file: str, findings: FindingCollector) -> ExtensionManifest | None:
    """Parse an extension's manifest and report its problems as findings.

    Returns the valid parts of the manifest, or None if it cannot be parsed.

    Args:
        data: The file content.
        file: The file path, for findings.
        findings: The collector to which problems are reported.
    """
    text = data.decode("utf-8-sig", "replace")

    def report(problem: ManifestProblem) -> None:
        """Add a problem with the manifest to the findings, including its line in the file."""
        location = FindingLocation(file, find_line(text, problem.name), key=problem.key)
        if problem.code == "unknown-key":
            report_unknown_key(problem.message, MANIFEST_KEYS, location, findings)
        elif problem.code == "unknown-property":
            report_misspelled_key(problem.message, KNOWN_ITEM_PROPERTIES, location, findings)
        elif problem.error is not None:
            findings.add(problem.code, problem.message, location, problem.error.hint)

    try:
        manifest = parse_manifest(data, file, report)
    except ManifestError as error:
        findings.add_error("unreadable-manifest", error, file)
        return None
    check_item_names(manifest, file, findings)
    return manifest


def report_unknown_key(
    key: str, known_keys: Iterable[str], location: FindingLocation, findings: FindingCollector
) -> None:
    """Report an unknown key."""
    known_keys = list(known_keys)
    remedy = did_you_mean(key, known_keys, most=1) or f"known are {', '.join(known_keys)}"
    findings.add("unknown-key", f"the key {key!r} is unknown", location, remedy)


def report_misspelled_key(
    key: str, known_keys: Sequence[str], location: FindingLocation, findings: FindingCollector
) -> None:
    """Report a key that is probably a misspelled known key.

    Other unknown keys are not reported, because extensions and kernels can define additional keys.
    """
    remedy = did_you_mean(key, known_keys, most=1, likeness=_MISSPELLING_LIKENESS)
    if key not in known_keys and remedy is not None:
        findings.add("unknown-key", f"the key {key!r} is unknown", location, remedy)


def check_item_names(manifest: ExtensionManifest, file: str, findings: FindingCollector) -> None:
    """Report a manifest that declares nothing, and item names that differ only in case.

    The files of such items would collide on case-insensitive file systems.
    """
    if not any(manifest.get_items(kind) for kind in ITEM_KINDS):
        findings.add("empty-extension", "declares nothing", file, f"list {', '.join(ITEM_KINDS)}")
    for kind in ITEM_KINDS:
        names_by_casefold: dict[str, str] = {}
        for item in manifest.get_items(kind):
            # By default, file names are case-insensitive on Windows and macOS.
            first_name = names_by_casefold.setdefault(item.name.casefold(), item.name)
            if first_name != item.name:
                findings.add(
                    "names-differ-by-case",
                    f"{first_name!r} and {item.name!r} differ only in case",
                    FindingLocation(file, key=kind),
                    "rename one: on some systems their files are the same",
                )
