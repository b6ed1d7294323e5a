"""Bundles start the server: here, or wherever they are opened."""

import json
import shutil
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import paddock
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.installer.apps import find_client
from paddock.installer.bundle import collect_contents
from paddock.installer.bundle_requirements import BundleError
from paddock.installer.entry_builder import resolve_installable
from paddock.version import __version__

TOOLS = '''
import json
import shutil
from helper import loud

try:
    import a_module_that_nobody_has
except ImportError:
    a_module_that_nobody_has = None


def shout(text: str) -> str:
    """Say it loudly."""
    return loud(text)
'''
HELPER = '''
import msgspec


def loud(text: str) -> str:
    """Loud text."""
    return text.upper()
'''


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers that a test creates are seen by no other."""
    monkeypatch.setenv(DATA_DIRECTORY_VARIABLE, str(tmp_path / "data"))


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A directory with the file of a tool, and one that it needs."""
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "tools.py").write_text(TOOLS)
    (folder / "helper.py").write_text(HELPER)
    (folder / "other.py").write_text("raise RuntimeError")
    (folder / "rules.md").write_text("Be kind.")
    return folder


@pytest.fixture
def shouter(sources: Path) -> paddock.NamedServer:
    """A server of the user's own."""
    return paddock.create_server(
        "Shouter",
        tools=[f"{sources}/tools.py:shout"],
        resources=[{"uri": "note://rules", "name": "rules", "file": f"{sources}/rules.md"}],
        title="The shouter",
        description="Shouts",
        version="2.0.0",
        overwrite=True,
    )


def manifest(file: Path) -> Any:
    with zipfile.ZipFile(file) as archive:
        return json.loads(archive.read("manifest.json"))


def unpacked(file: Path, folder: Path) -> Path:
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    return folder


def test_a_bundle_starts_the_server_as_this_machine_has_it(
    shouter: paddock.NamedServer, tmp_path: Path
) -> None:
    file = paddock.bundle(shouter, tmp_path / "it.mcpb")
    assert file == tmp_path / "it.mcpb"
    told = manifest(file)
    launch = told["server"].pop("mcp_config")
    assert told == {
        "manifest_version": "0.3",
        "name": "Shouter",
        "display_name": "The shouter",
        "version": "2.0.0",
        "description": "Shouts",
        "author": {"name": "made with Paddock"},
        "tools": [{"name": "shout", "description": "Say it loudly."}],
        "server": {"type": "binary", "entry_point": "about.txt"},
        "compatibility": {"platforms": [sys.platform]},
    }
    command = [launch["command"], *launch["args"]]
    with paddock.connect(command, env=launch.get("env")) as peer:
        assert peer.call("shout", text="hi").text == "HI"


def test_a_portable_bundle_brings_what_the_server_needs(
    shouter: paddock.NamedServer, tmp_path: Path
) -> None:
    file = paddock.bundle(shouter, tmp_path, portable=True)
    assert file == tmp_path / "Shouter.mcpb"
    with zipfile.ZipFile(file) as archive:
        assert set(archive.namelist()) == {
            *("manifest.json", "main.py", "pyproject.toml", "server.toml"),
            *("code/tools.py", "code/helper.py", "code/rules.md"),
        }
        project = archive.read("pyproject.toml").decode()
    assert f'"paddock=={__version__}"' in project
    assert '"msgspec>=' in project
    told = manifest(file)
    assert told["manifest_version"] == "0.4"
    assert told["server"] == {
        "type": "uv",
        "entry_point": "main.py",
        "mcp_config": {
            "command": "uv",
            "args": ["run", "--directory", "${__dirname}", "main.py"],
        },
    }


