"""Every kind of finding, by its code. docs/reference/findings.md says more about each."""

from __future__ import annotations

from typing import Literal

Severity = Literal["error", "warning"]

ERROR_CODES = (
    "no-extension",
    "no-entry-point",
    "invalid-entry-point",
    "missing-manifest",
    "unreadable-manifest",
    "invalid-archive",
    "broken-extension",
    "unsupported-schema",
    "unknown-key",
    "invalid-value",
    "invalid-item",
    "duplicate-item",
    "missing-root",
    "missing-definition",
    "duplicate-definition-files",
    "closed-format",
    "unreadable-definition",
    "missing-key",
    "invalid-tool",
    "invalid-prompt",
    "invalid-resource",
    "invalid-server",
    "duplicate-name",
    "prompt-without-content",
    "reference-not-found",
    "unknown-tool",
    "unknown-prompt",
    "unknown-resource",
    "item-not-declared",
)
WARNING_CODES = (
    "unread-entry-points",
    "empty-extension",
    "names-differ-by-case",
    "missing-version",
    "duplicate-extension",
    "closed-format-beside",
    "undeclared-definition",
    "shadowed-definition",
    "immediate-initialization",
    "missing-description",
    "unfilled-blank",
    "extension-not-installed",
)
SEVERITY_BY_CODE: dict[str, Severity] = {
    **dict.fromkeys(ERROR_CODES, "error"),
    **dict.fromkeys(WARNING_CODES, "warning"),
}
"""How serious each kind is: an error keeps something from working, a warning does not."""
