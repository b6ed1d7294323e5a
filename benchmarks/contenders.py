"""Who takes part: the peers (other libraries' servers) and the ways to run ours."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.driver import Connection, ServerFailedError
from benchmarks.environments import CACHE, Checkout, NodePackages, NotInstalledError, PythonPackages
from benchmarks.messages import BASIC_CALLS, FIRST_ID, WRONG_NESTED

SERVERS = Path(__file__).with_name("servers")
OFFICIAL = "official"


@dataclass(frozen=True)
class Contender:
    """A row of the tables: a server program and what is known about its library."""

    key: str
    label: str
    program: Path
    packages: PythonPackages | NodePackages | Checkout
    environment: Mapping[str, str] = field(default_factory=dict)
    groups: frozenset[str] | None = None
    """The groups of measures that it is in; None means all of them."""
    lacks: Mapping[str, str] = field(default_factory=dict)
    """What the library cannot do, with the words for it."""
    weakness_at_many_tools: str | None = None
    """Why a quick run leaves the library out where 10,000 tools are registered."""

    def is_in(self, group: str) -> bool:
        """Whether it takes part in a group of measures."""
        return self.groups is None or group in self.groups

    @property
    def is_peer(self) -> bool:
        """Whether this is another library's server."""
        return not isinstance(self.packages, Checkout)

    def prepare(self) -> tuple[str, ...]:
        """Install what the server needs, and return the command that runs it."""
        return self.packages.prepare(CACHE / self.key, self.program)


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
        """Start the server; the caller shakes hands."""
        return Connection(self.command, {**self.contender.environment, **environment})


def try_out(contender: Contender) -> Runner:
    """Install a contender and see that its tools work.

    Raises:
        NotInstalledError: If its packages cannot be installed.
        ServerFailedError: If the server does not run or answers wrongly.
    """
    command = contender.prepare()
    with Connection(command, contender.environment) as server, server.deadline():
        server.initialize()
        server.list_tools()
        for call in BASIC_CALLS:
            server.check(call)
        answer = server.ask(WRONG_NESTED.encode(), FIRST_ID)
    refused = "error" in answer or bool(answer["result"].get("isError"))
    return Runner(contender, command, refused)


def why_not(error: NotInstalledError | ServerFailedError) -> str:
    """The state of a contender that cannot take part."""
    state = "not installed" if isinstance(error, NotInstalledError) else "not runnable"
    return f"{state}: {error}"


# What fastmcp 4.1.4 asks for, but for a release of certifi that not every index has.
_FASTMCP_REQUIREMENTS = (
    "authlib>=1.6.11",
    "certifi",
    "cyclopts>=4.0.0",
    "exceptiongroup>=1.2.2",
    "griffelib>=2.0.0",
    "httpx2>=2.5.0",
    "joserfc>=1.5.0",
    "jsonref>=1.1.0",
    "jsonschema-path>=0.3.4",
    "mcp==2.3.0",
    "openapi-pydantic>=0.6.0",
    "opentelemetry-api>=1.28.0",
    "packaging>=24.0",
    "platformdirs>=4.0.0",
    "py-key-value-aio[filetree,memory]>=0.4.4,<0.5.0",
    "pydantic-settings>=2.0.0",
    "pydantic[email]>=2.12.0",
    "pyperclip>=1.9.0",
    "python-dotenv>=1.1.0",
    "python-multipart>=0.0.26",
    "pyyaml>=6.0,<7.0",
    "rich>=13.9.4",
    "starlette>=1.0.1",
    "typing-extensions>=4.0.0",
    "uncalled-for>=0.4.0",
    "uvicorn>=0.35",
    "watchfiles>=1.0.0",
    "websockets>=15.0.1",
)
_NO_IMAGES = {"image": "has no image content"}

PEERS = (
    Contender(
        OFFICIAL,
        "official SDK (mcp 2.3.0)",
        SERVERS / "official_server.py",
        PythonPackages(("mcp==2.3.0",)),
    ),
    Contender(
        "fastmcp",
        "FastMCP 4.1.4",
        SERVERS / "fastmcp_server.py",
        PythonPackages(_FASTMCP_REQUIREMENTS, exempt=("fastmcp==4.1.4", "fastmcp-slim==4.1.4")),
        weakness_at_many_tools="registers in quadratic time, a minute for 10,000",
    ),
    Contender(
        "typescript",
        "TypeScript SDK 2.4.0",
        SERVERS / "typescript_server.mjs",
        NodePackages(("@modelcontextprotocol/server@2.4.0", "zod@4.6.7")),
    ),
    Contender(
        "minimcp",
        "minimcp 0.5.2",
        SERVERS / "minimcp_server.py",
        # It says that it works with any later mcp, but 2.0 has removed modules that it imports.
        PythonPackages(("minimcp==0.5.2", "mcp==1.30.0")),
        weakness_at_many_tools="registers 10,000 in a quarter of a minute",
    ),
    Contender(
        "chuk",
        "chuk-mcp-server 0.26.1",
        SERVERS / "chuk_server.py",
        PythonPackages(("chuk-mcp-server==0.26.1",)),
        weakness_at_many_tools="lists 10,000 in a quarter of a minute",
    ),
    Contender(
        "zeromcp",
        "zeromcp 1.10.3",
        SERVERS / "zeromcp_server.py",
        PythonPackages(("zeromcp==1.10.3",)),
        lacks=_NO_IMAGES,
    ),
    Contender(
        "turbomcp",
        "turbomcp 0.3.0",
        SERVERS / "turbomcp_server.py",
        PythonPackages(("turbomcp==0.3.0",)),
        lacks={**_NO_IMAGES, "async": "has no async handlers"},
    ),
)

_OUR_SERVER = SERVERS / "paddock_server.py"

OURS = (
    Contender("paddock", "paddock", _OUR_SERVER, Checkout()),
    Contender(
        "paddock-inline",
        "paddock, inline",
        _OUR_SERVER,
        Checkout(),
        environment={"BENCH_INLINE": "1"},
        groups=frozenset({"stdio"}),
    ),
    Contender(
        "paddock-serve",
        "paddock serve FILE",
        _OUR_SERVER,
        Checkout(("paddock", "serve")),
        groups=frozenset({"cold", "memory"}),
    ),
)
