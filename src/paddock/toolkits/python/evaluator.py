"""Evaluation of Python code in sessions for the tool `PythonEvaluator`."""

from __future__ import annotations

from os import environ
from typing import TYPE_CHECKING

from paddock.authoring.handler_errors import ToolError
from paddock.kernels.jupyter.engine import make_jupyter_engine
from paddock.kernels.kernel import COMPLETED_STATUSES, OutputImage
from paddock.kernels.python_engine import make_python_engine
from paddock.kernels.sessions import get_shared_session_manager
from paddock.toolkits.paths import get_working_directory
from paddock.toolkits.python.interpreters import choose_interpreter
from paddock.toolkits.session_evaluation import (
    BoundedMapping,
    evaluate_in_session,
    format_session_output,
)
from paddock.toolkits.tool_options import (
    GATEWAY_OPTION_NAME,
    KERNEL_OPTION_NAME,
    resolve_time_limit,
)

if TYPE_CHECKING:
    from paddock.authoring.context import Context
    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import (
        EvaluationControl,
        EvaluationLimits,
        EvaluationResult,
        OutputItem,
    )
    from paddock.kernels.sessions import EvaluationSession
    from paddock.toolkits.content import ToolContent
    from paddock.toolkits.python.interpreters import PythonInterpreter
    from paddock.toolkits.python.tools import PythonEvaluatorArguments
    from paddock.toolkits.session_evaluation import SessionInfo


_NO_OUTPUT_TEXT = "(The code ran; it printed nothing, and its last statement has no value.)"
RESUMED_NOTE = (
    "The session was resumed in a new process. Modules, functions, classes and values were "
    "restored; open files, connections and threads are gone."
)
JUPYTER_TOKEN_VARIABLE = "PADDOCK_JUPYTER_TOKEN"  # noqa: S105 - the name of a variable


def build_answer_items(
    result: EvaluationResult, line_number: int, max_characters: int
) -> tuple[list[OutputItem], str]:
    """Return the output in reading order, and a note for the model.

    Args:
        result: The result of the evaluation.
        line_number: The number of the input line, as in `Out[2]`.
        max_characters: The maximum length of each text.
    """
    items: list[OutputItem] = []
    for output in result.outputs:
        if output.kind == "picture":
            items.append(OutputImage(output.data, output.mime))
        else:
            items.append(f"{truncate_middle(output.text, max_characters)}\n")
    if result.status not in COMPLETED_STATUSES:
        items.append(f"[{result.note}]\n")
        return items, ""
    if result.result is not None:
        text = truncate_middle(result.result, max_characters)
        items.append(f"Out[{line_number}]: " + (f"\n{text}" if "\n" in text else text))
    if not items:
        items.append(_NO_OUTPUT_TEXT)
    return items, result.note


def truncate_middle(text: str, max_characters: int) -> str:
    """Return the text without its middle if it is too long.

    The end keeps a quarter of the characters, and the beginning the rest.
    """
    if len(text) <= max_characters:
        return text
    tail_length = max_characters // 4
    head, tail = text[: max_characters - tail_length], text[len(text) - tail_length :]
    return f"{head}\n… {len(text) - max_characters} characters omitted …\n{tail}"


# A session continues with the engine that evaluated it last, unless the call names another one.
_session_engines: BoundedMapping[str, Engine] = BoundedMapping()


def evaluate_python(arguments: PythonEvaluatorArguments, ctx: Context) -> ToolContent:
    """Evaluate code in a session and return its output.

    Raises:
        PaddockError: The interpreter does not exist, or its kernel does not start.
    """
    seconds = resolve_time_limit(arguments.code, arguments.time_constraint, ctx.options)
    engine = _select_engine(ctx, arguments)

    def evaluate(
        session: EvaluationSession, limits: EvaluationLimits, control: EvaluationControl
    ) -> EvaluationResult:
        result = session.evaluate(arguments.code, limits, control)
        _session_engines.put(session.id, engine)
        return result

    def format_result(result: EvaluationResult, session: SessionInfo) -> ToolContent:
        max_characters = ctx.options["MaxCharacterCount"]
        items, note = build_answer_items(result, session.line, max_characters)
        return format_session_output(
            items,
            [*session.list_notes(RESUMED_NOTE), note],
            engine.title,
            f'To continue this session with all its names, use session="{session.id}".',
            ctx.options,
        )

    return evaluate_in_session(
        ctx, arguments.session, seconds, lambda: engine, evaluate, format_result
    )


def _select_engine(ctx: Context, arguments: PythonEvaluatorArguments) -> Engine:
    """Return the engine that a call names, else that of its session, else the project's Python.

    A Jupyter kernel in the call takes precedence over an interpreter in the call, and that one over
    a Jupyter kernel in the tool's options.
    """
    engine = _session_engines.get(arguments.session or "")
    if engine is not None and not arguments.interpreter and not arguments.kernel:
        return engine
    directory = str(get_working_directory(ctx))
    kernel = arguments.kernel
    if not kernel and not arguments.interpreter:
        kernel = ctx.options[KERNEL_OPTION_NAME]
    if kernel:
        gateway = ctx.options[GATEWAY_OPTION_NAME] or ""
        location = f" at {gateway}" if gateway else ""
        # The token must not be in an argument or option, where models and config files see it.
        token = environ.get(JUPYTER_TOKEN_VARIABLE, "") if gateway else ""
        return make_jupyter_engine(
            kernel, f"the Jupyter kernel {kernel}{location}", directory, gateway, token
        )
    interpreter = _find_saved_interpreter(ctx, arguments) or choose_interpreter(
        ctx, arguments.interpreter
    )
    return make_python_engine(
        str(interpreter.path),
        interpreter.version,
        directory,
        f"Python {interpreter.version}, {interpreter.path} ({interpreter.origin})",
    )


def _find_saved_interpreter(
    ctx: Context, arguments: PythonEvaluatorArguments
) -> PythonInterpreter | None:
    """Return the interpreter that evaluated a session in an earlier process, if still usable."""
    if arguments.interpreter or not arguments.session:
        return None
    language, _, path = (
        get_shared_session_manager().get_saved_engine_name(arguments.session) or ""
    ).partition(" ")
    if language != "python" or not path:
        return None
    try:
        interpreter = choose_interpreter(ctx, path)
    except ToolError:  # uninstalled, or no longer in the allowed folders
        return None
    return interpreter._replace(origin="as before in this session")
