"""The rules of the inspectors, and what they report on sample code."""

import re
import tomllib
from pathlib import Path

from paddock import Peer, get_server
from paddock.testing import connect
from tests.golden_outputs.golden_files import (
    REPOSITORY,
    GoldenFiles,
    MachineNames,
    dump_json,
    format_texts,
)

RULES = REPOSITORY / "docs" / "reference" / "inspector-rules.md"
"""A page that a test in `tests/docs` compares with the rules."""
SAMPLES = REPOSITORY / "tests" / "samples" / "inspection"
ROW = re.compile(r"^\| `(\w+)` \| (\w+) \| (\d+%) \| (.+) \|$", re.M)
EVERYTHING = {"severityExclusions": "", "confidenceLevel": 0, "limit": 1000}
PYTHON_CODE = """\
import os


def total(numbers, found=[]):
    return sum(numbers) == None


def size(text: str) -> int:
    return eval(text)
"""
WOLFRAM_CODE = """\
f[x_] := Return[x];
If[x = 1, a, b];
{c,
}
"""


def test_rules_for_the_wolfram_language(golden: GoldenFiles) -> None:
    rows = ROW.findall(RULES.read_text(encoding="utf-8"))
    rules = {tag: {"severity": severity, "confidence": sure} for tag, severity, sure, _ in rows}
    summaries = {tag: summary for tag, _, _, summary in rows}
    golden.check(
        "inspection/rules",
        {"rules.json": dump_json(rules), "rules.wording.txt": format_texts(summaries)},
    )


def inspect(peer: Peer, tool: str, **arguments: object) -> str:
    return peer.call(tool, {**EVERYTHING, **arguments}).text


def list_issues(report: str) -> list[str]:
    """List tags, severities and places, which a report has in its headings."""
    headings = re.findall(r"^### Issue \d+: (.+)\n\n\*\*\w+:\*\* (.+)$", report, flags=re.M)
    return [f"{tag} at {place}" for tag, place in headings]


def test_issues_in_samples_of_every_rule(golden: GoldenFiles) -> None:
    rules = tomllib.loads((SAMPLES / "rules.toml").read_text(encoding="utf-8"))
    issues, reports = {}, {}
    with connect(get_server("WolframLanguage").load()) as peer:
        for tag, cases in rules.items():
            for number, code in enumerate(cases["reported"] + cases["accepted"]):
                report = inspect(peer, "CodeInspector", code=code.replace("«", "").replace("»", ""))
                issues[f"{tag} {number}"] = list_issues(report)
            # The wording of the first says enough of the others.
            code = cases["reported"][0].replace("«", "").replace("»", "")
            reports[tag] = inspect(peer, "CodeInspector", code=code, limit=3)
    golden.check(
        "inspection/issues",
        {"issues.json": dump_json(issues), "reports.wording.txt": format_texts(reports)},
    )


def test_reports_on_files(golden: GoldenFiles, names: MachineNames) -> None:
    Path("broken.wl").write_text(WOLFRAM_CODE, encoding="utf-8")
    Path("folder").mkdir()
    Path("folder/one.wl").write_text(WOLFRAM_CODE, encoding="utf-8")
    Path("folder/two.m").write_text("1 + 1\n", encoding="utf-8")
    reports = {}
    with connect(get_server("WolframLanguage").load()) as peer:
        for name in ("broken.wl", "folder", "nowhere.wl"):
            reports[name] = peer.call("CodeInspector", {"file": name}).text
        reports["nothing given"] = peer.call("CodeInspector", {}).text
        reports["nothing found"] = peer.call("CodeInspector", {"code": "1 + 1"}).text
        reports["limit"] = inspect(peer, "CodeInspector", code=WOLFRAM_CODE, limit=1)
    golden.check("inspection/wolfram_reports", {"reports.txt": names.hide(format_texts(reports))})


def test_reports_on_python_code(golden: GoldenFiles, names: MachineNames) -> None:
    Path("broken.py").write_text(PYTHON_CODE, encoding="utf-8")
    reports = {}
    with connect(get_server("PythonDevelopment").load()) as peer:
        reports["broken.py"] = peer.call("PythonCodeInspector", {"file": "broken.py"}).text
        reports["nothing found"] = peer.call("PythonCodeInspector", {"code": "x = 1\n"}).text
        reports["nowhere"] = peer.call("PythonCodeInspector", {"file": "nowhere.py"}).text
    golden.check("inspection/python_reports", {"reports.txt": names.hide(format_texts(reports))})
