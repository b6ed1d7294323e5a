"""The versions we speak, and what came with which."""

import pytest

from paddock.protocol.versions import (
    FEATURE_VERSIONS,
    SUPPORTED_VERSIONS,
    negotiate_version,
    supports_feature,
)


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
def test_a_session_version_is_agreed_to(version: str) -> None:
    assert negotiate_version(version) == version


@pytest.mark.parametrize("version", ["2026-07-28", "2025-11-26", "", "DRAFT"])
def test_any_other_version_is_answered_with_the_newest_of_sessions(version: str) -> None:
    assert negotiate_version(version) == "2025-11-25"


@pytest.mark.parametrize(
    ("version", "feature", "has"),
    [
        ("2024-11-05", "audio", False),
        ("2025-03-26", "audio", True),
        ("2025-03-26", "structured-content", False),
        ("2025-06-18", "structured-content", True),
        ("2025-06-18", "url-elicitation", False),
        ("2026-07-28", "url-elicitation", True),
        ("2099-01-01", "audio", False),
        ("2026-07-28", "no-such-feature", False),
    ],
)
def test_a_version_has_the_features_that_came_with_it_or_before(
    version: str, feature: str, *, has: bool
) -> None:
    assert supports_feature(version, feature) is has


def test_the_newest_version_has_every_feature() -> None:
    assert all(supports_feature(SUPPORTED_VERSIONS[0], feature) for feature in FEATURE_VERSIONS)
