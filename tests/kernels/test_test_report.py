"""The tool `TestReport`, with a real kernel."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from paddock import Server
from paddock.kernels.wolfram.engines import find_woxi
from paddock.testing import connect
from paddock.toolkits.wolfram.tools import wolfram_test_report_tool
from tests.kernels.test_alone import start_alone

SAMPLE = """
BeginTestSection["Numbers"]
VerificationTest[1 + 1, 2, TestID -> "add"]
VerificationTest[1/0, ComplexInfinity, {Power::infy}, TestID -> "infinite"]
VerificationTest[1/0, ComplexInfinity, TestID -> "message"]
x = 5;
VerificationTest[x^2, 26, TestID -> "wrong"]
VerificationTest[x = 6; While[True], Null, TimeConstraint -> 1, TestID -> "endless"]
VerificationTest[x = 7; Quit[], Null, TestID -> "quits"]
VerificationTest[Throw[3], 3, TestID -> "throws"]
VerificationTest[x, 5, TestID -> "rolled back"]
VerificationTest[1.0000001, 1, SameTest -> (Abs[#1 - #2] < 0.01 &), TestID -> "near"]
EndTestSection[]
"""


@pytest.fixture
def server() -> Server:
    return Server("s", tools=[wolfram_test_report_tool])


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def report(server: Server, paths: str, **more: object) -> str:
    with connect(server) as peer:
        answer = peer.call("TestReport", paths=paths, **more)
    assert not answer.is_error, answer.text
    return answer.text


def complaint(server: Server, paths: str) -> str:
    with connect(server) as peer:
        answer = peer.call("TestReport", paths=paths)
    assert answer.is_error
    return answer.text


def headings(text: str) -> list[str]:
    return [line.strip("# ") for line in text.split("\n") if line.startswith("###")]


def stop_seconds(text: str) -> float:
    """When a test was stopped: at its time limit, or somewhat later on a busy machine."""
    stopped = re.search(r"no value: stopped after ([\d.]+) s\b", text)
    assert stopped is not None, text
    return float(stopped[1])


def test_every_outcome_is_distinguished(server: Server, project: Path) -> None:
    (project / "a.wlt").write_text(SAMPLE)
    text = report(server, "a.wlt")
    assert "| **Passed** | 4 (44.4%) |" in text
    assert headings(text) == [
        *("Wrong Results", "wrong", "throws"),
        *("Message Failures", "message"),
        *("Errors", "endless", "quits"),
    ]
    assert "Power::infy: Infinite expression 1/0 encountered." in text
    assert stop_seconds(text) >= 1
    assert "Evaluated by Woxi" in text


def test_each_file_begins_without_definitions_unless_they_share_a_kernel(
    server: Server, project: Path
) -> None:
    (project / "a.wlt").write_text("y = 3;\nVerificationTest[y, 3]")
    (project / "b.wlt").write_text("VerificationTest[y, 3]")
    assert "| **Passed** | 1 (50%) |" in report(server, ".")
    assert "| **Passed** | 2 (100%) |" in report(server, "a.wlt, b.wlt", newKernel=False)


def test_files_are_loaded_from_the_directory_of_the_client_and_of_the_test(
    server: Server, project: Path
) -> None:
    (project / "sub").mkdir()
    (project / "one.wl").write_text("one = 1")
    (project / "sub" / "two.wl").write_text("two = 2")
    (project / "sub" / "a.wlt").write_text(
        'Get["one.wl"];\nGet[FileNameJoin[{DirectoryName[$TestFileName], "two.wl"}]];\n'
        "VerificationTest[{one, two}, {1, 2}]"
    )
    text = report(server, "sub/a.wlt")
    assert "| **Passed** | 1 (100%) |" in text, text


def test_what_goes_wrong_between_tests_is_reported(server: Server, project: Path) -> None:
    (project / "a.wlt").write_text('VerificationTest[True]\nGet["nowhere.wl"]')
    assert "* Line 2: Get::noopen: " in report(server, "a.wlt")


def test_a_file_whose_time_is_up_leaves_the_rest_undone(server: Server, project: Path) -> None:
    (project / "a.wlt").write_text("VerificationTest[While[True]]\nVerificationTest[True]")
    text = report(server, "a.wlt", timeConstraint=1)
    assert "not run: the time limit of the file was reached" in text
    assert "| **Failed** | 2 (100%) |" in text


@pytest.mark.parametrize(
    ("paths", "text"),
    [
        ("gone.wlt", "the file or directory does not exist: gone.wlt"),
        ("a.wlt, gone.wlt", "the file or directory does not exist: gone.wlt"),
        (" , ", "`paths` contains no paths"),
        ("empty", "empty contains no .wlt files"),
        ("plain.wlt", "plain.wlt has no tests"),
        ("inside.wlt", "inside.wlt has no tests; 1 inside other expressions cannot be run"),
        ("broken.wlt", "broken.wlt cannot be read"),
        ("/etc", "is outside the folders"),
    ],
)
def test_nothing_is_run_when_a_file_cannot_be(
    server: Server, project: Path, paths: str, text: str
) -> None:
    (project / "empty").mkdir()
    (project / "a.wlt").write_text("VerificationTest[True]")
    (project / "plain.wlt").write_text("1 + 1")
    (project / "inside.wlt").write_text("Table[VerificationTest[x], {3}]")
    (project / "broken.wlt").write_text("VerificationTest[}")
    assert text in complaint(server, paths)


@pytest.mark.parametrize(
    "test",
    [
        "TimeConstrained[Pause[3], 0.1], $Aborted",
        "CheckAbort[Abort[], $Aborted], $Aborted",
        "Module[{a}, a = 1; Return[a]], 1",
        "Return[5], 5",
        "Do[If[i > 2, Return[i]], {i, 5}], 3",
        "$TestFileName // Function[x, x === $InputFileName]",
    ],
)
def test_a_value_counts_in_every_form(server: Server, project: Path, test: str) -> None:
    (project / "a.wlt").write_text(f"VerificationTest[0, 0]\nVerificationTest[{test}]")
    text = report(server, "a.wlt")
    assert "| **Overall Result** | Success |" in text, text


def test_what_is_aborted_has_no_value(server: Server, project: Path) -> None:
    (project / "a.wlt").write_text("VerificationTest[Abort[], $Aborted]")
    assert "### Errors" in report(server, "a.wlt")


@pytest.mark.parametrize("same", ["(Quit[] &)", "(While[True] &)"])
def test_a_comparison_that_does_not_end_is_an_error(
    server: Server, project: Path, same: str
) -> None:
    (project / "a.wlt").write_text(f"VerificationTest[1, 1, SameTest -> {same}, TimeConstraint->1]")
    text = report(server, "a.wlt")
    assert "### Errors" in text
    assert "the comparison: no value: " in text


@pytest.mark.parametrize(
    "text",
    [
        "VerificationTest[1, 1]\nTable[VerificationTest[i], {i, 3}]",
        'Get["nowhere.wl"]\nVerificationTest[1, 1]',
        "Quit[]\nVerificationTest[1, 1]",
    ],
)
def test_a_file_is_not_a_success_when_something_in_it_was_not_run(
    server: Server, project: Path, text: str
) -> None:
    (project / "a.wlt").write_text(text)
    found = report(server, "a.wlt")
    assert "| **Overall Result** | Failure |" in found
    assert "| **Passed** | 1 (100%) |" in found
    assert ("| **Not Run** | 1 |" in found) == ("Table" in text)


def test_options_of_tests_are_evaluated(server: Server, project: Path) -> None:
    (project / "a.wlt").write_text(
        'VerificationTest[While[True], 1, TimeConstraint -> 1/2, TestID -> "a" <> "b"]\n'
        "VerificationTest[Length[Range[10^7]], 1, MemoryConstraint -> 2^24]\n"
        "VerificationTest[1, 1, TimeConstraint -> Infinity, MemoryConstraint -> f[2]]"
    )
    text = report(server, "a.wlt")
    assert "#### ab\n" in text
    assert stop_seconds(text) >= 0.5
    assert "no value: stopped because it needed more than 16 MB" in text
    assert "* Line 3: MemoryConstraint -> f[2] does not evaluate to a usable value" in text
    assert "TimeConstraint -> Infinity" not in text


@pytest.mark.parametrize(
    ("option", "more"),
    [
        ("", {"timeConstraint": 10**400}),
        ("", {"memoryConstraint": 10**30}),
        (", TimeConstraint -> " + "9" * 400, {}),
        (", MemoryConstraint -> 10^400", {}),
    ],
)
def test_limits_may_be_as_large_as_one_likes(
    server: Server, project: Path, option: str, more: dict[str, object]
) -> None:
    (project / "a.wlt").write_text(f"VerificationTest[1, 1{option}]")
    assert "| **Overall Result** | Success |" in report(server, "a.wlt", **more)


def test_files_that_links_lead_out_to_are_not_run(server: Server, project: Path) -> None:
    (project / "in").mkdir()
    (project / "out.wlt").write_text("VerificationTest[1, 1]")
    (project / "in" / "link.wlt").symlink_to(project / "out.wlt")
    assert "in contains no .wlt files" in complaint(server, "in")
    (project / "in" / "own.wlt").write_text("VerificationTest[1, 1]")
    text = report(server, "in")
    assert "| **Total Files** | 1 |" in text
    link = project / "in" / "link.wlt"
    assert f"{link} was not run: it is not a file, or a link out of its directory" in text


def test_without_an_engine_one_text_says_so(
    server: Server, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PADDOCK_WOLFRAM_ENGINE", "none")
    (project / "a.wlt").write_text("VerificationTest[1, 1]\nVerificationTest[2, 2]")
    text = complaint(server, "a.wlt")
    assert text.startswith("no test was run (Only literal values")
    assert text.count("pip install 'paddock[wolfram]'") == 1


def test_the_client_is_reported_progress_during_a_long_test(server: Server, project: Path) -> None:
    (project / "a.wlt").write_text("VerificationTest[While[True], 1, TimeConstraint -> 3]")
    told: list[Any] = []
    with connect(server, on_progress=told.append) as peer:
        peer.call("TestReport", paths="a.wlt")
    assert len(told) >= 3


def test_a_kernel_that_has_ended_is_replaced(
    server: Server, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its kernel ends with what has to be stopped. By its name it has spare ones of its own.
    alone = dataclasses.replace(find_woxi(), name="alone", start=start_alone)
    monkeypatch.setattr(
        "paddock.toolkits.wolfram.wlt_runner.get_configured_engine", lambda _ctx: alone
    )
    (project / "a.wlt").write_text(
        "VerificationTest[While[True], 1, TimeConstraint -> 1]\nVerificationTest[2, 2]"
    )
    (project / "b.wlt").write_text("VerificationTest[3, 3]")
    text = report(server, "a.wlt, b.wlt", newKernel=False)
    assert "| **Passed** | 2 (66.7%) |" in text
    assert text.count("* Line 2: the kernel ended here and all definitions were lost") == 1
