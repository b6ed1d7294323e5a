"""Evaluation in sessions, shared by the evaluator tools for all languages.

A session and its engine are remembered so that other calls can continue with them. The output is
converted to MCP content: text, images and reminders for the model.
"""

from __future__ import annotations

import hashlib
import re
import threading
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from paddock.directories import get_data_directory
from paddock.errors import PaddockError
from paddock.files import write_atomically
from paddock.kernels.handler_calls import call_kernel
from paddock.kernels.kernel import EvaluationLimits
from paddock.kernels.sessions import RetentionPolicy, get_shared_session_manager
from paddock.kernels.svg_renderer import can_render_svg, convert_images_to_png
from paddock.protocol.content import ImageContent, TextContent
from paddock.toolkits.tool_options import MEMORY_OPTION_NAME, NETWORK_OPTION_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from paddock.authoring.context import Context
    from paddock.kernels.engine import Engine
    from paddock.kernels.kernel import EvaluationControl, EvaluationResult, OutputItem
    from paddock.kernels.sessions import EvaluationSession, SessionStatus
    from paddock.toolkits.tool_options import ToolContent


_UNIT_SECONDS = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86_400,
    "week": 7 * 86_400,
    "month": 30 * 86_400,
    "year": 365 * 86_400,
}
_DURATION_PATTERN = re.compile(
    r"\s*(?:Quantity\[\s*)?(\d+\.?\d*|\.\d+)\s*,?\s*\"?([A-Za-z]+?)s?\"?\s*\]?\s*", re.IGNORECASE
)
JPEG_MIME_TYPE = "image/jpeg"
NO_RENDERER_NOTE = "An image is omitted: install resvg-py to see it (pip install resvg-py)."
SHOW_IMAGES_NOTE = (
    "The user cannot see the images in this result. Repeat their Markdown links, ![Image](…), in "
    "your reply to show them."
)
K = TypeVar("K")
V = TypeVar("V")
MAX_TRACKED_SESSIONS = 1000
NEW_SESSION_NOTE = "Nothing was saved under this session id: it is a new, empty session."


def parse_duration(duration: object) -> float | None:
    """Convert a tool option's value to seconds, or to None if it is unlimited or invalid.

    Accepts a number of seconds, a text such as `1 month`, and the Wolfram Language form
    `Quantity[2, "Weeks"]`.
    """
    # `True` would count as 1 second because bool is a subclass of int.
    if isinstance(duration, bool):
        return None
    if isinstance(duration, int | float):
        return float(duration) if isfinite(duration) and duration > 0 else None
    match = _DURATION_PATTERN.fullmatch(duration) if isinstance(duration, str) else None
    unit_seconds = _UNIT_SECONDS.get(match[2].lower()) if match else None
    return float(match[1]) * unit_seconds if match and unit_seconds else None


def read_retention_policy(options: Mapping[str, Any]) -> RetentionPolicy:
    """Return the retention policy that an evaluator's options define."""
    return RetentionPolicy(
        max_age_seconds=parse_duration(options["MaxSessionAge"]),
        max_sessions=options["MaxSessionCount"],
        max_total_bytes=options["MaxSessionBytes"],
    )


class BoundedMapping(Generic[K, V]):
    """A thread-safe mapping that discards the least recently set entries.

    Otherwise, session entries would accumulate for as long as the server runs.
    """

    def __init__(self, max_size: int = MAX_TRACKED_SESSIONS) -> None:
        self._max_size = max_size
        self._lock = threading.Lock()
        self._values: dict[K, V] = {}

    def put(self, key: K, value: V) -> None:
        """Set a key's value and make the key the most recent one.

        The key is removed first because assigning to an existing dictionary key keeps its position.
        """
        with self._lock:
            self._values.pop(key, None)
            self._values[key] = value
            while len(self._values) > self._max_size:
                del self._values[next(iter(self._values))]

    def get(self, key: K) -> V | None:
        """Return a key's value, or None if it was never set or has been discarded."""
        return self._values.get(key)


_latest_sessions: BoundedMapping[tuple[int, str], str] = BoundedMapping()
_session_engines: BoundedMapping[str, Engine] = BoundedMapping()


def record_session(ctx: Context, session: str, engine: Engine) -> None:
    """Remember the session as the caller's latest one, together with its engine.

    Tools that read symbols use both to continue where the evaluator tool left off.
    """
    _session_engines.put(session, engine)
    _latest_sessions.put(_get_caller_key(ctx), session)


def get_latest_session(ctx: Context) -> str | None:
    """Return the session that the caller used last on this server, or None."""
    return _latest_sessions.get(_get_caller_key(ctx))


def get_session_engine(session: str) -> Engine | None:
    """Return the engine that the session used last in this process, or None."""
    return _session_engines.get(session)


def _get_caller_key(ctx: Context) -> tuple[int, str]:
    # The principal is part of the key so that users cannot see each other's sessions.
    principal = ctx.principal
    return id(ctx.server), "" if principal is None else f"{principal.issuer} {principal.subject}"


class SessionEvaluation(NamedTuple):
    """The result of an evaluation, with a copy of its session's state.

    The state is copied while the session is open because another call may change it afterwards.
    """

    result: EvaluationResult
    session_id: str
    status: SessionStatus
    """How the session was opened: as a new one, continued, or resumed in a new process."""
    engine: Engine
    line_number: int
    """The number of the evaluated line, as in `Out[2]`."""
    session_notes: tuple[str, ...]


