"""Which engines of the Wolfram Language are on this machine, and which one is used.

Nothing is imported or started to find out: packages are looked up, programs are looked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import PaddockError
from paddock.kernels.engines.mathics import find_mathics
from paddock.kernels.engines.none import LiteralEngine
from paddock.kernels.engines.programs import KERNEL_VARIABLE, SearchLocations, find_kernel_program, get_missing_program
from paddock.kernels.engines.wolfram import WolframEngine
from paddock.kernels.engines.woxi import find_woxi
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from paddock.kernels.engines.engine import Engine

ENGINE_VARIABLE = "PADDOCK_WOLFRAM_ENGINE"
"""Names the engine to use, for everything that does not name one itself."""
AUTOMATIC = "automatic"


class EngineError(PaddockError):
    """An engine is asked for that does not exist, or is not on this machine."""

    code = "engine"


class EngineChoice(NamedTuple):
    """The engine that is used, and why."""

    engine: Engine
    reason: str


def find_engines(places: SearchLocations | None = None) -> list[Engine]:
    """All engines, those that would be chosen first, whether they are here or not."""
    return [WolframEngine(find_kernel_program(places)), find_woxi(), find_mathics(), LiteralEngine()]


def choose_engine(setting: str | None = None, *, places: SearchLocations | None = None) -> EngineChoice:
    """The engine to use: the one that a setting names, else the best that is here.

    A setting is the name of an engine or "automatic", in any case of letters. Without one, the
    environment variable counts.

    Raises:
        EngineError: when the setting names what is no engine, or one that is not here.
    """
    places = places or SearchLocations.detect()
    engines = {engine.name: engine for engine in find_engines(places)}
    wanted, source = _resolve_setting(setting, places)
    if wanted != AUTOMATIC:
        return EngineChoice(_require_engine(wanted, source, engines, places), f"{source} names it")
    best = next(engine for engine in engines.values() if engine.location)
    return EngineChoice(best, _explain_choice(best, engines, places))


def _resolve_setting(setting: str | None, places: SearchLocations) -> tuple[str, str]:
    """The name of an engine, and where it is from."""
    if setting and setting.lower() != AUTOMATIC:
        return setting.lower(), "the option Engine"
    return places.environment.get(ENGINE_VARIABLE, "").lower() or AUTOMATIC, ENGINE_VARIABLE


def _require_engine(wanted: str, source: str, engines: dict[str, Engine], places: SearchLocations) -> Engine:
    engine = engines.get(wanted)
    if engine is None:
        raise EngineError(
            f"There is no engine {wanted!r}, which {source} names",
            hint=did_you_mean(wanted, engines) or f"one of {', '.join([AUTOMATIC, *engines])}",
        )
    if engine.location:
        return engine
    absent = get_missing_program(places) if wanted == "wolfram" else ""
    more = f": {absent!r}, which {KERNEL_VARIABLE} names, is no program" if absent else ""
    raise EngineError(
        f"The engine {wanted!r}, which {source} names, is not on this machine{more}",
        hint=engine.install_hint,
    )


def _explain_choice(best: Engine, engines: dict[str, Engine], places: SearchLocations) -> str:
    names = list(engines)
    better = [engines[name].title for name in names[: names.index(best.name)]]
    reason = f"the best that is here ({', '.join(better)} not found)" if better else "the best"
    absent = get_missing_program(places)
    if absent:
        reason += f"; {absent!r}, which {KERNEL_VARIABLE} names, is no program"
    return reason
