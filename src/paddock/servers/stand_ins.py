"""Tools, prompts and resources that are listed as ever, and answer with a reason why not."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NoReturn

from paddock.authoring.entries import build_tool_entry
from paddock.authoring.failures import ToolError
from paddock.authoring.prompt import Prompt, PromptArgument
from paddock.authoring.reading import ResourceReader
from paddock.authoring.rendering import PromptRenderer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.authoring.offering import BaseServer
    from paddock.authoring.resource import Resource, ResourceTemplate
    from paddock.authoring.tool import Tool

    ResourceLike = Resource | ResourceTemplate


def make_failing_items(offering: BaseServer, text: str) -> Iterator[Tool | Prompt | ResourceLike]:
    """A stand-in for everything that a server has, which answers with a text."""

    def refuse(_arguments: dict[str, Any]) -> NoReturn:
        raise ToolError(text)

    def refuse_reading() -> NoReturn:
        raise ToolError(text)

    for tool in offering.tools:
        yield _make_failing_tool(tool, refuse)
    for prompt in offering.prompts:
        yield _make_failing_prompt(prompt, refuse, offering)
    for item in (*offering.resources, *offering.templates):
        if item.handler is not None:
            yield _make_failing_resource(item, refuse_reading, offering)


def _make_failing_tool(tool: Tool, refuse: Callable[..., Any]) -> Tool:
    entry = build_tool_entry(tool)
    stand_in = copy.copy(tool)
    stand_in.handler = refuse
    stand_in.description = entry.get("description")
    stand_in.input_schema = entry["inputSchema"]
    stand_in.output_schema = entry.get("outputSchema")
    stand_in.return_type = stand_in.parameters = None
    return stand_in


def _make_failing_prompt(prompt: Prompt, refuse: Callable[..., Any], offering: BaseServer) -> Prompt:
    rendering = PromptRenderer(prompt, offering)
    stand_in = copy.copy(prompt)
    stand_in.handler, stand_in.messages, stand_in.takes_dictionary = refuse, None, True
    if prompt.description is None:
        stand_in.description = rendering.description or None
    stand_in.arguments = [
        PromptArgument(
            one["name"],
            one.get("description", ""),
            required=one["required"],
            title=one.get("title"),
        )
        for one in rendering.arguments
    ]
    return stand_in


def _make_failing_resource(item: ResourceLike, refuse: Callable[..., Any], offering: BaseServer) -> ResourceLike:
    stand_in = copy.copy(item)
    stand_in.description = ResourceReader(item, offering).description
    stand_in.handler = refuse
    return stand_in
