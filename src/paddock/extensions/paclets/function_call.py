"""`#name` as `#1["name"]`, which means the same, for engines that do not know the short form.

Arguments as Wolfram Language code: every declared parameter, as its interpreter wants it.

Calling the Wolfram functions of paclets, in one kernel for all of them in this process.

A paclet's packages are read by us and given to the engine with full names, unless the engine loads
packages itself. Initializations are evaluated once. A kernel that has ended is replaced by another,
and everything is loaded again.
"""

from __future__ import annotations

import atexit
import re
import threading
from collections.abc import Mapping
from functools import cache
from os import environ
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.authoring.handler_errors import ToolError
from paddock.errors import PaddockError
from paddock.extensions.paclets.code_writer import write_association, write_literal, write_string
from paddock.extensions.paclets.function_owner import (
    make_no_engine_error,
    make_unresolved_symbols_error,
)
from paddock.extensions.paclets.function_results import (
    format_failure,
    make_prompt_text,
    make_tool_result,
)
from paddock.extensions.paclets.interpreter_schema import InterpreterSchemaBuilder
from paddock.extensions.paclets.package_files import open_package_files
from paddock.extensions.paclets.symbol_check import find_unresolved_symbols
from paddock.kernels.handler_calls import call_kernel
from paddock.kernels.kernel import EvaluationLimits
from paddock.kernels.wolfram.engines import ENGINE_VARIABLE, choose_engine, get_system_names
from paddock.wolfram import Atom, Node, RuleValue, evaluate, has_head, parse, quote_string, walk
from paddock.wolfram.context_resolver import ContextResolver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from paddock.authoring.context import Context
    from paddock.extensions.paclets.function_owner import FunctionOwner
    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import EvaluationControl, EvaluationResult, Kernel


ENGINES_WITHOUT_NAMED_SLOTS = ("mathics",)
"""The engines that this is for."""


def expand_named_slots(code: str) -> str:
    """Code without named slots; what cannot be read stays as it is."""
    source = parse(code)
    if source.problems or "#" not in code:
        return code
    pieces: list[str] = []
    at = 0
    slots = [part for one in source.expressions for part in walk(one) if _is_named_slot(part)]
    for slot in sorted(slots, key=lambda one: one.start):
        name = source.text[slot.start : slot.end].strip('#"')
        pieces += [source.text[at : slot.start], f'#1["{name}"]']
        at = slot.end
    return "".join([*pieces, source.text[at:]])


def _is_named_slot(part: object) -> bool:
    if not isinstance(part, Node) or not has_head(part, "Slot") or part.form == "call":
        return False
    name = part.args[0] if part.args else None
    return isinstance(name, Atom) and name.kind == "string" and part.start >= 0


MISSING_ARGUMENT_CODE = 'Missing["NoInput"]'


class ArgumentCode(NamedTuple):
    """The code of an argument."""

    name: str
    code: str
    needs_interpretation: bool = False
    """Whether the engine has to make something of it first."""


def write_arguments(
    arguments: Mapping[str, Any], interpreters: Mapping[str, str]
) -> Iterator[ArgumentCode]:
    """The arguments in the order of the parameters; those that were not given are missing."""
    for name in [*interpreters, *(other for other in arguments if other not in interpreters)]:
        if name in arguments:
            yield _write_argument(name, arguments[name], interpreters.get(name, '"String"'))
        else:
            yield ArgumentCode(name, MISSING_ARGUMENT_CODE)


def _write_argument(name: str, value: object, interpreter: str) -> ArgumentCode:
    source = parse(interpreter)
    form = evaluate(source.expressions[0]) if source.expressions else "String"
    interpreting = InterpreterSchemaBuilder()
    interpreting.build_schema(form)
    if interpreting.format_note():
        return ArgumentCode(
            name, f"Interpreter[{interpreter}][{write_literal(value)}]", needs_interpretation=True
        )
    return ArgumentCode(name, _find_choice_code(form, value) or write_literal(value))


def _find_choice_code(form: object, value: object) -> str | None:
    """What a choice stands for: the right side of its rule."""
    rules: list[tuple[object, object]] = []
    if isinstance(form, Mapping):
        rules = list(form.items())
    elif isinstance(form, list):
        rules = [(one.key, one.value) for one in form if isinstance(one, RuleValue)]
    for label, meaning in rules:
        if label == value and type(label) is type(value):
            return write_literal(meaning)
    return None


