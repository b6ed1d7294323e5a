"""Parser for the YAML frontmatter of a SKILL.md. Clients receive its values as JSON.

Clients parse the file again and compare the values, so only the core schema of YAML 1.2 applies:
dates and `yes` are strings, and `<<` is an ordinary key. Tags, anchors, aliases and values without
a JSON equivalent are rejected.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamStartEvent,
)

from paddock.authoring.yaml_scalars import is_json_number, parse_number, parse_scalar
from paddock.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]

MAX_NESTING_DEPTH = 20
_SURROGATE = re.compile("[\ud800-\udfff]")


class FrontmatterParser:
    """Event-based parser for a single YAML document of plain values."""

    def __init__(self, text: str, where: str) -> None:
        self._where = where
        self._events: Iterator[Any] = iter(YAML(typ="safe", pure=True).parse(text))

    def parse_document(self) -> object:
        """Return the value of the YAML document, or None if the text contains no document.

        Raises:
            DefinitionError: The text is not plain YAML, or contains multiple documents.
        """
        try:
            event = next(self._events)
            if isinstance(event, StreamStartEvent):
                event = next(self._events)
            if not isinstance(event, DocumentStartEvent):
                return None
            value = self._parse_value(next(self._events), 0)
            end_event, event = next(self._events), next(self._events)
            is_at_end = isinstance(end_event, DocumentEndEvent)
            if not is_at_end or isinstance(event, DocumentStartEvent):
                raise self._create_error(event, "holds several documents")
        except YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
            raise self._create_error(mark, f"is not YAML: {problem}") from None
        except DefinitionError:
            raise
        except Exception:  # noqa: BLE001 - ruamel raises arbitrary errors for some characters and versions
            problem = "it contains an invalid character or an unsupported YAML version"
            raise self._create_error(None, f"is not YAML: {problem}") from None
        return value

    def _parse_value(self, event: Any, depth: int) -> object:
        """Return the value that begins with a parser event, consuming its remaining events.

        Args:
            event: The event that begins a scalar, a sequence or a mapping.
            depth: The number of sequences and mappings that contain the value.

        Raises:
            DefinitionError: The value uses YAML that JSON cannot represent, such as a tag.
        """
        if isinstance(event, AliasEvent) or event.anchor is not None:
            raise self._create_error(
                event, "uses an anchor or an alias", "repeat the value instead"
            )
        if event.tag is not None:
            raise self._create_error(
                event, f"uses the tag {event.tag}", "only plain YAML is supported"
            )
        if depth > MAX_NESTING_DEPTH:
            raise self._create_error(event, f"is nested more than {MAX_NESTING_DEPTH} deep")
        if isinstance(event, ScalarEvent):
            return self._parse_scalar(event)
        if isinstance(event, SequenceStartEvent):
            return list(self._parse_items(depth))
        return self._parse_mapping(depth)

    def _parse_items(self, depth: int) -> Iterator[object]:
        for event in self._events:
            if isinstance(event, SequenceEndEvent):
                return
            yield self._parse_value(event, depth + 1)

    def _parse_mapping(self, depth: int) -> Json:
        """Return a mapping as a dictionary, consuming the events up to its end.

        Args:
            depth: The number of sequences and mappings that contain the mapping.
        """
        mapping: Json = {}
        for event in self._events:
            if isinstance(event, MappingEndEvent):
                break
            if isinstance(event, MappingStartEvent | SequenceStartEvent):
                raise self._create_error(event, "has a key that is not a string")
            # The result is not needed. This call rejects keys that have an anchor or a tag.
            self._parse_value(event, depth)
            if event.value in mapping:
                # YAML forbids duplicate keys, but some parsers use the last value, so server and
                # client could read different values.
                raise self._create_error(event, f"has the key {event.value!r} twice")
            mapping[event.value] = self._parse_value(next(self._events), depth + 1)
        return mapping

    def _parse_scalar(self, event: Any) -> object:
        """Return the value of a scalar, such as `"text"`, `3`, `true` or null.

        Quoted scalars are strings. Other types follow the core schema of YAML 1.2, so `yes` and
        dates are strings too.
        """
        text: str = event.value
        if _SURROGATE.search(text):
            raise self._create_error(
                event,
                "contains half of a surrogate pair",
                "expected text that can be encoded as UTF-8",
            )
        # A quoted scalar is always a string.
        if event.style:
            return text
        number = parse_number(text)
        if number is not None and not is_json_number(number):
            raise self._create_error(event, f"has the number {text[:20]}", "put it in quotes")
        return parse_scalar(text)

    def _create_error(self, source: Any, message: str, hint: str | None = None) -> DefinitionError:
        mark = getattr(source, "start_mark", source)
        line = getattr(mark, "line", None)
        # Marks count from zero, and the block begins on the second line of the file.
        where = self._where if line is None else f"{self._where}:{line + 2}"
        return DefinitionError(f"frontmatter {message}", where=where, hint=hint)
