"""Which symbols an engine brings along: the names in its context ``System` ``.

woxi: a young engine of the Wolfram Language in one package, the default of extra `wolfram`.

Its licence is the AGPL: it runs in processes of its own and is never part of this distribution.

Mathics3: an engine written in Python, a second opinion beside woxi; extra `mathics`.

Its licence is the GPL: it runs in processes of its own and is never part of this distribution.

The engine `wolfram`: a kernel of Wolfram Research that is installed on this machine.

`programs` finds it, `wolfram_kernel` talks to it, `driver.wl` runs in it.

Which engines of the Wolfram Language are on this machine, and which one is used.

Nothing is imported or started to find out: packages are looked up, programs are looked for.

What can be said about the engines on this machine, for people and programs that ask.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from paddock.errors import PaddockError
from paddock.kernels.engine import Capability, Language
from paddock.kernels.kernel import KernelError
from paddock.kernels.sandbox import build_environment, can_block_network
from paddock.kernels.wolfram.kernel_locator import (
    KERNEL_VARIABLE,
    KernelProgram,
    SearchLocations,
    find_kernel_program,
    get_missing_program,
)
from paddock.kernels.wolfram.kernel_supervisor import HAS_PROCESS_GROUPS
from paddock.kernels.wolfram.literal_engine import LiteralEngine
from paddock.kernels.wolfram.printed_output import parse_printed_output
from paddock.kernels.wolfram.wolfram_kernel import WolframKernel
from paddock.kernels.worker.worker_kernel import start_worker
from paddock.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import EvaluationLimits, Kernel


SYSTEM_NAMES_CODE = 'Names["System`*"]'
_QUOTED_NAME = re.compile(r'"(?:System`)?([^"`]+)"')
_names_by_engine: dict[tuple[str, str], frozenset[str]] = {}


def get_system_names(engine: Engine, ask: Callable[[str], str | None]) -> frozenset[str]:
    """The names of all built-in symbols of an engine; asked for once in a process.

    An engine may list names that it knows nothing else about. `ask` evaluates an expression in any
    of the engine's kernels and gives the text of its value.
    """
    key = (engine.name, engine.version)
    if key not in _names_by_engine:
        found = frozenset(_QUOTED_NAME.findall(ask(SYSTEM_NAMES_CODE) or ""))
        if not found:
            return found
        _names_by_engine[key] = found
    return _names_by_engine[key]


WOXI_CAPABILITIES: frozenset[Capability] = frozenset(
    {"state", "rollback", "pictures", "evaluation", "many"}
)


class WoxiEngine(msgspec.Struct, frozen=True):
    """What is known about woxi without importing it."""

    version: str = ""
    location: str = ""
    name: str = "woxi"
    title: str = "Woxi"
    language: Language = "wolfram"
    licence: str = "AGPL-3.0-or-later"
    install_hint: str = 'pip install "paddock[wolfram]"'
    capabilities: frozenset[Capability] = WOXI_CAPABILITIES

    def start(self, limits: EvaluationLimits) -> Kernel:
        """Start a kernel that evaluates with woxi."""
        return start_worker(
            self.name,
            "paddock.kernels.wolfram.woxi_interpreter",
            limits,
            read_printed=parse_printed_output,
        )


def find_woxi() -> WoxiEngine:
    """Describe woxi; `found` is empty when it is not installed."""
    spec = find_spec("woxi")
    if spec is None or spec.origin is None:
        return WoxiEngine()
    return WoxiEngine(metadata.version("woxi"), spec.origin)


MATHICS_DISTRIBUTION = "Mathics3"
MATHICS_CAPABILITIES: frozenset[Capability] = frozenset(
    {"state", "rollback", "interrupt", "pictures", "evaluation", "many"}
)
SINGLE_THREAD_VARIABLES = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""Of numpy, which Mathics uses: a process with threads must not fork."""


