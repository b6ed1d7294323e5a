"""What a Jupyter kernel publishes during an evaluation, as outputs and a value."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING

from paddock.kernels.outcome import Output

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.kernels.jupyter.link import Message

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_PICTURES = ("image/png", "image/jpeg", "image/svg+xml")
_TEXTS = ("text/markdown", "text/latex", "text/plain")


class Published:
    """Collects outputs up to a limit of bytes."""

    def __init__(self, limit: int) -> None:
        self.result: str | None = None
        self.is_failure = False
        self.dropped = 0
        self._limit = limit
        self._size = 0
        self._outputs: list[Output] = []

    @property
    def outputs(self) -> tuple[Output, ...]:
        """All of them, with prints that follow each other as one."""
        joined: list[Output] = []
        for output in self._outputs:
            if joined and joined[-1].kind == output.kind == "print":
                joined[-1] = Output("print", joined[-1].text + output.text)
            else:
                joined.append(output)
        return tuple(
            Output("print", each.text.removesuffix("\n")) if each.kind == "print" else each
            for each in joined
        )

    def take(self, message: Message) -> bool:
        """Take a message that follows from the request; say whether it is the last one."""
        content = message["content"]
        match message["header"]["msg_type"]:
            case "status":
                return bool(content.get("execution_state") == "idle")
            case "stream":
                self._add(Output("print", str(content.get("text", ""))))
            case "display_data":
                for output in _shown(content.get("data", {})):
                    self._add(output)
            case "execute_result":
                self._take_result(content.get("data", {}))
            case "error":
                self.is_failure = True
                lines = content.get("traceback") or [
                    f"{content.get('ename')}: {content.get('evalue')}"
                ]
                self._add(Output("message", _COLOURS.sub("", "\n".join(lines)).rstrip()))
        return False

    def _take_result(self, data: dict[str, object]) -> None:
        for output in _shown(data):
            if output.kind == "picture":
                self._add(output)
            else:
                self.result = output.text

    def _add(self, output: Output) -> None:
        size = len(output.text) + len(output.data)
        room = self._limit - self._size
        if size > room:
            self.dropped += size - (max(0, room) if output.kind == "print" else 0)
            output = Output("print", output.text[: max(0, room)] if output.kind == "print" else "")
        self._size += len(output.text) + len(output.data)
        if output.text or output.data:
            self._outputs.append(output)


def _shown(data: dict[str, object]) -> Iterator[Output]:
    """The best that there is of a value: a picture, else a text."""
    for mime in _PICTURES:
        content = data.get(mime)
        if isinstance(content, str):
            decoded = content.encode() if mime == "image/svg+xml" else _decoded(content)
            if decoded:
                yield Output("picture", data=decoded, mime=mime)
                return
    for mime in _TEXTS:
        text = data.get(mime)
        if isinstance(text, str):
            yield Output("print", text if text.endswith("\n") else f"{text}\n")
            return


def _decoded(content: str) -> bytes:
    try:
        return base64.b64decode(content)
    except (binascii.Error, ValueError):
        return b""
