"""Evaluation of cells by a Jupyter kernel, within limits on time and output."""

from __future__ import annotations

import base64
import binascii
import re
import threading
import time
from typing import TYPE_CHECKING, Literal

from paddock.kernels.kernel import (
    CANCELLED_RESULT,
    DEFAULT_CONTROL,
    STATE_TIMEOUT_SECONDS,
    EvaluationControl,
    EvaluationOutput,
    EvaluationResult,
    KernelError,
    ProgressTimer,
    describe_stop,
    never_cancelled,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.kernels.jupyter.links import JupyterMessage, KernelLink
    from paddock.kernels.kernel import EvaluationLimits


_ANSI_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_IMAGE_TYPES = ("image/png", "image/jpeg", "image/svg+xml")
_TEXT_TYPES = ("text/markdown", "text/latex", "text/plain")
START_TIMEOUT_SECONDS = 60.0
INTERRUPT_GRACE_SECONDS = 3.0
"""Time that a kernel gets to react to an interrupt before it is ended."""
_POLL_INTERVAL_SECONDS = 0.05
_DEAD_STATES = frozenset({"restarting", "autorestarting", "dead"})
_STATE_KEPT_NOTE = "Changes made until then were kept: Jupyter kernels cannot be rolled back."
_KERNEL_ENDED_NOTE = "The kernel has ended, and all its definitions are lost."


class IopubOutputs:
    """Outputs that a kernel publishes during an evaluation, up to a size limit."""

    def __init__(self, limit: int) -> None:
        self.result: str | None = None
        self.is_failure = False
        self.dropped_bytes = 0
        self._limit_bytes = limit
        self._size_bytes = 0
        self._outputs: list[EvaluationOutput] = []

    @property
    def outputs(self) -> tuple[EvaluationOutput, ...]:
        """All outputs, with consecutive prints joined."""
        joined: list[EvaluationOutput] = []
        for output in self._outputs:
            if joined and joined[-1].kind == output.kind == "print":
                joined[-1] = EvaluationOutput("print", joined[-1].text + output.text)
            else:
                joined.append(output)
        return tuple(
            EvaluationOutput("print", output.text.removesuffix("\n"))
            if output.kind == "print"
            else output
            for output in joined
        )

    def handle_message(self, message: JupyterMessage) -> bool:
        """Process a message that belongs to the request.

        Returns whether it is the last one.

        By Jupyter's protocol, a kernel publishes the status "idle" after all outputs of a request.
        """
        content = message["content"]
        match message["header"]["msg_type"]:
            case "status":
                return bool(content.get("execution_state") == "idle")
            case "stream":
                self._add_output(EvaluationOutput("print", str(content.get("text", ""))))
            case "display_data":
                for output in _iter_outputs(content.get("data", {})):
                    self._add_output(output)
            case "execute_result":
                self._handle_result(content.get("data", {}))
            case "error":
                self.is_failure = True
                lines = content.get("traceback") or [
                    f"{content.get('ename')}: {content.get('evalue')}"
                ]
                self._add_output(
                    EvaluationOutput("message", _ANSI_ESCAPES.sub("", "\n".join(lines)).rstrip())
                )
        return False

    def _handle_result(self, data: dict[str, object]) -> None:
        for output in _iter_outputs(data):
            if output.kind == "picture":
                self._add_output(output)
            else:
                self.result = output.text

    def _add_output(self, output: EvaluationOutput) -> None:
        """Add an output, up to the size limit of all outputs together."""
        size = len(output.text) + len(output.data)
        room = max(0, self._limit_bytes - self._size_bytes)
        if size > room:
            # Text can be truncated, an image cannot.
            text = output.text[:room] if output.kind == "print" else ""
            self.dropped_bytes += size - len(text)
            output = EvaluationOutput("print", text)
        self._size_bytes += len(output.text) + len(output.data)
        if output.text or output.data:
            self._outputs.append(output)


def _iter_outputs(data: dict[str, object]) -> Iterator[EvaluationOutput]:
    """Yield the preferred representation of a value, which is an image or else a text."""
    for mime in _IMAGE_TYPES:
        content = data.get(mime)
        if isinstance(content, str):
            decoded = content.encode() if mime == "image/svg+xml" else _decode_base64(content)
            if decoded:
                yield EvaluationOutput("picture", data=decoded, mime=mime)
                return
    for mime in _TEXT_TYPES:
        text = data.get(mime)
        if isinstance(text, str):
            yield EvaluationOutput("print", text if text.endswith("\n") else f"{text}\n")
            return


def _decode_base64(content: str) -> bytes:
    try:
        return base64.b64decode(content)
    except (binascii.Error, ValueError):
        return b""


StopCause = Literal["timed-out", "cancelled"]


class JupyterKernel:
    """A Jupyter kernel, reached through a link."""

    has_network = True

    def __init__(self, name: str, link: KernelLink) -> None:
        self._name = name
        self._link = link
        self._lock = threading.Lock()
        self._is_closed = False

    @property
    def is_alive(self) -> bool:
        """Whether the kernel can evaluate."""
        return not self._is_closed and self._link.is_alive

    def wait_until_started(self, seconds: float = START_TIMEOUT_SECONDS) -> None:
        """Wait until messages of the kernel arrive.

        Raises:
            KernelError: The kernel has ended or does not answer in time.
        """
        started_at = last_request_at = time.monotonic()
        request_ids = {self._link.send("kernel_info_request", {})}
        while True:
            message = self._receive_message(_POLL_INTERVAL_SECONDS)
            if message is not None and _get_parent_id(message) in request_ids:
                return
            now = time.monotonic()
            if not self._link.is_alive or now - started_at > seconds:
                is_late = self._link.is_alive
                reason = f"no answer in {seconds:.0f} s" if is_late else "its process ended"
                self.close()
                raise KernelError(f"The Jupyter kernel {self._name} cannot be started: {reason}")
            # Messages that were published before the subscription took effect are lost, so the
            # request is repeated.
            if now - last_request_at > 1.0:
                last_request_at = now
                request_ids.add(self._link.send("kernel_info_request", {}))

    def evaluate(
        self,
        code: str,
        limits: EvaluationLimits,
        control: EvaluationControl = DEFAULT_CONTROL,
    ) -> EvaluationResult:
        """Evaluate a cell; see `Kernel.evaluate`."""
        if control.is_cancelled():
            return CANCELLED_RESULT
        if not self.is_alive:
            return EvaluationResult("crashed", note="The kernel has ended.")
        started_at = time.monotonic()
        outputs = IopubOutputs(limits.output_bytes)
        cause: StopCause | None = None
        with self._lock:
            try:
                request_id = self._link.send("execute_request", _build_execute_request(code))
                cause = self._wait_for_reply(request_id, outputs, limits, control)
                is_gone = False
            except _KernelGoneError as gone:
                cause, is_gone = gone.cause, True
            except OSError:
                is_gone = True
        if is_gone:
            self.close()
        return _build_result(outputs, limits, cause, time.monotonic() - started_at, is_gone=is_gone)

    def dump_state(
        self,
        *,
        seconds: float = STATE_TIMEOUT_SECONDS,
        is_cancelled: Callable[[], bool] = never_cancelled,
    ) -> bytes | None:
        """Return None: the state of a Jupyter kernel cannot be saved."""
        return None

    def restore(self, state: bytes) -> str | None:
        """Raise KernelError: a Jupyter kernel cannot load definitions."""
        raise KernelError(f"The Jupyter kernel {self._name} cannot load definitions")

    def close(self) -> None:
        """End the kernel."""
        self._is_closed = True
        self._link.close()

    def describe(self) -> dict[str, object]:
        """Return diagnostic data."""
        return {"engine": self._name, "network": True, **self._link.describe()}

    def _wait_for_reply(
        self,
        request_id: str,
        outputs: IopubOutputs,
        limits: EvaluationLimits,
        control: EvaluationControl,
    ) -> StopCause | None:
        """Process messages until the cell has ended.

        Returns the cause if the cell was stopped.

        A cell that exceeds its limit is interrupted first. If the kernel does not react within
        `INTERRUPT_GRACE_SECONDS`, it is treated as gone, and the caller ends it.
        """
        timer = ProgressTimer(control)
        cause: StopCause | None = None
        give_up_at = float("inf")
        while True:
            message = self._receive_message(_POLL_INTERVAL_SECONDS, cause)
            if message is not None and _is_death_notice(message):
                raise _KernelGoneError(cause)
            # A late message of an earlier cell must not count for this one.
            is_own = message is not None and _get_parent_id(message) == request_id
            if message is not None and is_own and outputs.handle_message(message):
                return cause
            elapsed = timer.tick()
            if cause is None and (elapsed > limits.seconds or control.is_cancelled()):
                cause = "timed-out" if elapsed > limits.seconds else "cancelled"
                # The kernel may ignore the interrupt.
                give_up_at = elapsed + INTERRUPT_GRACE_SECONDS
                self._link.interrupt()
            if elapsed > give_up_at or not self._link.is_alive:
                raise _KernelGoneError(cause)

    def _receive_message(
        self, seconds: float, cause: StopCause | None = None
    ) -> JupyterMessage | None:
        """Return the next message, or None if none arrives in time."""
        try:
            return self._link.receive(seconds)
        except TimeoutError:
            return None
        except EOFError:
            raise _KernelGoneError(cause) from None


class _KernelGoneError(Exception):
    """The kernel has ended, or does not react to an interrupt."""

    def __init__(self, cause: StopCause | None = None) -> None:
        super().__init__("the kernel is gone")
        self.cause = cause


def _build_execute_request(code: str) -> dict[str, object]:
    """Return the content of an `execute_request` for a cell.

    The cell must not ask for input, because the links do not connect the channel for it.
    """
    return {
        "code": code,
        "silent": False,
        "store_history": True,
        "user_expressions": {},
        "allow_stdin": False,
        "stop_on_error": False,
    }


def _get_parent_id(message: JupyterMessage) -> object:
    return message.get("parent_header", {}).get("msg_id")


def _is_death_notice(message: JupyterMessage) -> bool:
    content = message.get("content", {})
    return (
        message.get("header", {}).get("msg_type") == "status"
        and content.get("execution_state") in _DEAD_STATES
    )


def _build_result(
    outputs: IopubOutputs,
    limits: EvaluationLimits,
    cause: StopCause | None,
    seconds: float,
    *,
    is_gone: bool,
) -> EvaluationResult:
    """Return the result of a cell, with notes on the reason for an early end.

    `is_gone` is true if the kernel has ended or had to be ended.
    """
    notes = []
    if outputs.dropped_bytes:
        notes.append(f"{outputs.dropped_bytes} bytes of output beyond the limit were dropped.")
    if cause is not None:
        notes.append(describe_stop(cause, limits))
    elif is_gone:
        notes.append("The kernel crashed, or the code ended it.")
    if is_gone or cause is not None:
        notes.append(_KERNEL_ENDED_NOTE if is_gone else _STATE_KEPT_NOTE)
    finished: Literal["done", "failed"] = "failed" if outputs.is_failure else "done"
    result = outputs.result
    return EvaluationResult(
        cause or ("crashed" if is_gone else finished),
        None if result is None else result.removesuffix("\n"),
        outputs.outputs,
        seconds,
        note=" ".join(notes),
    )
