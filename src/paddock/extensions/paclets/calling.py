"""Calling the Wolfram functions of paclets, in one kernel for all of them in this process.

A paclet's packages are read by us and given to the engine with full names, unless the engine loads
packages itself. Initializations are evaluated once. A kernel that has ended is replaced by another,
and everything is loaded again.
"""

from __future__ import annotations

import atexit
import re
import threading
from functools import cache
from os import environ
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.failures import ToolError
from paddock.errors import PaddockError
from paddock.extensions.paclets.kernel_files import kernel_files
from paddock.extensions.paclets.literals import association, string_literal
from paddock.extensions.paclets.named_slots import LACKING, spelled_slots
from paddock.extensions.paclets.owner import no_engine, unresolved
from paddock.extensions.paclets.unresolved import unresolved_symbols
from paddock.extensions.paclets.wolfram_arguments import arguments_as_code
from paddock.extensions.paclets.wolfram_results import failure_text, prompt_answer, tool_answer
from paddock.kernels.calls import call_kernel
from paddock.kernels.engines.detection import ENGINE_VARIABLE, choose_engine
from paddock.kernels.limits import Limits
from paddock.kernels.system_names import system_names
from paddock.wolfram import Atom, Node, has_head, parse, quoted
from paddock.wolfram.packages import Packages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paddock.authoring.context import Context
    from paddock.extensions.paclets.owner import Owner
    from paddock.kernels.calls import IsCancelled, OnWait
    from paddock.kernels.engines.engine import Engine
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.outcome import Outcome

SECONDS = 60.0
MOST_REASONS = 3
_WAIT = 0.1
_NOT_IMPLEMENTED = re.compile(
    r"([\w$`]+)\[.*\] is a built-in Wolfram Language function not yet", re.S
)
"""What Woxi says of functions that it knows by name only."""


class Call(NamedTuple):
    """A function, what it is called with, and what has to be evaluated before."""

    code: str
    owner: Owner
    arguments: Mapping[str, Any]
    interpreters: Mapping[str, str]
    initializations: tuple[tuple[str, Owner], ...] = ()


def call_function(call: Call, ctx: Context) -> Any:
    """What a function gives for its arguments, as a tool or a prompt answers.

    Raises:
        NoEngineError: when there is no engine.
        UnresolvedSymbolsError: when the engine lacks what it needs.
        ToolError: when it fails.
    """

    def work(is_cancelled: IsCancelled, on_wait: OnWait) -> Outcome:
        return _shared().call(call, is_cancelled, on_wait)

    try:
        outcome = call_kernel(ctx, work, SECONDS)
    except ToolError:
        raise
    except PaddockError as error:
        raise ToolError(str(error)) from error
    ctx.raise_if_cancelled()
    what = f"The {call.owner}"
    return (prompt_answer if call.owner.kind == "prompt" else tool_answer)(outcome, what)


class _Loaded(NamedTuple):
    """A paclet whose packages the kernel has."""

    packages: Packages
    broken: list[str]
    """What could not be loaded, and why."""


class _PacletKernel:
    """The kernel that evaluates what paclets bring."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kernel: Kernel | None = None
        self._engine: Engine | None = None
        self._loaded: dict[str, _Loaded] = {}
        self._initialised: set[tuple[str, str]] = set()

    def call(self, call: Call, is_cancelled: IsCancelled, on_wait: OnWait) -> Outcome:
        """Have a function called; other calls wait meanwhile."""
        while not self._lock.acquire(timeout=_WAIT):
            if is_cancelled():
                raise ToolError("The call was cancelled")
        try:
            return _OneCall(self, call, is_cancelled, on_wait).run()
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the kernel."""
        kernel, self._kernel = self._kernel, None
        if kernel is not None:
            kernel.close()

    def ready(self, engine: Engine) -> Kernel:
        """A kernel of an engine that is alive; a new one has nothing loaded."""
        is_same = self._engine is not None and self._engine.name == engine.name
        if self._kernel is None or not self._kernel.is_alive or not is_same:
            self.close()
            self._loaded.clear()
            self._initialised.clear()
            self._engine = engine
            self._kernel = engine.start(Limits())
        return self._kernel

    def loaded(self, key: str, load: Callable[[], _Loaded]) -> _Loaded:
        """A paclet that is loaded, now or before."""
        if key not in self._loaded:
            self._loaded[key] = load()
        return self._loaded[key]

    def is_new(self, key: str, code: str) -> bool:
        """Whether an initialization has not been evaluated yet."""
        return (key, code) not in self._initialised

    def note(self, key: str, code: str) -> None:
        """Remember that an initialization has been evaluated."""
        self._initialised.add((key, code))


