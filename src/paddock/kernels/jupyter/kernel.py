"""Cell evaluation by a Jupyter kernel, within limits on time and output."""

from __future__ import annotations

import base64
import binascii
import itertools
import re
import threading
import time
from abc import abstractmethod
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from paddock.kernels.kernel import (
    EvaluationOutput,
    EvaluationResult,
    EvaluationWatch,
    Kernel,
    KernelError,
    describe_dropped_output,
    describe_stop,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.kernels.kernel import (
        EvaluationControl,
        EvaluationLimits,
        EvaluationStatus,
        StopCause,
    )

JupyterMessage = dict[str, Any]
_ANSI_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_IMAGE_TYPES = ("image/png", "image/jpeg", "image/svg+xml")
_TEXT_TYPES = ("text/markdown", "text/latex", "text/plain")
START_TIMEOUT_SECONDS = 60.0
INTERRUPT_GRACE_SECONDS = 3.0
"""Time that a kernel has to react to an interrupt before it is ended."""
_POLL_INTERVAL_SECONDS = 0.05
_DEAD_STATES = frozenset({"restarting", "autorestarting", "dead"})
_STATE_KEPT_NOTE = "Changes made until then were kept: Jupyter kernels cannot be rolled back."
_STATE_LOST_NOTE = "The kernel has ended, and all its definitions are lost."


class IopubOutputs:
    """Outputs that a kernel publishes on its IOPub channel during an evaluation.

    Outputs beyond a size limit are dropped and their bytes counted.
    """

    def __init__(self, limit: int) -> None:
        self.result: str | None = None
        self.is_failure = False
        self.dropped_bytes = 0
        self._limit_bytes = limit
        self._size_bytes = 0
        self._outputs: list[EvaluationOutput] = []

    @property
    def outputs(self) -> tuple[EvaluationOutput, ...]:
        """All outputs in order, with consecutive pieces of printed text joined.

        A kernel can publish the text of one `print` in multiple messages.
        """
        joined_outputs: list[EvaluationOutput] = []
        for kind, group in itertools.groupby(self._outputs, key=attrgetter("kind")):
            if kind == "print":
                text = "".join(output.text for output in group)
                joined_outputs.append(EvaluationOutput("print", text.removesuffix("\n")))
            else:
                joined_outputs += group
        return tuple(joined_outputs)

    def handle_message(self, message: JupyterMessage) -> bool:
        """Add the output or result that a kernel message contains.

        Returns:
            Whether the message is the last one of the evaluation. In Jupyter's protocol, this is
            the status "idle", which a kernel publishes after all outputs of a request.
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
        """Add an output, unless all outputs together would exceed the size limit.

        Printed text is truncated at the limit. Messages and images are dropped completely.
        """
        size = len(output.text) + len(output.data)
        remaining_bytes = max(0, self._limit_bytes - self._size_bytes)
        if size > remaining_bytes:
            text = output.text[:remaining_bytes] if output.kind == "print" else ""
            self.dropped_bytes += size - len(text)
            output = EvaluationOutput("print", text)
        self._size_bytes += len(output.text) + len(output.data)
        if output.text or output.data:
            self._outputs.append(output)


def _iter_outputs(data: dict[str, object]) -> Iterator[EvaluationOutput]:
    """Yield the preferred representation of a value: an image if available, otherwise text.

    Args:
        data: The representations that the kernel published, by MIME type. Binary data is encoded as
            base64.
    """
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


class JupyterKernel(Kernel):
    """A Jupyter kernel. Subclasses start it and transport its messages."""

    has_network = True

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._is_closed = False

    @abstractmethod
    def _send_request(self, kind: str, content: dict[str, object]) -> str:
        """Send a request to the kernel on its shell channel, such as `execute_request`.

        Args:
            kind: The message type of the request.
            content: The content of the request.

        Returns:
            The ID of the request, which is the parent ID of all messages that the request causes.

        Raises:
            OSError: The connection is closed.
        """

    @abstractmethod
    def _receive_message(self, seconds: float) -> JupyterMessage | None:
        """Return the next message that the kernel publishes, or None if none arrives in time.

        Raises:
            OSError: The connection is closed.
        """

    @abstractmethod
    def _interrupt_cell(self) -> None:
        """Ask the kernel to interrupt the running cell. A kernel may ignore that."""

    def wait_until_started(self, seconds: float = START_TIMEOUT_SECONDS) -> None:
        """Wait until the kernel publishes messages, which shows that it accepts requests.

        If it does not, the kernel is closed.

        Raises:
            KernelError: The kernel has ended or does not reply in time.
        """
        started_at = time.monotonic()
        reason = f"no answer in {seconds:.0f} s"
        request_ids: set[str] = set()
        try:
            while self.is_alive and time.monotonic() - started_at < seconds:
                # The subscription to the kernel's messages takes effect after a delay. Messages
                # published before that are lost, so the request is repeated once per second.
                if time.monotonic() - started_at >= len(request_ids):
                    request_ids.add(self._send_request("kernel_info_request", {}))
                message = self._receive_message(_POLL_INTERVAL_SECONDS)
                if message is not None and _get_parent_id(message) in request_ids:
                    return
        except OSError as error:
            reason = str(error)
        if not self.is_alive:
            reason = "its process ended"
        self.close()
        raise KernelError(f"The Jupyter kernel {self._name} cannot be started: {reason}")

    def _evaluate(
        self, code: str, limits: EvaluationLimits, control: EvaluationControl
    ) -> EvaluationResult:
        """Evaluate a cell within the limits, as `Kernel.evaluate` describes.

        If the connection to the kernel is lost, the kernel is closed, and the result reports it.
        """
        outputs = IopubOutputs(limits.output_bytes)
        watch = EvaluationWatch(control, limits.seconds, self._interrupt)
        try:
            with self._lock:
                self._run_cell(code, outputs, watch)
        except OSError:
            self.close()
        return self._build_result(outputs, limits, watch)

    def describe(self) -> dict[str, object]:
        """Return diagnostic data."""
        return {"engine": self._name, "network": True}

    def _run_cell(self, code: str, outputs: IopubOutputs, watch: EvaluationWatch) -> None:
        """Send a cell to the kernel and collect its outputs until the evaluation has ended.

        Args:
            code: The code of the cell.
            outputs: The collection to which the outputs are added.
            watch: Interrupts the evaluation when it times out or is cancelled.

        Raises:
            OSError: The kernel has ended, or does not react to an interrupt.
        """
        request_id = self._send_request("execute_request", _build_execute_request(code))
        while watch.check():
            message = self._receive_message(_POLL_INTERVAL_SECONDS)
            if message is None and self.is_alive:
                continue
            if message is None or _is_death_notice(message):
                break
            # A late message from an earlier cell must not be attributed to this one.
            if _get_parent_id(message) == request_id and outputs.handle_message(message):
                return
        raise ConnectionError("the kernel is gone")

    def _interrupt(self, _cause: StopCause) -> float:
        """Interrupt the running cell and return how long it may take to end."""
        self._interrupt_cell()
        return INTERRUPT_GRACE_SECONDS

    def _build_result(
        self, outputs: IopubOutputs, limits: EvaluationLimits, watch: EvaluationWatch
    ) -> EvaluationResult:
        """Return the result of a cell.

        If the evaluation was stopped or the kernel ended, notes state the reason and whether the
        session's definitions are lost.
        """
        notes = [describe_dropped_output(outputs.dropped_bytes, limits)]
        status: EvaluationStatus = "failed" if outputs.is_failure else "done"
        if watch.cause is not None:
            status = watch.cause
            notes.append(describe_stop(status, limits))
        elif self._is_closed:
            status = "crashed"
            notes.append("The kernel crashed, or the code ended it.")
        if self._is_closed:
            notes.append(_STATE_LOST_NOTE)
        elif watch.cause is not None:
            notes.append(_STATE_KEPT_NOTE)
        return EvaluationResult(
            status,
            None if outputs.result is None else outputs.result.removesuffix("\n"),
            outputs.outputs,
            watch.elapsed_seconds,
            notes=tuple(filter(None, notes)),
        )


def _build_execute_request(code: str) -> dict[str, object]:
    """Return the content of an `execute_request`, the Jupyter message that evaluates a cell.

    `allow_stdin` is false, because Paddock does not connect the channel on which a kernel requests
    input.
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
