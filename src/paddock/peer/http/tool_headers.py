"""Which arguments of which tools are repeated in headers, as learnt from the server's lists."""

from __future__ import annotations

import logging

import msgspec
from msgspec import Raw, Struct, field

from paddock.peer.errors import AnswerError
from paddock.protocol.mirroring import MirroredParameter, mirrored_headers, mirrored_parameters


class _Tool(Struct, rename="camel"):
    name: str
    input_schema: dict[str, object] = field(default_factory=dict)


class _Tools(Struct):
    tools: list[Raw] = field(default_factory=list)


_decode_tools = msgspec.json.Decoder(_Tools).decode
_decode_tool = msgspec.json.Decoder(_Tool).decode


class ToolHeaders:
    """What is known of one server's tools."""

    def __init__(self) -> None:
        self._known: dict[str, list[MirroredParameter] | str] = {}

    def knows(self, name: str) -> bool:
        """Whether a tool has been listed."""
        return name in self._known

    def forget(self) -> None:
        """The server does not agree with what we know."""
        self._known = {}

    def learn(self, result: Raw) -> None:
        """Take note of a page of `tools/list`."""
        try:
            listed = _decode_tools(result)
        except msgspec.DecodeError:
            return  # who asked for the list will see what is wrong with it
        for raw in listed.tools:
            try:
                tool = _decode_tool(raw)
            except msgspec.DecodeError:
                continue
            try:
                self._known[tool.name] = mirrored_parameters(tool.input_schema)
            except ValueError as fault:
                if self._known.get(tool.name) != str(fault):
                    text = "The tool %s cannot be called, because its schema is wrong: %s"
                    logging.getLogger("paddock").warning(text, tool.name, fault)
                self._known[tool.name] = str(fault)

    def refusal(self, name: str) -> str | None:
        """Why a tool cannot be called, if it cannot."""
        known = self._known.get(name)
        return known if isinstance(known, str) else None

    def headers(self, name: str, arguments: dict[str, object]) -> dict[str, str]:
        """The headers that repeat the arguments of a call.

        Raises:
            AnswerError: when the tool's schema says what the protocol does not allow.
        """
        known = self._known.get(name, [])
        if isinstance(known, str):
            raise AnswerError(f"The tool {name} cannot be called, its schema is wrong: {known}")
        return mirrored_headers(known, arguments)