def test_a_portable_bundle_runs_where_nothing_of_the_server_is(
    shouter: paddock.NamedServer,
    sources: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = unpacked(paddock.bundle(shouter, tmp_path, portable=True), tmp_path / "elsewhere")
    shutil.rmtree(sources)
    monkeypatch.setenv("PADDOCK_DATA_DIR", str(tmp_path / "no-data"))
    with paddock.connect([sys.executable, str(folder / "main.py")]) as peer:
        assert peer.call("shout", text="hi").text == "HI"
        assert peer.read("note://rules").text == "Be kind."


def test_the_same_server_gives_the_same_bytes(shouter: paddock.NamedServer, tmp_path: Path) -> None:
    first = paddock.bundle(shouter, tmp_path / "a.mcpb", portable=True).read_bytes()
    assert paddock.bundle(shouter, tmp_path / "b.mcpb", portable=True).read_bytes() == first


def test_a_built_in_server_can_be_bundled(tmp_path: Path) -> None:
    folder = unpacked(paddock.bundle("Demo", tmp_path, portable=True), tmp_path / "elsewhere")
    with paddock.connect([sys.executable, str(folder / "main.py")]) as peer:
        assert peer.tools()


def test_a_file_and_a_directory_can_be_bundled(tmp_path: Path) -> None:
    source = tmp_path / "mine"
    (source / "tools").mkdir(parents=True)
    (source / "tools" / "greet.py").write_text(
        'def greet() -> str:\n    """Greet."""\n    return "hello"\n'
    )
    (tmp_path / "single.py").write_text(
        "from paddock import Server\n\nmine = Server('single', version='1.0.0')\n\n\n"
        '@mine.tool\ndef greet() -> str:\n    """Greet."""\n    return "hello"\n'
    )
    for path in (source, tmp_path / "single.py"):
        file = paddock.bundle(path, tmp_path / "x.mcpb", portable=True)
        folder = unpacked(file, tmp_path / f"out-{path.stem}")
        with paddock.connect([sys.executable, str(folder / "main.py")]) as peer:
            assert peer.call("greet").text == "hello"


def test_an_object_in_a_file_is_served_from_the_bundle(tmp_path: Path) -> None:
    (tmp_path / "two.py").write_text(
        "from typing import TYPE_CHECKING\n\nfrom paddock import Server\n\n"
        "if TYPE_CHECKING:\n    import nobodys\n\n"
        "one = Server('one', version='1.0.0')\ntwo = Server('two', version='1.0.0')\n\n\n"
        '@two.tool\ndef greet() -> str:\n    """Greet."""\n    return "hello"\n'
    )
    file = paddock.bundle(f"{tmp_path}/two.py:two", tmp_path / "x.mcpb", portable=True)
    folder = unpacked(file, tmp_path / "out")
    with paddock.connect([sys.executable, str(folder / "main.py")]) as peer:
        assert peer.call("greet").text == "hello"


def test_a_server_whose_file_is_gone_is_not_bundled(
    shouter: paddock.NamedServer, sources: Path, tmp_path: Path
) -> None:
    (sources / "tools.py").unlink()
    with pytest.raises(paddock.LoadError):
        paddock.bundle("Shouter", tmp_path, portable=True)
    assert not list(tmp_path.glob("*.mcpb"))


def test_what_no_one_else_could_install_is_refused(sources: Path, tmp_path: Path) -> None:
    (sources / "odd.py").write_text(
        "import sys\nsys.modules['nobodys'] = sys\nimport nobodys\n\n\n"
        'def odd() -> str:\n    """Odd."""\n    return ""\n'
    )
    server = paddock.create_server("Odd", tools=[f"{sources}/odd.py:odd"], overwrite=True)
    with pytest.raises(BundleError) as caught:
        paddock.bundle(server, tmp_path, portable=True)
    assert caught.value.code == "bundle"
    assert "nobodys" in str(caught.value)
    assert not list(tmp_path.glob("*.mcpb"))


def test_a_function_that_was_stored_as_it_is_cannot_travel(tmp_path: Path) -> None:
    server = paddock.create_server(
        "Stored",
        tools=[{"name": "double", "description": "Twice.", "function": lambda n: n}],
        overwrite=True,
        pickle=True,
    )
    with pytest.raises(BundleError):
        paddock.bundle(server, tmp_path, portable=True)


def test_what_may_be_secret_beside_a_server_stays_out_of_a_bundle(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    names = (".env", ".ssh/id", "venv/pyvenv.cfg", "venv/lib/x.py", "node_modules/x.js")
    for name in ("tools/hello.py", "data/words.txt", *names):
        folder.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        folder.joinpath(name).write_text("def hello() -> str:\n    return ''\n")
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "linked.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "words.txt").symlink_to(folder / "data" / "words.txt")
    file = paddock.bundle(folder, tmp_path, portable=True)
    with zipfile.ZipFile(file) as archive:
        held = {name for name in archive.namelist() if name.startswith("code/")}
    assert held == {"code/tools/hello.py", "code/data/words.txt", "code/words.txt"}


def test_options_are_not_taken_for_files(tmp_path: Path) -> None:
    options = {"file": "notes.txt", "function": "mine.py:run"}
    file = tmp_path / "optional.toml"
    file.write_text(
        'name = "Optional"\ntools = ["DemoDice"]\n[options.DemoDice]\n'
        'file = "notes.txt"\nfunction = "mine.py:run"\n'
    )
    tool = paddock.get_server(file)
    contents = collect_contents(resolve_installable(tool, find_client("claude-desktop")))
    assert tomllib.loads(contents.files["server.toml"].decode())["options"] == {"DemoDice": options}


def test_a_bundle_with_variables_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "it.mcpb"
    assert paddock.bundle("Demo", file).stat().st_mode & 0o777 == 0o644
    assert paddock.bundle("Demo", file, env={"A": "b"}).stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_gone_is_an_error(shouter: paddock.NamedServer, sources: Path) -> None:
    (sources / "rules.md").unlink()
    with pytest.raises(BundleError, match="the file does not exist"):
        collect_contents(resolve_installable(shouter, find_client("claude-desktop")))


def test_only_an_older_bundle_is_overwritten(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    with pytest.raises(BundleError, match="not a bundle"):
        paddock.bundle("Demo", notes)
    assert notes.read_text() == "mine"


def test_a_place_that_cannot_be_written_to_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BundleError, match="cannot be written"):
        paddock.bundle("Demo", tmp_path / "file" / "it.mcpb")
