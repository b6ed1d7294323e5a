"""A Wolfram kernel behind its pipes, played by a stand-in with the same command line and words."""

import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.kernels.engine import Engine
from paddock.kernels.kernel import (
    KERNEL_ENDED_NOTE,
    EvaluationControl,
    EvaluationLimits,
    EvaluationOutput,
    EvaluationResult,
    KernelError,
)
from paddock.kernels.wolfram.engines import make_wolfram_engine
from paddock.kernels.wolfram.kernel_locator import KernelProgram
from paddock.kernels.wolfram.wolfram_kernel import STATE_KEPT_NOTE, WolframKernel

STAND_IN = Path(__file__).with_name("stand_in_kernel.py")
PATIENCE = 30.0
SERVER = """
import sys
from pathlib import Path
from paddock.kernels.wolfram.kernel_locator import KernelProgram
from paddock.kernels.wolfram.engines import make_wolfram_engine
from paddock.kernels.kernel import EvaluationLimits

program = KernelProgram(Path(sys.argv[1]), "for a test")
kernel = make_wolfram_engine(program).start(EvaluationLimits())
print(kernel.describe()["process"], flush=True)
kernel.evaluate("Stuck[]", EvaluationLimits())
"""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """A machine on which the stand-in is installed as the kernel."""
    program = tmp_path / "WolframKernel"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I "{STAND_IN}" "$@"\n', "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return make_wolfram_engine(KernelProgram(program, "for a test"))


@pytest.fixture
def kernel(engine: Engine) -> Iterator[WolframKernel]:
    started = engine.start(EvaluationLimits())
    assert isinstance(started, WolframKernel)
    yield started
    started.close()


def wait_for_end(pid: int) -> None:
    """Wait until a process is gone, or is only waiting for its parent to notice."""
    ended = threading.Event()
    for _ in range(int(PATIENCE / 0.05)):
        if not _runs(pid):
            return
        ended.wait(0.05)
    raise AssertionError(f"{pid} still runs")


