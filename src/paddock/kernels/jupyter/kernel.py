"""A Jupyter kernel as the server sees it: evaluates one cell after the other, within limits."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Literal

from paddock.kernels.jupyter.publishing import IopubOutputs
from paddock.kernels.kernel import STATE_TIMEOUT_SECONDS, PROGRESS_INTERVAL_SECONDS, KernelError, ignore_progress, never_cancelled
from paddock.kernels.outcome import EvaluationResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.kernels.jupyter.link import KernelLink, JupyterMessage
    from paddock.kernels.limits import EvaluationLimits

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
            return EvaluationResult("cancelled", note="The call was cancelled before the evaluation began.")
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
        self, *, seconds: float = STATE_TIMEOUT_SECONDS, is_cancelled: Callable[[], bool] = never_cancelled
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
            if message is not None and _get_parent_id(message) == request and published.handle_message(message):
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

    def _receive_message(self, seconds: float, cause: StopCause | None = None) -> JupyterMessage | None:
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
    published: IopubOutputs, limits: EvaluationLimits, cause: StopCause | None, seconds: float, *, is_gone: bool
) -> EvaluationResult:
    notes = []
    if published.dropped_bytes:
        notes.append(f"{published.dropped_bytes} bytes of output beyond the limit were dropped.")
    if cause == "timed-out":
        notes.append(f"The evaluation took longer than {limits.user_time_limit:g} s and was stopped.")
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
