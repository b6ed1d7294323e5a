"""Lists of items, before their elements are looked at."""

import pytest

from paddock import Tool
from paddock.extensions.errors import (
    PromptDataError,
    PromptsSpecificationError,
    SpecificationError,
    ToolsSpecificationError,
)
from paddock.extensions.properties import read_item_list, reject_prompt_data


def test_one_element_alone_is_a_list_of_one() -> None:
    tool = Tool("t", print)
    assert read_item_list("tools", "Plot", "here") == ["Plot"]
    assert read_item_list("tools", tool, "here") == [tool]


def test_lists_in_lists_are_unfolded() -> None:
    inline = {"name": "x"}
    assert read_item_list("prompts", ["A", ["B", (inline,)]], "here") == ["A", "B", inline]


def test_nothing_is_an_empty_list() -> None:
    assert read_item_list("tools", None, "here") == []
    assert read_item_list("tools", [], "here") == []


@pytest.mark.parametrize("value", [{"name": "x"}, 5, True, b"x"])
def test_anything_else_is_not_a_list(value: object) -> None:
    errors: list[type[SpecificationError]] = [ToolsSpecificationError, PromptsSpecificationError]
    for kind, error in zip(("tools", "prompts"), errors, strict=True):
        with pytest.raises(error) as raised:
            read_item_list(kind, value, "here")  # type: ignore[arg-type]  # one of the literals
        words = {"tools": "Invalid tools", "prompts": "Invalid MCP prompts"}[kind]
        assert raised.value.message == f"{words} specification: {value!r}"
        assert raised.value.where == "here"


@pytest.mark.parametrize("key", ["PromptData", "promptData", "prompt_data"])
def test_prompt_data_is_refused_in_every_spelling(key: str) -> None:
    with pytest.raises(PromptDataError) as raised:
        reject_prompt_data({"Tools": [], key: []}, "here")
    assert raised.value.message == (
        'The "PromptData" property is deprecated. Use "MCPPrompts" instead.'
    )
    reject_prompt_data({"Tools": [], "MCPPrompts": []}, "here")
