"""A user's home on this machine, in which Paddock is installed and a server has been created.

Nothing is shared with the home of the user who runs the tests. Paddock has a Python of its own
there, which writes down what is stated to the servers that it runs; so an entry that names that
Python is tapped without being changed.
"""

import json
import os
import sys
import sysconfig
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from external.environments import ROOT
from tests.clients.agents import begin
from tests.clients.conversation import OPENINGS, Conversation, conversations
from tests.clients.fake_model import FakeModel, fake_model
from tests.clients.programs import HERE, Ended, run, scratch_home
from tests.clients.serving import serving
from tests.clients.starts import Place, Starting

KEY = "lighthouse"
TOOL = f"{HERE / 'lighthouse.py'}:ready"

# Starts the interpreter under its own name, so that Paddock knows it by that name.
PYTHON = """\
#!{folder}/bin/interpreter
import os, sys
arguments = sys.argv[1:]
interpreter = "{folder}/bin/interpreter"
if os.path.exists("{folder}/dead"):
    sys.exit(3)
if "serve" in arguments and "--http" not in arguments:
    os.execv(interpreter, [interpreter, "{tap}", "{record}", interpreter, *arguments])
os.execv(interpreter, [sys.argv[0], *arguments])
"""


@dataclass(frozen=True)
class Seen:
    """What a server was asked for, by the method of each request."""

    methods: tuple[str, ...]

    @property
    def is_connected(self) -> bool:
        """Whether a client has shaken hands, or has known the server well enough to go on."""
        return bool({*OPENINGS, "tools/list"} & {*self.methods})

    @property
    def is_called(self) -> bool:
        """Whether a client has called a tool."""
        return "tools/call" in self.methods


@dataclass(frozen=True)
class Household:
    """The home, the model that clients use in it, and what they and Paddock are started with."""

    place: Place
    model: FakeModel
    environment: dict[str, str]
    python: Path
    record: Path

    def paddock(self, *arguments: str) -> Ended:
        """Run Paddock's command line as the user would; it has to succeed."""
        command = [str(self.python), "-m", "paddock", *arguments]
        ended = run(command, cwd=self.place.work, environment=self.environment)
        assert ended.code == 0, f"{arguments}: {ended.output}{ended.errors}"
        return ended

    def start(self, starting: Starting) -> Ended:
        """Run a client to its end."""
        return begin(starting, self.place, self.environment)

    def conversations(self) -> list[Conversation]:
        """What has been said to the servers that clients have started."""
        return conversations(self.record)

    def seen(self) -> Seen:
        """What the servers that clients have started were asked for."""
        found = self.conversations()
        return Seen(tuple(method for each in found for method in each.methods()))

    def forget(self) -> None:
        """Forget what has been said so far."""
        for file in self.record.iterdir():
            file.unlink()

    def break_python(self) -> None:
        """From now on whatever is started with Paddock's Python ends at once."""
        (self.python.parents[1] / "dead").touch()

    @contextmanager
    def serving_http(self, server: str = KEY) -> Iterator["HttpServer"]:
        """The server behind HTTP, or one of a file, for as long as the block runs."""
        log = self.place.home / "server.log"
        command = [str(self.python), "-m", "paddock", "serve", server, "--http", "127.0.0.1:PORT"]
        logging = ["--log-level", "info", "--log-format", "json"]
        with serving([*command, *logging], environment=self.environment, log=log) as url:
            yield HttpServer(url, log)


@dataclass(frozen=True)
class HttpServer:
    """A server behind HTTP, and the file that it writes down its requests in."""

    url: str
    log: Path

    def forget(self) -> None:
        """Forget what has been asked so far."""
        os.truncate(self.log, 0)

    def seen(self) -> Seen:
        """What the server was asked for."""
        lines = self.log.read_text(encoding="utf-8").splitlines()
        entries = (json.loads(line) for line in lines if line.startswith("{"))
        return Seen(tuple(entry["method"] for entry in entries if "method" in entry))


@contextmanager
def household() -> Iterator[Household]:
    """A home with a server in it, which is gone afterwards with all in it."""
    with scratch_home() as environment, fake_model() as model:
        home = Path(environment["HOME"])
        place = Place(home, home / "work", KEY, model.url)
        record = home / "record"
        for folder in (place.work, record):
            folder.mkdir()
        environment["PADDOCK_DATA_DIR"] = str(home / "data")
        found = Household(place, model, environment, _tapped_python(home / "venv", record), record)
        found.paddock("create", KEY, "--tool", TOOL)
        yield found


def _tapped_python(folder: Path, record: Path) -> Path:
    """A virtual environment with Paddock in it, whose Python is tapped where it serves."""
    venv.create(folder, symlinks=True)
    places = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", places))
    others = [
        str(ROOT / "src"),
        str(ROOT),
        sysconfig.get_path("purelib"),
        sysconfig.get_path("platlib"),
    ]
    (packages / "paddock.pth").write_text("\n".join(others), encoding="utf-8")
    python, interpreter = folder / "bin" / "python", folder / "bin" / "interpreter"
    interpreter.symlink_to(Path(sys.executable).resolve())
    for name in (folder / "bin").glob("python*"):
        name.unlink()
    text = PYTHON.format(folder=folder, tap=HERE / "tap.py", record=record)
    python.write_text(text, encoding="utf-8")
    python.chmod(0o755)
    return python
