"""What a Jupyter kernel publishes during an evaluation, as outputs and a value.

A Jupyter kernel as the server sees it: evaluates one cell after the other, within limits.
"""

from __future__ import annotations

import base64
import binascii
import re
import threading
import time
from typing import TYPE_CHECKING, Literal

from paddock.kernels.kernel import (
    PROGRESS_INTERVAL_SECONDS,
    STATE_TIMEOUT_SECONDS,
    EvaluationOutput,
    EvaluationResult,
    KernelError,
    ignore_progress,
    never_cancelled,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.kernels.jupyter.links import JupyterMessage, KernelLink
    from paddock.kernels.kernel import EvaluationLimits


_ANSI_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_IMAGE_TYPES = ("image/png", "image/jpeg", "image/svg+xml")
_TEXT_TYPES = ("text/markdown", "text/latex", "text/plain")


class IopubOutputs:
    """Collects outputs up to a limit of bytes."""

    def __init__(self, limit: int) -> None:
        self.result: str | None = None
        self.is_failure = False
        self.dropped_bytes = 0
        self._limit_bytes = limit
        self._size_bytes = 0
        self._outputs: list[EvaluationOutput] = []

    @property
    def outputs(self) -> tuple[EvaluationOutput, ...]:
        """All of them, with prints that follow each other as one."""
        joined: list[EvaluationOutput] = []
        for output in self._outputs:
            if joined and joined[-1].kind == output.kind == "print":
                joined[-1] = EvaluationOutput("print", joined[-1].text + output.text)
            else:
                joined.append(output)
        return tuple(
            EvaluationOutput("print", each.text.removesuffix("\n"))
            if each.kind == "print"
            else each
            for each in joined
        )

    def handle_message(self, message: JupyterMessage) -> bool:
        """Take a message that follows from the request; say whether it is the last one."""
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
        size = len(output.text) + len(output.data)
        room = self._limit_bytes - self._size_bytes
        if size > room:
            self.dropped_bytes += size - (max(0, room) if output.kind == "print" else 0)
            output = EvaluationOutput(
                "print", output.text[: max(0, room)] if output.kind == "print" else ""
            )
        self._size_bytes += len(output.text) + len(output.data)
        if output.text or output.data:
            self._outputs.append(output)


def _iter_outputs(data: dict[str, object]) -> Iterator[EvaluationOutput]:
    """The best that there is of a value: a picture, else a text."""
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


START_TIMEOUT_SECONDS = 60.0
INTERRUPT_GRACE_SECONDS = 3.0
"""How long a kernel may take to heed an interrupt."""
_POLL_INTERVAL_SECONDS = 0.05
_DEAD_STATES = frozenset({"restarting", "autorestarting", "dead"})
_STATE_KEPT_NOTE = "What it had done until then stays: a Jupyter kernel has no state to go back to."
_KERNEL_ENDED_NOTE = "The kernel has ended, and with it all that it had defined."

StopCause = Literal["timed-out", "cancelled"]


class JupyterKernel:
    """A kernel behind a link."""

    has_network = True

    def __init__(self, name: str, link: KernelLink) -> None:
        self._name = name
        self._link = link
        self._lock = threading.Lock()
        self._is_closed = False

    @property
    def is_alive(self) -> bool:
        """Whether it can evaluate."""
        return not self._is_closed and self._link.is_alive

    def wait_until_started(self, seconds: float = START_TIMEOUT_SECONDS) -> None:
        """Wait until what the kernel publishes comes through.

        Raises:
            KernelError: when it does not.
        """
        begun = asked = time.monotonic()
        sent = {self._link.send("kernel_info_request", {})}
        while True:
            message = self._receive_message(_POLL_INTERVAL_SECONDS)
            if message is not None and _get_parent_id(message) in sent:
                return
            now = time.monotonic()
            if not self._link.is_alive or now - begun > seconds:
                why = "it ended" if not self._link.is_alive else f"no answer in {seconds:.0f} s"
                self.close()
                raise KernelError(f"The Jupyter kernel {self._name} cannot be started: {why}")
            if now - asked > 1.0:  # what was published before anybody listened is lost
                asked = now
                sent.add(self._link.send("kernel_info_request", {}))

    def evaluate(
        self,
        code: str,
        limits: EvaluationLimits,
        *,
        is_cancelled: Callable[[], bool] = never_cancelled,
        on_wait: Callable[[float], None] = ignore_progress,
    ) -> EvaluationResult:
        """Evaluate a cell within limits of time and output; see `Kernel.evaluate`."""
        if is_cancelled():
            return EvaluationResult(
                "cancelled", note="The call was cancelled before the evaluation began."
            )
        if not self.is_alive:
            return EvaluationResult("crashed", note="The kernel has ended.")
        begun = time.monotonic()
        published = IopubOutputs(limits.output_bytes)
        cause: StopCause | None = None
        with self._lock:
            try:
                request = self._link.send("execute_request", _build_execute_request(code))
                cause = self._wait_for_reply(request, published, limits, is_cancelled, on_wait)
                is_gone = False
            except _KernelGoneError as gone:
                cause, is_gone = gone.cause, True
            except OSError:
                is_gone = True
        if is_gone:
            self.close()
        return _build_result(published, limits, cause, time.monotonic() - begun, is_gone=is_gone)

    def state(
        self,
        *,
        seconds: float = STATE_TIMEOUT_SECONDS,
        is_cancelled: Callable[[], bool] = never_cancelled,
    ) -> bytes | None:
        """Nothing: a Jupyter kernel cannot tell it."""
        return None

    def restore(self, state: bytes) -> str | None:
        """Fail, because there is no such state."""
        raise KernelError(f"The Jupyter kernel {self._name} cannot take over definitions")

    def close(self) -> None:
        """End it."""
        self._is_closed = True
        self._link.close()

    def describe(self) -> dict[str, object]:
        """What it is, for people who look for a fault."""
        return {"engine": self._name, "network": True, **self._link.describe()}

    def _wait_for_reply(
        self,
        request: str,
        published: IopubOutputs,
        limits: EvaluationLimits,
        is_cancelled: Callable[[], bool],
        on_wait: Callable[[float], None],
    ) -> StopCause | None:
        """Wait for the end of a cell; say why it was stopped, if it was."""
        begun = told = time.monotonic()
        cause: StopCause | None = None
        given_up = float("inf")
        while True:
            message = self._receive_message(_POLL_INTERVAL_SECONDS, cause)
            if message is not None and _is_death_notice(message):
                raise _KernelGoneError(cause)
            if (
                message is not None
                and _get_parent_id(message) == request
                and published.handle_message(message)
            ):
                return cause
            now = time.monotonic()
            if cause is None and (now - begun > limits.seconds or is_cancelled()):
                cause = "timed-out" if now - begun > limits.seconds else "cancelled"
                given_up = now + INTERRUPT_GRACE_SECONDS
                self._link.interrupt()
            if now > given_up or not self._link.is_alive:
                raise _KernelGoneError(cause)
            if now - told >= PROGRESS_INTERVAL_SECONDS:
                told = now
                on_wait(now - begun)

    def _receive_message(
        self, seconds: float, cause: StopCause | None = None
    ) -> JupyterMessage | None:
        try:
            return self._link.receive(seconds)
        except TimeoutError:
            return None
        except EOFError:
            raise _KernelGoneError(cause) from None


class _KernelGoneError(Exception):
    """The kernel is not there any more, or has to be given up."""

    def __init__(self, cause: StopCause | None = None) -> None:
        super().__init__("the kernel is gone")
        self.cause = cause


def _build_execute_request(code: str) -> dict[str, object]:
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
    published: IopubOutputs,
    limits: EvaluationLimits,
    cause: StopCause | None,
    seconds: float,
    *,
    is_gone: bool,
) -> EvaluationResult:
    notes = []
    if published.dropped_bytes:
        notes.append(f"{published.dropped_bytes} bytes of output beyond the limit were dropped.")
    if cause == "timed-out":
        notes.append(
            f"The evaluation took longer than {limits.user_time_limit:g} s and was stopped."
        )
    elif cause == "cancelled":
        notes.append("The evaluation was cancelled.")
    elif is_gone:
        notes.append("The kernel crashed, or the code ended it.")
    if is_gone or cause is not None:
        notes.append(_KERNEL_ENDED_NOTE if is_gone else _STATE_KEPT_NOTE)
    finished: Literal["done", "failed"] = "failed" if published.is_failure else "done"
    result = published.result
    return EvaluationResult(
        cause or ("crashed" if is_gone else finished),
        None if result is None else result.removesuffix("\n"),
        published.outputs,
        seconds,
        note=" ".join(notes),
    )
