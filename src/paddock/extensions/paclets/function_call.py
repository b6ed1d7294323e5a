"""Calls Wolfram functions in paclets, using one kernel per process.

A call loads the paclet's packages into the kernel, evaluates initializations once, and then
evaluates the function with its arguments. If the engine cannot load packages, Paddock reads them
and evaluates their code with fully qualified symbols. If the kernel has exited, a new one is
started and everything is reloaded.
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
"""Woxi's message for functions that it knows only by name."""


def expand_named_slots(code: str) -> str:
    """Replace named slots in Wolfram functions for engines that do not support them.

    A slot `#name` is a parameter of a pure function. It is equivalent to `#1["name"]`: the value
    for a key of the function's first argument. Code with syntax errors is returned unchanged.
    """
    source = parse(code)
    if source.problems or "#" not in code:
        return code
    pieces: list[str] = []
    offset = 0
    nodes = (node for expression in source.expressions for node in walk(expression))
    for slot in sorted(filter(_is_named_slot, nodes), key=lambda node: node.start):
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
    """True if the code calls an interpreter and must be evaluated before the function."""


def iter_argument_code(
    arguments: Mapping[str, Any], interpreters: Mapping[str, str]
) -> Iterator[ArgumentCode]:
    """Yield a call's arguments as Wolfram Language code, in parameter order.

    Arguments that the model did not pass become `Missing["NoInput"]`, as in Wolfram's AgentTools.

    Args:
        arguments: The JSON values passed by the model, by name.
        interpreters: The interpreter of each parameter, such as `"Integer"` or `"City"`, as code.
    """
    undeclared_names = [name for name in arguments if name not in interpreters]
    for name in [*interpreters, *undeclared_names]:
        if name in arguments:
            yield _make_argument_code(name, arguments[name], interpreters.get(name, '"String"'))
        else:
            yield ArgumentCode(name, MISSING_ARGUMENT_CODE)


def _make_argument_code(name: str, value: object, interpreter: str) -> ArgumentCode:
    """Convert an argument to Wolfram Language code, depending on its parameter's type.

    A type such as `"Integer"` has a JSON equivalent, so the value is written as is. For a type such
    as `"City"`, the model passes a text that the kernel has to interpret:
    `Interpreter["City"]["Paris"]`.

    Args:
        name: The name of the parameter.
        value: The JSON value passed by the model.
        interpreter: The type of the parameter, a Wolfram interpreter as source text.
    """
    source = parse(interpreter)
    interpreter_data = evaluate(source.expressions[0]) if source.expressions else "String"
    schema_builder = InterpreterSchemaBuilder()
    schema_builder.build_schema(interpreter_data)
    is_passed_as_text = bool(schema_builder.format_note())
    if is_passed_as_text:
        return ArgumentCode(
            name, f"Interpreter[{interpreter}][{format_literal(value)}]", needs_interpretation=True
        )
    return ArgumentCode(name, _find_choice_code(interpreter_data, value) or format_literal(value))


def _find_choice_code(interpreter: object, value: object) -> str | None:
    """Return the code that the chosen value of an enumeration represents, or None.

    For example, with the interpreter `{"red" -> RGBColor[1, 0, 0], …}`, the model passes `"red"`
    and the function receives `RGBColor[1, 0, 0]`.
    """
    rules: list[object] = []
    if isinstance(interpreter, Mapping):
        rules = [RuleValue(label, meaning) for label, meaning in interpreter.items()]
    elif isinstance(interpreter, list):
        rules = interpreter
    for rule in rules:
        # The types are compared too, because True equals 1 in Python.
        if isinstance(rule, RuleValue) and rule.key == value and type(rule.key) is type(value):
            return format_literal(rule.value)
    return None


class FunctionCall(NamedTuple):
    """A call to a Wolfram Language function, with the code to evaluate first."""

    code: str
    """The source text of the function."""
    owner: FunctionOwner
    """The tool or prompt whose function is called."""
    arguments: Mapping[str, Any]
    """The JSON values passed by the model, by name."""
    interpreters: Mapping[str, str]
    """The type of each parameter, a Wolfram interpreter as source text."""
    initializations: tuple[tuple[str, FunctionOwner], ...] = ()
    """Code to evaluate once before the first call, with the item it belongs to."""