CALL_TIMEOUT_SECONDS = 60.0
MAX_REASONS = 3
_LOCK_WAIT_SECONDS = 0.1
_NOT_IMPLEMENTED_PATTERN = re.compile(
    r"([\w$`]+)\[.*\] is a built-in Wolfram Language function not yet", re.S
)
"""What Woxi says of functions that it knows by name only."""


class FunctionCall(NamedTuple):
    """A function, what it is called with, and what has to be evaluated before."""

    code: str
    owner: FunctionOwner
    arguments: Mapping[str, Any]
    interpreters: Mapping[str, str]
    initializations: tuple[tuple[str, FunctionOwner], ...] = ()


def call_function(call: FunctionCall, ctx: Context) -> Any:
    """What a function gives for its arguments, as a tool or a prompt answers.

    Raises:
        NoEngineError: when there is no engine.
        UnresolvedSymbolsError: when the engine lacks what it needs.
        ToolError: when it fails.
    """

    def evaluate_call(control: EvaluationControl) -> EvaluationResult:
        return _get_shared_kernel().call(call, control)

    try:
        outcome = call_kernel(ctx, evaluate_call, CALL_TIMEOUT_SECONDS)
    except ToolError:
        raise
    except PaddockError as error:
        raise ToolError(str(error)) from error
    ctx.raise_if_cancelled()
    what = f"The {call.owner}"
    return (make_prompt_text if call.owner.kind == "prompt" else make_tool_result)(outcome, what)


class _LoadedPaclet(NamedTuple):
    """A paclet whose packages the kernel has."""

    packages: ContextResolver
    problems: list[str]
    """What could not be loaded, and why."""


class _PacletKernel:
    """The kernel that evaluates what paclets bring."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kernel: Kernel | None = None
        self._engine: Engine | None = None
        self._paclets_by_key: dict[str, _LoadedPaclet] = {}
        self._completed_initializations: set[tuple[str, str]] = set()

    def call(self, call: FunctionCall, control: EvaluationControl) -> EvaluationResult:
        """Have a function called; other calls wait meanwhile."""
        while not self._lock.acquire(timeout=_LOCK_WAIT_SECONDS):
            if control.is_cancelled():
                raise ToolError("The call was cancelled")
        try:
            return _CallExecution(self, call, control).run()
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the kernel."""
        kernel, self._kernel = self._kernel, None
        if kernel is not None:
            kernel.close()

    def ensure_kernel(self, engine: Engine) -> Kernel:
        """A kernel of an engine that is alive; a new one has nothing loaded."""
        is_same = self._engine is not None and self._engine.name == engine.name
        if self._kernel is None or not self._kernel.is_alive or not is_same:
            self.close()
            self._paclets_by_key.clear()
            self._completed_initializations.clear()
            self._engine = engine
            self._kernel = engine.start(EvaluationLimits())
        return self._kernel

    def get_or_load_paclet(self, key: str, load: Callable[[], _LoadedPaclet]) -> _LoadedPaclet:
        """A paclet that is loaded, now or before."""
        if key not in self._paclets_by_key:
            self._paclets_by_key[key] = load()
        return self._paclets_by_key[key]

    def needs_initialization(self, key: str, code: str) -> bool:
        """Whether an initialization has not been evaluated yet."""
        return (key, code) not in self._completed_initializations

    def record_initialization(self, key: str, code: str) -> None:
        """Remember that an initialization has been evaluated."""
        self._completed_initializations.add((key, code))


@cache
def _get_shared_kernel() -> _PacletKernel:
    found = _PacletKernel()
    atexit.register(found.close)
    return found


@cache
def _choose_engine(_variable: str | None) -> Engine:
    """Looked for once, since it means looking at many places."""
    return choose_engine().engine


