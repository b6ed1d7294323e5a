"""Presentation of an evaluation: labelled, truncated text and images in reading order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.kernels.kernel import OutputImage
from paddock.kernels.wolfram.line_history import IMAGE_PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.kernels.kernel import EvaluationOutput, EvaluationResult, OutputItem

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
IMAGE_LABEL = "-Graphics-"
"""Text that represents an image among the outputs for clients that cannot show it."""


def truncate_text(text: str, limit: int) -> str:
    """Remove the middle of a text if it is longer than `limit` characters."""
    limit = max(limit, MIN_TEXT_CHARACTERS)
    if len(text) <= limit + len(_ELLIPSIS):
        return text
    return f"{text[: limit // 2 - 2]}{_ELLIPSIS}{text[-((limit + 1) // 2 - 3) :]}"


def format_print(line: int, text: str) -> str:
    """Format printed text with its line's label."""
    return f"During evaluation of In[{line}]:= {text}"


def format_out_label(line: int, result: str) -> str:
    """Return the label of a result, with a line break if the result has multiple lines."""
    return f"Out[{line}]=\n" if "\n" in result else f"Out[{line}]= "


def build_answer_items(
    result: EvaluationResult, line: int, max_characters: int = DEFAULT_RESULT_CHARACTERS
) -> list[OutputItem]:
    """Return the texts and images that present the result of an input line, in reading order.

    Printed texts, messages and images come first, followed by the value, as in `Out[3]= 42`. Images
    that are part of the value are shown within it. Adjacent texts are joined.

    Args:
        result: The result of all expressions of the line.
        line: The number of the line.
        max_characters: The maximum length of the value, and the maximum total length of all printed
            texts.
    """
    result_images = _select_result_images(result)
    outputs = list(result.outputs)
    # Images that are part of the value must not be shown twice.
    for image in result_images:
        outputs.remove(image)
    items = [*_iter_output_items(line, outputs, max_characters)]
    if result.messages and result.status != "quit":
        items.append(f"{MESSAGES_NOTE}\n")
    if result.result is not None:
        text = truncate_text(result.result, max_characters)
        items.append(f"\n{format_out_label(line, text)}")
        items += _iter_result_items(text, result_images)
    return _join_texts(items)


def _join_texts(items: list[OutputItem]) -> list[OutputItem]:
    """Join adjacent texts, and remove white space at the beginning and the end."""
    joined: list[OutputItem] = []
    for item in items:
        previous = joined[-1] if joined else None
        if isinstance(item, str) and isinstance(previous, str):
            joined[-1] = previous + item
        elif item:
            joined.append(item)
    if joined and isinstance(joined[0], str):
        joined[0] = joined[0].lstrip()
    if joined and isinstance(joined[-1], str):
        joined[-1] = joined[-1].rstrip()
    return joined


def _iter_output_items(
    line: int, outputs: list[EvaluationOutput], max_characters: int
) -> Iterator[OutputItem]:
    """Yield the printed texts, messages and images of an evaluation, without its value.

    Args:
        line: The number of the input line, for labels such as `During evaluation of In[3]`.
        outputs: The outputs of the evaluation.
        max_characters: The maximum total length of all printed texts.
    """
    remaining_characters, omitted_count = max_characters, 0
    for index, output in enumerate(outputs):
        if output.kind == "picture":
            yield OutputImage(output.data, output.mime, IMAGE_LABEL)
        elif output.kind == "message":
            if index < MAX_OUTPUTS:
                yield f"{truncate_text(output.text, MAX_MESSAGE_CHARACTERS)}\n"
        elif remaining_characters > 0:
            text = truncate_text(output.text, remaining_characters)
            remaining_characters -= len(text)
            yield f"{format_print(line, text)}\n"
        else:
            omitted_count += 1
    if omitted_count:
        yield f"{format_print(line, f'... ({omitted_count} more left out)')}\n"


def _select_result_images(result: EvaluationResult) -> list[EvaluationOutput]:
    """Return the images that belong to the value of an evaluation.

    The value's text contains a placeholder such as `-Graphics-` for each of them. They are the
    evaluation's last images, because the value is formatted after everything else.
    """
    placeholder_count = len(IMAGE_PLACEHOLDER.findall(result.result or ""))
    images = [output for output in result.outputs if output.kind == "picture"]
    return images[-placeholder_count:] if placeholder_count else []


def _iter_result_items(text: str, images: list[EvaluationOutput]) -> Iterator[OutputItem]:
    """Yield a value's text, with images instead of placeholders such as `-Graphics-`.

    Args:
        text: The text of the value, which may have been truncated.
        images: The images that belong to the value.
    """
    placeholders = list(IMAGE_PLACEHOLDER.finditer(text))
    # The counts differ if the text was truncated, or if an image exceeded the output limit. In that
    # case, the images follow the text. They need no label, because the text shows the placeholders.
    if len(placeholders) != len(images):
        yield text
        yield from (OutputImage(image.data, image.mime, "") for image in images)
        return
    position = 0
    for placeholder, image in zip(placeholders, images, strict=True):
        yield text[position : placeholder.start()]
        yield OutputImage(image.data, image.mime, placeholder[0])
        position = placeholder.end()
    yield text[position:]
