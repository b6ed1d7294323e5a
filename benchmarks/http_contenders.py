"""Who takes part over HTTP: a row for each way to serve, in each era that the library knows."""

from collections.abc import Mapping
from dataclasses import replace

from benchmarks.contenders import (
    CHECKOUT_HTTP,
    CHUK,
    MINIMCP,
    OFFICIAL,
    SERVERS,
    ZEROMCP,
    Contender,
)
from benchmarks.http_messages import SESSIONS, STATELESS
from external import python_sdks
from external.environments import NodeEnvironment, PythonEnvironment

_UVICORN = ("httptools==0.9.0", "uvicorn==0.54.0", "uvloop==0.23.0")
"""The fastest that a Python library can be served by."""


def _with_uvicorn(name: str, base: PythonEnvironment) -> PythonEnvironment:
    return replace(base, name=name, packages=(*base.packages, *_UVICORN))


_OFFICIAL_HOME = _with_uvicorn("official-sdk-http", python_sdks.OFFICIAL)
_FASTMCP_HOME = _with_uvicorn("fastmcp-http", python_sdks.FASTMCP)
_TYPESCRIPT_HOME = NodeEnvironment(
    "typescript-server-http",
    ("@modelcontextprotocol/server@2.4.0", "@modelcontextprotocol/node@2.1.2", "zod@4.6.7"),
)
_MINIMCP_HOME = _with_uvicorn("minimcp-http", MINIMCP)

_ASYNC = {"BENCH_ASYNC": "1"}
_INLINE = {"BENCH_INLINE": "1"}
_EVENT_STREAM = {"BENCH_SSE": "1"}
_CALLS = frozenset({"http-calls"})


def _row(
    library: str,
    label: str,
    program: str,
    home: PythonEnvironment | NodeEnvironment,
    era: str,
    environment: Mapping[str, str] | None = None,
    key: str = "",
    groups: frozenset[str] | None = None,
) -> Contender:
    return Contender(
        key=f"{key or library}-{era[:4]}",
        label=f"{label}, {era}",
        program=SERVERS / program,
        home=home,
        era=era,
        library=library,
        environment=environment or {},
        groups=groups,
    )


def _official(era: str, kind: str = "", environment: Mapping[str, str] | None = None) -> Contender:
    label = f"official SDK, {kind or 'JSON'}"
    key = f"{OFFICIAL}-{kind.partition(' ')[0].lower()}" if kind else OFFICIAL
    groups = _CALLS if kind else None
    return _row(OFFICIAL, label, "official_http.py", _OFFICIAL_HOME, era, environment, key, groups)


# The official SDK sends a plain function to a thread, so coroutines are its best; beside it stands
# what people write. FastMCP gains nothing by them and zeromcp loses.
HTTP_PEERS = (
    _official(SESSIONS),
    _official(SESSIONS, "async tools, JSON", _ASYNC),
    _official(SESSIONS, "SSE", _EVENT_STREAM),
    _official(STATELESS),
    _official(STATELESS, "async tools, JSON", _ASYNC),
    _row("fastmcp", "FastMCP, JSON", "fastmcp_http.py", _FASTMCP_HOME, SESSIONS),
    _row("fastmcp", "FastMCP, JSON", "fastmcp_http.py", _FASTMCP_HOME, STATELESS),
    _row("typescript", "TypeScript SDK, JSON", "typescript_http.mjs", _TYPESCRIPT_HOME, SESSIONS),
    _row("typescript", "TypeScript SDK, JSON", "typescript_http.mjs", _TYPESCRIPT_HOME, STATELESS),
    _row("minimcp", "minimcp, async tools", "minimcp_http.py", _MINIMCP_HOME, SESSIONS, _ASYNC),
    _row("chuk", "chuk, async tools", "chuk_http.py", CHUK, SESSIONS, _ASYNC),
    _row("zeromcp", "zeromcp", "zeromcp_http.py", ZEROMCP, SESSIONS),
)


_WAYS = {
    "http": ("", "inline", "async tools"),
    "uvicorn": ("", "inline"),
    "granian": ("", "inline"),
}
"""How Paddock is served, and with which kinds of tools: plain, declared cheap, coroutines."""
_KINDS = {"": {}, "inline": _INLINE, "async tools": _ASYNC}


def _ours(era: str, way: str, kind: str) -> Contender:
    label = "paddock" if way == "http" else f"paddock on {way}"
    key = f"paddock-{way}"
    if kind:
        label, key = f"{label}, {kind}", f"{key}-{kind.partition(' ')[0]}"
    groups = _CALLS if kind else None
    program = f"paddock_{way}.py"
    return _row("paddock", label, program, CHECKOUT_HTTP, era, _KINDS[kind], key, groups)


OUR_HTTP = tuple(
    _ours(era, way, kind)
    for era in (STATELESS, SESSIONS)
    for way, kinds in _WAYS.items()
    for kind in kinds
)
