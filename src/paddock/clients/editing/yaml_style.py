"""How the lines of a YAML text look: indentation, dashes and quotes.

The nearest example counts: what stands in the same collection, then the rest of the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.clients.editing.lines import line_start
from paddock.clients.editing.yaml_nodes import walk
from paddock.clients.editing.yaml_values import BlockStyle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.clients.editing.yaml_nodes import Node


def style_of(root: Node | None, near: Node, text: str) -> BlockStyle:
    """The style for new lines in a collection."""
    nodes = [*walk(near), *(walk(root) if root else ())]
    quotes = [node.style for node in nodes if node.style in ("'", '"')]
    is_single = quotes.count("'") > quotes.count('"')
    usual = BlockStyle()
    return BlockStyle(
        step=next(_steps(nodes, "mapping"), usual.step),
        dash=next(_steps(nodes, "sequence"), usual.dash),
        gap=next(_gaps(nodes, text), usual.gap),
        quote="'" if is_single else usual.quote,
        is_json=near.is_flow and all(node.style == '"' for node in _keys(near)),
    )


def _keys(near: Node) -> list[Node]:
    """The keys of a collection and of its elements; one that has none says nothing."""
    nodes = [near, *(member.value for member in near.members)]
    keys = [member.key for node in nodes for member in node.members if member.key]
    return keys or [near]


def _steps(nodes: list[Node], kind: str) -> Iterator[int]:
    """How far collections of a kind are indented below their keys."""
    for node in nodes:
        if node.kind == "mapping" and node.is_block:
            for member in node.members:
                if member.value.kind == kind and member.value.is_block:
                    yield member.value.column - node.column


def _gaps(nodes: list[Node], text: str) -> Iterator[int]:
    """How far elements stand behind their dashes, where they are mappings on the same line."""
    for node in nodes:
        if node.kind == "sequence" and node.is_block:
            for member in node.members:
                value = member.value
                if value.is_block and line_start(text, value.start) == line_start(
                    text, member.start
                ):
                    yield value.start - member.start
