"""The answer to an evaluation, in reading order: lines of text, and pictures between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paddock.kernels.outcome import Output, Status
from paddock.kernels.wolfram_session.history import PICTURE
from paddock.kernels.wolfram_session.texts import (
    MANY_MESSAGES,
    MESSAGE_LIMIT,
    out_label,
    print_line,
    truncated,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_OUTPUTS = 10
"""Prints and messages before further messages are left out."""
DEFAULT_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class Words:
    """Text of an answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in an answer; `label` is what stands there for those who cannot see it."""

    data: bytes
    mime: str
    label: str = "-Graphics-"


Item = Words | Picture


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What came of the code of one line.

    `result` is the value of the last expression in InputForm, None when there is none: after
    `Quit[]`, or when the call was given up. `outputs` are prints, messages and pictures in their
    order. `notes` is what the user must be told about the kernel, or about the code.
    """

    line: int
    status: Status
    result: str | None
    outputs: Sequence[Output] = ()
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

    def items(self, limit: int = DEFAULT_LIMIT) -> list[Item]:
        """The whole answer, with a result of at most `limit` characters."""
        return answer_items(self, limit)


def answer_items(evaluation: Evaluation, limit: int) -> list[Item]:
    """What a reader sees of an evaluation."""
    page = _Page()
    mine = _pictures_of_result(evaluation)
    early = list(evaluation.outputs)
    for picture in mine:
        early.remove(picture)
    for line in _packets(evaluation.line, early, limit):
        if isinstance(line, Picture):
            page.show(line)
        else:
            page.write(f"{line}\n")
    if evaluation.messages and evaluation.status != "quit":
        page.write(f"{MANY_MESSAGES}\n")
    if evaluation.result is not None:
        _show_result(page, evaluation.line, truncated(evaluation.result, limit), mine)
    return page.finished()


class _Page:
    """Text and pictures in the order in which they were put there."""

    def __init__(self) -> None:
        self._items: list[Item] = []
        self._text: list[str] = []

    def write(self, text: str) -> None:
        self._text.append(text)

    def show(self, picture: Picture) -> None:
        self._flush()
        self._items.append(picture)

    def _flush(self) -> None:
        text = "".join(self._text)
        self._text = []
        if text:
            self._items.append(Words(text))

    def finished(self) -> list[Item]:
        """All of it, without blanks at both ends."""
        self._flush()
        items = self._items
        if items and isinstance(items[0], Words):
            items[0] = Words(items[0].text.lstrip())
        if items and isinstance(items[-1], Words):
            items[-1] = Words(items[-1].text.rstrip())
        return items


def _packets(line: int, outputs: list[Output], limit: int) -> Iterator[str | Picture]:
    """The lines before the result. What is printed has the same room as the result."""
    room, left_out = limit, 0
    for place, output in enumerate(outputs):
        if output.kind == "picture":
            yield Picture(output.data, output.mime)
        elif output.kind == "message":
            if place < MOST_OUTPUTS:
                yield truncated(output.text, MESSAGE_LIMIT)
        elif room > 0:
            text = truncated(output.text, room)
            room -= len(text)
            yield print_line(line, text)
        else:
            left_out += 1
    if left_out:
        yield print_line(line, f"... ({left_out} more left out)")


def _pictures_of_result(evaluation: Evaluation) -> list[Output]:
    """The pictures that belong to the result: as many of the last ones as it has places for."""
    places = len(PICTURE.findall(evaluation.result or ""))
    pictures = [output for output in evaluation.outputs if output.kind == "picture"]
    return pictures[-places:] if places else []


def _show_result(page: _Page, line: int, result: str, outputs: list[Output]) -> None:
    places = list(PICTURE.finditer(result))
    page.write(f"\n{out_label(line, result)}")
    if len(places) != len(outputs):
        page.write(result)
        for output in outputs:
            page.show(Picture(output.data, output.mime, ""))
        return
    at = 0
    for place, output in zip(places, outputs, strict=True):
        page.write(result[at : place.start()])
        page.show(Picture(output.data, output.mime, place[0]))
        at = place.end()
    page.write(result[at:])
