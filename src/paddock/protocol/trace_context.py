"""The W3C trace context of a request.

It is sent in the request's `_meta` (`traceparent`, `tracestate`, `baggage`), in both eras and on
every transport. Over HTTP, headers with the same names are used if `_meta` has none of these.
Malformed values are ignored, as the W3C specification requires, and never cause a request to fail.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.protocol.errors import HeaderMismatchError

if TYPE_CHECKING:
    from paddock.protocol.request import Request, RequestExchange

# Limits and characters of W3C Trace Context and W3C Baggage. Values beyond them must be ignored.
HEX_DIGITS = frozenset("0123456789abcdef")
TRACEPARENT_LENGTH = 55
MAX_TRACESTATE_MEMBERS = 32
MAX_BAGGAGE_LENGTH = 8192
MAX_BAGGAGE_MEMBERS = 180

# The patterns are compiled on the first request that has such a value. None of them can match a
# text in two ways, so matching takes linear time, no matter what a client sends.
_TRACESTATE_MEMBER = r"(?=[^=]{1,256}=)[a-z0-9][a-z0-9_*/-]*(?:@[a-z0-9_*/-]*)?=[ -<>-~]{1,256}"
_BAGGAGE_KEY = r"[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*"
_BAGGAGE_VALUE = r"=(?:[ \t]*[!#-+\--:<-\[\]-~]+)?[ \t]*"
_BAGGAGE_MEMBER = rf"{_BAGGAGE_KEY}{_BAGGAGE_VALUE}(?:;{_BAGGAGE_KEY}(?:{_BAGGAGE_VALUE})?)*"


class TraceContext(NamedTuple):
    """The trace that a request belongs to, as the three values of W3C Trace Context.

    Missing and malformed values are None, but at least one value is present.
    """

    traceparent: str | None = None
    tracestate: str | None = None
    baggage: str | None = None

    @property
    def trace_id(self) -> str | None:
        """The id of the trace: 32 hexadecimal digits."""
        return None if self.traceparent is None else self.traceparent[3:35]

    @property
    def parent_id(self) -> str | None:
        """The id of the span that made the request: 16 hexadecimal digits."""
        return None if self.traceparent is None else self.traceparent[36:52]

    @property
    def is_sampled(self) -> bool:
        """Whether the caller is recording the trace."""
        return self.traceparent is not None and bool(int(self.traceparent[53:55], 16) & 1)

    @property
    def headers(self) -> dict[str, str]:
        """The HTTP headers for passing the trace on to other services."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def get_trace_context(request: Request) -> TraceContext | None:
    """Return the trace context from the request's `_meta`, or otherwise from its HTTP headers."""
    trace_context, exchange = get_meta_trace_context(request), request.exchange
    if trace_context is not None or exchange is None:
        return trace_context
    return parse_trace_context(*(_read_header(exchange, name) for name in TraceContext._fields))


def get_meta_trace_context(request: Request) -> TraceContext | None:
    """Return the trace context in the request's `_meta`."""
    meta = request.meta
    if meta is None:
        return None
    return parse_trace_context(meta.traceparent, meta.tracestate, meta.baggage)


def parse_trace_context(
    traceparent: object, tracestate: object, baggage: object
) -> TraceContext | None:
    """Return the trace context of a request, or None if it has no well-formed value.

    Malformed values are ignored. A `tracestate` without a valid `traceparent` is also ignored,
    because it describes that parent.
    """
    valid_traceparent = _parse_traceparent(traceparent)
    has_valid_state = valid_traceparent is not None and _is_tracestate(tracestate)
    valid_tracestate = tracestate if has_valid_state else None
    valid_baggage = baggage if _is_baggage(baggage) else None
    if valid_traceparent is None and valid_baggage is None:
        return None
    return TraceContext(valid_traceparent, valid_tracestate, valid_baggage)  # type: ignore[arg-type]  # both are text


def _read_header(exchange: RequestExchange, name: str) -> str | None:
    try:
        return exchange.get_header(name)
    except HeaderMismatchError:  # A repeated header is malformed.
        return None


def _parse_traceparent(value: object) -> str | None:
    """Return a valid `traceparent` in version 00 of the format, or None if it is not valid.

    An example is `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`. Fields appended by
    later versions are removed.
    """
    if not isinstance(value, str) or len(value) < TRACEPARENT_LENGTH:
        return None
    version, trace_id, parent_id, flags = value[:2], value[3:35], value[36:52], value[53:55]
    has_separators = value[2] == value[35] == value[52] == "-"
    if not has_separators or not HEX_DIGITS.issuperset(version + trace_id + parent_id + flags):
        return None
    # W3C Trace Context, section 3.2: version ff and ids of zeros only are invalid. Later versions
    # may append fields after another dash, but version 00 must not.
    if version == "ff" or not trace_id.strip("0") or not parent_id.strip("0"):
        return None
    later_fields = value[TRACEPARENT_LENGTH:]
    if later_fields and (version == "00" or not later_fields.startswith("-")):
        return None
    return value if version == "00" else f"00-{trace_id}-{parent_id}-{flags}"


def _is_tracestate(value: object) -> bool:
    """Return whether a value is a valid `tracestate`, such as `rojo=1,congo=t61`.

    Its keys must be unique, and there is a limit on their number.
    """
    if not isinstance(value, str):
        return False
    members = [member for part in value.split(",") if (member := part.strip(" \t"))]
    keys = {member.partition("=")[0] for member in members}
    return (
        0 < len(members) <= MAX_TRACESTATE_MEMBERS
        and len(keys) == len(members)
        and all(re.fullmatch(_TRACESTATE_MEMBER, member) for member in members)
    )


def _is_baggage(value: object) -> bool:
    """Return whether a value is a valid `baggage`, such as `user=ada,tier=2;ttl=9`.

    There are limits on its length and on the number of members.
    """
    if not isinstance(value, str) or not 0 < len(value) <= MAX_BAGGAGE_LENGTH:
        return False
    members = value.split(",")
    return len(members) <= MAX_BAGGAGE_MEMBERS and all(
        re.fullmatch(_BAGGAGE_MEMBER, member) for member in members
    )
