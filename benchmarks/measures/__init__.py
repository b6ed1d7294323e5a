"""The measures, by group."""

from benchmarks.measures.calls import ASYNC, STDIO
from benchmarks.measures.catalogue import TOOLS
from benchmarks.measures.growth import GROWTH
from benchmarks.measures.http_calls import HTTP_CALLS
from benchmarks.measures.http_catalogue import HTTP_TOOLS
from benchmarks.measures.http_growth import HTTP_GROWTH
from benchmarks.measures.http_start import HTTP_COLD, HTTP_MEMORY
from benchmarks.measures.payloads import LARGE
from benchmarks.measures.responsiveness import PING
from benchmarks.measures.start import COLD, MEMORY
from benchmarks.rounds import Group

_STDIO = (COLD, MEMORY, STDIO, ASYNC, PING, TOOLS, LARGE, GROWTH)
_HTTP = (HTTP_COLD, HTTP_MEMORY, HTTP_CALLS, HTTP_TOOLS, HTTP_GROWTH)
GROUPS: dict[str, Group] = {group.key: group for group in (*_STDIO, *_HTTP)}
