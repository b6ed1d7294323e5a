"""What a Jupyter kernel publishes during an evaluation, as outputs and a value."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING

from paddock.kernels.outcome import EvaluationOutput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.kernels.jupyter.link import JupyterMessage

_ANSI_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_IMAGE_TYPES = ("image/png", "image/jpeg", "image/svg+xml")
_TEXT_TYPES = ("text/markdown", "text/latex", "text/plain")


class IopubOutputs:
    """Collects outputs up to a limit of bytes."""

    def __init__(self, limit: int) -> None:
        self.result: str | None = None
        self.is_failure = False
        self.dropped_bytes = 0
        self._limit_bytes = limit
        self._size_bytes = 0
        self._outputs: list[EvaluationOutput] = []

    @property
    def outputs(self) -> tuple[EvaluationOutput, ...]:
        """All of them, with prints that follow each other as one."""
        joined: list[EvaluationOutput] = []
        for output in self._outputs:
            if joined and joined[-1].kind == output.kind == "print":
                joined[-1] = EvaluationOutput("print", joined[-1].text + output.text)
            else:
                joined.append(output)
        return tuple(
            EvaluationOutput("print", each.text.removesuffix("\n")) if each.kind == "print" else each
            for each in joined
        )

    def handle_message(self, message: JupyterMessage) -> bool:
        """Take a message that follows from the request; say whether it is the last one."""
        content = message["content"]
        match message["header"]["msg_type"]:
            case "status":
                return bool(content.get("execution_state") == "idle")
            case "stream":
                self._add_output(EvaluationOutput("print", str(content.get("text", ""))))
            case "display_data":
                for output in _iter_outputs(content.get("data", {})):
                    self._add_output(output)
            case "execute_result":
                self._handle_result(content.get("data", {}))
            case "error":
                self.is_failure = True
                lines = content.get("traceback") or [
                    f"{content.get('ename')}: {content.get('evalue')}"
                ]
                self._add_output(EvaluationOutput("message", _ANSI_ESCAPES.sub("", "\n".join(lines)).rstrip()))
        return False

    def _handle_result(self, data: dict[str, object]) -> None:
        for output in _iter_outputs(data):
            if output.kind == "picture":
                self._add_output(output)
            else:
                self.result = output.text

    def _add_output(self, output: EvaluationOutput) -> None:
        size = len(output.text) + len(output.data)
        room = self._limit_bytes - self._size_bytes
        if size > room:
            self.dropped_bytes += size - (max(0, room) if output.kind == "print" else 0)
            output = EvaluationOutput("print", output.text[: max(0, room)] if output.kind == "print" else "")
        self._size_bytes += len(output.text) + len(output.data)
        if output.text or output.data:
            self._outputs.append(output)


def _iter_outputs(data: dict[str, object]) -> Iterator[EvaluationOutput]:
    """The best that there is of a value: a picture, else a text."""
    for mime in _IMAGE_TYPES:
        content = data.get(mime)
        if isinstance(content, str):
            decoded = content.encode() if mime == "image/svg+xml" else _decode_base64(content)
            if decoded:
                yield EvaluationOutput("picture", data=decoded, mime=mime)
                return
    for mime in _TEXT_TYPES:
        text = data.get(mime)
        if isinstance(text, str):
            yield EvaluationOutput("print", text if text.endswith("\n") else f"{text}\n")
            return


def _decode_base64(content: str) -> bytes:
    try:
        return base64.b64decode(content)
    except (binascii.Error, ValueError):
        return b""
