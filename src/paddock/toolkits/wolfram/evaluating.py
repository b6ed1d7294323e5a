"""What the tool `WolframLanguageEvaluator` does: code evaluated in a session, as an answer.

Reading code and wording results is done by `paddock.kernels.wolfram_session`, keeping sessions by
`paddock.kernels.sessions`. Loaded with the first call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.kernels.calls import call_kernel
from paddock.kernels.limits import Limits
from paddock.kernels.sessions import shared_sessions
from paddock.kernels.wolfram_session import Words, evaluate
from paddock.toolkits.contents import contents, reminder
from paddock.toolkits.keeping import keeping_of
from paddock.toolkits.limits import MEMORY_OPTION, NETWORK_OPTION
from paddock.toolkits.wolfram.engines import engine_for, engine_title
from paddock.toolkits.wolfram.recent_sessions import note_session
from paddock.wolfram import spelled_out

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.authoring.context import Context
    from paddock.kernels.calls import IsCancelled, OnWait
    from paddock.kernels.engines.engine import Engine
    from paddock.kernels.sessions import SessionStatus
    from paddock.kernels.wolfram_session import Evaluation
    from paddock.toolkits.contents import Content

STATUS_TEXTS = {
    "reused": "Nothing was saved under this session id: it is a new, empty session.",
    "resumed-new-kernel": (
        "The session goes on in a new kernel process. Its definitions and history were restored; "
        "loaded packages and other state may be missing."
    ),
}


class _About(NamedTuple):
    """What an answer says of its session; another call may have it by then."""

    id: str
    status: SessionStatus
    engine: Engine
    notes: tuple[str, ...]


def answer(ctx: Context, code: str, seconds: float, session: str | None) -> Content:
    """The answer to code, which may take so many seconds; what the tool's options say counts.

    Raises:
        PaddockError: when there is no such engine, or its kernel does not start.
    """
    limits = Limits(
        seconds=seconds,
        memory_bytes=ctx.options[MEMORY_OPTION],
        network=ctx.options[NETWORK_OPTION],
    )
    sessions = shared_sessions()
    sessions.keeping = keeping_of(ctx.options)

    def work(is_cancelled: IsCancelled, on_wait: OnWait) -> Content:
        engine = engine_for(ctx)
        with sessions.using(
            session, engine, seconds=seconds, is_cancelled=is_cancelled, on_wait=on_wait
        ) as opened:
            found = evaluate(opened, code, limits, is_cancelled=is_cancelled, on_wait=on_wait)
            note_session(ctx, opened.id, engine)
            about = _About(opened.id, opened.status, opened.engine, tuple(opened.notes))
        return [] if is_cancelled() else _worded(found, about, ctx.options)

    return call_kernel(ctx, work, seconds)


def _worded(evaluation: Evaluation, session: _About, options: Mapping[str, Any]) -> Content:
    items = [
        spelled_out(item.text) if isinstance(item, Words) else item
        for item in evaluation.items(options["MaxCharacterCount"])
    ]
    pieces, notes = contents(items, is_exported=options["ImageExportMethod"] == "Local")
    lines = [STATUS_TEXTS.get(session.status, ""), *session.notes, *evaluation.notes, *notes]
    lines += [
        f"Evaluated by {engine_title(session.engine)}.",
        f'To go on in this session, with its definitions and history, use session="{session.id}".',
    ]
    return [*pieces, reminder([line for line in lines if line])]
