"""What a worker makes of an engine, with one that does what the test says in Python."""

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from paddock.kernels.kernel import (
    EvaluationControl,
    EvaluationLimits,
    EvaluationOutput,
    KernelError,
)
from paddock.kernels.worker.worker_kernel import WorkerKernel, start_worker

LIMITS = EvaluationLimits(seconds=30)
INTERPRETER = """
    import msgspec
    from paddock.kernels.child.job_runner import ImageValue, EvaluatedValue

    class Sample:
        version = "1.0"
        is_interruptible = True

        def __init__(self):
            self.names = {}

        def evaluate(self, code, emit):
            self.names["emit"] = emit
            self.names["ImageValue"] = ImageValue
            exec(code, self.names)
            return EvaluatedValue(repr(self.names.get("result")))

        def dump_state(self):
            return None

        def restore(self, state):
            raise ValueError("not a state")

    def interpreter():
        return Sample()
"""


@pytest.fixture
def start_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., WorkerKernel]]:
    """Starts kernels of an engine whose module has a given text."""
    kernels: list[WorkerKernel] = []
    monkeypatch.syspath_prepend(tmp_path)

    def begin(text: str = INTERPRETER, *, is_forkless: bool = False) -> WorkerKernel:
        (tmp_path / "sample_engine.py").write_text(textwrap.dedent(text))
        kernels.append(start_worker("sample", "sample_engine", LIMITS, is_forkless=is_forkless))
        return kernels[-1]

    yield begin
    for kernel in kernels:
        kernel.close()


@pytest.mark.parametrize("is_forkless", [False, True])
def test_outputs_keep_their_places_among_prints(
    start_python: Callable[..., WorkerKernel], is_forkless: bool
) -> None:
    kernel = start_python(is_forkless=is_forkless)
    code = (
        "print('a'); emit('f::x: b'); print('c'); emit(ImageValue(b'png', 'image/png')); result = 5"
    )
    outcome = kernel.evaluate(code, LIMITS)
    assert (outcome.status, outcome.result) == ("done", "5")
    assert list(outcome.outputs) == [
        EvaluationOutput("print", "a"),
        EvaluationOutput("message", "f::x: b"),
        EvaluationOutput("print", "c"),
        EvaluationOutput("picture", data=b"png", mime="image/png"),
    ]


def test_the_last_output_of_an_interrupted_engine_is_kept(
    start_python: Callable[..., WorkerKernel], tmp_path: Path
) -> None:
    begun = tmp_path / "begun"
    code = (
        "import pathlib\nresult = 6\n"
        f"try:\n    pathlib.Path({str(begun)!r}).touch()\n    while True: str(result)\n"
        "finally:\n    print('interrupted')"
    )
    kernel = start_python()
    kernel.evaluate("result = 5", LIMITS)
    outcome = kernel.evaluate(code, LIMITS, EvaluationControl(begun.exists))
    assert (outcome.status, outcome.outputs) == (
        "cancelled",
        (EvaluationOutput("print", "interrupted"),),
    )
    assert kernel.evaluate("pass", LIMITS).result == "5"


def test_an_engine_is_interrupted_at_the_time_limit(
    start_python: Callable[..., WorkerKernel],
) -> None:
    kernel = start_python()
    kernel.evaluate("result = 5", LIMITS)
    outcome = kernel.evaluate("result = 6\nwhile True: str(result)", EvaluationLimits(seconds=1))
    assert outcome.status == "timed-out"
    assert kernel.evaluate("pass", LIMITS).result == "5"


def test_an_engine_that_does_not_heed_an_interrupt_is_killed(
    start_python: Callable[..., WorkerKernel],
) -> None:
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    kernel = start_python()
    assert kernel.evaluate(code, EvaluationLimits(seconds=0.3)).status == "timed-out"
    assert kernel.evaluate("result = 7", LIMITS).result == "7"


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("raise SystemExit(3)", "quit"),
        ("raise MemoryError", "out-of-memory"),
        ("'a' * 10**12", "out-of-memory"),
        ("import os; os._exit(3)", "quit"),
        ("import os; os.abort()", "crashed"),
        ("import os; os.kill(os.getppid(), 9); os.abort()", "crashed"),
    ],
)
def test_how_an_evaluation_ended_is_reported(
    start_python: Callable[..., WorkerKernel], code: str, status: str
) -> None:
    kernel = start_python()
    assert kernel.evaluate(code, LIMITS).status == status


def test_an_exception_of_the_engine_is_a_failure(
    start_python: Callable[..., WorkerKernel],
) -> None:
    kernel = start_python()
    outcome = kernel.evaluate("1/0", LIMITS)
    assert (outcome.status, outcome.result) == ("failed", None)
    assert outcome.outputs == (EvaluationOutput("message", "ZeroDivisionError: division by zero"),)


def test_code_that_writes_to_every_descriptor_harms_only_itself(
    start_python: Callable[..., WorkerKernel],
) -> None:
    kernel = start_python()
    kernel.evaluate("result = 5", LIMITS)
    code = """
import contextlib, os
for handle in range(3, 30):
    with contextlib.suppress(OSError):
        os.write(handle, b"\\xff" * 100)
"""
    assert kernel.evaluate(code, EvaluationLimits(seconds=2)).status in {"crashed", "timed-out"}
    assert kernel.evaluate("pass", LIMITS).result == "5"


@pytest.mark.parametrize("is_forkless", [False, True])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import nothing_like_it", "No module named 'nothing_like_it'"),
        ("def interpreter(): raise ValueError('no licence')", "no licence"),
        ("import os; os._exit(3)", "its process ended"),
    ],
)
def test_an_engine_that_does_not_start_says_why(
    start_python: Callable[..., WorkerKernel], text: str, why: str, is_forkless: bool
) -> None:
    with pytest.raises(KernelError, match=why):
        start_python(text, is_forkless=is_forkless)


def test_definitions_that_cannot_be_restored_are_an_error(
    start_python: Callable[..., WorkerKernel],
) -> None:
    kernel = start_python()
    assert kernel.dump_state() is None
    with pytest.raises(KernelError, match="could not restore"):
        kernel.restore(b"x")
    assert kernel.evaluate("result = 5", LIMITS).result == "5"
