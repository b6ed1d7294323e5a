"""PythonCodeInspector reports on code, files and directories."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from paddock import Peer, Server, connect
from paddock.toolkits.python.interpreters import ACTIVE_ENVIRONMENT_VARIABLES
from paddock.toolkits.python.tools import python_code_inspector_tool as tool

FAULTY = """\
import os


def total(numbers, found=[]):
    return sum(numbers) == None


def size(text: str) -> int:
    return text
"""
OF_CODE = """\
# Code Inspection Results

## Summary

| Severity | Count |
|----------|-------|
| Scoping | 1 |
| **Total** | **1** |

## Issues

### Issue 1: F401::unused-import (Scoping, 95%)

**Location:** Line 1, Column 8 - Line 1, Column 10

**Description:** `os` imported but unused

**Code:**
```py
   1 | import os
```

**Suggested Fix:**
- Remove unused import: `os`

---

*Tip: to suppress an intended issue, put a comment at the end of the line:*

```py
x = eval(text)  # noqa: S307
y = f(x)  # ty: ignore[invalid-argument-type]
```

Inspected by ruff, types checked by ty."""
NOTHING = """\
# Code Inspection Results

No issues found matching the specified criteria.

**Settings:**
- Confidence Level: 0.75
- Severity Exclusions: Formatting
- Tag Exclusions: (none)

Inspected by ruff, types checked by ty."""


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only directory that may be touched."""
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setattr("tempfile.tempdir", str(place))
    for variable in ACTIVE_ENVIRONMENT_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    return place


@contextmanager
def inspector(options: dict[str, object] | None = None) -> Iterator[Peer]:
    server = Server("inspector", tools=[tool])
    server.set_tool_options({"PythonCodeInspector": options or {}})
    with connect(server) as peer:
        yield peer


def ask(options: dict[str, object] | None = None, **arguments: Any) -> str:
    with inspector(options) as peer:
        answer = peer.call("PythonCodeInspector", arguments)
        assert not answer.is_error, answer.text
        return answer.text


def refused(**arguments: Any) -> str:
    with inspector() as peer:
        answer = peer.call("PythonCodeInspector", arguments)
        assert answer.is_error
        return answer.text


def issues(report: str) -> list[str]:
    return [line.partition(": ")[2] for line in report.splitlines() if line.startswith("### Issue")]


def test_code_is_reported_on() -> None:
    assert ask(code="import os\n") == OF_CODE


def test_code_without_issues_is_reported_with_the_settings() -> None:
    assert ask(code="x = 1\n") == NOTHING


def test_what_is_wrong_with_names_values_and_types_of_a_file_is_reported(work: Path) -> None:
    (work / "a.py").write_text(FAULTY)
    assert issues(ask(file="a.py")) == [
        "F401::unused-import (Scoping, 95%)",
        "B006::mutable-argument-default (Warning, 85%)",
        "E711::none-comparison (Warning, 85%)",
        "ty::invalid-explicit-return (Error, 90%)",
    ]


def test_issues_are_left_out_by_tag_severity_and_confidence(work: Path) -> None:
    (work / "a.py").write_text(FAULTY)
    left = issues(ask(file="a.py", tagExclusions="ty,E711", severityExclusions="scoping"))
    assert left == ["B006::mutable-argument-default (Warning, 85%)"]
    sure = issues(ask(file="a.py", confidenceLevel=0.94))
    assert sure == ["F401::unused-import (Scoping, 95%)"]


def test_a_directory_is_reported_file_by_file(work: Path) -> None:
    (work / "pkg/deep").mkdir(parents=True)
    (work / "pkg/a.py").write_text("import os\n")
    (work / "pkg/deep/b.py").write_text("import os\nimport sys\n")
    (work / "pkg/deep/good.py").write_text("x = 1\n")
    (work / "elsewhere.py").write_text("import os\n")
    (work / "pkg/link.py").symlink_to(work / "elsewhere.py")
    report = ask(file="pkg", limit=2)
    assert f"**Directory:** `{work / 'pkg'}`\n\n**Files inspected:** 4\n\n" in report
    assert "### a.py (1 issue)" in report
    assert "### deep/b.py (2 issues)" in report
    assert "*Showing 2 of 3 issues." in report
    assert "link.py" not in report


