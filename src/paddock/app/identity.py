"""What tells one running Paddock from another: its version, and its database."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from paddock.zoo.service import Zoo


class InstanceInfo(Struct, frozen=True, kw_only=True):
    """What others may know of a running Paddock."""

    database: str
    """`sqlite` or `postgresql`."""
    fingerprint: str
    """The same for two that use the same database; tells nothing of where it is."""


def make_instance_info(zoo: Zoo) -> InstanceInfo:
    """The identity of a Paddock that serves a zoo."""
    fingerprint = sha256(zoo.location.encode()).hexdigest()[:16]
    return InstanceInfo(database=zoo.database, fingerprint=fingerprint)
