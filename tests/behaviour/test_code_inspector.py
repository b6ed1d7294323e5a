"""CodeInspector reports on code, files and directories, in both eras."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from paddock import Peer, Server, connect
from paddock.toolkits.wolfram.tools import code_inspector_tool as tool
from paddock.wolfram.inspection import SEVERITIES

TIP = """\
---

*Tip: to suppress an intended issue, put comments around the code:*

```wl
(* :!CodeAnalysis::BeginBlock:: *)
(* :!CodeAnalysis::Disable::{Tag}:: *)
(* code *)
(* :!CodeAnalysis::EndBlock:: *)
```"""
OF_CODE = f"""\
# Code Inspection Results

## Summary

| Severity | Count |
|----------|-------|
| Error | 1 |
| Warning | 1 |
| **Total** | **2** |

## Issues

### Issue 1: IfSet::If (Warning, 85%)

**Location:** Line 2, Column 4 - Line 2, Column 9

**Description:** The test of `If` is an assignment.

**Code:**
```wl
   1 | f[];
   2 | If[x = 1, a, b];
   3 | {{c,
```

**Suggested Fixes:**
- Replace `=` with `==`
- Replace `=` with `===`

---

### Issue 2: Comma (Error, 90%)

**Location:** Line 3, Column 3 - Line 3, Column 4

**Description:** An expression is missing before or after this comma.

**Code:**
```wl
   2 | If[x = 1, a, b];
   3 | {{c,
   4 | }}
```

**Suggested Fix:**
- Remove the `,`

{TIP}""".replace("{{c,", "{c,").replace("}}", "}")
NOTHING = """\
# Code Inspection Results

No issues found matching the specified criteria.

