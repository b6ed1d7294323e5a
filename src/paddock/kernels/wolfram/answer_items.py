"""Presentation of an evaluation: labelled text and images in reading order, truncated."""

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
"""Longer messages are truncated."""
_ELLIPSIS = " ... "
MAX_OUTPUTS = 10
"""Messages after this number of outputs are omitted."""
DEFAULT_RESULT_CHARACTERS = 10_000


def truncate_text(text: str, limit: int) -> str:
    """Remove the middle of a text that is longer than `limit` characters."""
    limit = max(limit, MIN_TEXT_CHARACTERS)
    if len(text) <= limit + len(_ELLIPSIS):
        return text
    return f"{text[: limit // 2 - 2]}{_ELLIPSIS}{text[-((limit + 1) // 2 - 3) :]}"


def format_print(line: int, text: str) -> str:
    """Format printed text with the label of its line."""
    return f"During evaluation of In[{line}]:= {text}"


def format_out_label(line: int, result: str) -> str:
    """Return the label of a result, with a line break if the result has several lines."""
    return f"Out[{line}]=\n" if "\n" in result else f"Out[{line}]= "


def format_failure(tag: str, message: str, **parameters: str) -> str:
    """Format a `Failure` expression in InputForm.

    The parameters must be in InputForm as well.
    """
    parts = {
        "MessageTemplate": string(message).text,
        "MessageParameters": "<||>",
        **parameters,
    }
    association = ", ".join(f'"{name}" -> {value}' for name, value in parts.items())
    return f'Failure["{tag}", <|{association}|>]'


@dataclass(frozen=True, slots=True)
class AnswerText:
    """Text of an answer."""

    text: str


@dataclass(frozen=True, slots=True)
class AnswerImage:
    """Image of an answer, with a text label for clients that cannot show it."""

    data: bytes
    mime: str
    label: str = "-Graphics-"


AnswerItem = AnswerText | AnswerImage


@dataclass(frozen=True, slots=True)
class LineEvaluation:
    """Result of evaluating the code of one input line.

    Attributes:
        line: The number of the line.
        status: How the evaluation ended.
        result: The value of the last expression in InputForm, or None without a value, as after
            `Quit[]` or a cancellation.
        outputs: Prints, messages and images in order of appearance.
        notes: Information for the user about the kernel or the code.
        seconds: Time spent in the engine.
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
        """The printed texts."""
        return [output.text for output in self.outputs if output.kind == "print"]

    def to_items(self, limit: int = DEFAULT_RESULT_CHARACTERS) -> list[AnswerItem]:
        """Return the answer, with a result of at most `limit` characters."""
        return build_answer_items(self, limit)


def build_answer_items(evaluation: LineEvaluation, limit: int) -> list[AnswerItem]:
    """Build the answer from an evaluation.

    Outputs come first, in their order, and the result last. Images of the result are shown within
    it.
    """
    answer = _AnswerBuilder()
    result_images = _select_result_images(evaluation)
    outputs = list(evaluation.outputs)
    # These images are part of the result, and must not be shown twice.
    for image in result_images:
        outputs.remove(image)
    for line in _iter_output_lines(evaluation.line, outputs, limit):
        if isinstance(line, AnswerImage):
            answer.add_image(line)
        else:
            answer.add_text(f"{line}\n")
    if evaluation.messages and evaluation.status != "quit":
        answer.add_text(f"{MESSAGES_NOTE}\n")
    if evaluation.result is not None:
        _add_result(answer, evaluation.line, truncate_text(evaluation.result, limit), result_images)
    return answer.build()


class _AnswerBuilder:
    """Builder that joins texts and inserts images between them."""

    def __init__(self) -> None:
        self._items: list[AnswerItem] = []
        self._text: list[str] = []

    def add_text(self, text: str) -> None:
        self._text.append(text)

    def add_image(self, image: AnswerImage) -> None:
        self._flush_text()
        self._items.append(image)

    def _flush_text(self) -> None:
        text = "".join(self._text)
        self._text = []
        if text:
            self._items.append(AnswerText(text))

    def build(self) -> list[AnswerItem]:
        """Return all items, without white space at the beginning and the end."""
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
    """Yield the outputs before the result. Prints together have the same limit as the result."""
    remaining, omitted_count = limit, 0
    for index, output in enumerate(outputs):
        if output.kind == "picture":
            yield AnswerImage(output.data, output.mime)
        elif output.kind == "message":
            if index < MAX_OUTPUTS:
                yield truncate_text(output.text, MAX_MESSAGE_CHARACTERS)
        elif remaining > 0:
            text = truncate_text(output.text, remaining)
            remaining -= len(text)
            yield format_print(line, text)
        else:
            omitted_count += 1
    if omitted_count:
        yield format_print(line, f"... ({omitted_count} more left out)")


def _select_result_images(evaluation: LineEvaluation) -> list[EvaluationOutput]:
    """Return the images that belong to the result.

    They are the last ones, one for each placeholder in its text.
    """
    count = len(IMAGE_PLACEHOLDER.findall(evaluation.result or ""))
    images = [output for output in evaluation.outputs if output.kind == "picture"]
    return images[-count:] if count else []


def _add_result(
    answer: _AnswerBuilder, line: int, result: str, images: list[EvaluationOutput]
) -> None:
    """Add the result to the answer, with its images at the position of their placeholders."""
    placeholders = list(IMAGE_PLACEHOLDER.finditer(result))
    answer.add_text(f"\n{format_out_label(line, result)}")
    # The counts differ if the result was truncated, or if an image exceeded the output limit.
    if len(placeholders) != len(images):
        answer.add_text(result)
        for image in images:
            answer.add_image(AnswerImage(image.data, image.mime, ""))
        return
    position = 0
    for placeholder, image in zip(placeholders, images, strict=True):
        answer.add_text(result[position : placeholder.start()])
        answer.add_image(AnswerImage(image.data, image.mime, placeholder[0]))
        position = placeholder.end()
    answer.add_text(result[position:])