def evaluate_in_session(
    ctx: Context,
    session_id: str | None,
    engine: Engine,
    seconds: float,
    evaluate: Callable[[EvaluationSession, EvaluationLimits, EvaluationControl], EvaluationResult],
) -> SessionEvaluation:
    """Evaluate code in a session, within the limits set by the tool's options.

    Called by the evaluator tools for all languages, which differ in the engine and `evaluate`.

    Args:
        ctx: The context of the call, with the tool's options.
        session_id: The session to continue. Defaults to a new one.
        engine: The engine of the session, such as a Python interpreter.
        seconds: The time limit of the evaluation.
        evaluate: Evaluates the code in the open session.

    Raises:
        PaddockError: The engine's kernel does not start.
    """
    limits = EvaluationLimits(
        seconds=seconds,
        memory_bytes=ctx.options[MEMORY_OPTION_NAME],
        network=ctx.options[NETWORK_OPTION_NAME],
    )
    sessions = get_shared_session_manager()
    sessions.retention = read_retention_policy(ctx.options)

    def open_and_evaluate(control: EvaluationControl) -> SessionEvaluation:
        with sessions.open_session(session_id, engine, seconds=seconds, control=control) as session:
            line_number = session.next_line
            result = evaluate(session, limits, control)
            notes = tuple(session.notes)
            return SessionEvaluation(
                result, session.id, session.status, session.engine, line_number, notes
            )

    evaluation = call_kernel(ctx, open_and_evaluate, seconds)
    ctx.raise_if_cancelled()
    return evaluation


def format_evaluation(
    items: Sequence[OutputItem],
    evaluation: SessionEvaluation,
    options: Mapping[str, Any],
    *,
    notes: Sequence[str],
    engine_title: str,
    resumed_note: str,
    continuation: str,
) -> ToolContent:
    """Convert the output of an evaluation to MCP content, followed by a reminder for the model.

    The reminder contains the notes about the session and the result, the name of the engine, and
    the ID for continuing the session.

    Args:
        items: The output: texts and images in order.
        evaluation: The evaluation.
        options: The options of the tool.
        notes: Notes about the result; empty ones are skipped.
        engine_title: The display name of the engine that evaluated the code.
        resumed_note: A note on what was restored, for a session that was resumed in a new process.
        continuation: A sentence on how to continue the session.
    """
    content, image_notes = _build_content(
        items, is_exported=options["ImageExportMethod"] == "Local"
    )
    status_notes = {"reused": NEW_SESSION_NOTE, "resumed-new-kernel": resumed_note}
    lines = [
        status_notes.get(evaluation.status, ""),
        *evaluation.session_notes,
        *notes,
        *image_notes,
        f"Evaluated by {engine_title}.",
        continuation,
    ]
    return [*content, _create_reminder([line for line in lines if line])]


def _build_content(
    items: Sequence[OutputItem], *, is_exported: bool
) -> tuple[ToolContent, list[str]]:
    """Convert output items to MCP content blocks in the same order.

    JPEG images are passed on unchanged. All other images are rendered as PNG, and an image that
    cannot be rendered is replaced with its label.

    Args:
        items: Text and images.
        is_exported: Whether to also save images as files. Each image is then preceded by a Markdown
            link to its file, which the model can repeat to show the image to the user.

    Returns:
        The content, and notes about its images for the model.
    """
    images = [item for item in items if not isinstance(item, str)]
    # All images are rendered in one call because rendering runs in another process.
    rendered = iter(convert_images_to_png([(image.data, image.mime) for image in images]))
    blocks: ToolContent = []
    for item in items:
        if isinstance(item, str):
            blocks.append(TextContent(item))
        elif item.mime == JPEG_MIME_TYPE:
            next(rendered)
            blocks += _build_image_content(item.data, JPEG_MIME_TYPE, is_exported=is_exported)
        elif (png := next(rendered)) is None:
            blocks.append(TextContent(item.label))
        else:
            blocks += _build_image_content(png, "image/png", is_exported=is_exported)
    notes = [SHOW_IMAGES_NOTE] if is_exported and images else []
    if any(image.mime.endswith("svg+xml") for image in images) and not can_render_svg():
        notes.append(NO_RENDERER_NOTE)
    return _merge_text(blocks), notes


def _build_image_content(
    data: bytes, mime: str, *, is_exported: bool
) -> Iterator[TextContent | ImageContent]:
    """Yield the content blocks of one image.

    If `is_exported` is True and the image can be saved, a Markdown link to its file comes first.
    """
    uri = _export_image(data, mime.rpartition("/")[2]) if is_exported else None
    if uri is not None:
        yield TextContent(f"![Image]({uri})")
    yield ImageContent(data, mime)


def _export_image(data: bytes, suffix: str) -> str | None:
    """Save an image in the data directory and return the URI of the file, or None on failure.

    The file is named after the hash of its data, so a repeated image is stored only once.
    """
    digest = hashlib.sha256(data).hexdigest()
    file = Path(get_data_directory()) / "images" / digest[:3] / f"{digest}.{suffix}"
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(file, data)
    except (OSError, PaddockError):
        return None
    return file.as_uri()


def _merge_text(blocks: ToolContent) -> ToolContent:
    """Join adjacent text blocks and drop empty ones."""
    merged: ToolContent = []
    for block in blocks:
        previous = merged[-1] if merged else None
        if isinstance(block, TextContent) and isinstance(previous, TextContent):
            merged[-1] = TextContent(previous.text + block.text)
        elif not isinstance(block, TextContent) or block.text:
            merged.append(block)
    return merged


def _create_reminder(lines: Sequence[str]) -> TextContent:
    """Return a text block for the model that clients do not need to show to the user."""
    return TextContent("\n".join(["\n\n<system-reminder>", *lines, "</system-reminder>"]))
