"""The tool arguments that calls repeat in HTTP headers, learned from the server's tool lists."""

from __future__ import annotations

import logging

import msgspec
from msgspec import Raw, Struct, field

from paddock.authoring.header_parameters import (
    HeaderParameter,
    find_header_parameters,
    get_argument,
)
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
    """The header annotations of one server's tools.

    A tool with invalid annotations is stored with the error message, so that calls can report it.
    """

    def __init__(self) -> None:
        self._headers_by_tool: dict[str, tuple[HeaderParameter, ...] | str] = {}

    def has_tool(self, name: str) -> bool:
        """Return whether the tool was listed."""
        return name in self._headers_by_tool

    def clear(self) -> None:
        """Forget all tools, because the server has rejected headers based on them."""
        self._headers_by_tool = {}

    def add_tool_page(self, result: Raw) -> None:
        """Record which arguments the tools in a `tools/list` result repeat in HTTP headers.

        Args:
            result: The undecoded result, which contains one page of the list.
        """
        try:
            page = _decode_tool_page(result)
        except msgspec.DecodeError:
            return  # The caller of tools/list reports the malformed result.
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
                    message = "The tool %s cannot be called because its schema is invalid: %s"
                    logging.getLogger("paddock").warning(message, tool.name, error.message)
                self._headers_by_tool[tool.name] = error.message

    def make_headers(self, name: str, arguments: dict[str, object]) -> dict[str, str]:
        """Return the HTTP headers that repeat a tool call's annotated arguments.

        Args:
            name: The name of the tool.
            arguments: The arguments of the call.

        Raises:
            AnswerError: The tool's schema is invalid.
        """
        parameters = self._headers_by_tool.get(name, ())
        if isinstance(parameters, str):
            raise AnswerError(
                f"The tool {name} cannot be called because its schema is invalid: {parameters}"
            )
        values = {
            parameter.header: _format_argument(get_argument(arguments, parameter.path))
            for parameter in parameters
        }
        return {
            header: encode_header_value(value)
            for header, value in values.items()
            if value is not None
        }


def _format_argument(value: object) -> str | None:
    """Format an argument as a header value. Return None for types that are not repeated."""
    if isinstance(value, bool):  # Checked first, because bool is a subclass of int.
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, str | int) else None
