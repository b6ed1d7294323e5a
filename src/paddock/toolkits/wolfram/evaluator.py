"""The tool `WolframLanguageEvaluator`: code in, an answer as a Wolfram notebook would give it.

Here are the tool's parameters, options and texts. Reading code and wording answers is done by
`paddock.kernels.wolfram_session`, keeping sessions by `paddock.kernels.sessions`.
"""

from __future__ import annotations

from functools import cache
from os import environ
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import ToolError
from paddock.authoring.option import Option
from paddock.authoring.tool import Tool
from paddock.errors import PaddockError
from paddock.kernels.engines.detection import ENGINE_VARIABLE, choose_engine
from paddock.kernels.limits import Limits
from paddock.kernels.sessions import Keeping, shared_sessions
from paddock.kernels.wolfram_session import evaluate
from paddock.protocol.model.content import ImageContent, TextContent
from paddock.toolkits.wolfram.ages import seconds_of
from paddock.toolkits.wolfram.answers import contents, reminder
from paddock.toolkits.wolfram.kernel_calls import call_kernel
from paddock.toolkits.wolfram.recent_sessions import note_session

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.kernels.engines.engine import Engine
    from paddock.kernels.sessions import SessionStatus
    from paddock.kernels.wolfram_session import Evaluation
    from paddock.toolkits.wolfram.kernel_calls import IsCancelled, OnWait

Content = list[TextContent | ImageContent]
DESCRIPTION = """\
Evaluate Wolfram Language code. The answer has what the code prints, its messages, its value in \
InputForm, and its graphics as pictures.

Several expressions may be given; the value is that of the last one. Definitions and history (%, \
%n, Out[n]) are kept in a session: every answer ends with its id; give it as `session` to go on. \
The code runs without asking anybody, in a process of its own that has no network; it can read and \
write local files. Look a function up first if you are not sure of it. An engine other than \
Wolfram's may lack functions: what it does not know, it leaves unevaluated."""
STATUS_TEXTS = {
    "reused": "Nothing was saved under this session id: it is a new, empty session.",
    "resumed-new-kernel": (
        "The session goes on in a new kernel process. Its definitions and history were restored; "
        "loaded packages and other state may be missing."
    ),
}
OPTIONS = {
    "Engine": Option(None, str | None, "Which engine evaluates: wolfram, woxi, mathics or none"),
    "TimeConstraint": Option(
        60.0, Annotated[float, Meta(gt=0)], "Seconds, for calls that do not say"
    ),
    "MaxCharacterCount": Option(10_000, Annotated[int, Meta(ge=1)], "Characters of a result"),
    "MaxSessionCount": Option(100, Annotated[int, Meta(ge=0)] | None, "Sessions that are kept"),
    "MaxSessionBytes": Option(1 << 30, Annotated[int, Meta(ge=0)] | None, "Their size in all"),
    "MaxSessionAge": Option(
        "1 month", str | float | None, "Since they were used: seconds, or such as 2 weeks"
    ),
    "ImageExportMethod": Option(
        None, Literal["Local"] | None, "Local: pictures are kept as files too, with links"
    ),
    "Method": Option(None, Any, "Without effect: code always runs in a process of its own"),
}


def evaluate_wolfram_language(
    ctx: Context,
    code: Annotated[str, Meta(description="The Wolfram Language code to evaluate.")],
    timeConstraint: Annotated[  # noqa: N803 - the name that clients know
        int | None, Meta(description="Seconds that the evaluation may take (60 if not given).")
    ] = None,
    session: Annotated[
        str | None, Meta(description="The id of the session to go on in, from an earlier answer.")
    ] = None,
) -> Content:
    """Evaluate code in a session."""
    seconds = _seconds(code, timeConstraint, ctx.options)
    sessions = shared_sessions()
    sessions.keeping = _keeping(ctx.options)

    def work(is_cancelled: IsCancelled, on_wait: OnWait) -> Content:
        engine = _engine(ctx.options["Engine"], environ.get(ENGINE_VARIABLE))
        with sessions.using(session, engine) as opened:
            limits = Limits(seconds=seconds)
            found = evaluate(opened, code, limits, is_cancelled=is_cancelled, on_wait=on_wait)
            note_session(ctx, opened.id, engine)
            about = _About(opened.id, opened.status, opened.engine, tuple(opened.notes))
        return [] if is_cancelled() else _answer(found, about, ctx.options)

    try:
        answer = call_kernel(ctx, work, seconds)
    except PaddockError as error:
        raise ToolError(str(error)) from error
    ctx.raise_if_cancelled()
    return answer


def _seconds(code: str, given: int | None, options: Mapping[str, Any]) -> float:
    if not code.strip():
        raise ToolError("There is no code to evaluate: `code` is empty")
    if given is None:
        return float(options["TimeConstraint"])
    if given <= 0:
        raise ToolError(f"timeConstraint is {given}, expected a number of seconds above 0")
    return float(given)


def _keeping(options: Mapping[str, Any]) -> Keeping:
    return Keeping(
        seconds=seconds_of(options["MaxSessionAge"]),
        count=options["MaxSessionCount"],
        size_bytes=options["MaxSessionBytes"],
    )


@cache
def _engine(setting: str | None, _variable: str | None) -> Engine:
    """The engine for a setting; looked for once, since it means looking at many places."""
    return choose_engine(setting).engine


class _About(NamedTuple):
    """What an answer says of its session; another call may have it by then."""

    id: str
    status: SessionStatus
    engine: Engine
    notes: tuple[str, ...]


def _answer(evaluation: Evaluation, session: _About, options: Mapping[str, Any]) -> Content:
    items = evaluation.items(options["MaxCharacterCount"])
    pieces, notes = contents(items, is_exported=options["ImageExportMethod"] == "Local")
    lines = [STATUS_TEXTS.get(session.status, ""), *session.notes, *evaluation.notes, *notes]
    lines += [
        f"Evaluated by {_title(session.engine)}.",
        f'To go on in this session, with its definitions and history, use session="{session.id}".',
    ]
    return [*pieces, reminder([line for line in lines if line])]


def _title(engine: Engine) -> str:
    named = f"{engine.title} {engine.version}".strip()
    return named if engine.name == "wolfram" else f"{named}, not by a Wolfram kernel"


evaluator_tool = Tool(
    "WolframLanguageEvaluator",
    evaluate_wolfram_language,
    title="Wolfram Language evaluator",
    description=DESCRIPTION,
    annotations={
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": False,
    },
    return_type=Content,
    task="optional",
    options=OPTIONS,
)
