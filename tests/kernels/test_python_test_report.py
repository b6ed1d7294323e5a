"""The tool `PythonTestReport`, with real runs of pytest."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from paddock import Server
from paddock.testing import connect
from paddock.toolkits.python.interpreters import ACTIVE_ENVIRONMENT_VARIABLES
from paddock.toolkits.python.tools import python_test_report_tool as tool
from tests.kernels.processes import watch

OUTCOMES = """\
import unittest
import pytest

def total(numbers):
    return sum(numbers)

def test_good():
    assert total([1]) == 1

def test_wrong():
    print("a word before")
    assert total([1, 2]) == 4

def test_raises():
    {}["gone"]

@pytest.mark.skip
def test_skipped():
    pass

@pytest.mark.xfail
def test_expected():
    assert False

@pytest.fixture
def broken():
    raise RuntimeError("no fixture")

def test_without_its_fixture(broken):
    pass

class Squares(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(3 * 3, 10)
"""
UNKIND = """\
import os, subprocess, sys, time

def test_a_hangs():
    time.sleep(1000)

def test_b_hangs_and_heeds_nothing():
    while True:
        try:
            time.sleep(1000)
        except BaseException:
            pass

def test_c_exits():
    os._exit(3)

def test_d_crashes():
    os.abort()

def test_e_prints_for_ever():
    while True:
        print("x" * 10_000)

def test_f_forks():
    if os.fork() == 0:
        return

def test_g_leaves_a_process():
    command = [sys.executable, "-c", "import time; time.sleep(1000)"]
    left = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
    with open("LEFT", "w") as file:
        file.write(str(left.pid))
    left.returncode = 0

def test_h_deletes_its_directory(tmp_path):
    place = tmp_path / "gone"
    place.mkdir()
    os.chdir(place)
    place.rmdir()

def test_i_closes_all_files():
    os.closerange(0, 256)

def test_j_closes_stdout():
    sys.stdout.close()

def test_k_is_good():
    assert os.getpid()
"""
UNKIND_NAMES = [line.split("(")[0][4:] for line in UNKIND.splitlines() if line.startswith("def ")]
PLUGINS = (
    "randomly",
    "hypothesispytest",
    "faker",
    "anyio",
    "platformdirs",
    "schemathesis",
    "xdist",
)
BARE = f"[tool.pytest.ini_options]\naddopts = '{' '.join(f'-p no:{one}' for one in PLUGINS)}'\n"
"""In the order in which they are written, and without plugins, which take a second to load."""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    (place / "pyproject.toml").write_text(BARE)
    monkeypatch.chdir(place)
    for variable in ACTIVE_ENVIRONMENT_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    return place


@pytest.fixture
def report() -> Iterator[Callable[..., str]]:
    with connect(Server("s", tools=[tool])) as peer:

        def call(**arguments: object) -> str:
            answer = peer.call("PythonTestReport", arguments)
            assert not answer.is_error, answer.text
            return answer.text

        yield call


def complaint(**arguments: object) -> str:
    with connect(Server("s", tools=[tool])) as peer:
        answer = peer.call("PythonTestReport", arguments)
    assert answer.is_error
    return answer.text


def headings(text: str) -> list[str]:
    return [line.strip("# ") for line in text.split("\n") if line.startswith("###")]


def section(text: str, name: str) -> str:
    return text.partition(f"\n#### {name}\n")[2].partition("\n#### ")[0].partition("\n### ")[0]


def test_every_outcome_is_distinguished(report: Callable[..., str], project: Path) -> None:
    (project / "test_a.py").write_text(OUTCOMES)
    text = report(paths="test_a.py")
    rows = "| **Passed** | 1 (20%) |\n| **Failed** | 4 (80%) |\n| **Skipped** | 1 |"
    assert rows in text
    assert "| **Expected Failures** | 1 |" in text
    assert headings(text) == [
        *("Wrong Results", "test_wrong", "Squares::test_equal"),
        *("Errors", "test_raises", "test_without_its_fixture"),
    ]
    assert "Run by pytest " in text
    assert section(text, "test_wrong").partition("**Input:**")[2] == (
        "\n\n```py\nassert total([1, 2]) == 4\n```\n\n"
        "**Expected Output:**\n\n```py\n4\n```\n\n"
        "**Actual Output:**\n\n```py\n3\n```\n\n"
        "**Traceback:**\n\n```text\ntest_a.py:12: in test_wrong\n    assert total([1, 2]) == 4\n"
        "E   assert 3 == 4\nE    +  where 3 = total([1, 2])\n```\n\n"
        "**Captured stdout call:**\n\n```text\na word before\n```\n"
    )
    assert "| **Phase** | setup |" in section(text, "test_without_its_fixture")
    equal = section(text, "Squares::test_equal")
    assert "**Expected Output:**\n\n```py\n10\n```" in equal
    assert "**Actual Output:**\n\n```py\n9\n```" in equal


def test_what_tests_do_to_their_process_is_reported_and_the_rest_still_runs(
    report: Callable[..., str], project: Path
) -> None:
    (project / "test_unkind.py").write_text(UNKIND)
    text = report(paths="test_unkind.py", testTimeConstraint=2)
    told = {name: section(text, name) for name in headings(text)}
    assert list(told) == ["Errors", *UNKIND_NAMES[:5], *UNKIND_NAMES[8:10]]
    assert "Failed: stopped after 2 s" in told["test_a_hangs"]
    assert "in test_a_hangs\n    time.sleep(1000)" in told["test_a_hangs"]
    heedless = told["test_b_hangs_and_heeds_nothing"]
    assert "was killed: it did not stop after 2 s" in heedless
    assert "in test_b_hangs_and_heeds_nothing\n    time.sleep(1000)" in heedless
    assert "test_c_exits ended the process: exit code 3" in told["test_c_exits"]
    assert "test_d_crashes ended the process: SIGABRT" in told["test_d_crashes"]
    assert "Fatal Python error: Aborted" in told["test_d_crashes"]
    assert "stopped because it printed more than 32 MB" in told["test_e_prints_for_ever"]
    assert "closed the files that pytest needs" in told["test_i_closes_all_files"]
    assert "I/O operation on closed file" in told["test_j_closes_stdout"]
    assert "| **Total Tests** | 11 |\n| **Passed** | 4 (36.4%) |" in text
    assert "test_i_closes_all_files closed the files that pytest needs" in text
    assert all(process.is_gone() for process in watch([int((project / "LEFT").read_text())]))


def test_the_test_that_ran_when_the_time_was_up_is_named_and_the_rest_counted(
    report: Callable[..., str], project: Path
) -> None:
    (project / "test_a.py").write_text(
        "import time\ndef test_a(): pass\ndef test_b(): time.sleep(1000)\ndef test_c(): pass\n"
    )
    text = report(timeConstraint=5)
    assert "test_b did not finish: the time limit of the run, 5 s, was reached" in section(
        text, "test_b"
    )
    assert "| **Not Run** | 1 |" in text


def test_a_test_that_ends_the_run_is_named_and_the_rest_counted(
    report: Callable[..., str], project: Path
) -> None:
    (project / "test_a.py").write_text(
        "import pytest\ndef test_a(): pytest.exit('enough')\ndef test_b(): pass\n"
    )
    text = report()
    assert "test_a ended the run before the test finished" in section(text, "test_a")
    assert "| **Not Run** | 1 |" in text


def test_too_much_memory_ends_a_test_and_not_the_others(
    report: Callable[..., str], project: Path
) -> None:
    (project / "test_a.py").write_text(
        "import time\ndef test_a():\n    kept = bytearray(b'1') * (400 << 20)\n"
        "    time.sleep(100)\ndef test_b(): pass\n"
    )
    text = report(memoryConstraint=300 << 20)
    assert "used more than 300 MB of memory" in section(text, "test_a")
    assert "| **Passed** | 1 (50%) |" in text


def test_a_file_that_cannot_be_imported_is_an_error_and_the_others_run(
    report: Callable[..., str], project: Path
) -> None:
    (project / "test_a.py").write_text("import no_such_module\n")
    (project / "test_b.py").write_text("def test_b(): pass\n")
    text = report()
    assert "ModuleNotFoundError: No module named 'no_such_module'" in section(text, "Collection")
    assert "## test_b.py\n\n| Metric | Value |\n| --- | --- |\n| **Tests** | 1 |" in text


def test_single_tests_and_names_may_be_chosen(report: Callable[..., str], project: Path) -> None:
    (project / "test_a.py").write_text(
        "import pytest\n@pytest.mark.parametrize('a,b', [(1, 2), (3, 4)])\n"
        "def test_pair(a, b): pass\ndef test_other(): pass\n"
    )
    assert "| **Total Tests** | 1 |" in report(paths="test_a.py::test_pair[1-2]")
    assert "| **Total Tests** | 2 |" in report(paths="test_a.py::test_pair, test_a.py::test_pair")
    assert "| **Total Tests** | 1 |" in report(keyword="other")


def test_failures_beyond_the_limit_are_counted(report: Callable[..., str], project: Path) -> None:
    (project / "test_a.py").write_text("def test_a(): assert 0\ndef test_b(): assert 0\n")
    text = report(limit=1)
    assert headings(text) == ["Wrong Results", "test_a"]
    assert text.count("Showing 1 of 2 failing tests") == 1


def test_an_environment_without_pytest_is_lent_ours(
    report: Callable[..., str], project: Path
) -> None:
    place = project / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    (project / "test_a.py").write_text(
        f"import sys\ndef test_a(): assert sys.prefix == {str(place)!r}\n"
        "def test_b():\n    try:\n        import msgspec\n    except ImportError:\n        return\n"
        "    assert 0, 'more than pytest was lent'\n"
    )
    text = report()
    assert "| **Passed** | 2 (100%) |" in text, text
    assert text.endswith(
        f"of the environment {place}. That environment has no pytest, so Paddock's was used."
    )


def test_the_servers_variables_stay_with_it(
    report: Callable[..., str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET_TOKEN", "x")
    (project / "test_a.py").write_text(
        "import os\ndef test_a(): assert 'A_SECRET_TOKEN' not in os.environ\n"
    )
    assert "| **Overall Result** | Success |" in report()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"paths": "gone.py"}, "the file or directory does not exist: gone.py"),
        ({"paths": "/etc"}, "is outside the folders"),
        ({"paths": "empty"}, "pytest found no tests"),
        ({"keyword": "a b c ("}, "pytest did not run any test"),
        ({"interpreter": "gone/bin/python"}, "is not an executable file"),
    ],
)
def test_what_cannot_be_run_is_reported(
    project: Path, arguments: dict[str, object], told: str
) -> None:
    (project / "empty").mkdir()
    (project / "test_a.py").write_text("def test_a(): pass\n")
    assert told in complaint(**arguments)


def test_the_workers_of_xdist_are_watched_as_well(
    report: Callable[..., str], project: Path
) -> None:
    (project / "pyproject.toml").write_text(BARE.replace("-p no:xdist", "-n 2"))
    (project / "test_a.py").write_text(
        "import os, time\ndef test_hangs(): time.sleep(1000)\ndef test_ends(): os._exit(1)\n"
        "def test_wrong(): assert 1 == 2\ndef test_good(): pass\n"
    )
    text = report(testTimeConstraint=3)
    assert "Failed: stopped after 3 s" in section(text, "test_hangs")
    assert "crashed while running 'test_a.py::test_ends'" in section(text, "test_ends")
    assert "**Expected Output:**\n\n```py\n2\n```" in section(text, "test_wrong")
    assert "| **Total Tests** | 4 |\n| **Passed** | 1 (25%) |" in text


def test_each_test_is_progress(project: Path) -> None:
    (project / "test_a.py").write_text("def test_a(): pass\ndef test_b(): pass\n")
    heard: list[Any] = []
    with connect(Server("s", tools=[tool]), on_progress=heard.append) as peer:
        peer.call("PythonTestReport")
    assert (heard[-1]["progress"], heard[-1]["total"]) == (2, 2)


def test_a_cancelled_run_ends_with_all_that_it_started(project: Path) -> None:
    (project / "test_a.py").write_text("import time\ndef test_a(): time.sleep(1000)\n")
    running = threading.Event()

    def hear(progress: dict[str, Any]) -> None:
        if "test_a" in progress.get("message", ""):
            running.set()

    with connect(Server("s", tools=[tool]), on_progress=hear) as peer:
        call = peer.start("tools/call", {"name": "PythonTestReport", "arguments": {}})
        assert running.wait(60)
        pids = [int(place.name) for place in Path("/proc").iterdir() if place.name.isdigit()]
        ours = [pid for pid in pids if _works_in(pid, project)]
        assert ours
        watched = watch(ours)
        call.cancel()
        assert all(process.is_gone() for process in watched)


def _works_in(pid: int, place: Path) -> bool:
    try:
        return pid != os.getpid() and Path(f"/proc/{pid}/cwd").resolve() == place
    except OSError:
        return False
