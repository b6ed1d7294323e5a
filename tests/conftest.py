"""Settings that hold for every test, and raw connections that check what they see."""

import gc
import textwrap
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

from paddock import Server
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.serving.session import serve_in_memory
from paddock.toolkits.alpha.settings import APP_ID_VARIABLE
from tests.behaviour.line import Line
from tests.behaviour.process import ServerProcess, run_command, serve_command
from tests.behaviour.wire import SESSION, STATELESS

# A test says what is right, not how fast this machine is today.
# One that fails is shrunk and can be repeated; explaining it may take longer than a test has.
settings.register_profile(
    "paddock",
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    print_blob=True,
)
settings.load_profile("paddock")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Exclude objects that live as long as the tests from garbage collection.

    With all tests and modules, a collection of the whole heap takes most of a second.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """Escape lone surrogates in a report, which a worker of pytest-xdist could not send."""
    report = yield
    return _escape_surrogates(report)


def _escape_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_escape_surrogates(key): _escape_surrogates(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_escape_surrogates(one) for one in value)
    return value


@pytest.fixture(autouse=True, scope="session")
def no_data_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests, and the programs that they start, away from what belongs to the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path_factory.mktemp("data")))
        patch.delenv(APP_ID_VARIABLE, raising=False)
        yield


@pytest.fixture
def servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of definitions of a new user, also for the processes that are started."""
    place = tmp_path / "data" / "servers"
    place.mkdir(parents=True)
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(place.parent))
    return place


@pytest.fixture(params=[SESSION, STATELESS])
def era(request: pytest.FixtureRequest) -> str:
    """Both eras, for what is the same in them."""
    value: str = request.param
    return value


class Connect:
    """Opens connections to servers in this process."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def __call__(
        self, server: Server, era: str = SESSION, *, capabilities: dict[str, Any] | None = None
    ) -> Line:
        """A connection on which requests can be sent."""
        line = self.silent(server, era, capabilities=capabilities)
        if era == SESSION:
            line.open()
        return line

    def silent(
        self, server: Server, era: str = SESSION, *, capabilities: dict[str, Any] | None = None
    ) -> Line:
        """A connection on which nothing has been said."""
        line = Line(serve_in_memory(server), era, capabilities)
        self.lines.append(line)
        return line


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Connections to servers in this process; all that they sent is checked in the end."""
    opened = Connect()
    yield opened
    for line in opened.lines:
        line.close()
    assert [fault for line in opened.lines for fault in line.transcript.faults()] == []


class Start:
    """Starts servers as processes of their own."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.started: list[ServerProcess] = []

    def __call__(self, program: str, *, is_served: bool = False) -> ServerProcess:
        """A program that runs its server itself, or is given to `paddock serve`."""
        file = self.directory / f"program_{len(self.started)}.py"
        file.write_text(textwrap.dedent(program), encoding="utf-8")
        return self.command(serve_command(file) if is_served else run_command(file))

    def command(self, command: list[str]) -> ServerProcess:
        log = self.directory / f"stderr_{len(self.started)}.txt"
        # Printing as it is without our own settings: kept back until the program ends.
        process = ServerProcess(command, log, environment={"PYTHONUNBUFFERED": ""})
        self.started.append(process)
        return process


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Server processes; they are ended, and all that they sent is checked, in the end."""
    starting = Start(tmp_path)
    yield starting
    faults = []
    for process in starting.started:
        process.dispose()
        if process.line is not None:
            faults += process.line.transcript.faults()
    assert faults == []
