"""Calls of the Wolfram functions of paclets, in one kernel per process.

A call loads the paclet's packages into the kernel, evaluates initializations once, and then
evaluates the function with its arguments. If the engine cannot load packages, Paddock reads them
and evaluates their code with fully qualified symbols. If the kernel has ended, a new one is started
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
from paddock.extensions.paclets.code_writer import (
    format_association,
    format_literal,
    format_string_literal,
)
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
from paddock.wolfram.expressions import has_any_head

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paddock.authoring.context import Context
    from paddock.extensions.paclets.function_owner import FunctionOwner
    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import EvaluationControl, EvaluationResult, Kernel
    from paddock.wolfram import Expression


ENGINES_WITHOUT_NAMED_SLOTS = ("mathics",)
"""Engines that do not support `#name` and need `#1["name"]` instead."""
MISSING_ARGUMENT_CODE = 'Missing["NoInput"]'
CALL_TIMEOUT_SECONDS = 60.0
MAX_REASONS = 3
_LOCK_WAIT_SECONDS = 0.1
_NOT_IMPLEMENTED_PATTERN = re.compile(
    r"([\w$`]+)\[.*\] is a built-in Wolfram Language function not yet", re.S
)
"""The message of Woxi for functions that it knows only by name."""


def expand_named_slots(code: str) -> str:
    """Replace `#name` by the equivalent `#1["name"]`. Code with syntax errors is not changed."""
    source = parse(code)
    if source.problems or "#" not in code:
        return code
    pieces: list[str] = []
    offset = 0
    nodes = (node for expression in source.expressions for node in walk(expression))
    for slot in sorted(filter(_is_named_slot, nodes), key=lambda expression: expression.start):
        name = source.text[slot.start : slot.end].strip('#"')
        pieces += [source.text[offset : slot.start], f'#1["{name}"]']
        offset = slot.end
    return "".join([*pieces, source.text[offset:]])


def _is_named_slot(part: object) -> bool:
    if not isinstance(part, Node) or not has_head(part, "Slot") or part.form == "call":
        return False
    name = part.args[0] if part.args else None
    return isinstance(name, Atom) and name.kind == "string" and part.start >= 0


class ArgumentCode(NamedTuple):
    """An argument as Wolfram Language code."""

    name: str
    code: str
    needs_interpretation: bool = False
    """True if the code calls an interpreter, and must be evaluated before the function."""


def iter_argument_code(
    arguments: Mapping[str, Any], interpreters: Mapping[str, str]
) -> Iterator[ArgumentCode]:
    """Yield the code of all arguments in the order of the parameters.

    Absent arguments are `Missing["NoInput"]`, as in Wolfram's AgentTools.
    """
    for name in [*interpreters, *(other for other in arguments if other not in interpreters)]:
        if name in arguments:
            yield _make_argument_code(name, arguments[name], interpreters.get(name, '"String"'))
        else:
            yield ArgumentCode(name, MISSING_ARGUMENT_CODE)


def _make_argument_code(name: str, value: object, interpreter: str) -> ArgumentCode:
    """Return the code of an argument, whose JSON value depends on the schema of its interpreter.

    If the interpreter has no JSON equivalent, such as `"City"`, the model passes a text, which the
    kernel interprets. Otherwise, the value itself is written.
    """
    source = parse(interpreter)
    form = evaluate(source.expressions[0]) if source.expressions else "String"
    schema_builder = InterpreterSchemaBuilder()
    schema_builder.build_schema(form)
    if schema_builder.format_note():
        return ArgumentCode(
            name, f"Interpreter[{interpreter}][{format_literal(value)}]", needs_interpretation=True
        )
    return ArgumentCode(name, _find_choice_code(form, value) or format_literal(value))


def _find_choice_code(form: object, value: object) -> str | None:
    """Return the code on the right side of the rule of a choice, or None."""
    rules: list[object] = []
    if isinstance(form, Mapping):
        rules = [RuleValue(label, meaning) for label, meaning in form.items()]
    elif isinstance(form, list):
        rules = form
    for rule in rules:
        # The types are compared too, because True equals 1 in Python.
        if isinstance(rule, RuleValue) and rule.key == value and type(rule.key) is type(value):
            return format_literal(rule.value)
    return None


class FunctionCall(NamedTuple):
    """A function with its arguments and the initializations to evaluate before the call."""

    code: str
    owner: FunctionOwner
    arguments: Mapping[str, Any]
    interpreters: Mapping[str, str]
    initializations: tuple[tuple[str, FunctionOwner], ...] = ()


def call_function(call: FunctionCall, ctx: Context) -> Any:
    """Call a function and convert its value to the result of a tool or prompt.

    Raises:
        NoEngineError: There is no engine.
        UnresolvedSymbolsError: The engine does not define a symbol in the function.
        ToolError: The function failed.
    """

    def evaluate_call(control: EvaluationControl) -> EvaluationResult:
        return _get_shared_kernel().call(call, control)

    try:
        result = call_kernel(ctx, evaluate_call, CALL_TIMEOUT_SECONDS)
    except ToolError:
        raise
    except PaddockError as error:
        raise ToolError(str(error)) from error
    ctx.raise_if_cancelled()
    label = f"The {call.owner}"
    return (make_prompt_text if call.owner.kind == "prompt" else make_tool_result)(result, label)


class _LoadedPaclet(NamedTuple):
    """A paclet whose packages are loaded into the kernel."""

    packages: ContextResolver
    problems: list[str]
    """The problems found while loading, reported if a call fails."""


class _PacletKernel:
    """The kernel that all paclet functions of this process share, one call at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kernel: Kernel | None = None
        self._engine: Engine | None = None
        self.paclets_by_key: dict[str, _LoadedPaclet] = {}
        """The paclets that the running kernel has loaded."""
        self.completed_initializations: set[tuple[str, str]] = set()
        """Paclet key and code of the initializations that the running kernel has evaluated."""

    def call(self, call: FunctionCall, control: EvaluationControl) -> EvaluationResult:
        """Call a function after earlier calls have finished."""
        # The lock is polled, so that a call that waits for another one can be cancelled.
        while not self._lock.acquire(timeout=_LOCK_WAIT_SECONDS):
            if control.is_cancelled():
                raise ToolError("The call was cancelled")
        try:
            return _CallExecution(self, call, control).run()
        finally:
            self._lock.release()

    def close(self) -> None:
        """Stop the kernel."""
        kernel, self._kernel = self._kernel, None
        if kernel is not None:
            kernel.close()

    def ensure_kernel(self, engine: Engine) -> Kernel:
        """Return the running kernel, or start a new one, which has nothing loaded."""
        is_same = self._engine is not None and self._engine.name == engine.name
        if self._kernel is None or not self._kernel.is_alive or not is_same:
            self.close()
            self.paclets_by_key.clear()
            self.completed_initializations.clear()
            self._engine = engine
            self._kernel = engine.start(EvaluationLimits())
        return self._kernel