def _runs(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text("utf-8")
    except FileNotFoundError:
        return False


def test_a_value_comes_with_the_time_and_memory_that_the_kernel_tells(
    kernel: WolframKernel,
) -> None:
    assert kernel.evaluate("1 + 1", EvaluationLimits()) == EvaluationResult(
        "done", "2", seconds=0.0015, peak_bytes=1 << 20
    )


def test_definitions_stay_from_one_evaluation_to_the_next(kernel: WolframKernel) -> None:
    kernel.evaluate("a = 5", EvaluationLimits())
    assert kernel.evaluate("a", EvaluationLimits()).result == "5"


def test_prints_and_messages_keep_their_order(kernel: WolframKernel) -> None:
    outcome = kernel.evaluate("Print[first]; 1/0; Print[last]", EvaluationLimits())
    assert outcome.outputs == (
        EvaluationOutput("print", "first"),
        EvaluationOutput("message", "Power::infy: Infinite expression 0^(-1) encountered."),
        EvaluationOutput("print", "last"),
    )


def test_a_picture_is_its_bytes(kernel: WolframKernel) -> None:
    outcome = kernel.evaluate("Plot[x, {x, 0, 1}]", EvaluationLimits())
    assert outcome.result == "-Graphics-"
    assert outcome.outputs == (
        EvaluationOutput("picture", data=b"\x89PNG\r\n\x1a\n a picture", mime="image/png"),
    )


def test_what_other_programs_print_is_printed(kernel: WolframKernel) -> None:
    outcome = kernel.evaluate('Run["echo from a shell"]', EvaluationLimits())
    assert (outcome.result, outcome.outputs) == ("0", (EvaluationOutput("print", "from a shell"),))


@pytest.mark.parametrize("name", ["cat", "true", "false"])
def test_a_program_that_is_not_a_kernel_is_an_error_with_a_remedy(name: str) -> None:
    program = Path(f"/bin/{name}")
    if not program.exists():
        pytest.skip("has no such program")
    with pytest.raises(KernelError, match=f"The Wolfram kernel {program} did not answer"):
        make_wolfram_engine(KernelProgram(program, "for a test")).start(EvaluationLimits())


def test_text_of_all_scripts_arrives(kernel: WolframKernel) -> None:
    assert kernel.evaluate('"Ä漢字😀\\n"', EvaluationLimits()).result == '"Ä漢字😀\\n"'


def test_the_kernel_receives_the_limits(kernel: WolframKernel) -> None:
    limits = EvaluationLimits(seconds=7.5, memory_bytes=1000, result_bytes=200)
    assert kernel.evaluate("Limits[]", limits).result == "{7.5, 1000, 200}"


def test_output_beyond_the_limit_is_dropped_and_told(kernel: WolframKernel) -> None:
    outcome = kernel.evaluate("Do[Print[x], 100]", EvaluationLimits(output_bytes=250))
    assert [output.text for output in outcome.outputs] == ["x" * 100, "x" * 100]
    assert outcome.note == "9800 bytes of output beyond the limit of 250 were dropped."


def test_the_kernel_stops_on_its_own_at_its_time_limit(kernel: WolframKernel) -> None:
    outcome = kernel.evaluate("While[True]", EvaluationLimits(seconds=0.05))
    assert (outcome.status, outcome.result) == ("timed-out", None)
    assert (
        outcome.note == f"The evaluation took longer than 0.05 s and was stopped. {STATE_KEPT_NOTE}"
    )
    assert kernel.evaluate("1 + 1", EvaluationLimits()).result == "2"


def test_the_kernel_stops_on_its_own_at_its_memory_limit(kernel: WolframKernel) -> None:
    outcome = kernel.evaluate("Hog[]", EvaluationLimits())
    assert outcome.status == "out-of-memory"
    assert outcome.note == (
        f"The evaluation needed more memory than 4096 MiB and was stopped. {STATE_KEPT_NOTE}"
    )
    assert kernel.is_alive


def test_a_kernel_that_does_not_stop_is_ended(kernel: WolframKernel) -> None:
    outcome = kernel.evaluate("Stuck[]", EvaluationLimits(seconds=0.05))
    assert outcome.status == "timed-out"
    assert (
        outcome.note
        == f"The evaluation took longer than 0.05 s and was stopped. {KERNEL_ENDED_NOTE}"
    )
    assert not kernel.is_alive


def test_a_cancelled_evaluation_is_interrupted_and_the_kernel_lives_on(
    kernel: WolframKernel,
) -> None:
    waited: list[float] = []
    control = EvaluationControl(lambda: bool(waited), waited.append)
    outcome = kernel.evaluate("While[True]", EvaluationLimits(), control)
    assert (outcome.status, outcome.result, outcome.outputs) == ("cancelled", None, ())
    assert outcome.note == f"The evaluation was cancelled. {STATE_KEPT_NOTE}"
    assert kernel.evaluate("1 + 1", EvaluationLimits()).result == "2"


def test_quitting_ends_the_kernel(kernel: WolframKernel) -> None:
    outcome = kernel.evaluate("Quit[]", EvaluationLimits())
    assert (outcome.status, outcome.note, kernel.is_alive) == ("quit", KERNEL_ENDED_NOTE, False)


def test_a_crash_ends_the_kernel_and_further_evaluations_say_so(kernel: WolframKernel) -> None:
    assert kernel.evaluate("Crash[]", EvaluationLimits()).status == "crashed"
    assert kernel.evaluate("1 + 1", EvaluationLimits()).status == "crashed"
    assert not kernel.is_alive


def test_a_state_goes_over_to_another_kernel(engine: Engine, kernel: WolframKernel) -> None:
    kernel.evaluate("a = 5", EvaluationLimits())
    state = kernel.dump_state()
    assert state is not None
    other = engine.start(EvaluationLimits())
    other.restore(state)
    assert other.evaluate("a", EvaluationLimits()).result == "5"
    other.close()


def test_a_state_of_another_version_is_refused(
    engine: Engine, kernel: WolframKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = kernel.dump_state()
    assert state is not None
    monkeypatch.setenv("WOLFRAM_STAND_IN_NUMBER", "13.0")
    other = engine.start(EvaluationLimits())
    with pytest.raises(KernelError, match=r"14\.1\.0 for Stand-In"):
        other.restore(state)
    other.close()


def test_a_kernel_that_is_not_activated_is_reported_with_what_it_said(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WOLFRAM_STAND_IN_IS_UNLICENSED", "1")
    with pytest.raises(KernelError, match="No valid password found") as told:
        engine.start(EvaluationLimits())
    assert "wolframscript -activate" in str(told.value.hint)


def test_a_kernel_that_is_too_old_is_refused(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WOLFRAM_STAND_IN_NUMBER", "10.4")
    with pytest.raises(KernelError, match="too old"):
        engine.start(EvaluationLimits())


def test_without_a_program_there_is_no_kernel() -> None:
    with pytest.raises(KernelError, match="no Wolfram kernel"):
        make_wolfram_engine(None).start(EvaluationLimits())


def test_the_kernel_sees_nothing_of_our_environment_but_what_is_listed(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    monkeypatch.setenv("WOLFRAM_USERBASE", "/somewhere")
    kernel = engine.start(EvaluationLimits())
    seen = str(kernel.evaluate("Environment[]", EvaluationLimits()).result).split()
    kernel.close()
    assert "SECRET_TOKEN" not in seen
    assert {"WOLFRAM_USERBASE", "PATH"} <= set(seen)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked at in /proc")
def test_closing_ends_the_kernel_and_what_it_has_started(kernel: WolframKernel) -> None:
    child = int(str(kernel.evaluate('Run["sleep 600 &"]', EvaluationLimits()).result))
    own = int(str(kernel.describe()["process"]))
    kernel.close()
    wait_for_end(child)
    wait_for_end(own)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked at in /proc")
def test_no_kernel_outlives_a_server_that_is_killed(engine: Engine) -> None:
    program = engine.location.removesuffix(" (for a test)")
    command = [sys.executable, "-c", SERVER, program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        process = int(server.stdout.readline())
        server.kill()
    wait_for_end(process)
