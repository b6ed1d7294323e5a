"""What came of tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from paddock.wolfram.verification.messages import are_messages_expected
from paddock.wolfram.verification.reading import WolframTest

if TYPE_CHECKING:
    from collections.abc import Sequence


WolframTestOutcome = Literal["Success", "Failure", "MessagesFailure", "Error"]


@dataclass(frozen=True, slots=True)
class WolframTestResult:
    """What came of one test."""

    test: WolframTest
    number: int
    """Its place in the file, counted from 1."""
    outcome: WolframTestOutcome
    actual: str = ""
    """The value in InputForm, or why there is none."""
    expected: str = ""
    """The value of what is expected, in InputForm."""
    messages: tuple[str, ...] = ()
    """The messages that there were, with their text."""
    seconds: float | None = None
    peak_bytes: int | None = None

    @property
    def name(self) -> str:
        """What it is called, in one line: its id, or its place."""
        return " ".join(self.test.test_id.split()) or f"Test {self.number} (line {self.test.line})"


@dataclass(slots=True)
class WolframFileResult:
    """What came of the tests of one file."""

    name: str
    results: list[WolframTestResult] = field(default_factory=list)
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    """What else is to be known: code between tests that failed, tests that were not run."""
    not_run: int = 0
    """How many tests could not be run, and have no result."""
    is_broken: bool = False
    """Whether code between the tests had no value."""

    @property
    def passed(self) -> int:
        """How many tests were successful."""
        return sum(result.outcome == "Success" for result in self.results)

    @property
    def failed(self) -> int:
        """How many were not."""
        return len(self.results) - self.passed

    @property
    def is_success(self) -> bool:
        """Whether all tests of the file were run, successfully, and all else in it worked."""
        return not (self.failed or self.not_run or self.is_broken)


def determine_outcome(test: WolframTest, *, is_same: bool, messages: Sequence[str]) -> WolframTestOutcome:
    """How a test whose input was evaluated came out; a wrong value counts before messages."""
    if not is_same:
        return "Failure"
    return "Success" if are_messages_expected(test.messages, messages) else "MessagesFailure"
