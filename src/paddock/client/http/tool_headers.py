"""Which arguments of which tools are repeated in headers, as learnt from the server's lists."""

from __future__ import annotations

import logging

import msgspec
from msgspec import Raw, Struct, field

from paddock.authoring.header_parameters import HeaderParameter, find_header_parameters
from paddock.client.errors import AnswerError
from paddock.errors import DefinitionError
from paddock.protocol.http_headers import encode_header_value


class _ListedTool(Struct, rename="camel"):
    name: str
    input_schema: dict[str, object] = field(default_factory=dict)


class _ToolPage(Struct):
    tools: list[Raw] = field(default_factory=list)


_decode_tool_page = msgspec.json.Decoder(_ToolPage).decode
_decode_tool = msgspec.json.Decoder(_ListedTool).decode


class ToolHeaderRegistry:
    """What is known of one server's tools."""

    def __init__(self) -> None:
        self._headers_by_tool: dict[str, tuple[HeaderParameter, ...] | str] = {}

    def has_tool(self, name: str) -> bool:
        """Whether a tool has been listed."""
        return name in self._headers_by_tool

    def clear(self) -> None:
        """The server does not agree with what we know."""
        self._headers_by_tool = {}

    def add_tool_page(self, result: Raw) -> None:
        """Take note of a page of `tools/list`."""
        try:
            page = _decode_tool_page(result)
        except msgspec.DecodeError:
            return  # who asked for the list will see what is wrong with it
        for raw_tool in page.tools:
            try:
                tool = _decode_tool(raw_tool)
            except msgspec.DecodeError:
                continue
            try:
                self._headers_by_tool[tool.name] = find_header_parameters(
                    tool.input_schema, tool.name
                )
            except DefinitionError as error:
                if self._headers_by_tool.get(tool.name) != error.message:
                    message = "The tool %s cannot be called, because its schema is wrong: %s"
                    logging.getLogger("paddock").warning(message, tool.name, error.message)
                self._headers_by_tool[tool.name] = error.message

    def make_headers(self, name: str, arguments: dict[str, object]) -> dict[str, str]:
        """The headers that repeat the arguments of a call.

        Raises:
            AnswerError: when the tool's schema says what the protocol does not allow.
        """
        parameters = self._headers_by_tool.get(name, ())
        if isinstance(parameters, str):
            raise AnswerError(
                f"The tool {name} cannot be called, its schema is wrong: {parameters}"
            )
        values = {
            mirror.header: _format_argument(_find_argument(mirror.path, arguments))
            for mirror in parameters
        }
        return {
            name: encode_header_value(message)
            for name, message in values.items()
            if message is not None
        }


def _find_argument(path: tuple[str, ...], arguments: dict[str, object]) -> object:
    value: object = arguments
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _format_argument(value: object) -> str | None:
    """An argument as a header says it; None for one that no header repeats."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, str | int) else None
