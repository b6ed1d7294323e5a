"""The measures, by group."""

from benchmarks.measures.calls import ASYNC, STDIO
from benchmarks.measures.catalogue import TOOLS
from benchmarks.measures.growth import GROWTH
from benchmarks.measures.payloads import LARGE
from benchmarks.measures.responsiveness import PING
from benchmarks.measures.start import COLD, MEMORY
from benchmarks.rounds import Group

GROUPS: dict[str, Group] = {
    group.key: group for group in (COLD, MEMORY, STDIO, ASYNC, PING, TOOLS, LARGE, GROWTH)
}