def call_function(call: FunctionCall, ctx: Context) -> Any:
    """Call a Wolfram Language function and convert its value to a tool or prompt result.

    Called by the handlers of tools and prompts defined in paclets. Blocks until the evaluation
    finishes, for at most `CALL_TIMEOUT_SECONDS`.

    Raises:
        NoEngineError: No Wolfram Language engine is installed.
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
    if call.owner.kind == "prompt":
        return make_prompt_text(result, label)
    return make_tool_result(result, label)


class _LoadedPaclet(NamedTuple):
    """A paclet whose packages are loaded into the kernel."""

    packages: ContextResolver
    problems: list[str]
    """Problems found while loading, which are reported if a call fails."""


class _PacletKernel:
    """The Wolfram kernel shared by all paclet functions in this process, one call at a time.

    A kernel is the process that evaluates code. The first call starts it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kernel: Kernel | None = None
        self._engine: Engine | None = None
        self.paclets_by_key: dict[str, _LoadedPaclet] = {}
        """The paclets that the running kernel has loaded."""
        self.completed_initializations: set[tuple[str, str]] = set()
        """The initializations that the running kernel has evaluated, as paclet key and code."""

    def call(self, call: FunctionCall, control: EvaluationControl) -> EvaluationResult:
        """Wait for earlier calls to finish, and then call a function in the kernel.

        Raises:
            ToolError: The call was cancelled while waiting, or the function failed.
        """
        # Polling the lock allows a waiting call to be cancelled.
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
        """Return the running kernel, or start a new one if it has exited or the engine has changed.

        A new kernel has no packages loaded, so the records of loaded paclets and evaluated
        initializations are cleared.
        """
        is_same_engine = self._engine is not None and self._engine.name == engine.name
        if self._kernel is None or not self._kernel.is_alive or not is_same_engine:
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
    """Choose the engine, once per setting because the search checks many paths."""
    return choose_engine().engine


