"""Reference pages for Wolfram symbols: the tools' operations, and the outputs of examples.

Example code is evaluated in a new kernel. Messages are not part of the output. If an output cannot
be put on the page, the tool's result explains why.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from paddock.kernels.handler_calls import call_kernel
from paddock.kernels.kernel import EvaluationControl, EvaluationLimits, KernelError
from paddock.kernels.wolfram.line_evaluator import evaluate_code
from paddock.kernels.wolfram.line_history import IMAGE_PLACEHOLDER, LineHistory
from paddock.toolkits.wolfram.evaluator import describe_engine, get_configured_engine, open_kernel
from paddock.toolkits.wolfram.page_files import (
    edit_page_file,
    find_paclet_symbols,
    get_paclet_directory,
    read_page_file,
    require_page_absent,
    require_page_path,
    resolve_new_page_path,
    write_new_page,
)
from paddock.wolfram import escape_private_characters, quote_string
from paddock.wolfram.reference_pages import (
    PAGE_OPERATIONS,
    PageContent,
    PageSubject,
    build_page,
    check_example_operation,
    check_operation,
    edit_examples,
    edit_page,
    examples_to_markdown,
    parse_examples,
    parse_usage,
    resolve_section_name,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from paddock.authoring.context import Context
    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import EvaluationResult, Kernel
    from paddock.wolfram.reference_pages import Example, ExampleCode, SymbolPage


EXAMPLE_TIMEOUT_SECONDS = 10.0
NO_ENGINE_NOTE = (
    "No Wolfram Language engine is installed, so the code has no output cells; "
    "`paddock engines` shows how to install one"
)
TIMED_OUT_OUTPUT = "$TimedOut"
_SYNTAX_MESSAGE_PREFIX = "ToExpression::sntx: "
_EMPTY_RESULTS = (None, "Null")
_FAILURE_TEXTS = {
    "failed": "{engine} does not support it",
    "out-of-memory": "it needed too much memory",
    "crashed": "it ended the kernel",
    "quit": "it ended the kernel",
    "cancelled": "the call was cancelled",
}
_MAX_QUOTED_CHARACTERS = 60
_LINE_END_ESCAPES = str.maketrans({"\n": "\\n", "\t": "\\t", "\r": "\\r"})
"""Escapes that keep a string literal on a single line."""


def fill_example_outputs(
    examples: Sequence[Example], context: str, page_path: Path, ctx: Context
) -> list[str]:
    """Evaluate the code of the examples on a reference page, and set their outputs.

    Outputs written by the author are kept. All examples share one kernel, so definitions persist
    from one example to the next, but line numbers start at 1 in each example. Returns notes for
    the tool's result, such as the name of the engine.

    Args:
        examples: The examples. This function sets their outputs.
        context: The context of the page's symbol; empty if unknown.
        page_path: The page's file, which determines the paclet.
        ctx: The context of the call.

    Raises:
        EngineError: The configured engine is not installed.
    """
    codes = [code for example in examples for code in example.code_parts]
    if all(code.output is not None for code in codes):
        return []
    engine = get_configured_engine(ctx)
    if "evaluation" not in engine.capabilities:
        return [NO_ENGINE_NOTE]
    run = _ExampleRun(engine, context, page_path)

    def evaluate(control: EvaluationControl) -> None:
        run.evaluate_examples(examples, control)

    try:
        call_kernel(ctx, evaluate, EXAMPLE_TIMEOUT_SECONDS * len(codes))
    except KernelError as error:
        return [*run.notes, f"The code has no output cells: {error}"]
    return [f"Evaluated by {describe_engine(engine)}", *run.notes]


class _ExampleRun:
    """Evaluates examples in a single kernel and collects notes."""

    def __init__(self, engine: Engine, context: str, page_path: Path) -> None:
        self._engine = engine
        self._context = context
        self._page_path = page_path
        self.notes: list[str] = []

    def evaluate_examples(self, examples: Sequence[Example], control: EvaluationControl) -> None:
        """Evaluate the code of all examples in order, and set the missing outputs.

        If the call is cancelled, the remaining code is not evaluated.
        """
        limits = EvaluationLimits(seconds=EXAMPLE_TIMEOUT_SECONDS)
        elapsed_seconds = 0.0
        with open_kernel(self._engine, limits) as kernel:
            self._load_package(kernel, control)
            for example in examples:
                # Line numbers start again at 1 in each example.
                history = LineHistory()
                for code in example.code_parts:
                    if control.is_cancelled():
                        return
                    step_control = control.shift(elapsed_seconds)
                    evaluation = evaluate_code(
                        kernel.evaluate, code.text, history, limits, step_control
                    )
                    elapsed_seconds += evaluation.seconds
                    history = _extend_history(history, code, evaluation)
                    # An output written by the author is never replaced. Its code is evaluated
                    # too, because later code may use its definitions.
                    if code.output is None:
                        code.output = self._get_output(code, evaluation)

    def _load_package(self, kernel: Kernel, control: EvaluationControl) -> None:
        """Load the paclet that contains the page's symbol, if the engine supports packages.

        Messages that the kernel prints while loading the package are suppressed with `Quiet`.
        """
        if "packages" not in self._engine.capabilities or not self._context:
            return
        context = quote_string(self._context)
        code = f'Quiet[Needs[{context}]]; $ContextPath = {{{context}, "System`"}};'
        paclet = get_paclet_directory(self._page_path)
        if paclet is not None:
            code = f"Quiet[PacletDirectoryLoad[{quote_string(str(paclet))}]]; {code}"
        kernel.evaluate(f"({code})", EvaluationLimits(), EvaluationControl(control.is_cancelled))

    @cached_property
    def _paclet_symbols(self) -> set[str]:
        return find_paclet_symbols(self._page_path)

    def _get_output(self, code: ExampleCode, evaluation: EvaluationResult) -> str | None:
        """Return the text of the output cell for evaluated code, or None for no output cell.

        If an output cannot be shown, the reason is added to `notes`.
        """
        if evaluation.status == "timed-out":
            return TIMED_OUT_OUTPUT
        problem = self._find_output_problem(evaluation)
        if problem:
            first_line = code.text.strip().split("\n")[0]
            quoted = first_line[:_MAX_QUOTED_CHARACTERS]
            ellipsis = "…" if len(first_line) > _MAX_QUOTED_CHARACTERS else ""
            self.notes.append(f"`{quoted}{ellipsis}` has no output cell: {problem}")
            return None
        return None if evaluation.result in _EMPTY_RESULTS else evaluation.result

    def _find_output_problem(self, evaluation: EvaluationResult) -> str:
        """Return the reason that an output cannot be shown on the page, or an empty string."""
        if evaluation.status in _FAILURE_TEXTS:
            return _FAILURE_TEXTS[evaluation.status].format(engine=self._engine.title)
        last_message = evaluation.messages[-1] if evaluation.messages else ""
        if last_message.startswith(_SYNTAX_MESSAGE_PREFIX):
            first_line = last_message.removeprefix(_SYNTAX_MESSAGE_PREFIX).split("\n")[0]
            return first_line.rstrip(".")
        result = evaluation.result or ""
        if IMAGE_PLACEHOLDER.search(result) or any(
            output.kind == "picture" for output in evaluation.outputs
        ):
            return "it is an image, which is created when the page is evaluated in a front end"
        if "packages" not in self._engine.capabilities:
            # An engine that cannot load the paclet returns its symbols unevaluated, which would be
            # wrong on the page.
            unevaluated = sorted({*re.findall(r"[\w$]+", result)} & self._paclet_symbols)
            if unevaluated:
                names = ", ".join(unevaluated)
                return f"{self._engine.title} cannot load paclets and does not know {names}"
        return ""


def _extend_history(
    history: LineHistory, code: ExampleCode, evaluation: EvaluationResult
) -> LineHistory:
    """Return the line history with a new line, which lets later code use `%` and `Out`."""
    results = history.results
    if evaluation.result is not None:
        results = {**results, history.line: evaluation.result}
    return LineHistory({**history.inputs, history.line: code.text}, results, history.line + 1)


Arguments = dict[str, Any]


def write_new_symbol_page(arguments: Arguments, ctx: Context) -> str:
    """Create the reference page for a Wolfram Language symbol, and return a summary.

    The examples on the page are evaluated to get their outputs. That can take a long time, so all
    arguments are checked first.
    """
    publisher = _get_text_argument(arguments, "publisherID")
    paclet = arguments["pacletName"].strip()
    subject = PageSubject(
        arguments["symbolName"].strip(),
        f"{publisher}/{paclet}" if publisher else paclet,
        _get_text_argument(arguments, "context"),
    )
    path = resolve_new_page_path(arguments["pacletDirectory"], subject.symbol, ctx)
    require_page_absent(path)
    parse_usage(arguments["usage"])
    resolve_link = _create_link_resolver(subject.paclet, find_paclet_symbols(path))
    page_content = _read_page_content(arguments)
    # The page is built once before the slow evaluation so that invalid arguments fail immediately.
    build_page(subject, page_content, resolve_link)
    notes = fill_example_outputs(page_content.examples, subject.context, path, ctx)
    ctx.raise_if_cancelled()
    write_new_page(path, build_page(subject, page_content, resolve_link))
    return _format_association({"file": str(path), "uri": subject.uri}, notes)


def _read_page_content(arguments: Arguments) -> PageContent:
    """Convert the arguments of a call to the content of a new page. Missing parts are empty."""
    return PageContent(
        usage=arguments["usage"],
        notes=_get_text_argument(arguments, "notes"),
        see_also=_get_text_argument(arguments, "seeAlso"),
        tech_notes=_get_text_argument(arguments, "techNotes"),
        guides=_get_text_argument(arguments, "relatedGuides"),
        links=_get_text_argument(arguments, "relatedLinks"),
        keywords=_get_text_argument(arguments, "keywords"),
        version=_get_text_argument(arguments, "newInVersion"),
        examples=parse_examples(_get_text_argument(arguments, "basicExamples")),
    )


def update_symbol_page(arguments: Arguments, ctx: Context) -> str:
    """Edit part of a reference page, such as its usage or notes, and return a summary."""
    path = require_page_path(arguments["notebook"], ctx)
    operation = arguments["operation"]
    check_operation(operation, PAGE_OPERATIONS)
    symbols = find_paclet_symbols(path)
    ctx.raise_if_cancelled()
    edit_page_file(
        path,
        lambda page: edit_page(
            page,
            operation,
            arguments.get("content"),
            arguments.get("position"),
            _create_link_resolver(page.paclet, symbols),
        ),
    )
    return _format_association({"file": str(path), "operation": operation})


def update_symbol_page_examples(arguments: Arguments, ctx: Context) -> str:
    """Edit the examples in a section of a reference page, and return a summary.

    The examples are evaluated to get their outputs, which the summary also shows.
    """
    section = resolve_section_name(arguments["section"])
    path = require_page_path(arguments["notebook"], ctx)
    operation, position = arguments["operation"], arguments.get("position")
    content = check_example_operation(operation, arguments.get("content"), position)
    examples = parse_examples(content)
    subsection = arguments.get("subsection")

    def apply_edit(page: SymbolPage) -> None:
        edit_examples(page, operation, section, examples, position=position, subsection=subsection)

    # The edit is tried once before the slow evaluation so that invalid arguments fail immediately.
    page = read_page_file(path)
    context = page.context
    apply_edit(page)
    notes = fill_example_outputs(examples, context, path, ctx)
    ctx.raise_if_cancelled()
    # The file is read and edited again under its lock because it may have changed during the
    # evaluation.
    edit_page_file(path, apply_edit)
    values = {
        "file": str(path),
        "operation": operation,
        "section": section,
        "generatedContent": examples_to_markdown(examples),
    }
    return _format_association(values, notes)


def _get_text_argument(arguments: Arguments, name: str) -> str:
    return (arguments.get(name) or "").strip()


def _create_link_resolver(paclet: str, symbols: Collection[str]) -> Callable[[str], str]:
    """Return a function that maps a symbol name to the URI of its page.

    The paclet's symbols link to its own pages, as in `paclet:Publisher/Paclet/ref/f`. All others
    link to Wolfram Language pages, as in `paclet:ref/Sin`.
    """

    def resolve_link(name: str) -> str:
        return f"paclet:{paclet}/ref/{name}" if paclet and name in symbols else f"paclet:ref/{name}"

    return resolve_link


def _format_association(values: Mapping[str, str], notes: list[str] | None = None) -> str:
    """Return a tool's result as a Wolfram Language association, such as `<|"file" -> "f.nb"|>`.

    Args:
        values: The keys and values, all of which are text.
        notes: Sentences without periods, which become the value of the key "note".
    """
    if notes:
        values = {**values, "note": ". ".join(notes) + "."}
    literals = (
        f"{quote_string(key)} -> {quote_string(value)}".translate(_LINE_END_ESCAPES)
        for key, value in values.items()
    )
    return escape_private_characters(f"<|{', '.join(literals)}|>")