def test_the_projects_own_settings_are_kept_to(work: Path) -> None:
    (work / "pyproject.toml").write_text("[tool.ruff.lint]\nselect = ['E501']\n")
    (work / "a.py").write_text(f"import os\nx = '{'y' * 100}'\n")
    assert issues(ask(file="a.py")) == ["E501::line-too-long (Formatting, 95%)"]
    assert issues(ask(file=".")) == ["E501::line-too-long (Formatting, 95%)"]


def test_settings_that_ruff_cannot_use_are_reported_and_the_usual_ones_taken(work: Path) -> None:
    (work / "ruff.toml").write_text("lint.select = ['NO-SUCH']\n")
    (work / "a.py").write_text("import os\n")
    report = ask(file="a.py")
    assert issues(report) == ["F401::unused-import (Scoping, 95%)"]
    assert "*ruff cannot use the project's settings: " in report


def test_mypy_checks_types_where_it_is_chosen_and_no_one_where_none_is(work: Path) -> None:
    (work / "a.py").write_text("def size(text: str) -> int:\n    return text\n")
    assert issues(ask({"TypeChecker": "mypy"}, file="a.py")) == [
        "mypy::return-value (Error, 90%)",
    ]
    assert ask({"TypeChecker": "none"}, file="a.py").endswith("types not checked.")


def test_the_projects_packages_are_known(work: Path) -> None:
    place = work / ".venv/lib/python3.12/site-packages/measured"
    place.mkdir(parents=True)
    (place / "__init__.py").write_text("def length(text: str) -> int:\n    return len(text)\n")
    (work / ".venv/pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.1\n")
    (work / ".venv/bin").mkdir()
    (work / ".venv/bin/python").write_text("#!/bin/sh\ntouch STARTED\n")
    (work / ".venv/bin/python").chmod(0o755)
    (work / "a.py").write_text("import measured\nx: str = measured.length('a')\n")
    assert issues(ask(file="a.py", confidenceLevel=0)) == [
        "ty::invalid-assignment (Error, 90%)",
    ]
    assert not (work / "STARTED").exists()


def test_broken_syntax_is_fatal() -> None:
    report = ask(code="def f(:\n")
    assert "| Fatal | 2 |" in report
    assert "### Issue 1: invalid-syntax (Fatal, 100%)" in report


def test_other_encodings_are_read_where_the_file_says_so(work: Path) -> None:
    text = "# coding: latin-1\nimport os\nx = 'é'\n"
    (work / "said.py").write_bytes(text.encode("latin-1"))
    (work / "unsaid.py").write_bytes(text.partition("\n")[2].encode("latin-1"))
    assert "F401::unused-import (Scoping, 95%)" in issues(ask(file="said.py"))
    unsaid = ask(file="unsaid.py")
    assert "Python cannot read this file: byte 0xe9 is not utf-8" in unsaid
    assert "F401::unused-import (Scoping, 95%)" in issues(unsaid)
    report = ask(file=".")
    assert "### said.py (1 issue)" in report
    assert "stream did not contain valid UTF-8" in report


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "There is nothing to inspect"),
        ({"code": "", "file": "a.py"}, "Both code and file are given"),
        ({"file": "gone.py"}, "the file or directory does not exist"),
        ({"file": "empty"}, "found no .py or .pyi files"),
        ({"file": "/etc"}, "is outside the folders"),
        ({"code": "", "confidenceLevel": 2}, "confidenceLevel is 2"),
    ],
)
def test_what_cannot_be_inspected_is_reported(
    work: Path, arguments: dict[str, object], told: str
) -> None:
    (work / "empty").mkdir()
    assert told in refused(**arguments)


def test_inspecting_changes_nothing(work: Path) -> None:
    (work / "a.py").write_text(FAULTY)
    ask(file=".")
    ask({"TypeChecker": "mypy"}, file=".")
    assert [path.name for path in work.iterdir()] == ["a.py"]
    assert (work / "a.py").read_text() == FAULTY
