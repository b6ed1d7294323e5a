"""How the answer to an evaluation reads: single lines, failures, what to cut.

The answer to an evaluation, in reading order: lines of text, and pictures between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paddock.kernels.kernel import EvaluationOutput, EvaluationStatus
from paddock.kernels.wolfram.line_history import IMAGE_PLACEHOLDER
from paddock.wolfram import string

if TYPE_CHECKING:
    from collections.abc import Iterator


MESSAGES_NOTE = (
    "General::messages: Messages were generated during the evaluation that may indicate errors."
)
MIN_TEXT_CHARACTERS = 10
MAX_MESSAGE_CHARACTERS = 1000
"""Characters of one message."""
_ELLIPSIS = " ... "


def truncate_text(text: str, limit: int) -> str:
    """Text with its middle left out, if it is longer than a limit allows."""
    limit = max(limit, MIN_TEXT_CHARACTERS)
    if len(text) <= limit + len(_ELLIPSIS):
        return text
    return f"{text[: limit // 2 - 2]}{_ELLIPSIS}{text[-((limit + 1) // 2 - 3) :]}"


def format_print(line: int, text: str) -> str:
    """Something that was printed."""
    return f"During evaluation of In[{line}]:= {text}"


def format_out_label(line: int, result: str) -> str:
    """What stands before a result: on the same line, or on one of its own."""
    return f"Out[{line}]=\n" if "\n" in result else f"Out[{line}]= "


def format_failure(tag: str, message: str, **facts: str) -> str:
    """A `Failure` in InputForm; `facts` are InputForm too."""
    parts = {
        "MessageTemplate": string(message).text,
        "MessageParameters": "<||>",
        **facts,
    }
    inside = ", ".join(f'"{name}" -> {value}' for name, value in parts.items())
    return f'Failure["{tag}", <|{inside}|>]'


MAX_OUTPUTS = 10
"""Prints and messages before further messages are left out."""
DEFAULT_RESULT_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class AnswerText:
    """Text of an answer."""

    text: str


@dataclass(frozen=True, slots=True)
class AnswerImage:
    """A picture in an answer; `label` is what stands there for those who cannot see it."""

    data: bytes
    mime: str
    label: str = "-Graphics-"


AnswerItem = AnswerText | AnswerImage


@dataclass(frozen=True, slots=True)
class LineEvaluation:
    """What came of the code of one line.

    `result` is the value of the last expression in InputForm, None when there is none: after
    `Quit[]`, or when the call was given up. `outputs` are prints, messages and pictures in their
    order. `notes` is what the user must be told about the kernel, or about the code.
    """

    line: int
    status: EvaluationStatus
    result: str | None
    outputs: Sequence[EvaluationOutput] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def messages(self) -> list[str]:
        """The messages, as `Symbol::tag: text`."""
        return [output.text for output in self.outputs if output.kind == "message"]

    @property
    def prints(self) -> list[str]:
        """What was printed."""
        return [output.text for output in self.outputs if output.kind == "print"]

    def to_items(self, limit: int = DEFAULT_RESULT_CHARACTERS) -> list[AnswerItem]:
        """The whole answer, with a result of at most `limit` characters."""
        return build_answer_items(self, limit)


def build_answer_items(evaluation: LineEvaluation, limit: int) -> list[AnswerItem]:
    """What a reader sees of an evaluation."""
    page = _AnswerBuilder()
    mine = _select_result_images(evaluation)
    early = list(evaluation.outputs)
    for picture in mine:
        early.remove(picture)
    for line in _iter_output_lines(evaluation.line, early, limit):
        if isinstance(line, AnswerImage):
            page.add_image(line)
        else:
            page.add_text(f"{line}\n")
    if evaluation.messages and evaluation.status != "quit":
        page.add_text(f"{MESSAGES_NOTE}\n")
    if evaluation.result is not None:
        _add_result(page, evaluation.line, truncate_text(evaluation.result, limit), mine)
    return page.build()


class _AnswerBuilder:
    """Text and pictures in the order in which they were put there."""

    def __init__(self) -> None:
        self._items: list[AnswerItem] = []
        self._text: list[str] = []

    def add_text(self, text: str) -> None:
        self._text.append(text)

    def add_image(self, picture: AnswerImage) -> None:
        self._flush_text()
        self._items.append(picture)

    def _flush_text(self) -> None:
        text = "".join(self._text)
        self._text = []
        if text:
            self._items.append(AnswerText(text))

    def build(self) -> list[AnswerItem]:
        """All of it, without blanks at both ends."""
        self._flush_text()
        items = self._items
        if items and isinstance(items[0], AnswerText):
            items[0] = AnswerText(items[0].text.lstrip())
        if items and isinstance(items[-1], AnswerText):
            items[-1] = AnswerText(items[-1].text.rstrip())
        return items


def _iter_output_lines(
    line: int, outputs: list[EvaluationOutput], limit: int
) -> Iterator[str | AnswerImage]:
    """The lines before the result. What is printed has the same room as the result."""
    room, left_out = limit, 0
    for place, output in enumerate(outputs):
        if output.kind == "picture":
            yield AnswerImage(output.data, output.mime)
        elif output.kind == "message":
            if place < MAX_OUTPUTS:
                yield truncate_text(output.text, MAX_MESSAGE_CHARACTERS)
        elif room > 0:
            text = truncate_text(output.text, room)
            room -= len(text)
            yield format_print(line, text)
        else:
            left_out += 1
    if left_out:
        yield format_print(line, f"... ({left_out} more left out)")


def _select_result_images(evaluation: LineEvaluation) -> list[EvaluationOutput]:
    """The pictures that belong to the result: as many of the last ones as it has places for."""
    places = len(IMAGE_PLACEHOLDER.findall(evaluation.result or ""))
    pictures = [output for output in evaluation.outputs if output.kind == "picture"]
    return pictures[-places:] if places else []


def _add_result(
    page: _AnswerBuilder, line: int, result: str, outputs: list[EvaluationOutput]
) -> None:
    places = list(IMAGE_PLACEHOLDER.finditer(result))
    page.add_text(f"\n{format_out_label(line, result)}")
    if len(places) != len(outputs):
        page.add_text(result)
        for output in outputs:
            page.add_image(AnswerImage(output.data, output.mime, ""))
        return
    at = 0
    for place, output in zip(places, outputs, strict=True):
        page.add_text(result[at : place.start()])
        page.add_image(AnswerImage(output.data, output.mime, place[0]))
        at = place.end()
    page.add_text(result[at:])
