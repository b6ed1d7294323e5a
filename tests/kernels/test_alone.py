"""Workers without other processes, as on systems that cannot fork."""

import dataclasses
import threading
from collections.abc import Iterator

import pytest

from paddock.kernels.engine import Engine
from paddock.kernels.kernel import EvaluationControl, EvaluationLimits, EvaluationOutput
from paddock.kernels.sessions import SessionManager
from paddock.kernels.wolfram.engines import find_woxi
from paddock.kernels.wolfram.printed_output import parse_printed_output
from paddock.kernels.worker.worker_kernel import WorkerKernel, start_worker

LIMITS = EvaluationLimits(seconds=30)
MODULE = "paddock.kernels.wolfram.woxi_interpreter"


def start_alone(limits: EvaluationLimits) -> WorkerKernel:
    """Start woxi as on such a system."""
    return start_worker("woxi", MODULE, limits, read_printed=parse_printed_output, is_forkless=True)


@pytest.fixture
def alone() -> Engine:
    """The engine."""
    return dataclasses.replace(find_woxi(), start=start_alone)


@pytest.fixture
def kernel(alone: Engine) -> Iterator[WorkerKernel]:
    """A kernel in one process."""
    kernel = start_alone(EvaluationLimits())
    yield kernel
    kernel.close()


def test_it_evaluates_and_returns_printed_output(kernel: WorkerKernel) -> None:
    kernel.evaluate("x = 5", LIMITS)
    outcome = kernel.evaluate('Print["a"]; 1/0; Run["echo c"]; x', LIMITS)
    assert (outcome.status, outcome.result) == ("done", "5")
    assert list(outcome.outputs) == [
        EvaluationOutput("print", "a"),
        EvaluationOutput("message", "Power::infy: Infinite expression 1/0 encountered."),
        EvaluationOutput("print", "c"),
    ]
    (picture,) = kernel.evaluate("Plot[z, {z, 0, 1}]", LIMITS).outputs
    assert picture.kind == "picture"


def test_a_flood_is_cut(kernel: WorkerKernel) -> None:
    outcome = kernel.evaluate(
        'Run["head -c 1000000 /dev/zero"]', EvaluationLimits(output_bytes=100)
    )
    assert (outcome.status, len(outcome.outputs[0].text)) == ("done", 100)


def test_an_evaluation_that_is_stopped_ends_the_kernel(kernel: WorkerKernel) -> None:
    outcome = kernel.evaluate('Print["a"]; While[True]', EvaluationLimits(seconds=0.3))
    assert (outcome.status, outcome.outputs) == ("timed-out", (EvaluationOutput("print", "a"),))
    assert outcome.note == (
        "The evaluation took longer than 0.3 s and was stopped. The kernel has ended."
    )
    assert kernel.evaluate("1", LIMITS).status == "crashed"
    assert not kernel.is_alive


def test_a_cancelled_evaluation_ends_the_kernel(kernel: WorkerKernel) -> None:
    is_cancelled = threading.Event()
    outcome = kernel.evaluate(
        "While[True]",
        LIMITS,
        EvaluationControl(is_cancelled.is_set, lambda _seconds: is_cancelled.set()),
    )
    assert outcome.status == "cancelled"
    assert not kernel.is_alive


@pytest.mark.parametrize("code", ["x = 6; While[True]", "x = 6; Quit[]"])
def test_its_session_has_the_definitions_from_before(alone: Engine, code: str) -> None:
    sessions = SessionManager()
    try:
        with sessions.open_session(None, alone) as session:
            session.evaluate("x = 5", LIMITS)
            assert session.evaluate(code, EvaluationLimits(seconds=0.3)).status in {
                "timed-out",
                "crashed",
            }
            assert session.evaluate("x", LIMITS).result == "5"
    finally:
        sessions.close()
