"""Test files are read without running them, and reported on in one form."""

import pytest

from paddock.reports.suite_report import FileTestReport
from paddock.reports.text import format_duration, format_size
from paddock.wolfram import WolframSyntaxError
from paddock.wolfram.wlt import (
    SetupStep,
    WolframTest,
    WolframTestResult,
    add_test_result,
    determine_outcome,
    format_report,
    parse_tests,
)


def only(text: str) -> WolframTest:
    [test] = parse_tests(text).tests
    return test


def test_what_is_tested_is_the_text_that_is_there() -> None:
    test = only('VerificationTest[\n  f[1, (* one *) 2],\n  {3},\n  TestID -> "sum"\n]')
    assert test == WolframTest("f[1, (* one *) 2]", 1, "{3}", test_id="sum")


def test_without_an_expectation_it_must_be_true() -> None:
    assert only("VerificationTest[StringQ[x]]").expected == "True"


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("{Power::infy}", ("Power::infy",)),
        ("Power::infy", ("Power::infy",)),
        ("{HoldForm[Power::infy], f::a::b}", ("Power::infy", "f::a::b")),
        ("{_}", ("_",)),
        ("{Power::infy.., f::a...}", ("Power::infy..", "f::a...")),
        ("{__}", ("_..",)),
        ("{___}", ("_...",)),
        ("{}", ()),
    ],
)
def test_expected_messages_are_names(text: str, messages: tuple[str, ...]) -> None:
    assert only(f"VerificationTest[1/0, x, {text}]").messages == messages


def test_options_may_be_strings_and_delayed() -> None:
    test = only(
        'VerificationTest[1, 1, "TestID" -> "a", SameTest :> Equal, TimeConstraint -> 2.5, '
        "MemoryConstraint -> 10^6, TimeConstraint -> 9]"
    )
    assert (test.test_id, test.same_test, test.seconds, test.memory_bytes) == (
        *("a", "Equal", 2.5),
        None,
    )


def test_a_rule_may_be_what_is_tested() -> None:
    test = only("VerificationTest[a -> b, a -> b]")
    assert (test.input, test.expected) == ("a -> b", "a -> b")


def test_sections_are_nested() -> None:
    text = """
    BeginTestSection["A"]; VerificationTest[1];
    BeginTestSection["B"]
    VerificationTest[2]
    EndTestSection[]
    VerificationTest[3]
    EndTestSection[]
    VerificationTest[4]
    """
    assert [test.section for test in parse_tests(text).tests] == ["A", "A / B", "A", ""]


def test_code_between_tests_keeps_its_place() -> None:
    steps = parse_tests("x = 1;\nVerificationTest[x]\nf[y_] := y").steps
    assert [type(step) for step in steps] == [SetupStep, WolframTest, SetupStep]
    assert [step.line for step in steps] == [1, 2, 3]


def test_tests_inside_other_expressions_are_counted() -> None:
    found = parse_tests("Block[{a}, VerificationTest[a]; VerificationTest[b]]\nVerificationTest[c]")
    assert (len(found.tests), found.nested_tests) == (1, 2)


def test_a_test_with_too_many_arguments_says_so() -> None:
    assert only("VerificationTest[1, 2, {}, 4]").problem == (
        "VerificationTest has 4 arguments, expected 1 to 3"
    )


def test_symbols_can_be_given_values() -> None:
    found = parse_tests('VerificationTest[f[$File, "$File"], $Files]', values={"$File": '"/a"'})
    assert found.tests[0].input == 'f["/a", "$File"]'
    assert found.tests[0].expected == "$Files"


def test_what_cannot_be_read_is_an_error_with_its_place() -> None:
    with pytest.raises(WolframSyntaxError, match=r"a\.wlt:2:"):
        parse_tests("1;\nVerificationTest[f[}", where="a.wlt")


