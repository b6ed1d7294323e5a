"""Supervised programs: their results, and that no process is left behind."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from paddock.kernels.kernel import KernelError
from paddock.kernels.supervised_program import ProgramExit, SupervisedProgram
from tests.kernels.processes import next_line, run_program, watch

SECONDS = 60.0
LEAVE = """\
import subprocess, sys, time
command = [sys.executable, "-c", "import time; time.sleep(1000)"]
left = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
open("left.new", "w").write(str(left.pid))
import os
os.rename("left.new", "left")
"""
SERVER = """\
import sys, time
from pathlib import Path
from paddock.kernels.supervised_program import SupervisedProgram
place = Path(sys.argv[-1])
with SupervisedProgram([sys.executable, "-c", {code!r}], Path({place!r})) as program:
    while not Path({place!r}, "left").exists():
        program.wait(0.01)
    print("started", flush=True)
    time.sleep(1000)
"""

Start = Callable[..., SupervisedProgram]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    def begin(code: str, **options: int) -> SupervisedProgram:
        return SupervisedProgram([sys.executable, "-c", code], tmp_path, **options)  # type: ignore[arg-type]  # ints or bools

    return begin


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("print('said')", ProgramExit(0)),
        ("print('said'); raise SystemExit(3)", ProgramExit(3)),
        ("print('said', flush=True); import os; os.abort()", ProgramExit(-6)),
    ],
)
def test_how_it_ended_and_what_it_said_is_known(
    start: Start, code: str, ended: ProgramExit
) -> None:
    with start(code) as program:
        assert program.wait(SECONDS) == ended
    assert program.output == "said\n"


def test_of_much_output_the_beginning_and_the_end_are_kept(start: Start) -> None:
    with start("for number in range(300_000): print(number)") as program:
        assert program.wait(SECONDS) == ProgramExit(0)
    assert program.output.startswith("0\n1\n2\n")
    assert program.output.endswith("\n299998\n299999\n")
    assert " bytes left out] ..." in program.output
    assert len(program.output) < 100_000
    assert program.printed_bytes == sum(len(f"{number}\n") for number in range(300_000))


def test_what_it_started_ends_with_it(start: Start, tmp_path: Path) -> None:
    with start(LEAVE) as program:
        assert program.wait(SECONDS) == ProgramExit(0)
    assert all(process.is_gone() for process in watch([int((tmp_path / "left").read_text())]))


def test_it_is_ended_when_it_is_closed_and_heeds_no_signals(start: Start, tmp_path: Path) -> None:
    stubborn = "import signal\nfor one in (2, 15): signal.signal(one, signal.SIG_IGN)\n"
    with start(f"{stubborn}{LEAVE}time.sleep(1000)") as program:
        while not (tmp_path / "left").exists():
            assert program.wait(0.01) is None
        left = watch([int((tmp_path / "left").read_text())])
        assert program.stop() == ProgramExit(None, "stopped")
    assert all(process.is_gone() for process in left)


def test_too_much_memory_ends_it(start: Start) -> None:
    code = "import time; kept = bytearray(b'1') * (300 << 20); time.sleep(1000)"
    with start(code, memory_bytes=200 << 20) as program:
        assert program.wait(SECONDS) == ProgramExit(None, "memory")


def test_one_that_kills_its_guard_is_ended_all_the_same(start: Start, tmp_path: Path) -> None:
    code = f"{LEAVE}print(os.getpid(), flush=True)\nos.kill(os.getppid(), 9)\ntime.sleep(1000)"
    with start(code) as program:
        while not (tmp_path / "left").exists():
            program.wait(0.01)
        ended = program.wait(2)
        pids = [int((tmp_path / "left").read_text())]
        assert ended in (None, ProgramExit(None, "lost"))  # newer systems refuse the signal
        left = watch(pids)
    assert all(process.is_gone() for process in left)


def test_everything_ends_when_the_server_is_killed(tmp_path: Path) -> None:
    program = SERVER.format(code=f"{LEAVE}time.sleep(1000)", place=str(tmp_path))
    server = run_program(program)
    assert next_line(server) == "started"
    left = watch([int((tmp_path / "left").read_text())])
    server.kill()
    assert all(process.is_gone() for process in left)
    server.communicate()


def test_what_cannot_be_started_is_reported(tmp_path: Path) -> None:
    with (
        SupervisedProgram(["/no/such/program"], tmp_path) as program,
        pytest.raises(KernelError, match="cannot be started: No such file or directory"),
    ):
        program.wait(SECONDS)
