"""Messages between the server and the processes of a worker.

A frame consists of a four-byte little-endian length and an encoded message. The evaluator processes
use `paddock.kernels.child.plain_frames`, which handles the same formats without msgspec:

- Requests and orders, which go down to the evaluator, use the `marshal` format, which every Python
  can decode without other packages.
- Notices and replies, which come from the evaluator, are MessagePack documents. User code controls
  the evaluator, so they are untrusted: they are decoded into the types in this module, and anything
  else is rejected. `marshal` must not be used for them.
"""

from __future__ import annotations

import marshal
import os
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

import msgspec

from paddock.kernels.child.plain_frames import READ_CHUNK_BYTES, FrameSplitter, write_message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

JobStatus = Literal["done", "failed", "timed-out", "out-of-memory", "crashed", "quit", "cancelled"]


class EvaluateRequest(msgspec.Struct, tag="evaluate"):
    """Server request to evaluate code within limits."""

    code: str
    seconds: float
    memory_bytes: int = 0
    output_bytes: int = 1 << 22
    result_bytes: int = 1 << 24


class DumpStateRequest(msgspec.Struct, tag="state"):
    """Return all definitions."""

    seconds: float


class RestoreRequest(msgspec.Struct, tag="restore"):
    """Load definitions that another kernel returned."""

    state: bytes
    seconds: float


class CancelRequest(msgspec.Struct, tag="cancel"):
    """Stop the running job."""


Job = EvaluateRequest | DumpStateRequest | RestoreRequest
WorkerRequest = EvaluateRequest | DumpStateRequest | RestoreRequest | CancelRequest


class CommitOrder(msgspec.Struct, tag="commit"):
    """Become the checkpoint and fork a new active process."""


class ForkOrder(msgspec.Struct, tag="fork"):
    """Fork another active process, because the previous one has ended."""


class ProcessReady(msgspec.Struct, tag="ready"):
    """Notice to the supervisor that a forked active process is ready to run jobs."""

    pid: int
    checkpoint: int
    """Process ID of the checkpoint to which the kernel can be rolled back, or 0 if none exists."""
    engine_version: str = ""
    is_interruptible: bool = False
    fork_obstacle: str = ""
    """The reason why the process has no checkpoint, or empty if it has one."""


class JobStarted(msgspec.Struct, tag="job-started"):
    """The active process has received a job. If it ends now, the job may be partly executed."""


class OutputEvent(msgspec.Struct, tag="output"):
    """Notice of a message or an image produced by a job."""

    kind: Literal["message", "picture"]
    text: str = ""
    data: bytes = b""
    mime: str = ""
    mark: bytes = b""
    """Random bytes that were printed to standard output at the position of this output."""


class JobResult(msgspec.Struct, tag="result"):
    """Result of a job, sent to the supervisor by an evaluator process."""

    status: JobStatus = "done"
    result: str | None = None
    detail: str = ""
    """Signal name, exit code, or a description of what could not be restored."""
    state: bytes | None = None
    messages: list[str] = []
    """Parts of the printed output that are warnings or errors from the engine."""
    seconds: float = 0.0
    peak_bytes: int = 0


class ProcessExited(msgspec.Struct, tag="process-exited"):
    """Notice from the checkpoint that the active process, its child, has ended."""

    pid: int
    status: int
    """The wait status, as returned by `os.waitpid`."""


class StartupFailed(msgspec.Struct, tag="startup-failed"):
    """The engine cannot be started."""

    text: str


EvaluatorNotice = (
    ProcessReady | JobStarted | OutputEvent | JobResult | ProcessExited | StartupFailed
)


class WorkerStarted(msgspec.Struct, tag="started"):
    """The worker is ready for requests."""

    supervisor_pid: int
    engine_version: str
    restrictions: list[str]
    """Names of the sandbox restrictions."""


class JobReply(msgspec.Struct, tag="reply"):
    """Supervisor's reply to the server: the result of a job with all of its outputs."""

    result: JobResult
    pieces: list[bytes | OutputEvent] = []
    """Printed texts, messages and images in the order in which the job produced them."""
    dropped_bytes: int = 0
    """Size of the output beyond the limit, which is not part of `pieces`."""
    is_rolled_back: bool = False
    keep_reason: str = ""
    """The reason why the changes of a stopped evaluation were not rolled back, or empty."""
    was_replaced: bool = False
    """Whether a process was killed externally and replaced since the last reply."""


class WorkerProcesses(msgspec.Struct, tag="processes"):
    """Process IDs of a worker, which the supervisor sends to the server when they change.

    They are used only for diagnostics.
    """

    checkpoint: int
    active: int


SupervisorMessage = WorkerStarted | JobReply | StartupFailed | WorkerProcesses
decode_notice: Callable[[bytes], EvaluatorNotice] = msgspec.msgpack.Decoder(EvaluatorNotice).decode
decode_reply: Callable[[bytes], SupervisorMessage] = msgspec.msgpack.Decoder(
    SupervisorMessage
).decode

_FrameT = TypeVar("_FrameT")
_MARSHAL_VERSION = 4  # of Python 3.8


def send_reply(handle: int, message: msgspec.Struct) -> None:
    """Write a message to the server, blocking until all of it is written."""
    write_message(handle, msgspec.msgpack.encode(message))


def send_request(handle: int, message: msgspec.Struct) -> None:
    """Write a request or an order, blocking until all of it is written."""
    fields = msgspec.to_builtins(message, builtin_types=(bytes,))
    write_message(handle, marshal.dumps(fields, _MARSHAL_VERSION))


def decode_request(content: bytes) -> WorkerRequest:
    """Decode a server request for the supervisor."""
    fields = marshal.loads(content)  # noqa: S302 - the server is trusted
    request: WorkerRequest = msgspec.convert(fields, WorkerRequest)
    return request


class FrameReader(Generic[_FrameT]):
    """Reader for messages that arrive on a file descriptor.

    Args:
        handle: The file descriptor.
        decode: Function that decodes one message and raises ValueError if it is invalid.
    """

    def __init__(self, handle: int, decode: Callable[[bytes], _FrameT]) -> None:
        self._splitter = FrameSplitter(handle)
        self._decode = decode

    def read_messages(self) -> Iterator[_FrameT]:
        """Read the available bytes once and yield the complete messages that have arrived.

        Blocks if no bytes are available and the descriptor is in blocking mode.

        Raises:
            EOFError: The other end was closed.
            ValueError: The data is not a valid message.
        """
        self._splitter.read_chunk()
        while (content := self._splitter.pop_message()) is not None:
            yield self._decode(content)

    def clear(self) -> None:
        """Discard a partially received message and all unread bytes."""
        self._splitter.clear()
        read_available_bytes(self._splitter.handle)


def read_available_bytes(handle: int) -> bytes:
    """Read all bytes available on a file descriptor, without blocking.

    A descriptor in blocking mode is temporarily switched to non-blocking mode.
    """
    was_blocking = os.get_blocking(handle)
    os.set_blocking(handle, False)
    data = bytearray()
    try:
        while chunk := os.read(handle, READ_CHUNK_BYTES):
            data += chunk
    except BlockingIOError:
        pass
    finally:
        os.set_blocking(handle, was_blocking)
    return bytes(data)
