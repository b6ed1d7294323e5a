"""Kernels and servers that are killed: nothing is left over, and the user is reported."""

import os
import sys
import threading
from collections.abc import Callable

import pytest

from paddock.kernels.child.process_tree import list_descendants
from paddock.kernels.kernel import EvaluationControl, EvaluationLimits
from paddock.kernels.worker.worker_kernel import WorkerKernel
from tests.kernels.processes import Watched, next_line, run_program, watch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

LIMITS = EvaluationLimits(seconds=60)
BACKGROUND = 'Run["sleep 1000 & setsid sleep 1001 & echo"]'
SERVER = """
import sys, threading
from paddock.kernels.wolfram.engines import find_woxi
from paddock.kernels.kernel import EvaluationControl, EvaluationLimits
from paddock.kernels.child.process_tree import list_descendants
kernel = find_woxi().start(EvaluationLimits())
kernel.evaluate('Run["sleep 1000 & setsid sleep 1001 & echo"]', EvaluationLimits())
kernel.dump_state()
if {is_busy}:
    begun = threading.Event()
    def run():
        code, limits = 'Run["sleep 1002 &"]; While[True]', EvaluationLimits()
        control = EvaluationControl(on_progress=lambda _: begun.set())
        kernel.evaluate(code, limits, control)
    threading.Thread(target=run, daemon=True).start()
    begun.wait()
print(*list_descendants(kernel.describe()["guard"]), kernel.describe()["guard"], flush=True)
sys.stdin.read()
"""


def pid_of(kernel: WorkerKernel, role: str) -> int:
    """The process that has a role now; after an evaluation, the next one."""
    kernel.evaluate("1", LIMITS)
    kernel.dump_state()  # which is answered when all processes are there again
    pid = kernel.describe()[role]
    assert isinstance(pid, int)
    return pid


def all_of(kernel: WorkerKernel) -> list[Watched]:
    """The guard and everything below it."""
    guard = pid_of(kernel, "guard")
    return watch([guard, *list_descendants(guard)])


def busy(kernel: WorkerKernel, act: Callable[[], None]) -> str:
    """Evaluate without end, act in the meantime, and tell the status."""
    done = threading.Event()

    def once(_seconds: float) -> None:
        if not done.is_set():
            done.set()
            act()

    return kernel.evaluate("x = 6; While[True]", LIMITS, EvaluationControl(on_progress=once)).status


@pytest.mark.parametrize("is_busy", [False, True])
def test_killing_the_server_leaves_no_process(is_busy: bool) -> None:
    with run_program(SERVER.format(is_busy=is_busy)) as server:
        processes = watch(int(word) for word in next_line(server).split())
        assert len(processes) >= 5
        server.kill()
        assert all(process.is_gone() for process in processes)


def test_closing_a_kernel_leaves_no_process(kernel: WorkerKernel) -> None:
    kernel.evaluate(BACKGROUND, LIMITS)
    processes = all_of(kernel)
    assert len(processes) == 5
    kernel.close()
    kernel.close()
    assert all(process.is_gone() for process in processes)
    assert kernel.evaluate("1", LIMITS).status == "crashed"


def test_what_an_evaluation_left_running_ends_when_it_is_stopped(kernel: WorkerKernel) -> None:
    before = {process.pid for process in all_of(kernel)}
    started: list[Watched] = []

    def look(_seconds: float) -> None:
        guard = kernel.describe()["guard"]
        assert isinstance(guard, int)
        started.extend(watch(pid for pid in list_descendants(guard) if pid not in before))

    code = 'Run["sleep 1000 &"]; While[True]'
    control = EvaluationControl(lambda: bool(started), look)
    outcome = kernel.evaluate(code, LIMITS, control)
    assert outcome.status == "cancelled"
    assert started
    assert all(process.is_gone() for process in started)


