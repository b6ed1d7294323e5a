"""Where relative paths begin, and which folders tools may touch."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock import Context, Server, Tool
from paddock.testing import connect
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTIONS, ALLOWED_FOLDERS_VARIABLE, resolve_path
from tests.http.hosting import Host


def where(path: str, ctx: Context) -> str:
    return str(resolve_path(path, ctx))


@pytest.fixture
def server() -> Server:
    return Server("s", tools=[Tool("where", where, options=ALLOWED_FOLDERS_OPTIONS)])


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory, one of the client's and one of someone else's."""
    for name in ("work", "client", "else", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.delenv(ALLOWED_FOLDERS_VARIABLE, raising=False)
    return tmp_path


def test_a_relative_path_begins_in_the_first_directory_of_the_client_that_exists(
    server: Server, places: Path, era: str
) -> None:
    roots = ["https://example.com/x", (places / "gone").as_uri(), (places / "client").as_uri()]
    with connect(server, era=era, roots=roots) as peer:
        assert peer.call("where", path="a/b.nb").text == str(places / "client/a/b.nb")


def test_without_such_a_directory_it_begins_in_the_working_directory(
    server: Server, places: Path, era: str
) -> None:
    with connect(server, era=era) as peer:
        assert peer.call("where", path="b.nb").text == str(places / "work/b.nb")


def test_the_clients_the_working_and_the_temporary_directory_may_be_touched(
    server: Server, places: Path, era: str
) -> None:
    with connect(server, era=era, roots=[(places / "client").as_uri()]) as peer:
        for folder in ("client", "work", "temporary"):
            path = str(places / folder / "b.nb")
            assert peer.call("where", path=path).text == path


@pytest.mark.parametrize("path", ["{}/else/b.nb", "../else/b.nb", "link/b.nb", "~/b.nb"])
def test_what_lies_elsewhere_is_refused_and_the_answer_says_how_to_allow_it(
    server: Server, places: Path, path: str, era: str
) -> None:
    (places / "client" / "link").symlink_to(places / "else")
    with connect(server, era=era, roots=[(places / "client").as_uri()]) as peer:
        answer = peer.call("where", path=path.format(places))
    assert answer.is_error
    assert "is outside the folders that this tool may access" in answer.text
    assert "AllowedFolders" in answer.text
    assert ALLOWED_FOLDERS_VARIABLE in answer.text


def test_the_user_allows_more_by_a_variable_or_an_option(
    server: Server, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(places / "else" / "b.nb")
    monkeypatch.setenv(ALLOWED_FOLDERS_VARIABLE, str(places / "else"))
    with connect(server) as peer:
        assert peer.call("where", path=path).text == path
    monkeypatch.delenv(ALLOWED_FOLDERS_VARIABLE)
    server.set_tool_options({"where": {"AllowedFolders": [str(places / "else")]}})
    with connect(server) as peer:
        assert peer.call("where", path=path).text == path


def test_the_root_of_the_file_system_as_a_directory_allows_nothing(
    server: Server, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    with connect(server, roots=["file:///"]) as peer:
        assert peer.call("where", path=str(places / "else" / "b.nb")).is_error


@pytest.fixture
def address(server: Server) -> Iterator[str]:
    """Where the server is over HTTP."""
    host = Host()
    endpoint = host(server)
    yield f"http://127.0.0.1:{endpoint.port}{endpoint.path}"
    host.stop()


def test_over_http_a_client_does_not_choose_the_folders(
    address: str, places: Path, era: str
) -> None:
    with connect(address, era=era, roots=[(places / "else").as_uri()]) as peer:
        assert peer.call("where", path="b.nb").text == str(places / "work/b.nb")
        for folder in ("else", "temporary"):
            answer = peer.call("where", path=str(places / folder / "b.nb"))
            assert answer.is_error
            assert "is outside the folders" in answer.text


def test_over_http_the_user_allows_folders_all_the_same(
    address: str, places: Path, monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    monkeypatch.setenv(ALLOWED_FOLDERS_VARIABLE, str(places / "else"))
    path = str(places / "else" / "b.nb")
    with connect(address, era=era) as peer:
        assert peer.call("where", path=path).text == path


@pytest.mark.parametrize("bad", ["file://[bad/x", "file:///" + "x" * 300, "file:///a%00b"])
def test_a_root_that_cannot_be_a_path_is_ignored(server: Server, places: Path, bad: str) -> None:
    with connect(server, roots=[bad, (places / "client").as_uri()]) as peer:
        assert peer.call("where", path="b.nb").text == str(places / "client/b.nb")


def test_what_cannot_be_a_path_is_reported(server: Server) -> None:
    with connect(server) as peer:
        answer = peer.call("where", path="a\0b")
    assert answer.is_error
    assert "is not a valid path" in answer.text
