"""Who takes part: the peers (other libraries' servers) and the ways to run ours."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.driver import Connection
from benchmarks.http_driver import HttpServer
from benchmarks.messages import BASIC_CALLS, FIRST_ID, WRONG_NESTED
from benchmarks.program import ROOT, ServerFailedError
from external import python_sdks
from external.environments import InstallError, NodeEnvironment, PythonEnvironment

HTTP_GROUPS = "http-"
SERVERS = Path(__file__).with_name("servers")
OFFICIAL = "official"


def _digest(*places: Path) -> str:
    """What tells one state of some files and folders from another."""
    digest = sha256()
    for place in places:
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(file.read_bytes())
    return digest.hexdigest()


CHECKOUT = PythonEnvironment(
    "paddock", (str(ROOT),), state=_digest(ROOT / "src", ROOT / "pyproject.toml")
)
"""Our own library as it is in the working tree, installed the way users install it: the
environment that we develop in has packages that a user's server does without, and would load."""
CHECKOUT_HTTP = PythonEnvironment(
    "paddock-http", (f"{ROOT}[http]", "granian==2.8.7"), state=CHECKOUT.state
)
"""The same with what it needs to serve over HTTP."""
OUR_HOMES = (CHECKOUT, CHECKOUT_HTTP)


@dataclass(frozen=True)
class Contender:
    """A row of the tables: a server program and what is known about its library."""

    key: str
    label: str
    program: Path
    home: PythonEnvironment | NodeEnvironment
    era: str = ""
    """The era that it is spoken to in over HTTP; none means over stdio."""
    library: str = ""
    """The key of its library, where that has several rows."""
    launch: tuple[str, ...] = ("python",)
    """What runs the program, a command of the environment, where that is not Node."""
    environment: Mapping[str, str] = field(default_factory=dict)
    groups: frozenset[str] | None = None
    """The groups of measures that it is in; None means all of them."""
    lacks: Mapping[str, str] = field(default_factory=dict)
    """What the library cannot do, with the words for it."""
    weakness_at_many_tools: str | None = None
    """Why a quick run leaves the library out where 10,000 tools are registered."""

    def is_in(self, group: str) -> bool:
        """Whether it takes part in a group of measures."""
        is_for_http = group.startswith(HTTP_GROUPS)
        return is_for_http == bool(self.era) and (self.groups is None or group in self.groups)

    @property
    def is_peer(self) -> bool:
        """Whether this is another library's server."""
        return self.home not in OUR_HOMES

    @property
    def of(self) -> str:
        """The key of its library."""
        return self.library or self.key

    def prepare(self) -> tuple[str, ...]:
        """Install what the server needs, and return the command that runs it."""
        if isinstance(self.home, NodeEnvironment):
            # Node looks for packages beside the program, not where it is started.
            folder = self.home.prepare()
            for file in SERVERS.glob("*.mjs"):
                shutil.copy(file, folder)
            return self.home.node(), str(folder / self.program.name)
        name, *arguments = self.launch
        return str(self.home.prepare().with_name(name)), *arguments, str(self.program)


@dataclass(frozen=True)
class Field:
    """All that take part, and whom a row is compared with."""

    contenders: tuple[Contender, ...]

    @property
    def peers(self) -> list[str]:
        """The rows of all other libraries."""
        return [contender.key for contender in self.contenders if contender.is_peer]

    def official(self, key: str) -> list[str]:
        """The rows of the official SDK in the era of a row."""
        return [contender.key for contender in self._official(key)]

    def official_as_written(self, key: str) -> list[str]:
        """Those of them with plain functions as tools."""
        return [contender.key for contender in self._official(key) if not contender.environment]

    def _official(self, key: str) -> list[Contender]:
        eras = {contender.key: contender.era for contender in self.contenders}
        rows = [contender for contender in self.contenders if contender.of == OFFICIAL]
        return [contender for contender in rows if contender.era == eras.get(key)]


@dataclass(frozen=True)
class Runner:
    """A contender that was found to work."""

    contender: Contender
    command: tuple[str, ...]
    validates: bool

    @property
    def key(self) -> str:
        """The key of the contender."""
        return self.contender.key

    def start(self, **environment: str) -> Connection:
        """Start the server over stdio; the caller shakes hands."""
        return Connection(self.command, {**self.contender.environment, **environment})

    def serve(self, **environment: str) -> HttpServer:
        """Start the server over HTTP."""
        variables = {**self.contender.environment, **environment}
        return HttpServer(self.command, variables, self.contender.era)