def test_what_an_evaluation_left_running_continues_after_it(kernel: WorkerKernel) -> None:
    kernel.evaluate('Run["sleep 1000 &"]', LIMITS)
    kernel.evaluate("1", LIMITS)
    assert len([process for process in all_of(kernel) if process.is_running()]) == 4


@pytest.mark.parametrize("role", ["active", "checkpoint"])
def test_a_process_that_is_killed_at_rest_is_replaced_and_nothing_is_lost(
    kernel: WorkerKernel, role: str
) -> None:
    kernel.evaluate("x = 5", LIMITS)
    Watched(pid_of(kernel, role)).kill()
    outcome = kernel.evaluate("x", LIMITS)
    assert (outcome.status, outcome.result) == ("done", "5")
    assert outcome.note == (
        "A process of the kernel was killed from outside and has been replaced; "
        "its definitions are kept."
    )
    assert kernel.evaluate("x", LIMITS).note == ""


def test_the_active_process_killed_at_work_is_a_crash_that_is_reverted(
    kernel: WorkerKernel,
) -> None:
    kernel.evaluate("x = 5", LIMITS)
    active = Watched(pid_of(kernel, "active"))
    assert busy(kernel, active.kill) == "crashed"
    assert kernel.evaluate("x", LIMITS).result == "5"


def test_the_checkpoint_killed_at_work_does_not_disturb_the_evaluation(
    kernel: WorkerKernel,
) -> None:
    checkpoint = Watched(pid_of(kernel, "checkpoint"))
    outcome = kernel.evaluate(
        "x = 5; Pause[1.5]; x",
        LIMITS,
        EvaluationControl(
            on_progress=lambda _: checkpoint.kill() if checkpoint.is_running() else None
        ),
    )
    assert (outcome.status, outcome.result) == ("done", "5")
    assert kernel.evaluate("While[True]", EvaluationLimits(seconds=0.2)).status == "timed-out"
    assert kernel.evaluate("x", LIMITS).result == "5"


def test_a_time_limit_is_reported_as_such_when_the_checkpoint_was_killed_before(
    kernel: WorkerKernel,
) -> None:
    checkpoint = Watched(pid_of(kernel, "checkpoint"))
    outcome = kernel.evaluate(
        "While[True]",
        EvaluationLimits(seconds=2.5),
        EvaluationControl(
            on_progress=lambda _: checkpoint.kill() if checkpoint.is_running() else None
        ),
    )
    assert outcome.status == "timed-out"
    assert outcome.note == (
        "The evaluation took longer than 2.5 s and was stopped. The kernel has ended."
    )


@pytest.mark.parametrize(
    ("roles", "is_busy"),
    [
        (["guard"], False),
        (["guard"], True),
        (["guard", "active"], False),
        (["guard", "active"], True),
        (["active", "checkpoint"], True),
    ],
)
def test_a_kernel_that_cannot_go_on_is_dead_and_leaves_no_process(
    kernel: WorkerKernel, roles: list[str], is_busy: bool
) -> None:
    kernel.evaluate(BACKGROUND, LIMITS)
    processes = all_of(kernel)
    about = kernel.describe()
    victims = [process for process in processes if process.pid in {about[role] for role in roles}]
    assert len(victims) == len(roles)

    def kill_them() -> None:
        for victim in victims:
            victim.kill()

    if is_busy:
        assert busy(kernel, kill_them) == "crashed"
    else:
        kill_them()
    assert kernel.evaluate("1", LIMITS).status == "crashed"
    assert not kernel.is_alive
    kernel.close()
    assert all(process.is_gone() for process in processes)


def test_a_kernel_does_not_hold_on_to_descriptors_of_the_server(kernel: WorkerKernel) -> None:
    reading, writing = os.pipe()
    try:
        outcome = kernel.evaluate('Run["ls /proc/self/fd | wc -l"]', LIMITS)
        assert outcome.outputs[0].text.strip() == "4"  # the three streams and the directory
    finally:
        os.close(reading)
        os.close(writing)
