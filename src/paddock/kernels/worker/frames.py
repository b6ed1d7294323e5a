"""What the processes of a kernel say to each other: four bytes of length, then MessagePack.

The processes that evaluate write and read the same with `plain_frames`.

The child is not trusted by the server: what comes from it is decoded into these types or refused.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_FRAME_BYTES = 1 << 30
"""Bytes of a frame; a longer one is a fault."""

_LENGTH_PREFIX = struct.Struct("<I")
_READ_CHUNK_BYTES = 1 << 16

JobStatus = Literal["done", "failed", "timed-out", "out-of-memory", "crashed", "quit", "cancelled"]


class EvaluateRequest(msgspec.Struct, tag="evaluate"):
    """Evaluate code, and keep what it changed."""

    code: str
    seconds: float
    memory_bytes: int = 0
    output_bytes: int = 1 << 22
    result_bytes: int = 1 << 24


class DumpStateRequest(msgspec.Struct, tag="state"):
    """Tell the definitions."""

    seconds: float


class RestoreRequest(msgspec.Struct, tag="restore"):
    """Take definitions over."""

    state: bytes
    seconds: float


class CancelRequest(msgspec.Struct, tag="cancel"):
    """Stop what is running."""


Job = EvaluateRequest | DumpStateRequest | RestoreRequest
WorkerRequest = EvaluateRequest | DumpStateRequest | RestoreRequest | CancelRequest


class CommitOrder(msgspec.Struct, tag="commit"):
    """Become the checkpoint, and fork an active process."""


class ForkOrder(msgspec.Struct, tag="again"):
    """Fork another active process: the last one is gone."""


EvaluatorOrder = EvaluateRequest | DumpStateRequest | RestoreRequest | CommitOrder | ForkOrder


class ProcessReady(msgspec.Struct, tag="ready"):
    """An active process waits for orders."""

    pid: int
    checkpoint: int
    engine_version: str = ""
    is_interruptible: bool = False
    why_alone: str = ""
    """Why it has no checkpoint, if that is so: it cannot be forked just now."""


class JobStarted(msgspec.Struct, tag="begun"):
    """The active process has got a job: if it ends now, it may have done part of it."""


class OutputEvent(msgspec.Struct, tag="emitted"):
    """An output that is no text on the standard streams."""

    kind: Literal["message", "picture"]
    text: str = ""
    data: bytes = b""
    mime: str = ""
    mark: bytes = b""
    """What was printed where the output belongs."""


class JobResult(msgspec.Struct, tag="answer"):
    """What the engine made of a job."""

    status: JobStatus = "done"
    result: str | None = None
    detail: str = ""
    """The name of a signal, an exit code, or what of a state could not be restored."""
    state: bytes | None = None
    messages: list[str] = []
    """Texts that are also among what was printed, and are messages there."""
    seconds: float = 0.0
    peak_bytes: int = 0


class ProcessExited(msgspec.Struct, tag="died"):
    """An active process has ended, as `os.waitpid` tells it."""

    pid: int
    status: int


class StartupFailed(msgspec.Struct, tag="fault"):
    """The engine could not be started."""

    text: str


EvaluatorNotice = (
    ProcessReady | JobStarted | OutputEvent | JobResult | ProcessExited | StartupFailed
)


class WorkerStarted(msgspec.Struct, tag="started"):
    """The kernel waits for requests."""

    guard: int
    engine_version: str
    confinement: list[str]


class JobReply(msgspec.Struct, tag="reply"):
    """What came of a job, with what was printed in its place among the outputs."""

    answer: JobResult
    pieces: list[bytes | OutputEvent] = []
    dropped: int = 0
    """Bytes of output beyond the limit."""
    is_rolled_back: bool = False
    why_kept: str = ""
    """Why what an evaluation that ended early had done stays, if it does and the kernel goes on."""
    was_replaced: bool = False
    """Whether a process had to be replaced since the last reply because somebody had killed it."""


class WorkerProcesses(msgspec.Struct, tag="processes"):
    """The processes of a kernel, told whenever they change, for people who look for a fault."""

    checkpoint: int
    active: int


SupervisorMessage = WorkerStarted | JobReply | StartupFailed | WorkerProcesses

_FrameT = TypeVar("_FrameT")
_encoder = msgspec.msgpack.Encoder()


def encode_frame(frame: msgspec.Struct) -> bytes:
    """A frame as bytes, with its length."""
    content = _encoder.encode(frame)
    return _LENGTH_PREFIX.pack(len(content)) + content


def send_frame(handle: int, frame: msgspec.Struct) -> None:
    """Write a whole frame, waiting while there is no room."""
    write_all(handle, encode_frame(frame))


def write_all(handle: int, data: bytes) -> None:
    """Write all of some bytes."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


class FrameReader(Generic[_FrameT]):
    """Frames that come in on a file descriptor."""

    def __init__(self, handle: int, frame_type: type[_FrameT] | object) -> None:
        self.handle = handle
        self._decoder: msgspec.msgpack.Decoder[_FrameT] = msgspec.msgpack.Decoder(frame_type)
        self._buffer = bytearray()

    def read(self) -> Iterator[_FrameT]:
        """Read once, waiting if nothing is there, and give the frames that are complete.

        Raises:
            EOFError: when nothing more will come.
            ValueError: when what came is no frame.
        """
        chunk = os.read(self.handle, _READ_CHUNK_BYTES)
        if not chunk:
            raise EOFError
        self._buffer += chunk
        while (frame := self._pop_frame()) is not None:
            yield frame

    def read_one(self) -> _FrameT:
        """Wait for one frame; for streams whose other end waits for an answer to each."""
        while True:
            for frame in self.read():
                return frame

    def clear(self) -> None:
        """Forget what is there of a frame that will not be finished, also in the descriptor."""
        self._buffer.clear()
        drain_descriptor(self.handle)

    def _pop_frame(self) -> _FrameT | None:
        if len(self._buffer) < _LENGTH_PREFIX.size:
            return None
        (length,) = _LENGTH_PREFIX.unpack_from(self._buffer)
        if length > MAX_FRAME_BYTES:
            raise ValueError(f"a frame of {length} bytes, at most {MAX_FRAME_BYTES} are taken")
        end = _LENGTH_PREFIX.size + length
        if len(self._buffer) < end:
            return None
        content = bytes(self._buffer[_LENGTH_PREFIX.size : end])
        del self._buffer[:end]
        return self._decoder.decode(content)


def drain_descriptor(handle: int) -> bytes:
    """Read what is there without waiting; the descriptor may be one that waits."""
    was_blocking = os.get_blocking(handle)
    os.set_blocking(handle, False)
    found = bytearray()
    try:
        while chunk := os.read(handle, _READ_CHUNK_BYTES):
            found += chunk
    except BlockingIOError:
        pass
    finally:
        os.set_blocking(handle, was_blocking)
    return bytes(found)
