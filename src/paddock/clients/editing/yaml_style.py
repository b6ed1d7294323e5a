"""How the lines of a YAML text look: indentation, dashes and quotes.

The nearest example counts: what stands in the same collection, then the rest of the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.clients.editing.lines import find_line_start
from paddock.clients.editing.yaml_nodes import walk_nodes
from paddock.clients.editing.yaml_values import YamlBlockStyle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.clients.editing.yaml_nodes import YamlNode


def detect_block_style(root: YamlNode | None, near: YamlNode, text: str) -> YamlBlockStyle:
    """The style for new lines in a collection."""
    nodes = [*walk_nodes(near), *(walk_nodes(root) if root else ())]
    quotes = [node.style for node in nodes if node.style in ("'", '"')]
    is_single = quotes.count("'") > quotes.count('"')
    usual = YamlBlockStyle()
    return YamlBlockStyle(
        mapping_indent=next(_iterate_indents(nodes, "mapping"), usual.mapping_indent),
        dash_indent=next(_iterate_indents(nodes, "sequence"), usual.dash_indent),
        dash_gap=next(_iterate_dash_gaps(nodes, text), usual.dash_gap),
        quote="'" if is_single else usual.quote,
        is_json=near.is_flow and all(node.style == '"' for node in _collect_keys(near)),
    )


def _collect_keys(near: YamlNode) -> list[YamlNode]:
    """The keys of a collection and of its elements; one that has none says nothing."""
    nodes = [near, *(member.value for member in near.members)]
    keys = [member.key for node in nodes for member in node.members if member.key]
    return keys or [near]


def _iterate_indents(nodes: list[YamlNode], kind: str) -> Iterator[int]:
    """How far collections of a kind are indented below their keys."""
    for node in nodes:
        if node.kind == "mapping" and node.is_block:
            for member in node.members:
                if member.value.kind == kind and member.value.is_block:
                    yield member.value.column - node.column


def _iterate_dash_gaps(nodes: list[YamlNode], text: str) -> Iterator[int]:
    """How far elements stand behind their dashes, where they are mappings on the same line."""
    for node in nodes:
        if node.kind == "sequence" and node.is_block:
            for member in node.members:
                value = member.value
                if value.is_block and find_line_start(text, value.start) == find_line_start(
                    text, member.start
                ):
                    yield value.start - member.start