class MathicsEngine(msgspec.Struct, frozen=True):
    """What is known about Mathics without importing it."""

    version: str = ""
    location: str = ""
    name: str = "mathics"
    title: str = "Mathics3"
    language: Language = "wolfram"
    licence: str = "GPL-3.0-or-later"
    install_hint: str = 'pip install "paddock[mathics]"'
    capabilities: frozenset[Capability] = MATHICS_CAPABILITIES

    def start(self, limits: EvaluationLimits) -> Kernel:
        """Start a kernel that evaluates with Mathics; it takes some seconds."""
        return start_worker(
            self.name,
            "paddock.kernels.wolfram.mathics_interpreter",
            limits,
            variables=SINGLE_THREAD_VARIABLES,
        )


def find_mathics() -> MathicsEngine:
    """Describe Mathics; `found` is empty when it is not installed."""
    spec = find_spec("mathics")
    if spec is None or spec.origin is None:
        return MathicsEngine()
    try:
        return MathicsEngine(metadata.version(MATHICS_DISTRIBUTION), spec.origin)
    except metadata.PackageNotFoundError:  # some other package of that name
        return MathicsEngine()


DRIVER_PATH = Path(__file__).with_name("driver.wl")
_WOLFRAM_VARIABLE_PREFIXES = ("WOLFRAM", "MATHEMATICA")
WOLFRAM_INSTALL_HINT = (
    "install Wolfram, Mathematica or the free Wolfram Engine (https://www.wolfram.com/engine) and "
    f"activate it; {KERNEL_VARIABLE} names a kernel that is not found"
)


@dataclass(frozen=True, slots=True)
class WolframEngine:
    """A real Wolfram kernel, or the place where one would be."""

    program: KernelProgram | None
    name: str = "wolfram"
    title: str = "Wolfram kernel"
    language: Language = "wolfram"
    licence: str = "proprietary, from Wolfram Research"
    install_hint: str = WOLFRAM_INSTALL_HINT

    @property
    def version(self) -> str:
        """The version of the installation, as far as that shows without starting it."""
        return self.program.version if self.program is not None else ""

    @property
    def location(self) -> str:
        """The program, and how it was found."""
        return f"{self.program.path} ({self.program.origin})" if self.program is not None else ""

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What it can do that not every engine can."""
        known: frozenset[Capability] = frozenset({"state", "pictures", "packages", "evaluation"})
        return known | {"interrupt"} if HAS_PROCESS_GROUPS else known

    @property
    def command(self) -> list[str]:
        """The program with the arguments that make it run the driver."""
        if self.program is None:
            return []
        path = str(self.program.path)
        file = str(DRIVER_PATH).replace("\\", "\\\\").replace('"', '\\"')
        code = f'Get["{file}"]; PaddockDriver`run[]'
        if self.program.is_script:
            return [path, "-code", code]
        return [path, "-noinit", "-noprompt", "-run", code]

    def start(self, limits: EvaluationLimits) -> WolframKernel:
        """Start a kernel.

        Raises:
            KernelError: when there is none, or it does not answer.
        """
        if not self.command:
            raise KernelError(
                "There is no Wolfram kernel on this machine", hint=WOLFRAM_INSTALL_HINT
            )
        return WolframKernel(self.command, _build_wolfram_environment(), limits)


def _build_wolfram_environment() -> dict[str, str]:
    """What every kernel gets, and where Wolfram products look for their licence and files."""
    own = {
        name: value
        for name, value in os.environ.items()
        if name.upper().startswith(_WOLFRAM_VARIABLE_PREFIXES)
    }
    return build_environment() | own


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
    return [
        WolframEngine(find_kernel_program(places)),
        find_woxi(),
        find_mathics(),
        LiteralEngine(),
    ]


def choose_engine(
    setting: str | None = None, *, places: SearchLocations | None = None
) -> EngineChoice:
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


def _require_engine(
    wanted: str, source: str, engines: dict[str, Engine], places: SearchLocations
) -> Engine:
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
