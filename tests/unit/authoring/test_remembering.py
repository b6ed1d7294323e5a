"""What a decorator has made of a function is found by the function."""

import functools

from paddock import Prompt, Server, Tool
from paddock.authoring.component_registry import find_attached_item


def test_the_last_item_of_each_kind_is_found() -> None:
    def word() -> str:
        return "word"

    server = Server("s")
    server.tool(word, name="first")
    server.prompt(word, name="ask")
    server.tool(word, name="second")
    tool, prompt = find_attached_item(word, Tool), find_attached_item(word, Prompt)
    assert tool is server.tools.get("second")
    assert prompt is server.prompts.get("ask")


def test_a_function_around_a_decorated_one_is_not_taken_for_it() -> None:
    @Server("s").tool(name="inner")
    def inner() -> int:
        return 1

    @functools.wraps(inner)
    def outer() -> int:
        return inner() + 1

    assert find_attached_item(outer, Tool) is None


def test_what_takes_no_notes_can_be_a_tool() -> None:
    server = Server("s")
    server.tool("text".upper, name="shout")
    assert find_attached_item("text".upper, Tool) is None
    assert server.tools.get("shout") is not None