@pytest.mark.parametrize(
    ("expected", "messages", "outcome"),
    [
        ((), [], "Success"),
        (("f::a",), ["f::a: Some text: with colons"], "Success"),
        (("_",), ["f::a: Text"], "Success"),
        (("f::a",), ["f::b: Text"], "MessagesFailure"),
        (("f::a",), [], "MessagesFailure"),
        ((), ["f::a: Text"], "MessagesFailure"),
        (("f::a..",), ["f::a: Text", "f::a: Text"], "Success"),
        (("f::a..",), [], "MessagesFailure"),
        (("f::a..", "f::b"), ["f::a: Text", "f::a: Text", "f::b: Text"], "Success"),
        (("f::a..", "f::a"), ["f::a: Text", "f::a: Text"], "Success"),
        (("f::a...", "_..."), [], "Success"),
        (("_..",), ["f::a: Text", "f::b: Text"], "Success"),
        (("f::a..",), ["f::a: Text", "f::b: Text"], "MessagesFailure"),
    ],
)
def test_messages_have_to_be_the_expected_ones(
    expected: tuple[str, ...], messages: list[str], outcome: str
) -> None:
    test = WolframTest("1", 1, messages=expected)
    assert determine_outcome(test, is_same=True, messages=messages) == outcome
    assert determine_outcome(test, is_same=False, messages=messages) == "Failure"


def file_report(
    name: str, results: list[WolframTestResult], seconds: float = 0.0
) -> FileTestReport:
    report = FileTestReport(name, seconds=seconds)
    for result in results:
        add_test_result(report, result)
    return report


def test_the_report_counts_all_files_and_shows_what_failed() -> None:
    good = WolframTestResult(WolframTest("1", 1), 1, "Success", "1", "1")
    bad = WolframTestResult(
        WolframTest("2", 3, "3", test_id="two"), 2, "Failure", "2", "3", (), 0.2, 2048
    )
    text = format_report([file_report("a.wlt", [good, bad], 0.5), file_report("b.wlt", [good], 61)])
    assert "| **Overall Result** | Failure |" in text
    assert "| **Total Tests** | 3 |" in text
    assert "| **Passed** | 2 (66.7%) |" in text
    assert "| **Total Time** | 1 min |" in text
    assert "### Wrong Results\n\n#### two\n\n" in text
    assert "| **Memory** | 2 KB |" in text
    assert "**Actual Output:**\n\n```wl\n2\n```" in text
    assert "Messages" not in text
    assert text.count("####") == 1


def test_long_code_is_shown_with_its_two_ends_and_never_ends_its_block() -> None:
    long = WolframTestResult(WolframTest("a" * 300 + "b" * 300, 1), 1, "Error", "```", "")
    text = format_report([file_report("a.wlt", [long])])
    assert "a" * 250 + " ... " + "b" * 250 in text
    assert "````wl\n```\n````" in text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "N/A"),
        (0.0002, "< 1 ms"),
        (0.0123, "12 ms"),
        (2, "2 s"),
        (2.345, "2.3 s"),
        (90, "1.5 min"),
        (7200, "2 h"),
    ],
)
def test_times_are_short(seconds: float | None, text: str) -> None:
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(None, "N/A"), (12, "12 B"), (1536, "1.5 KB"), (3 << 20, "3 MB"), (5 << 29, "2.5 GB")],
)
def test_sizes_are_short(size: int | None, text: str) -> None:
    assert format_size(size) == text


def test_names_stay_in_their_heading_and_their_cell() -> None:
    test = WolframTest("1", 1, test_id="a\nb", section="x|y\nz")
    text = format_report([file_report("a.wlt", [WolframTestResult(test, 1, "Failure")])])
    assert "#### a b\n" in text
    assert "| **Section** | x\\|y z |" in text


def test_symbols_get_their_values_in_the_order_of_the_text() -> None:
    text = "VerificationTest[$A // Function[x, {x, $B}], 1]"
    found = parse_tests(text, values={"$A": '"a"', "$B": '"b"'})
    assert found.tests[0].input == '"a" // Function[x, {x, "b"}]'
