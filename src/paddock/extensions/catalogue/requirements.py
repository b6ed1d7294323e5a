"""What a distribution depends on, as far as it counts for this machine and without extras."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement

if TYPE_CHECKING:
    from collections.abc import Iterable


class DistributionDependencies(NamedTuple):
    """What is fetched along with a distribution, unless it is there."""

    from_index: tuple[str, ...]
    """Names with versions, which the installer looks up."""
    from_urls: tuple[str, ...]
    """Names with the URLs that the distribution itself gives for them."""


def select_dependencies(requires: Iterable[str]) -> DistributionDependencies:
    """What of a distribution's requirements an installer heeds here.

    Args:
        requires: As the metadata says them. One that cannot be read is among the results.
    """
    from_index: list[str] = []
    from_elsewhere: list[str] = []
    for text in requires:
        try:
            found = Requirement(text)
        except InvalidRequirement:
            from_index.append(text)
            continue
        if found.marker is not None and not found.marker.evaluate({"extra": ""}):
            continue
        if found.url is None:
            found.marker = None
            from_index.append(str(found))
        else:
            from_elsewhere.append(f"{found.name} from {found.url}")
    return DistributionDependencies(tuple(from_index), tuple(from_elsewhere))
