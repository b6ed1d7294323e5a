"""The tool `TestReport`, with a real kernel."""

from pathlib import Path

import pytest

from paddock import Server
from paddock.testing import connect
from paddock.toolkits.wolfram.test_report import test_report_tool

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
VerificationTest[x, 5, TestID -> "taken back"]
VerificationTest[1.0000001, 1, SameTest -> (Abs[#1 - #2] < 0.01 &), TestID -> "near"]
EndTestSection[]
"""


@pytest.fixture
def server() -> Server:
    return Server("s", tools=[test_report_tool])


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


def test_every_outcome_is_told_apart(server: Server, project: Path) -> None:
    (project / "a.wlt").write_text(SAMPLE)
    text = report(server, "a.wlt")
    assert "| **Passed** | 4 (44.4%) |" in text
    assert headings(text) == [
        *("Wrong Results", "wrong", "throws"),
        *("Message Failures", "message"),
        *("Errors", "endless", "quits"),
    ]
    assert "Power::infy: Infinite expression 1/0 encountered." in text
    assert "no value: stopped after 1 s" in text
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


def test_what_goes_wrong_between_tests_is_told(server: Server, project: Path) -> None:
    (project / "a.wlt").write_text('VerificationTest[True]\nGet["nowhere.wl"]')
    assert "* Line 2: Get::noopen: " in report(server, "a.wlt")


def test_a_file_whose_time_is_up_leaves_the_rest_undone(server: Server, project: Path) -> None:
    (project / "a.wlt").write_text("VerificationTest[While[True]]\nVerificationTest[True]")
    text = report(server, "a.wlt", timeConstraint=1)
    assert "not run: the time for the file was used up" in text
    assert "| **Failed** | 2 (100%) |" in text


@pytest.mark.parametrize(
    ("paths", "text"),
    [
        ("gone.wlt", "There is no file or directory gone.wlt"),
        ("a.wlt, gone.wlt", "There is no file or directory gone.wlt"),
        (" , ", "There are no paths"),
        ("empty", "There are no .wlt files in empty"),
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
