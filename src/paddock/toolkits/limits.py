"""Options of tools that evaluate code; loaded to list tools, so without anything of kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from paddock.authoring.failures import ToolError
from paddock.authoring.option import Option

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_SECONDS = 604_800
"""The longest time limit: a week."""
LEAST_MEMORY = 256 << 20
"""Below it an engine may not even start an evaluation."""
NETWORK_OPTION = "AllowNetwork"
NETWORK = Option(False, bool, "Whether the code may use the network")
MEMORY_OPTION = "MemoryConstraint"
MEMORY = Option(
    4 << 30, Annotated[int, Meta(ge=LEAST_MEMORY)], "Bytes of memory that an evaluation may take"
)
Seconds = Annotated[float, Meta(gt=0, le=LONGEST_SECONDS)]
EVALUATOR_OPTIONS = {
    "TimeConstraint": Option(60.0, Seconds, "Seconds, for calls that do not say"),
    MEMORY_OPTION: MEMORY,
    NETWORK_OPTION: NETWORK,
    "MaxCharacterCount": Option(10_000, Annotated[int, Meta(ge=1)], "Characters of a result"),
    "MaxSessionCount": Option(100, Annotated[int, Meta(ge=0)] | None, "Sessions that are kept"),
    "MaxSessionBytes": Option(1 << 30, Annotated[int, Meta(ge=0)] | None, "Their size in all"),
    "MaxSessionAge": Option(
        "1 month", str | float | None, "Since they were used: seconds, or such as 2 weeks"
    ),
    "ImageExportMethod": Option(
        None, Literal["Local"] | None, "Local: pictures are kept as files too, with links"
    ),
}
"""Of tools that evaluate code in sessions."""


def seconds_for(code: str, given: int | None, options: Mapping[str, Any]) -> float:
    """How long a call may take to evaluate some code, as it says itself or else the options.

    Raises:
        ToolError: when there is no code, or no such time.
    """
    if not code.strip():
        raise ToolError("There is no code to evaluate: `code` is empty")
    if given is None:
        return float(options["TimeConstraint"])
    if given <= 0:
        raise ToolError(f"timeConstraint is {given}, expected a number of seconds above 0")
    if given > LONGEST_SECONDS:
        raise ToolError(f"timeConstraint is {given}, expected at most {LONGEST_SECONDS} (7 days)")
    return float(given)
