"""What can be said about the engines on this machine, for people and programs that ask."""

from __future__ import annotations

import msgspec

from paddock.kernels.confinement import can_block_network
from paddock.kernels.engines.detection import EngineChoice, EngineError, choose_engine, find_engines
from paddock.kernels.engines.engine import Capability

_ENGINE_SANDBOXES = {
    "wolfram": "asked not to use the network ($AllowInternet), which code can undo",
    "none": "nothing is run",
}
_WORKER_SANDBOX = "no network, no new privileges, no core dumps"
_NO_WORKER_SANDBOX = "none: this system has no means to keep a process from the network"


class EngineReport(msgspec.Struct, frozen=True):
    """An engine of the Wolfram Language, whether it is on this machine or not."""

    name: str
    """The word in settings."""
    title: str
    version: str
    """Empty when it is not here, or when that does not show without starting it."""
    licence: str
    found: str
    """Where it is, or empty."""
    how_to_get: str
    capabilities: tuple[Capability, ...]
    confinement: str
    """What its kernels are kept from."""
    is_chosen: bool
    """Whether it evaluates when nothing else is said."""
    reason: str
    """Why it was chosen; empty for the others."""


def engines() -> list[EngineReport]:
    """All engines of the Wolfram Language, the preferred first.

    None of them is chosen when the environment names one that is not here.
    """
    chosen = _find_choice()
    return [
        EngineReport(
            name=engine.name,
            title=engine.title,
            version=engine.version,
            licence=engine.licence,
            found=engine.location,
            how_to_get=engine.install_hint,
            capabilities=tuple(sorted(engine.capabilities)),
            confinement=_ENGINE_SANDBOXES.get(engine.name, _describe_worker_sandbox()),
            is_chosen=chosen is not None and chosen.engine.name == engine.name,
            reason=chosen.reason if chosen and chosen.engine.name == engine.name else "",
        )
        for engine in find_engines()
    ]


def _find_choice() -> EngineChoice | None:
    try:
        return choose_engine()
    except EngineError:
        return None


def _describe_worker_sandbox() -> str:
    return _WORKER_SANDBOX if can_block_network() else _NO_WORKER_SANDBOX
