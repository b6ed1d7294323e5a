"""Outputs of examples on reference pages: their code evaluated in a kernel of its own.

Messages are left out. Code whose output cannot be shown gets none, and the answer says why.

What the tools for reference pages do: arguments in, files changed, an answer out.

Pages themselves are the matter of `paddock.wolfram.reference_pages`, their files of `page_files`,
and the outputs of examples of `example_outputs`. Loaded with the first call.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.kernels.handler_calls import call_kernel
from paddock.kernels.kernel import EvaluationLimits, KernelError
from paddock.kernels.wolfram.line_evaluator import LineHistory, evaluate_code
from paddock.kernels.wolfram.line_history import IMAGE_PLACEHOLDER
from paddock.toolkits.wolfram.evaluator import describe_engine, get_configured_engine, open_kernel
from paddock.toolkits.wolfram.page_files import (
    check_page_absent,
    edit_page_file,
    find_paclet_symbols,
    get_paclet_directory,
    read_page_file,
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
    from paddock.kernels.handler_calls import CancelCheck, ProgressCallback
    from paddock.kernels.kernel import Kernel
    from paddock.kernels.wolfram.line_evaluator import LineEvaluation
    from paddock.wolfram.reference_pages import Example, ExampleCode, SymbolPage


EXAMPLE_TIMEOUT_SECONDS = 10.0
NO_ENGINE_NOTE = (
    "There is no Wolfram Language engine here, so the code has no output cells; "
    "paddock engines says how to get one"
)
TIMED_OUT_OUTPUT = "$TimedOut"
_SYNTAX_MESSAGE_PREFIX = "ToExpression::sntx: "
_EMPTY_RESULTS = (None, "Null")
_FAILURE_TEXTS = {
    "failed": "{engine} does not take it",
    "out-of-memory": "it needed too much memory",
    "crashed": "it ended the kernel",
    "quit": "it ended the kernel",
    "cancelled": "the call was cancelled",
}
_MAX_QUOTED_CHARACTERS = 60


class ExampleContext(NamedTuple):
    """What examples are evaluated in."""

    context: str
    paclet: Path | None
    """The directory of the paclet, if the page is in one."""
    symbols: Collection[str]
    """The symbols of the paclet."""


def fill_example_outputs(
    examples: Sequence[Example], around: ExampleContext, ctx: Context
) -> list[str]:
    """Give each piece of code the output that it has, and say what there is to say about it.

    Outputs that the author gave stay. Definitions stay from one example to the next, and lines are
    counted anew in each.

    Raises:
        EngineError: when the engine that was asked for is not on this machine.
    """
    codes = [code for example in examples for code in example.code_parts]
    if all(code.output is not None for code in codes):
        return []
    engine = get_configured_engine(ctx)
    if "evaluation" not in engine.capabilities:
        return [NO_ENGINE_NOTE]
    run = _ExampleRun(engine, around)

    def work(is_cancelled: CancelCheck, on_wait: ProgressCallback) -> None:
        run.evaluate_examples(examples, is_cancelled, on_wait)

    try:
        call_kernel(ctx, work, EXAMPLE_TIMEOUT_SECONDS * len(codes))
    except KernelError as error:
        return [*run.notes, f"The code has no output cells: {error}"]
    return [f"Evaluated by {describe_engine(engine)}", *run.notes]


class _ExampleRun:
    """One kernel, and what is to be told."""

    def __init__(self, engine: Engine, around: ExampleContext) -> None:
        self._engine = engine
        self._context = around
        self.notes: list[str] = []

    def evaluate_examples(
        self, examples: Sequence[Example], is_cancelled: CancelCheck, on_wait: ProgressCallback
    ) -> None:
        """Evaluate everything in order; nothing more once the call is cancelled."""
        limits = EvaluationLimits(seconds=EXAMPLE_TIMEOUT_SECONDS)
        before = 0.0
        with open_kernel(self._engine, limits) as kernel:
            self._load_package(kernel, is_cancelled)
            for example in examples:
                history = LineHistory()
                for code in example.code_parts:
                    if is_cancelled():
                        return
                    evaluation = evaluate_code(
                        kernel.evaluate,
                        code.text,
                        history,
                        limits,
                        is_cancelled=is_cancelled,
                        on_wait=lambda seconds, before=before: on_wait(before + seconds),  # type: ignore[misc]  # a default argument keeps this round's value
                    )
                    before += evaluation.seconds
                    history = _extend_history(history, code, evaluation)
                    if code.output is None:
                        code.output = self._get_output(code, evaluation)

    def _load_package(self, kernel: Kernel, is_cancelled: CancelCheck) -> None:
        """Have the symbols of the paclet known, where the engine can load it."""
        if "packages" not in self._engine.capabilities or not self._context.context:
            return
        context = quote_string(self._context.context)
        code = f'Quiet[Needs[{context}]]; $ContextPath = {{{context}, "System`"}};'
        if self._context.paclet is not None:
            code = f"Quiet[PacletDirectoryLoad[{quote_string(str(self._context.paclet))}]]; {code}"
        kernel.evaluate(f"({code})", EvaluationLimits(), is_cancelled=is_cancelled)

    def _get_output(self, code: ExampleCode, evaluation: LineEvaluation) -> str | None:
        if evaluation.status == "timed-out":
            return TIMED_OUT_OUTPUT
        fault = self._find_output_problem(evaluation)
        if fault:
            first = code.text.strip().split("\n")[0]
            shown = (
                first
                if len(first) <= _MAX_QUOTED_CHARACTERS
                else f"{first[:_MAX_QUOTED_CHARACTERS]}…"
            )
            self.notes.append(f"`{shown}` has no output cell: {fault}")
            return None
        return None if evaluation.result in _EMPTY_RESULTS else evaluation.result

    def _find_output_problem(self, evaluation: LineEvaluation) -> str:
        """Why an output is not worth showing; empty if it is."""
        if evaluation.status in _FAILURE_TEXTS:
            return _FAILURE_TEXTS[evaluation.status].format(engine=self._engine.title)
        if evaluation.messages and evaluation.messages[-1].startswith(_SYNTAX_MESSAGE_PREFIX):
            return (
                evaluation.messages[-1]
                .removeprefix(_SYNTAX_MESSAGE_PREFIX)
                .split("\n")[0]
                .rstrip(".")
            )
        result = evaluation.result or ""
        if IMAGE_PLACEHOLDER.search(result) or any(
            one.kind == "picture" for one in evaluation.outputs
        ):
            return "it is a picture, which is made when the page is evaluated in a front end"
        if "packages" not in self._engine.capabilities:
            unknown = sorted(set(re.findall(r"[\w$]+", result)) & set(self._context.symbols))
            if unknown:
                names = ", ".join(unknown)
                return f"{self._engine.title} does not load paclets, and so does not know {names}"
        return ""


def _extend_history(
    history: LineHistory, code: ExampleCode, evaluation: LineEvaluation
) -> LineHistory:
    """The history with one more line."""
    line = history.line
    results = {**history.results}
    if evaluation.result is not None:
        results[line] = evaluation.result
    return LineHistory({**history.inputs, line: code.text}, results, line + 1)


Arguments = dict[str, Any]
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def write_new_symbol_page(arguments: Arguments, ctx: Context) -> str:
    """Make a new page."""
    publisher = _get_text_argument(arguments, "publisherID")
    paclet = arguments["pacletName"].strip()
    subject = PageSubject(
        arguments["symbolName"].strip(),
        f"{publisher}/{paclet}" if publisher else paclet,
        _get_text_argument(arguments, "context"),
    )
    path = resolve_new_page_path(arguments["pacletDirectory"], subject.symbol, ctx)
    check_page_absent(path)
    parse_usage(arguments["usage"])
    symbols = find_paclet_symbols(path)
    examples = parse_examples(_get_text_argument(arguments, "basicExamples"))
    description = PageContent(
        usage=arguments["usage"],
        notes=_get_text_argument(arguments, "notes"),
        see_also=_get_text_argument(arguments, "seeAlso"),
        tech_notes=_get_text_argument(arguments, "techNotes"),
        guides=_get_text_argument(arguments, "relatedGuides"),
        links=_get_text_argument(arguments, "relatedLinks"),
        keywords=_get_text_argument(arguments, "keywords"),
        version=_get_text_argument(arguments, "newInVersion"),
        examples=examples,
    )
    target = _create_link_resolver(subject.paclet, symbols)
    # Once before the code is evaluated, so that what is wrong is told at once.
    build_page(subject, description, target)
    around = ExampleContext(subject.context, get_paclet_directory(path), symbols)
    told = fill_example_outputs(examples, around, ctx)
    ctx.raise_if_cancelled()
    write_new_page(path, build_page(subject, description, target))
    return _format_association({"file": str(path), "uri": subject.uri}, told)


def update_symbol_page(arguments: Arguments, ctx: Context) -> str:
    """Change a part of a page."""
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
    """Change the examples in a section of a page."""
    section = resolve_section_name(arguments["section"])
    path = require_page_path(arguments["notebook"], ctx)
    operation, position = arguments["operation"], arguments.get("position")
    content = check_example_operation(operation, arguments.get("content"), position)
    examples = parse_examples(content)
    subsection = arguments.get("subsection")

    def change(to: SymbolPage) -> None:
        edit_examples(to, operation, section, examples, position=position, subsection=subsection)

    # Once before the code is evaluated, so that what is wrong is told at once.
    page = read_page_file(path)
    context = page.context
    change(page)
    told = fill_example_outputs(
        examples,
        ExampleContext(context, get_paclet_directory(path), find_paclet_symbols(path)),
        ctx,
    )
    ctx.raise_if_cancelled()
    edit_page_file(path, change)
    found = {
        "file": str(path),
        "operation": operation,
        "section": section,
        "generatedContent": examples_to_markdown(examples),
    }
    return _format_association(found, told)


def _get_text_argument(arguments: Arguments, name: str) -> str:
    return (arguments.get(name) or "").strip()


def _create_link_resolver(paclet: str, symbols: Collection[str]) -> Callable[[str], str]:
    """Where symbols have their pages: in the paclet, or in the documentation of the system."""

    def target(name: str) -> str:
        return f"paclet:{paclet}/ref/{name}" if paclet and name in symbols else f"paclet:ref/{name}"

    return target


def _format_association(values: Mapping[str, str], told: list[str] | None = None) -> str:
    """The text of an association."""
    if told:
        values = {**values, "note": ". ".join(told) + "."}
    pairs = ", ".join(
        f"{_format_string(key)} -> {_format_string(value)}" for key, value in values.items()
    )
    return escape_private_characters(f"<|{pairs}|>")


def _format_string(value: str) -> str:
    written = quote_string(value)
    for sign, escape in _ESCAPES.items():
        written = written.replace(sign, escape)
    return written