def try_out(contender: Contender) -> Runner:
    """Install a contender and see that its tools work.

    Raises:
        InstallError: If its packages cannot be installed.
        ServerFailedError: If the server does not run or answers wrongly.
    """
    command = contender.prepare()
    answer = (_try_http if contender.era else _try_stdio)(contender, command)
    refused = "error" in answer or bool(answer["result"].get("isError"))
    return Runner(contender, command, refused)


def _try_stdio(contender: Contender, command: tuple[str, ...]) -> dict[str, Any]:
    """Make each call, and return the answer to one with a wrong argument."""
    with Connection(command, contender.environment) as server, server.deadline():
        server.initialize()
        server.list_tools()
        for call in BASIC_CALLS:
            server.check(call)
        return server.ask(WRONG_NESTED.encode(), FIRST_ID)


def _try_http(contender: Contender, command: tuple[str, ...]) -> dict[str, Any]:
    with HttpServer(command, contender.environment, contender.era) as server, server.deadline():
        server.list_tools()
        with server.clients(1) as (client,):
            for call in BASIC_CALLS:
                client.check(call)
            return client.call(WRONG_NESTED)


def why_not(error: InstallError | ServerFailedError) -> str:
    """The state of a contender that cannot take part."""
    state = "not installed" if isinstance(error, InstallError) else "not runnable"
    return f"{state}: {error}"


# It says that it works with any later mcp, but 2.0 has removed modules that it imports.
MINIMCP = PythonEnvironment("minimcp", ("minimcp==0.5.2", "mcp==1.30.0"))
CHUK = PythonEnvironment("chuk", ("chuk-mcp-server==0.26.1",))
ZEROMCP = PythonEnvironment("zeromcp", ("zeromcp==1.10.3",))
_NO_IMAGES = {"image": "has no image content"}

PEERS = (
    Contender(
        OFFICIAL,
        "official SDK (mcp 2.3.0)",
        SERVERS / "official_server.py",
        python_sdks.OFFICIAL,
    ),
    Contender(
        "fastmcp",
        "FastMCP 4.1.4",
        SERVERS / "fastmcp_server.py",
        python_sdks.FASTMCP,
        weakness_at_many_tools="registers in quadratic time, a minute for 10,000",
    ),
    Contender(
        "typescript",
        "TypeScript SDK 2.4.0",
        SERVERS / "typescript_server.mjs",
        NodeEnvironment("typescript-server", ("@modelcontextprotocol/server@2.4.0", "zod@4.6.7")),
    ),
    Contender(
        "minimcp",
        "minimcp 0.5.2",
        SERVERS / "minimcp_server.py",
        MINIMCP,
        weakness_at_many_tools="registers 10,000 in a quarter of a minute",
    ),
    Contender(
        "chuk",
        "chuk-mcp-server 0.26.1",
        SERVERS / "chuk_server.py",
        CHUK,
        weakness_at_many_tools="lists 10,000 in a quarter of a minute",
    ),
    Contender(
        "zeromcp",
        "zeromcp 1.10.3",
        SERVERS / "zeromcp_server.py",
        ZEROMCP,
        lacks=_NO_IMAGES,
    ),
    Contender(
        "turbomcp",
        "turbomcp 0.3.0",
        SERVERS / "turbomcp_server.py",
        PythonEnvironment("turbomcp", ("turbomcp==0.3.0",)),
        lacks={**_NO_IMAGES, "async": "has no async handlers"},
    ),
)

_OUR_SERVER = SERVERS / "paddock_server.py"

OURS = (
    Contender("paddock", "paddock", _OUR_SERVER, CHECKOUT),
    Contender(
        "paddock-inline",
        "paddock, inline",
        _OUR_SERVER,
        CHECKOUT,
        environment={"BENCH_INLINE": "1"},
        groups=frozenset({"stdio"}),
    ),
    Contender(
        "paddock-serve",
        "paddock serve FILE",
        _OUR_SERVER,
        CHECKOUT,
        launch=("paddock", "serve"),
        groups=frozenset({"cold", "memory"}),
    ),
    Contender(
        "paddock-named",
        "paddock serve NAME",
        Path("Bench"),
        CHECKOUT,
        launch=("paddock", "serve", "--named"),
        environment={"PADDOCK_DATA_DIR": str(SERVERS / "data")},
        groups=frozenset({"cold"}),
    ),
)
