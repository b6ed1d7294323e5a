"""Reports on tests, with real runs of pytest and of a Wolfram Language engine."""

import re
from pathlib import Path

import pytest

from paddock import get_server
from paddock.testing import connect
from tests.golden_outputs.golden_files import GoldenFiles, MachineNames, format_texts

SECONDS = re.compile(r"(?:< )?\b\d+(?:\.\d+)? (?:ms|s|min)\b")
VERSIONS = re.compile(r"(?<=[a-z] )\d+\.\d+(?:\.\d+)?\b", re.I)
MEMORY = re.compile(r"\b\d+(?:\.\d+)? (?:bytes|[KMG]i?B)\b")

PYTHON_TESTS = """\
import pytest


def total(numbers):
    return sum(numbers)


def test_good():
    assert total([1]) == 1


def test_wrong():
    print("a word before")
    assert total([1, 2]) == 4


def test_raises():
    raise KeyError("gone")


@pytest.mark.skip(reason="not today")
def test_skipped():
    pass


@pytest.fixture
def broken():
    raise RuntimeError("no fixture")


def test_without_its_fixture(broken):
    pass
"""
WOLFRAM_TESTS = """\
BeginTestSection["Numbers"]
VerificationTest[1 + 1, 2, TestID -> "add"]
VerificationTest[1/0, ComplexInfinity, TestID -> "message"]
VerificationTest[5^2, 26, TestID -> "wrong"]
VerificationTest[Throw[3], 3, TestID -> "throws"]
EndTestSection[]
"""


def hide_measurements(text: str) -> str:
    return VERSIONS.sub("N", MEMORY.sub("SIZE", SECONDS.sub("TIME", text)))


def test_reports_on_python_tests(
    golden: GoldenFiles, names: MachineNames, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Plugins that are installed beside pytest change the order of tests.
    Path("pytest.ini").write_text("[pytest]\naddopts = -p no:randomly\n", encoding="utf-8")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    Path("test_numbers.py").write_text(PYTHON_TESTS, encoding="utf-8")
    Path("test_good.py").write_text("def test_good() -> None:\n    pass\n", encoding="utf-8")
    with connect(get_server("PythonDevelopment").load()) as peer:
        reports = {
            "all": peer.call("PythonTestReport", {"paths": "test_numbers.py,test_good.py"}).text,
            "nowhere": peer.call("PythonTestReport", {"paths": "nowhere.py"}).text,
        }
    text = hide_measurements(names.hide(format_texts(reports)))
    golden.check("test_reports/python", {"reports.txt": text})


def test_reports_on_wolfram_tests(golden: GoldenFiles, names: MachineNames) -> None:
    pytest.importorskip("woxi")
    Path("numbers.wlt").write_text(WOLFRAM_TESTS, encoding="utf-8")
    with connect(get_server("WolframLanguage").load()) as peer:
        reports = {
            "numbers.wlt": peer.call("TestReport", {"paths": "numbers.wlt"}).text,
            "nowhere": peer.call("TestReport", {"paths": "nowhere.wlt"}).text,
        }
    text = hide_measurements(names.hide(format_texts(reports)))
    golden.check("test_reports/wolfram", {"reports.txt": text})
