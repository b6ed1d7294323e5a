"""Wolfram Language engines: detection, selection and description.

Nothing is imported or started to detect them: Python packages are looked up, and programs are
searched for. The engines are

- `wolfram`: a Wolfram kernel that is installed on this machine (see `kernel_locator`);
- `woxi`: a Python package, installed by the extra `wolfram`;
- `mathics`: Mathics3, a Python package, installed by the extra `mathics`;
- `none`: evaluates only literal values (see `literal_engine`).

woxi is licensed under the AGPL and Mathics under the GPL. Both run in separate processes and are
not part of this distribution.
"""

from __future__ import annotations

import os
import re
from functools import partial
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from paddock.errors import PaddockError
from paddock.kernels.engine import Capability, Engine
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
from paddock.kernels.wolfram.literal_engine import LITERAL_ENGINE
from paddock.kernels.wolfram.printed_output import parse_printed_output
from paddock.kernels.wolfram.wolfram_kernel import WolframKernel
from paddock.kernels.worker.worker_kernel import start_worker
from paddock.suggestions import did_you_mean
from paddock.wolfram import quote_string

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.kernels.kernel import EvaluationLimits

ENGINE_VARIABLE = "PADDOCK_WOLFRAM_ENGINE"
"""Environment variable that sets the engine wherever none is specified."""
AUTOMATIC = "automatic"
SYSTEM_NAMES_CODE = 'Names["System`*"]'
DRIVER_PATH = Path(__file__).with_name("driver.wl")
SINGLE_THREAD_VARIABLES = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""Variables that keep numpy, used by Mathics, from starting threads, which prevent forking."""
WOLFRAM_INSTALL_HINT = (
    "install Wolfram, Mathematica or the free Wolfram Engine (https://www.wolfram.com/engine) and "
    f"activate it; if it is not found, set {KERNEL_VARIABLE} to its kernel program"
)

_WORKER_CAPABILITIES: frozenset[Capability] = frozenset(
    {"state", "rollback", "pictures", "evaluation", "many"}
)
_INTERRUPT: frozenset[Capability] = frozenset({"interrupt"})
_WOLFRAM_VARIABLE_PREFIXES = ("WOLFRAM", "MATHEMATICA")
_QUOTED_NAME = re.compile(r'"(?:System`)?([^"`]+)"')
_names_by_engine: dict[tuple[str, str], frozenset[str]] = {}
_ENGINE_SANDBOXES = {
    "wolfram": "network access is disabled by $AllowInternet, which code can change",
    "none": "no code is run",
}
_WORKER_SANDBOX = "no network, no new privileges, no core dumps"
_NO_WORKER_SANDBOX = "none: this system cannot deny a process access to the network"


class EngineError(PaddockError):
    """The selected engine does not exist or is not installed."""

    code = "engine"


class EngineChoice(NamedTuple):
    """The selected engine and the reason for its selection."""

    engine: Engine
    reason: str


class EngineReport(msgspec.Struct, frozen=True):
    """Description of a Wolfram Language engine, installed or not."""

    name: str
    """The word used in settings."""
    title: str
    version: str
    """Empty if the engine is not installed, or if its version is unknown before it starts."""
    licence: str
    found: str
    """Where it is installed, or empty."""
    how_to_get: str
    capabilities: tuple[Capability, ...]
    confinement: str
    """What its kernels cannot access."""
    is_chosen: bool
    """Whether it is used when no engine is specified."""
    reason: str
    """Why it was selected, or empty for the others."""


def get_system_names(engine: Engine, ask: Callable[[str], str | None]) -> frozenset[str]:
    """Return the names of all of an engine's built-in symbols, such as `Plot` and `Integrate`.

    An engine may list names that it does not implement. The names are cached per process.

    Args:
        engine: The engine.
        ask: Function that evaluates an expression in one of the engine's kernels and returns the
            text of its value, or None if the evaluation fails.
    """
    key = (engine.name, engine.version)
    if key not in _names_by_engine:
        names = frozenset(_QUOTED_NAME.findall(ask(SYSTEM_NAMES_CODE) or ""))
        if not names:
            return names  # not cached, because the next evaluation may succeed
        _names_by_engine[key] = names
    return _names_by_engine[key]


def find_woxi() -> Engine:
    """Return the engine Woxi, which evaluates Wolfram Language in a Python package.

    Its location is empty if the package is not installed.
    """
    start = partial(
        start_worker,
        "woxi",
        "paddock.kernels.wolfram.woxi_interpreter",
        read_printed=parse_printed_output,
    )
    return _make_package_engine(
        "woxi",
        "woxi",
        title="Woxi",
        licence="AGPL-3.0-or-later",
        install_hint='pip install "paddock[wolfram]"',
        capabilities=_WORKER_CAPABILITIES,
        start=start,
    )


def find_mathics() -> Engine:
    """Return the engine Mathics3, which evaluates Wolfram Language in a Python package.

    Its location is empty if the package is not installed.
    """
    start = partial(
        start_worker,
        "mathics",
        "paddock.kernels.wolfram.mathics_interpreter",
        variables=SINGLE_THREAD_VARIABLES,
    )
    return _make_package_engine(
        "mathics",
        "Mathics3",
        title="Mathics3",
        licence="GPL-3.0-or-later",
        install_hint='pip install "paddock[mathics]"',
        capabilities=_WORKER_CAPABILITIES | _INTERRUPT,
        start=start,
    )


def _make_package_engine(package: str, distribution: str, **fields: Any) -> Engine:
    """Return an engine provided by a Python package, with its version and location.

    Both are empty if the package is not installed.

    Args:
        package: The name of the package, which is also the engine's name. It is not imported.
        distribution: The name of the distribution that contains the package, as used by pip.
        fields: The other fields of the engine.
    """
    spec = find_spec(package)
    location = spec.origin or "" if spec is not None else ""
    try:
        version = metadata.version(distribution) if location else ""
    except metadata.PackageNotFoundError:  # a different package with this name
        location = version = ""
    return Engine(name=package, language="wolfram", version=version, location=location, **fields)


def make_wolfram_engine(program: KernelProgram | None) -> Engine:
    """Return the engine that runs a Wolfram kernel, a program by Wolfram Research.

    Args:
        program: The program, or None if there is no Wolfram kernel on this machine, in which case
            the engine's location is empty.
    """

    def start(limits: EvaluationLimits) -> WolframKernel:
        if program is None:
            raise KernelError(
                "There is no Wolfram kernel on this machine", hint=WOLFRAM_INSTALL_HINT
            )
        return WolframKernel(_build_command(program), _build_wolfram_environment(), limits)

    capabilities: frozenset[Capability] = frozenset({"state", "pictures", "packages", "evaluation"})
    return Engine(
        name="wolfram",
        title="Wolfram kernel",
        language="wolfram",
        licence="proprietary, from Wolfram Research",
        install_hint=WOLFRAM_INSTALL_HINT,
        capabilities=capabilities | _INTERRUPT if HAS_PROCESS_GROUPS else capabilities,
        start=start,
        version="" if program is None else program.version,
        location="" if program is None else f"{program.path} ({program.origin})",
    )


def _build_command(program: KernelProgram) -> list[str]:
    """Return the command that runs the driver in a kernel."""
    path = str(program.path)
    code = f"Get[{quote_string(str(DRIVER_PATH))}]; PaddockDriver`run[]"
    if program.is_script:
        return [path, "-code", code]
    return [path, "-noinit", "-noprompt", "-run", code]


def _build_wolfram_environment() -> dict[str, str]:
    """Return a kernel's environment, with the variables for licences and installation paths."""
    variables = build_environment()
    for name, value in os.environ.items():
        if name.upper().startswith(_WOLFRAM_VARIABLE_PREFIXES):
            variables[name] = value
    return variables