@cache
def _shared() -> _PacletKernel:
    found = _PacletKernel()
    atexit.register(found.close)
    return found


@cache
def _chosen(_variable: str | None) -> Engine:
    """Looked for once, since it means looking at many places."""
    return choose_engine().engine


class _OneCall:
    """One call, while it has the kernel to itself."""

    def __init__(
        self, home: _PacletKernel, call: Call, is_cancelled: IsCancelled, on_wait: OnWait
    ) -> None:
        self._home = home
        self._call = call
        self._is_cancelled = is_cancelled
        self._on_wait = on_wait
        self._engine = _chosen(environ.get(ENGINE_VARIABLE))
        if "evaluation" not in self._engine.capabilities:
            raise no_engine(call.code, call.owner)
        self._kernel = home.ready(self._engine)

    def run(self) -> Outcome:
        """Load, initialise, interpret the arguments, call."""
        paclet = self._paclet(self._call.owner)
        for initialization, owner in self._call.initializations:
            if _paclet_key(owner) == _paclet_key(self._call.owner):
                self._initialise(initialization, owner)
        code = paclet.packages.resolved(self._call.code)
        self._check(code, paclet)
        outcome = self._evaluate(f"({code})[{association(self._arguments())}]")
        return self._checked(outcome, code, paclet)

    def _evaluate(self, code: str) -> Outcome:
        if self._engine.name in LACKING:
            code = spelled_slots(code)
        return self._kernel.evaluate(
            code, Limits(seconds=SECONDS), is_cancelled=self._is_cancelled, on_wait=self._on_wait
        )

    def _is_system(self, name: str) -> bool:
        names = system_names(self._engine, lambda code: self._evaluate(code).result)
        return name in names

    def _paclet(self, owner: Owner) -> _Loaded:
        return self._home.loaded(_paclet_key(owner), lambda: self._load(owner))

    def _load(self, owner: Owner) -> _Loaded:
        files = kernel_files(owner.files)
        packages = Packages(_no_file if files is None else files.find, self._is_system)
        contexts = [] if files is None else files.contexts
        absent = [context for context in contexts if not packages.load(context)]
        broken = [f"there is no file for the context {context}" for context in absent]
        broken += packages.problems
        broken += [f"the context {context} is not found" for context in packages.missing]
        if owner.files is not None and self._loads_packages and owner.files.place.is_dir():
            place = quoted(str(owner.files.place))
            needed = "; ".join(f"Needs[{quoted(context)}]" for context in contexts)
            self._evaluate(f"PacletDirectoryLoad[{place}]; {needed or 'Null'}")
        else:
            broken += self._give(packages)
        return _Loaded(packages, broken)

    @property
    def _loads_packages(self) -> bool:
        return "packages" in self._engine.capabilities

    def _give(self, packages: Packages) -> list[str]:
        """Have the kernel evaluate what it has not yet of some packages; what went wrong."""
        broken: list[str] = []
        strange: dict[str, None] = {}
        for code in packages.new_code():
            names = unresolved_symbols(code, self._is_system, packages.has)
            strange.update(dict.fromkeys(names))
            outcome = self._evaluate(code)
            if outcome.status != "done":
                said = next((one.text for one in outcome.outputs if one.kind == "message"), "")
                broken.append(f"{_first_line(code)}: {_first_line(said) or outcome.status}")
        if strange:
            broken.append(f"{self._title} does not know {', '.join(strange)}")
        return broken

    def _check(self, code: str, paclet: _Loaded) -> None:
        def is_defined(name: str) -> bool:
            is_asked = self._loads_packages and not paclet.packages.has(name)
            return not is_asked or self._evaluate(f"NameQ[{quoted(name)}]").result == "True"

        known = is_defined if self._loads_packages else paclet.packages.has
        missing = unresolved_symbols(code, self._is_system, known)
        if missing:
            raise self._unresolved(missing, paclet.broken)

    def _unresolved(self, symbols: list[str], reasons: Sequence[str] = ()) -> ToolError:
        call = self._call
        return unresolved(call.code, call.owner, symbols, self._title, reasons[:MOST_REASONS])

    @property
    def _title(self) -> str:
        return f"{self._engine.title} {self._engine.version}".strip()

    def _initialise(self, initialization: str, owner: Owner) -> None:
        """Evaluate an initialization, unless it was; that it fails is told when a call fails."""
        key = _paclet_key(owner)
        if not self._home.is_new(key, initialization):
            return
        paclet = self._paclet(owner)
        statements = _statements(paclet.packages.resolved(initialization), paclet.packages)
        paclet.broken.extend(self._give(paclet.packages))
        for code in statements:
            outcome = self._evaluate(code)
            if outcome.status == "cancelled":
                return
            if outcome.status != "done" or outcome.result == "$Failed":
                said = outcome.result or outcome.status
                paclet.broken.append(f"the initialization {_first_line(code)} gave {said}")
        self._home.note(key, initialization)

    def _arguments(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for one in arguments_as_code(self._call.arguments, self._call.interpreters):
            found[string_literal(one.name)] = (
                self._interpreted(one.name, one.code) if one.is_interpreted else one.code
            )
        return found

    def _interpreted(self, name: str, code: str) -> str:
        """What the engine makes of a text.

        Raises:
            ToolError: when it makes nothing of it.
        """
        result = self._evaluate(code).result or "$Failed"
        expression = (parse(result).expressions or [Atom("symbol", result)])[0]
        if isinstance(expression, Node) and has_head(expression, "Failure"):
            raise ToolError(f"[Error] {name}: {failure_text(expression)}")
        if result == "$Failed" or "Interpreter[" in result:
            raise self._unresolved([code.partition("][")[0] + "]"])
        return result

    def _checked(self, outcome: Outcome, code: str, paclet: _Loaded) -> Outcome:
        """The outcome, unless nothing was evaluated.

        Raises:
            UnresolvedSymbolsError: when a function of the engine is there by name only.
            ToolError: when the function has no definition for the arguments.
        """
        result = outcome.result or ""
        said = [
            _NOT_IMPLEMENTED.match(one.text) for one in outcome.outputs if one.kind == "message"
        ]
        lacking = [found[1] for found in said if found is not None and f"{found[1]}[" in result]
        head = _head(result)
        if head and not lacking and not self._is_system(head) and "`" not in head:
            lacking = [head]
        if lacking:
            raise self._unresolved(list(dict.fromkeys(lacking)))
        if result.startswith(f"{code}["):
            reasons = "".join(f"\n{reason}" for reason in paclet.broken[:MOST_REASONS])
            raise ToolError(
                f"[Error] {code} has no definition for these arguments in {self._title}: "
                f"{result}{reasons}"
            )
        return outcome


def _statements(code: str, packages: Packages) -> list[str]:
    """The statements of an initialization, without those that load what is loaded."""
    source = parse(code)
    found: list[str] = []
    waiting = list(reversed(source.expressions))
    while waiting:
        one = waiting.pop()
        if isinstance(one, Node) and has_head(one, "CompoundExpression"):
            waiting += reversed(one.args)
        elif not _is_loading(one, packages):
            found.append(source.text[one.start : one.end])
    return [text for text in found if text and text != "Null"]


def _is_loading(expression: object, packages: Packages) -> bool:
    if not isinstance(expression, Node) or not expression.args:
        return False
    if not has_head(expression, "Needs") and not has_head(expression, "Get"):
        return False
    name = expression.args[0]
    return isinstance(name, Atom) and packages.load(name.text.strip('"'))


def _head(result: str) -> str:
    """The function that a result is a call of, if it is one."""
    expressions = parse(result).expressions
    found = expressions[0] if len(expressions) == 1 else None
    return found.head.text if isinstance(found, Node) and isinstance(found.head, Atom) else ""


def _paclet_key(owner: Owner) -> str:
    """Which paclet an item is of, wherever that is."""
    return f"{owner.paclet} {owner.version}"


def _no_file(_context: str) -> None:
    """A paclet without packages."""


def _first_line(text: str) -> str:
    line, _, rest = text.strip().partition("\n")
    return f"{line[:100]}…" if rest or len(line) > 100 else line
