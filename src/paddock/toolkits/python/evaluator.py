"""Evaluation of Python code in sessions, for the `PythonEvaluator` tool."""

from __future__ import annotations

from contextlib import suppress
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
    format_evaluation,
)
from paddock.toolkits.tool_options import (
    GATEWAY_OPTION_NAME,
    KERNEL_OPTION_NAME,
    resolve_time_limit,
)

if TYPE_CHECKING:
    from paddock.authoring.context import Context
    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import OutputItem
    from paddock.toolkits.python.interpreters import PythonInterpreter
    from paddock.toolkits.python.tools import PythonEvaluatorArguments
    from paddock.toolkits.session_evaluation import SessionEvaluation
    from paddock.toolkits.tool_options import ToolContent


_NO_OUTPUT_TEXT = "(The code ran; it printed nothing, and its last statement has no value.)"
RESUMED_NOTE = (
    "The session was resumed in a new process. Modules, functions, classes and values were "
    "restored; open files, connections and threads are gone."
)
JUPYTER_TOKEN_VARIABLE = "PADDOCK_JUPYTER_TOKEN"  # noqa: S105 - the name of a variable


def _list_output_items(evaluation: SessionEvaluation, max_characters: int) -> list[OutputItem]:
    """Return the output of an evaluation: printed texts, images, and the result as `Out[n]: …`.

    The output of an incomplete evaluation ends with the reason in brackets instead of a result.
    Long texts are shortened to the limit.
    """
    result = evaluation.result
    items: list[OutputItem] = [
        OutputImage(output.data, output.mime)
        if output.kind == "picture"
        else f"{truncate_middle(output.text, max_characters)}\n"
        for output in result.outputs
    ]
    if result.status not in COMPLETED_STATUSES:
        return [*items, f"[{result.note}]\n"]
    if result.result is not None:
        text = truncate_middle(result.result, max_characters)
        separator = "\n" if "\n" in text else ""
        items.append(f"Out[{evaluation.line_number}]: {separator}{text}")
    return items or [_NO_OUTPUT_TEXT]


def truncate_middle(text: str, max_characters: int) -> str:
    """Shorten a long text by replacing its middle with a note about the omitted characters.

    A quarter of the remaining characters come from the end, and the rest from the beginning.
    """
    if len(text) <= max_characters:
        return text
    tail_length = max_characters // 4
    head, tail = text[: max_characters - tail_length], text[len(text) - tail_length :]
    return f"{head}\n… {len(text) - max_characters} characters omitted …\n{tail}"


# A session continues with the engine that it used last, unless the call names another one.
_session_engines: BoundedMapping[str, Engine] = BoundedMapping()


def evaluate_python(arguments: PythonEvaluatorArguments, ctx: Context) -> ToolContent:
    """Evaluate code in a session of a Python interpreter or Jupyter kernel, and return its output.

    Raises:
        PaddockError: The interpreter does not exist, or its kernel does not start.
    """
    time_limit_seconds = resolve_time_limit(arguments.code, arguments.time_constraint, ctx.options)
    engine = _select_engine(ctx, arguments)

    evaluation = evaluate_in_session(
        ctx,
        arguments.session,
        engine,
        time_limit_seconds,
        lambda session, limits, control: session.evaluate(arguments.code, limits, control),
    )
    _session_engines.put(evaluation.session_id, engine)
    # The note about an incomplete evaluation is part of its output.
    is_completed = evaluation.result.status in COMPLETED_STATUSES
    return format_evaluation(
        _list_output_items(evaluation, ctx.options["MaxCharacterCount"]),
        evaluation,
        ctx.options,
        notes=[evaluation.result.note] if is_completed else [],
        engine_title=engine.title,
        resumed_note=RESUMED_NOTE,
        continuation="To continue this session with all its names, use "
        f'session="{evaluation.session_id}".',
    )


def _select_engine(ctx: Context, arguments: PythonEvaluatorArguments) -> Engine:
    """Return the engine for a call: the Python interpreter or Jupyter kernel that evaluates it.

    The order is: a Jupyter kernel named in the call, an interpreter named in the call, the
    session's engine, a Jupyter kernel in the tool's options, the interpreter that the session used
    before Paddock was restarted, the project's Python.
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
        # The token must not be an argument or option, where models and config files would see it.
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
    """Return the interpreter of a session from an earlier Paddock process, if it still works.

    Called for a session that continues after a restart. If the call names another interpreter,
    that one is used instead and the result is None.
    """
    if arguments.interpreter or not arguments.session:
        return None
    engine_name = get_shared_session_manager().get_saved_engine_name(arguments.session) or ""
    # The name has the form "python /project/.venv/bin/python".
    language, _, path = engine_name.partition(" ")
    # The interpreter may have been uninstalled or may now be outside the allowed folders.
    with suppress(ToolError):
        if language == "python" and path:
            return choose_interpreter(ctx, path)._replace(origin="as before in this session")
    return None