def find_engines(locations: SearchLocations | None = None) -> list[Engine]:
    """Return all engines in order of preference, installed or not."""
    wolfram = make_wolfram_engine(find_kernel_program(locations))
    return [wolfram, find_woxi(), find_mathics(), LITERAL_ENGINE]


def choose_engine(
    setting: str | None = None, *, locations: SearchLocations | None = None
) -> EngineChoice:
    """Select the engine that evaluates Wolfram Language code.

    This is the engine named by a setting, or else the preferred one among the installed engines.

    Args:
        setting: The name of an engine or "automatic", in upper or lower case. If it is missing or
            "automatic", the environment variable applies.
        locations: The environment in which to search for a Wolfram kernel.

    Raises:
        EngineError: The setting names an unknown engine, or one that is not installed.
    """
    locations = locations or SearchLocations.detect()
    engines = {engine.name: engine for engine in find_engines(locations)}
    name, source = _resolve_setting(setting, locations)
    if name != AUTOMATIC:
        engine = _require_engine(name, source, engines, locations)
        return EngineChoice(engine, f"selected by {source}")
    best = next(engine for engine in engines.values() if engine.location)
    return EngineChoice(best, _explain_choice(best, engines, locations))


def _resolve_setting(setting: str | None, locations: SearchLocations) -> tuple[str, str]:
    """Return the name of the engine to use, and a description of the setting that names it."""
    if setting and setting.lower() != AUTOMATIC:
        return setting.lower(), "the option Engine"
    return locations.environment.get(ENGINE_VARIABLE, "").lower() or AUTOMATIC, ENGINE_VARIABLE