@cache
def _get_shared_kernel() -> _PacletKernel:
    kernel = _PacletKernel()
    atexit.register(kernel.close)
    return kernel


@cache
def _choose_engine(_variable: str | None) -> Engine:
    """Choose the engine once per setting, since the search checks many paths."""
    return choose_engine().engine


class _CallExecution:
    """One call with exclusive use of the kernel."""

    def __init__(
        self,
        shared_kernel: _PacletKernel,
        call: FunctionCall,
        control: EvaluationControl,
    ) -> None:
        self._shared_kernel = shared_kernel
        self._call = call
        self._control = control
        self._engine = _choose_engine(environ.get(ENGINE_VARIABLE))
        if "evaluation" not in self._engine.capabilities:
            raise make_no_engine_error(call.code, call.owner)
        self._kernel = shared_kernel.ensure_kernel(self._engine)

    def run(self) -> EvaluationResult:
        """Load the paclet, run initializations, interpret the arguments and call the function."""
        paclet = self._get_paclet(self._call.owner)
        for initialization, owner in self._call.initializations:
            # Another paclet's initialization is evaluated before the calls of that paclet only.
            if owner.paclet_key == self._call.owner.paclet_key:
                self._run_initialization(initialization, owner)
        code = paclet.packages.qualify_code(self._call.code)
        self._check_symbols(code, paclet)
        result = self._evaluate(f"({code})[{format_association(self._evaluate_arguments())}]")
        return self._check_result(result, code, paclet)

    def _evaluate(self, code: str) -> EvaluationResult:
        if self._engine.name in ENGINES_WITHOUT_NAMED_SLOTS:
            code = expand_named_slots(code)
        limits = EvaluationLimits(seconds=CALL_TIMEOUT_SECONDS)
        return self._kernel.evaluate(code, limits, self._control)

    def _is_system_symbol(self, name: str) -> bool:
        names = get_system_names(self._engine, lambda code: self._evaluate(code).result)
        return name in names

    def _get_paclet(self, owner: FunctionOwner) -> _LoadedPaclet:
        """Return a paclet, loading it into the kernel on first use."""
        paclets_by_key = self._shared_kernel.paclets_by_key
        if owner.paclet_key not in paclets_by_key:
            paclets_by_key[owner.paclet_key] = self._load_paclet(owner)
        return paclets_by_key[owner.paclet_key]

    def _load_paclet(self, owner: FunctionOwner) -> _LoadedPaclet:
        """Load the packages of a paclet into the kernel.

        Problems are collected rather than raised, and reported only if a call fails.
        """
        files = open_package_files(owner.files)
        contexts = [] if files is None else files.contexts
        find_package = (lambda _context: None) if files is None else files.find_package
        packages = ContextResolver(find_package, self._is_system_symbol)
        problems = [
            f"there is no file for the context {context}"
            for context in contexts
            if not packages.load(context)
        ]
        problems += packages.problems
        problems += [f"the context {context} is not found" for context in packages.missing_contexts]
        if owner.files is not None and self._engine_loads_packages and owner.files.path.is_dir():
            directory = quote_string(str(owner.files.path))
            needs_calls = "; ".join(f"Needs[{quote_string(context)}]" for context in contexts)
            self._evaluate(f"PacletDirectoryLoad[{directory}]; {needs_calls or 'Null'}")
        else:
            problems += self._evaluate_new_code(packages)
        return _LoadedPaclet(packages, problems)

    @property
    def _engine_loads_packages(self) -> bool:
        return "packages" in self._engine.capabilities

    def _evaluate_new_code(self, packages: ContextResolver) -> list[str]:
        """Evaluate the code of packages that the kernel has not seen, and return problems."""
        problems: list[str] = []
        unresolved: dict[str, None] = {}
        for code in packages.take_new_code():
            names = find_unresolved_symbols(code, self._is_system_symbol, packages.has_symbol)
            unresolved.update(dict.fromkeys(names))
            result = self._evaluate(code)
            if result.status != "done":
                messages = [output.text for output in result.outputs if output.kind == "message"]
                reason = _shorten_first_line("".join(messages[:1])) or result.status
                problems.append(f"{_shorten_first_line(code)}: {reason}")
        if unresolved:
            problems.append(f"{self._engine_title} does not define {', '.join(unresolved)}")
        return problems

    def _check_symbols(self, code: str, paclet: _LoadedPaclet) -> None:
        """Check that the engine or a package defines every symbol in the function.

        An undefined function would return the call unevaluated instead of failing.

        Raises:
            UnresolvedSymbolsError: A symbol is undefined.
        """

        def is_defined(name: str) -> bool:
            if paclet.packages.has_symbol(name) or not self._engine_loads_packages:
                return paclet.packages.has_symbol(name)
            return self._evaluate(f"NameQ[{quote_string(name)}]").result == "True"

        missing = find_unresolved_symbols(code, self._is_system_symbol, is_defined)
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
        """Evaluate an initialization once. A failure is reported only if a call fails too."""
        key = (owner.paclet_key, initialization)
        completed_initializations = self._shared_kernel.completed_initializations
        if key in completed_initializations:
            return
        paclet = self._get_paclet(owner)
        statements = _list_statements(paclet.packages.qualify_code(initialization), paclet.packages)
        paclet.problems.extend(self._evaluate_new_code(paclet.packages))
        for code in statements:
            result = self._evaluate(code)
            if result.status == "cancelled":
                return
            if result.status != "done" or result.result == "$Failed":
                value = result.result or result.status
                paclet.problems.append(
                    f"the initialization {_shorten_first_line(code)} returned {value}"
                )
        completed_initializations.add(key)

    def _evaluate_arguments(self) -> dict[str, str]:
        """Return the code of the arguments by the code of their names, with texts interpreted."""
        code_by_key: dict[str, str] = {}
        for name, code, needs_interpretation in iter_argument_code(
            self._call.arguments, self._call.interpreters
        ):
            value_code = self._interpret_argument(name, code) if needs_interpretation else code
            code_by_key[format_string_literal(name)] = value_code
        return code_by_key

    def _interpret_argument(self, name: str, code: str) -> str:
        """Evaluate the interpreter of an argument, and return the resulting code.

        Raises:
            ToolError: The interpreter rejects the argument, or the engine does not have it.
        """
        # An interpreter of Wolfram returns a Failure, while other engines return the call itself.
        result = self._evaluate(code).result or "$Failed"
        expression = (parse(result).expressions or [Atom("symbol", result)])[0]
        if isinstance(expression, Node) and has_head(expression, "Failure"):
            raise ToolError(f"[Error] {name}: {format_failure(expression)}")
        if result == "$Failed" or "Interpreter[" in result:
            raise self._make_unresolved_error([code.partition("][")[0] + "]"])
        return result

    def _check_result(
        self, outcome: EvaluationResult, code: str, paclet: _LoadedPaclet
    ) -> EvaluationResult:
        """Return the result, unless the engine returned the call or a part of it unevaluated.

        Raises:
            UnresolvedSymbolsError: The engine knows a function only by name.
            ToolError: The function has no definition for the arguments.
        """
        result = outcome.result or ""
        matches = [
            _NOT_IMPLEMENTED_PATTERN.match(output.text)
            for output in outcome.outputs
            if output.kind == "message"
        ]
        missing = [match[1] for match in matches if match is not None and f"{match[1]}[" in result]
        head = _get_result_head(result)
        if head and not missing and not self._is_system_symbol(head) and "`" not in head:
            missing = [head]
        if missing:
            raise self._make_unresolved_error(list(dict.fromkeys(missing)))
        if result.startswith(f"{code}["):
            reasons = "".join(f"\n{reason}" for reason in paclet.problems[:MAX_REASONS])
            raise ToolError(
                f"[Error] {code} has no definition for these arguments in {self._engine_title}: "
                f"{result}{reasons}"
            )
        return outcome


def _list_statements(code: str, packages: ContextResolver) -> list[str]:
    """Return the statements of an initialization, without those that load a known package.

    Paddock loads the packages of the paclet itself, so `Needs` and `Get` for them are left out.
    """
    source = parse(code)
    statements: list[str] = []
    pending = list(reversed(source.expressions))
    while pending:
        expression = pending.pop()
        if isinstance(expression, Node) and has_head(expression, "CompoundExpression"):
            pending += reversed(expression.args)
        elif not _loads_known_package(expression, packages):
            statements.append(source.text[expression.start : expression.end])
    return [text for text in statements if text and text != "Null"]


def _loads_known_package(expression: Expression, packages: ContextResolver) -> bool:
    if not has_any_head(expression, ("Needs", "Get")) or not expression.args:
        return False
    name = expression.args[0]
    return isinstance(name, Atom) and packages.load(name.text.strip('"'))


def _get_result_head(result: str) -> str:
    """Return the head of a result that is a function call, or ""."""
    match parse(result).expressions:
        case [Node(head=Atom(text=name))]:
            return name
    return ""


def _shorten_first_line(text: str) -> str:
    line, _, other_lines = text.strip().partition("\n")
    return f"{line[:100]}…" if other_lines or len(line) > 100 else line
