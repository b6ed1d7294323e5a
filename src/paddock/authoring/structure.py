"""What a tool declares about its results, and whether a result keeps to it."""

from __future__ import annotations

import typing
from typing import Any

import msgspec

from paddock.authoring.hints import decode_hook
from paddock.authoring.schema import schema_of
from paddock.authoring.tool import NOTHING
from paddock.authoring.validation import Validator
from paddock.errors import DefinitionError, PaddockError
from paddock.protocol.model.content import CallToolResult, Content

Json = dict[str, Any]

_SCALARS = (int, float, bool)
_ANY_OBJECT: tuple[object, ...] = (dict, dict[str, Any], dict[str, object])
_PLAIN: tuple[object, ...] = (NOTHING, None, type(None), str, bytes, bytearray, Any, object)


class ResultError(PaddockError):
    """A handler returned something that cannot be sent, or not what it declared."""

    code = "result"


class Structure:
    """The declared shape of one tool's results."""

    __slots__ = (
        "_decode",
        "_is_any_object",
        "_is_wrapped",
        "_return_type",
        "_returns",
        "_validator",
        "is_plain",
        "mime_type",
        "output_schema",
        "scalar",
        "where",
    )

    def __init__(
        self,
        returns: Any,
        *,
        where: str,
        output_schema: Json | None = None,
        return_type: Any = None,
        mime_type: str | None = None,
    ) -> None:
        self.where = where
        self.mime_type = mime_type
        self._return_type = return_type
        self._validator = None if output_schema is None else Validator(output_schema, where)
        self._returns = returns
        self._decode: Any = None
        self._is_wrapped = False
        self._is_any_object = any(returns == kind for kind in _ANY_OBJECT)
        self.output_schema = output_schema
        self.scalar = returns if returns in _SCALARS and output_schema is None else NOTHING
        self.is_plain = output_schema is None and (_is_plain(returns) or return_type is not None)
        if output_schema is None and not self.is_plain:
            self._declare(returns)

    def structured(self, value: Any, data: bytes) -> bytes | None:
        """The structured content of a value that is also given as JSON; None for none.

        Raises:
            ResultError: when the value is not what the tool declares.
        """
        if self._validator is not None:
            self.check_structured(msgspec.json.decode(data))
            return data
        if self.is_plain or (self._is_any_object and value.__class__ is dict):
            return data if data[:1] == b"{" else None
        if self._decode is None:
            self._decode = msgspec.json.Decoder(self._returns, dec_hook=decode_hook).decode
        try:
            self._decode(data)
        except (msgspec.ValidationError, NotImplementedError) as error:
            raise ResultError(f"returned {type(value).__name__}: {error}") from None
        return b'{"result":%b}' % data if self._is_wrapped else data

    def check_structured(self, value: Any) -> None:
        """Check structured content against a schema that was given.

        Raises:
            ResultError: when it does not conform.
        """
        if self._validator is not None and (fault := self._validator.fault(value)):
            raise ResultError(f"the structured content breaks the output schema: {fault}")

    def check_content(self, value: Any, content: list[Content]) -> None:
        """Check content against a return type that was given.

        Raises:
            ResultError: when it is not of that type.
        """
        if self._return_type is None:
            return
        allowed = _content_types(self._return_type)
        wrong = [part for part in content if not isinstance(part, allowed)]
        if wrong:
            names = " or ".join(kind.__name__ for kind in allowed)
            raise ResultError(f"returned {type(wrong[0]).__name__}, declared {names}")

    def _declare(self, returns: Any) -> None:
        try:
            schema = schema_of(returns, self.where)
        except DefinitionError:
            # A return type without a schema is no fault: the tool just promises nothing.
            self.is_plain = True
            return
        if schema.get("type") != "object":
            self._is_wrapped = True
            definitions = schema.pop("$defs", None)
            schema = {
                "type": "object",
                "properties": {"result": schema},
                "required": ["result"],
                **({"$defs": definitions} if definitions else {}),
            }
        self.output_schema = schema


def _is_plain(returns: Any) -> bool:
    """Whether a return type promises text or content rather than data."""
    if any(returns is kind for kind in _PLAIN):
        return True
    if isinstance(returns, type):
        return issubclass(returns, Content | CallToolResult)
    return any(_is_contentful(part) for part in typing.get_args(returns))


def _is_contentful(part: Any) -> bool:
    if isinstance(part, type):
        return issubclass(part, Content | CallToolResult | bytes)
    return any(_is_contentful(inner) for inner in typing.get_args(part))


def _content_types(declared: Any) -> tuple[type, ...]:
    """The content types that a declaration allows: one, a list of one, or a union."""
    if isinstance(declared, type) and typing.get_origin(declared) is None:
        return (Content,) if declared is list else (declared,)
    parts = typing.get_args(declared)
    return tuple(kind for part in parts if part is not type(None) for kind in _content_types(part))