def _require_engine(
    name: str, source: str, engines: dict[str, Engine], locations: SearchLocations
) -> Engine:
    """Return the engine selected by the user, if it is installed.

    Args:
        name: The name of the engine.
        source: The setting or environment variable that names it, for error messages.
        engines: All engines, keyed by name.
        locations: The environment in which a Wolfram kernel was searched for.

    Raises:
        EngineError: The engine is unknown or not installed.
    """
    engine = engines.get(name)
    if engine is None:
        raise EngineError(
            f"There is no engine {name!r}, which {source} names",
            hint=did_you_mean(name, engines) or f"one of {', '.join([AUTOMATIC, *engines])}",
        )
    if engine.location:
        return engine
    missing = _describe_missing_program(locations) if name == "wolfram" else ""
    raise EngineError(
        f"The engine {name!r}, which {source} names, is not on this machine"
        f"{f': {missing}' if missing else ''}",
        hint=engine.install_hint,
    )


def _explain_choice(best: Engine, engines: dict[str, Engine], locations: SearchLocations) -> str:
    """Explain to the user why an engine was selected automatically.

    Args:
        best: The selected engine.
        engines: All engines, keyed by name, in order of preference.
        locations: The environment in which a Wolfram kernel was searched for.
    """
    names = list(engines)
    missing_titles = [engines[name].title for name in names[: names.index(best.name)]]
    reason = "the preferred engine"
    if missing_titles:
        missing_list = ", ".join(missing_titles)
        reason = f"the preferred one of the installed engines ({missing_list} not found)"
    missing = _describe_missing_program(locations)
    return f"{reason}; {missing}" if missing else reason


def _describe_missing_program(locations: SearchLocations) -> str:
    program = get_missing_program(locations)
    return f"{program!r}, which {KERNEL_VARIABLE} names, is not a program" if program else ""


def engines() -> list[EngineReport]:
    """Return descriptions of all Wolfram Language engines in order of preference.

    None of them is marked as selected if the environment variable names an unusable engine.
    """
    try:
        choice = choose_engine()
    except EngineError:
        choice = None
    return [_build_report(engine, choice) for engine in find_engines()]


def _build_report(engine: Engine, choice: EngineChoice | None) -> EngineReport:
    """Return an engine's description, for `engines` and for tools.

    Args:
        engine: The engine.
        choice: The selected engine, or None if the selection failed.
    """
    is_chosen = choice is not None and choice.engine.name == engine.name
    worker_sandbox = _WORKER_SANDBOX if can_block_network() else _NO_WORKER_SANDBOX
    return EngineReport(
        name=engine.name,
        title=engine.title,
        version=engine.version,
        licence=engine.licence,
        found=engine.location,
        how_to_get=engine.install_hint,
        capabilities=tuple(sorted(engine.capabilities)),
        confinement=_ENGINE_SANDBOXES.get(engine.name, worker_sandbox),
        is_chosen=is_chosen,
        reason=choice.reason if choice is not None and is_chosen else "",
    )