class _CallExecution:
    """One call, while it has the kernel to itself."""

    def __init__(
        self,
        home: _PacletKernel,
        call: FunctionCall,
        control: EvaluationControl,
    ) -> None:
        self._shared_kernel = home
        self._call = call
        self._control = control
        self._engine = _choose_engine(environ.get(ENGINE_VARIABLE))
        if "evaluation" not in self._engine.capabilities:
            raise make_no_engine_error(call.code, call.owner)
        self._kernel = home.ensure_kernel(self._engine)

    def run(self) -> EvaluationResult:
        """Load, initialise, interpret the arguments, call."""
        paclet = self._get_paclet(self._call.owner)
        for initialization, owner in self._call.initializations:
            if _make_paclet_key(owner) == _make_paclet_key(self._call.owner):
                self._run_initialization(initialization, owner)
        code = paclet.packages.qualify_code(self._call.code)
        self._check_symbols(code, paclet)
        outcome = self._evaluate(f"({code})[{write_association(self._evaluate_arguments())}]")
        return self._check_outcome(outcome, code, paclet)

    def _evaluate(self, code: str) -> EvaluationResult:
        if self._engine.name in ENGINES_WITHOUT_NAMED_SLOTS:
            code = expand_named_slots(code)
        limits = EvaluationLimits(seconds=CALL_TIMEOUT_SECONDS)
        return self._kernel.evaluate(code, limits, self._control)

    def _is_system_symbol(self, name: str) -> bool:
        names = get_system_names(self._engine, lambda code: self._evaluate(code).result)
        return name in names

    def _get_paclet(self, owner: FunctionOwner) -> _LoadedPaclet:
        return self._shared_kernel.get_or_load_paclet(
            _make_paclet_key(owner), lambda: self._load_paclet(owner)
        )

    def _load_paclet(self, owner: FunctionOwner) -> _LoadedPaclet:
        files = open_package_files(owner.files)
        packages = ContextResolver(
            _find_no_file if files is None else files.find_package, self._is_system_symbol
        )
        contexts = [] if files is None else files.contexts
        absent = [context for context in contexts if not packages.load(context)]
        broken = [f"there is no file for the context {context}" for context in absent]
        broken += packages.problems
        broken += [f"the context {context} is not found" for context in packages.missing_contexts]
        if owner.files is not None and self._engine_loads_packages and owner.files.path.is_dir():
            place = quote_string(str(owner.files.path))
            needed = "; ".join(f"Needs[{quote_string(context)}]" for context in contexts)
            self._evaluate(f"PacletDirectoryLoad[{place}]; {needed or 'Null'}")
        else:
            broken += self._evaluate_new_code(packages)
        return _LoadedPaclet(packages, broken)

    @property
    def _engine_loads_packages(self) -> bool:
        return "packages" in self._engine.capabilities

    def _evaluate_new_code(self, packages: ContextResolver) -> list[str]:
        """Have the kernel evaluate what it has not yet of some packages; what went wrong."""
        broken: list[str] = []
        strange: dict[str, None] = {}
        for code in packages.take_new_code():
            names = find_unresolved_symbols(code, self._is_system_symbol, packages.has_symbol)
            strange.update(dict.fromkeys(names))
            outcome = self._evaluate(code)
            if outcome.status != "done":
                said = next((one.text for one in outcome.outputs if one.kind == "message"), "")
                broken.append(
                    f"{_shorten_first_line(code)}: {_shorten_first_line(said) or outcome.status}"
                )
        if strange:
            broken.append(f"{self._engine_title} does not know {', '.join(strange)}")
        return broken

    def _check_symbols(self, code: str, paclet: _LoadedPaclet) -> None:
        def is_defined(name: str) -> bool:
            is_asked = self._engine_loads_packages and not paclet.packages.has_symbol(name)
            return not is_asked or self._evaluate(f"NameQ[{quote_string(name)}]").result == "True"

        known = is_defined if self._engine_loads_packages else paclet.packages.has_symbol
        missing = find_unresolved_symbols(code, self._is_system_symbol, known)
        if missing:
            raise self._make_unresolved_error(missing, paclet.problems)

    def _make_unresolved_error(self, symbols: list[str], reasons: Sequence[str] = ()) -> ToolError:
        call = self._call
        return make_unresolved_symbols_error(
            call.code, call.owner, symbols, self._engine_title, reasons[:MAX_REASONS]
        )

    @property
    def _engine_title(self) -> str:
        return f"{self._engine.title} {self._engine.version}".strip()

    def _run_initialization(self, initialization: str, owner: FunctionOwner) -> None:
        """Evaluate an initialization, unless it was; that it fails is told when a call fails."""
        key = _make_paclet_key(owner)
        if not self._shared_kernel.needs_initialization(key, initialization):
            return
        paclet = self._get_paclet(owner)
        statements = _list_statements(paclet.packages.qualify_code(initialization), paclet.packages)
        paclet.problems.extend(self._evaluate_new_code(paclet.packages))
        for code in statements:
            outcome = self._evaluate(code)
            if outcome.status == "cancelled":
                return
            if outcome.status != "done" or outcome.result == "$Failed":
                said = outcome.result or outcome.status
                paclet.problems.append(
                    f"the initialization {_shorten_first_line(code)} gave {said}"
                )
        self._shared_kernel.record_initialization(key, initialization)

    def _evaluate_arguments(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for one in write_arguments(self._call.arguments, self._call.interpreters):
            found[write_string(one.name)] = (
                self._interpret_argument(one.name, one.code)
                if one.needs_interpretation
                else one.code
            )
        return found

    def _interpret_argument(self, name: str, code: str) -> str:
        """What the engine makes of a text.

        Raises:
            ToolError: when it makes nothing of it.
        """
        result = self._evaluate(code).result or "$Failed"
        expression = (parse(result).expressions or [Atom("symbol", result)])[0]
        if isinstance(expression, Node) and has_head(expression, "Failure"):
            raise ToolError(f"[Error] {name}: {format_failure(expression)}")
        if result == "$Failed" or "Interpreter[" in result:
            raise self._make_unresolved_error([code.partition("][")[0] + "]"])
        return result

    def _check_outcome(
        self, outcome: EvaluationResult, code: str, paclet: _LoadedPaclet
    ) -> EvaluationResult:
        """The outcome, unless nothing was evaluated.

        Raises:
            UnresolvedSymbolsError: when a function of the engine is there by name only.
            ToolError: when the function has no definition for the arguments.
        """
        result = outcome.result or ""
        said = [
            _NOT_IMPLEMENTED_PATTERN.match(one.text)
            for one in outcome.outputs
            if one.kind == "message"
        ]
        lacking = [found[1] for found in said if found is not None and f"{found[1]}[" in result]
        head = _get_result_head(result)
        if head and not lacking and not self._is_system_symbol(head) and "`" not in head:
            lacking = [head]
        if lacking:
            raise self._make_unresolved_error(list(dict.fromkeys(lacking)))
        if result.startswith(f"{code}["):
            reasons = "".join(f"\n{reason}" for reason in paclet.problems[:MAX_REASONS])
            raise ToolError(
                f"[Error] {code} has no definition for these arguments in {self._engine_title}: "
                f"{result}{reasons}"
            )
        return outcome


def _list_statements(code: str, packages: ContextResolver) -> list[str]:
    """The statements of an initialization, without those that load what is loaded."""
    source = parse(code)
    found: list[str] = []
    waiting = list(reversed(source.expressions))
    while waiting:
        one = waiting.pop()
        if isinstance(one, Node) and has_head(one, "CompoundExpression"):
            waiting += reversed(one.args)
        elif not _loads_known_package(one, packages):
            found.append(source.text[one.start : one.end])
    return [text for text in found if text and text != "Null"]


def _loads_known_package(expression: object, packages: ContextResolver) -> bool:
    if not isinstance(expression, Node) or not expression.args:
        return False
    if not has_head(expression, "Needs") and not has_head(expression, "Get"):
        return False
    name = expression.args[0]
    return isinstance(name, Atom) and packages.load(name.text.strip('"'))


def _get_result_head(result: str) -> str:
    """The function that a result is a call of, if it is one."""
    expressions = parse(result).expressions
    found = expressions[0] if len(expressions) == 1 else None
    return found.head.text if isinstance(found, Node) and isinstance(found.head, Atom) else ""


def _make_paclet_key(owner: FunctionOwner) -> str:
    """Which paclet an item is of, wherever that is."""
    return f"{owner.paclet} {owner.version}"


def _find_no_file(_context: str) -> None:
    """A paclet without packages."""


def _shorten_first_line(text: str) -> str:
    line, _, rest = text.strip().partition("\n")
    return f"{line[:100]}…" if rest or len(line) > 100 else line