class _CallExecution:
    """One function call with exclusive use of the shared kernel.

    Creating it starts the kernel if necessary.

    Raises:
        NoEngineError: No installed engine can evaluate code.
    """

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
        """Load the paclet, run initializations, interpret the arguments and call the function.

        Raises:
            UnresolvedSymbolsError: The engine does not define a symbol in the function.
            ToolError: An argument is invalid, or the function does not accept the arguments.
        """
        paclet = self._get_paclet(self._call.owner)
        for initialization, owner in self._call.initializations:
            # Initializations of other paclets wait until one of their functions is called.
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
        """Load a paclet's packages, the files with its function definitions, into the kernel.

        An engine that supports packages loads them with `Needs`. For others, Paddock evaluates the
        package code with qualified names. Problems are returned rather than raised, because the
        function may work anyway. They are reported if it fails.
        """
        package_files = open_package_files(owner.files)
        contexts = [] if package_files is None else package_files.contexts
        find_package = (
            (lambda _context: None) if package_files is None else package_files.find_package
        )
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
        """Evaluate the package code that has been read since the last evaluation.

        Returns:
            The problems: failed expressions, with the engine's message, and undefined symbols. A
            failed expression does not stop the evaluation of those that follow.
        """
        problems: list[str] = []
        unresolved_symbols: dict[str, None] = {}
        for code in packages.take_new_code():
            names = find_unresolved_symbols(code, self._is_system_symbol, packages.has_symbol)
            unresolved_symbols.update(dict.fromkeys(names))
            result = self._evaluate(code)
            if result.status != "done":
                messages = [output.text for output in result.outputs if output.kind == "message"]
                reason = _shorten_first_line("".join(messages[:1])) or result.status
                problems.append(f"{_shorten_first_line(code)}: {reason}")
        if unresolved_symbols:
            names_text = ", ".join(unresolved_symbols)
            problems.append(f"{self._engine_title} does not define {names_text}")
        return problems

    def _check_symbols(self, code: str, paclet: _LoadedPaclet) -> None:
        """Check that the engine or a package defines every function that the code calls.

        The Wolfram Language does not report a call to an undefined function as an error. It returns
        the call unevaluated, and the model would receive that as a result.

        Raises:
            UnresolvedSymbolsError: A symbol is undefined.
        """

        def is_defined(name: str) -> bool:
            if paclet.packages.has_symbol(name) or not self._engine_loads_packages:
                return paclet.packages.has_symbol(name)
            return self._evaluate(f"NameQ[{quote_string(name)}]").result == "True"

        undefined_symbols = find_unresolved_symbols(code, self._is_system_symbol, is_defined)
        if undefined_symbols:
            raise self._make_unresolved_error(undefined_symbols, paclet.problems)

    def _make_unresolved_error(self, symbols: list[str], reasons: Sequence[str] = ()) -> ToolError:
        call = self._call
        return make_unresolved_symbols_error(
            call.code, call.owner, symbols, self._engine_title, reasons[:MAX_REASONS]
        )

    @property
    def _engine_title(self) -> str:
        return f"{self._engine.title} {self._engine.version}".strip()

    def _run_initialization(self, initialization: str, owner: FunctionOwner) -> None:
        """Evaluate the initialization of a paclet item, once per kernel.

        A failure does not prevent the function call. It is added to the paclet's problems, which
        are reported if the call fails too.
        """
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
        """Return the arguments as Wolfram Language code for the keys and values of an association.

        The kernel interprets text for types such as `"City"`. An example is `{'"city"':
        'Entity["City", {"Paris", …}]', '"count"': '3'}`.
        """
        code_by_key: dict[str, str] = {}
        for name, code, needs_interpretation in iter_argument_code(
            self._call.arguments, self._call.interpreters
        ):
            value_code = self._interpret_argument(name, code) if needs_interpretation else code
            code_by_key[format_string_literal(name)] = value_code
        return code_by_key

    def _interpret_argument(self, name: str, code: str) -> str:
        """Have the kernel interpret an argument's text, and return the resulting code.

        Args:
            name: The name of the parameter, for errors.
            code: The interpreter call, such as `Interpreter["City"]["Paris"]`.

        Raises:
            ToolError: The interpreter rejects the argument, or the engine does not have the
                interpreter.
        """
        # For invalid text, Wolfram's engine returns a `Failure[…]`. An engine without the
        # interpreter returns the call unevaluated.
        result = self._evaluate(code).result or "$Failed"
        expression = (parse(result).expressions or [Atom("symbol", result)])[0]
        if isinstance(expression, Node) and has_head(expression, "Failure"):
            raise ToolError(f"[Error] {name}: {format_failure(expression)}")
        if result == "$Failed" or "Interpreter[" in result:
            interpreter = code.partition("][")[0] + "]"
            raise self._make_unresolved_error([interpreter])
        return result

    def _check_result(
        self, result: EvaluationResult, code: str, paclet: _LoadedPaclet
    ) -> EvaluationResult:
        """Return the result, unless the engine returned some or all of the call unevaluated.

        Engines do not report this as an error.

        Raises:
            UnresolvedSymbolsError: The engine does not implement a function.
            ToolError: The function has no definition for the arguments.
        """
        result_code = result.result or ""
        matches = [
            _NOT_IMPLEMENTED_PATTERN.match(output.text)
            for output in result.outputs
            if output.kind == "message"
        ]
        missing_functions = [
            match[1] for match in matches if match is not None and f"{match[1]}[" in result_code
        ]
        head = _get_result_head(result_code)
        if head and not missing_functions and not self._is_system_symbol(head) and "`" not in head:
            missing_functions = [head]
        if missing_functions:
            raise self._make_unresolved_error(list(dict.fromkeys(missing_functions)))
        if result_code.startswith(f"{code}["):
            reasons = "".join(f"\n{reason}" for reason in paclet.problems[:MAX_REASONS])
            raise ToolError(
                f"[Error] {code} has no definition for these arguments in {self._engine_title}: "
                f"{result_code}{reasons}"
            )
        return result


def _list_statements(code: str, packages: ContextResolver) -> list[str]:
    """Return the statements of an initialization, except those that load the paclet's packages.

    For example, ``Needs["Charts`"]; $Theme = "Dark"`` gives `['$Theme = "Dark"']`, because Paddock
    has already loaded the packages.
    """
    source = parse(code)
    statements: list[str] = []
    pending_expressions = list(reversed(source.expressions))
    while pending_expressions:
        expression = pending_expressions.pop()
        if isinstance(expression, Node) and has_head(expression, "CompoundExpression"):
            pending_expressions += reversed(expression.args)
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