**Settings:**
- Confidence Level: 0.75
- Severity Exclusions: Formatting, Scoping
- Tag Exclusions: (none)"""


@contextmanager
def inspector(era: str, **options: Any) -> Iterator[Peer]:
    with connect(Server("inspector", tools=[tool]), era=era, **options) as peer:
        yield peer


def ask(era: str, **arguments: Any) -> str:
    with inspector(era) as peer:
        answer = peer.call("CodeInspector", arguments)
        assert not answer.is_error, answer.text
        return answer.text


def refused(era: str, **arguments: Any) -> str:
    with inspector(era) as peer:
        answer = peer.call("CodeInspector", arguments)
        assert answer.is_error
        return answer.text


def headings(report: str) -> list[str]:
    return [line for line in report.splitlines() if line.startswith("###")]


def test_code_is_reported_on(era: str) -> None:
    assert ask(era, code="f[];\nIf[x = 1, a, b];\n{c,\n}\n") == OF_CODE


def test_code_without_issues_has_a_report_with_the_settings(era: str) -> None:
    assert ask(era, code="1 + 1") == NOTHING


def test_the_settings_are_those_of_the_call(era: str) -> None:
    report = ask(
        era,
        code="x = x",
        severityExclusions="",
        tagExclusions=" SelfAssignment , B::c",
        confidenceLevel=1,
    )
    assert report.splitlines()[-3:] == [
        "- Confidence Level: 1",
        "- Severity Exclusions: (none)",
        "- Tag Exclusions: B::c, SelfAssignment",
    ]


def test_a_file_is_reported_on_with_its_name(era: str, tmp_path: Path) -> None:
    file = tmp_path / "Some.wl"
    file.write_bytes(b"\xef\xbb\xbfy\r\n\tx = x\r\n")
    report = ask(era, file=str(file))
    assert f"**File:** `{file}`\n" in report
    assert "**Location:** `Some.wl:2:2`\n" in report
    assert "```wl\n   1 | y\n   2 | \tx = x\n```" in report


def test_a_file_in_an_old_encoding_is_read(era: str, tmp_path: Path) -> None:
    (tmp_path / "old.m").write_bytes('"é"; x = x'.encode("latin-1"))
    assert "`old.m:1:6`" in ask(era, file=str(tmp_path / "old.m"))


def test_a_directory_is_reported_on_file_by_file(era: str, tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "a.wl").write_text("x = x\ny = y", encoding="utf-8")
    (tmp_path / "b.m").write_text("1", encoding="utf-8")
    (tmp_path / "c.wlt").write_text("x = x", encoding="utf-8")
    (tmp_path / "deep" / "er" / "d.wls").write_text("Throw[1]", encoding="utf-8")
    report = ask(era, file=str(tmp_path))
    assert (
        f"**Directory:** `{tmp_path}`\n\n**Files inspected:** 3\n\n**Files with issues:** 2"
        in report
    )
    assert "| Error | 1 |\n| Warning | 2 |\n| **Total** | **3** |\n\n## Issues by File\n" in report
    assert headings(report) == [
        "### a.wl (2 issues)",
        "### Issue 1: SelfAssignment (Warning, 95%)",
        "### Issue 2: SelfAssignment (Warning, 95%)",
        "### d.wls (1 issue)",
        "### Issue 1: NoSurroundingCatch (Error, 90%)",
    ]


def test_the_limit_is_used_up_in_the_order_of_files(era: str, tmp_path: Path) -> None:
    (tmp_path / "a.wl").write_text("x = x", encoding="utf-8")
    (tmp_path / "b.wl").write_text("y = y\nz = z", encoding="utf-8")
    (tmp_path / "c.wl").write_text("x = x", encoding="utf-8")
    report = ask(era, file=str(tmp_path), limit=2)
    assert headings(report)[::2] == ["### a.wl (1 issue)", "### b.wl (2 issues)"]
    assert "| **Total** | **4** |" in report
    assert "---\n\n*Showing 2 of 4 issues. Use the `limit` parameter to see more.*\n\n---" in report


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_of_nothing_is_the_usual_one(era: str, limit: int) -> None:
    report = ask(era, code="x = x\n" * 101, limit=limit)
    assert "*Showing 100 of 101 issues." in report


def test_a_report_stays_short_whatever_is_inspected(era: str) -> None:
    long_line, many_lines = f"b, {{{'x, ' * 10_000}1}},", "b,\n2,\n" * 5_000
    code = f"Which[a, 1, True, 2,\n{long_line}\n{many_lines}c, 3]"
    assert len(ask(era, code=code, limit=1)) < 6_000


def test_code_with_fences_does_not_leave_its_block(era: str) -> None:
    assert '````wl\n   1 | x = x; "```"\n````' in ask(era, code='x = x; "```"')


def test_a_call_says_what_to_inspect(era: str) -> None:
    assert refused(era) == "There is nothing to inspect (give either code or file)"
    both = refused(era, code="1", file="a.wl")
    assert both == "Both code and file are given (give only one of them)"


def test_a_file_that_is_not_there_is_refused(era: str, tmp_path: Path) -> None:
    text = refused(era, file=str(tmp_path / "none.wl"))
    assert text.startswith(
        f"{tmp_path / 'none.wl'}: the file cannot be read: No such file or directory ("
    )


def test_a_directory_without_code_is_refused(era: str, tmp_path: Path) -> None:
    text = refused(era, file=str(tmp_path))
    assert text == f"{tmp_path}: found no files with the suffixes .wl, .m, .wls"


def test_what_is_not_an_ordinary_file_is_refused(era: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.wl")
    text = refused(era, file=str(tmp_path / "pipe.wl"))
    assert "the file cannot be read: not a regular file" in text


def test_what_is_too_large_is_refused(
    era: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paddock.toolkits.wolfram.inspector.MAX_FILE_BYTES", 1_000_000)
    (tmp_path / "large.wl").write_text("x\n" * 600_000, encoding="utf-8")
    text = refused(era, file=str(tmp_path / "large.wl"))
    assert "the file cannot be read: larger than 1 MB" in text


def test_what_a_directory_only_seems_to_have_is_reported(era: str, tmp_path: Path) -> None:
    (tmp_path / "there.wl").write_text("x = x", encoding="utf-8")
    (tmp_path / "in").mkdir()
    os.mkfifo(tmp_path / "in" / "pipe.wl")
    (tmp_path / "in" / "self.wl").symlink_to("self.wl")
    (tmp_path / "in" / "out.wl").symlink_to(tmp_path / "there.wl")
    names = "`out.wl`, `pipe.wl`, `self.wl`"
    why = f" because they are unreadable or outside the directory: {names}"
    assert refused(era, file=str(tmp_path / "in")).endswith(f".wl, .m, .wls{why}")
    (tmp_path / "in" / "own.wl").write_text("x = x", encoding="utf-8")
    report = ask(era, file=str(tmp_path / "in"))
    assert "**Files inspected:** 1" in report
    assert report.endswith(f"*Not inspected{why}*")


def test_files_in_sixteen_bit_units_are_read(era: str, tmp_path: Path) -> None:
    (tmp_path / "wide.wl").write_text("x = x", encoding="utf-16")
    report = ask(era, file=str(tmp_path / "wide.wl"))
    assert headings(report) == ["### Issue 1: SelfAssignment (Warning, 95%)"]


def test_of_a_long_comment_the_beginning_is_reported(era: str) -> None:
    assert len(ask(era, code=f"(* FIXME: {'a ' * 50_000}*) x")) < 2_000


@pytest.mark.parametrize("confidence", [-0.1, 1.5])
def test_a_confidence_is_between_nothing_and_all(era: str, confidence: float) -> None:
    text = refused(era, code="1", confidenceLevel=confidence)
    assert text == f"confidenceLevel is {confidence} (expected a number from 0 to 1)"


def test_a_relative_path_begins_where_the_client_works(era: str, tmp_path: Path) -> None:
    (tmp_path / "here.wl").write_text("x = x", encoding="utf-8")
    with inspector(era, roots=[tmp_path.as_uri()]) as peer:
        report = peer.call("CodeInspector", file="here.wl").text
    assert f"**File:** `{tmp_path / 'here.wl'}`" in report


def test_the_tool_says_that_it_changes_nothing(era: str) -> None:
    with inspector(era) as peer:
        (told,) = peer.tools()
    assert told.annotations == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    properties: Any = told.input_schema["properties"]
    assert properties["severityExclusions"]["default"] == "Formatting,Scoping"


def test_the_parameter_names_every_severity() -> None:
    with connect(Server("s", tools=[tool])) as peer:
        [listed] = peer.tools()
    assert ", ".join(SEVERITIES) in str(listed.input_schema)
