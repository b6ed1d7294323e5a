"""Catalogues come from others: what cannot be used is refused, and copies outlive failures."""

import json
import os
import socket
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from packaging.tags import sys_tags

from paddock.errors import PaddockError
from paddock.extensions.catalogues import document, store
from paddock.extensions.catalogues.document import parse_catalogue
from paddock.extensions.catalogues.download import (
    DownloadLimit,
    fetch_bytes,
    normalize_location,
    resolve_location,
)
from paddock.extensions.catalogues.remote import find_remote_extension, select_best_entries
from paddock.extensions.errors import CatalogueError, FetchError
from tests.catalogues.conftest import CATALOGUE
from tests.catalogues.web import Answer, Web

GOOD: dict[str, Any] = {
    "name": "acme/charts",
    "kind": "distribution",
    "version": "1.0",
    "distribution": "acme-charts",
    "url": "acme_charts-1.0-py3-none-any.whl",
    "sha256": "0" * 64,
    "size": 10,
    "manifest": {"publisher": "acme", "servers": ["Charts"]},
}


def text(*entries: dict[str, Any]) -> bytes:
    return json.dumps({"catalogue": 1, "extensions": [*entries]}).encode()


@pytest.mark.parametrize(
    "change",
    [
        {"name": "../charts"},
        {"name": "acme/.."},
        {"name": "other/charts"},
        {"name": "paddock", "manifest": {}},
        {"kind": "program"},
        {"version": "../../1"},
        {"version": "-1"},
        {"distribution": "--index-url=evil"},
        {"file": "../charts.whl"},
        {"file": "-r.whl"},
        {"file": "charts.exe"},
        {"url": "charts 1.whl"},
        {"url": "charts\x9b1.whl"},
        {"requires": ["fine", "evil\x1b[2K"]},
        {"requires": [""]},
        {"requires_python": ">=3\u202e"},
        {"sha256": ""},
        {"sha256": "z" * 64},
        {"size": 0},
        {"size": document.MAX_EXTENSION_FILE_BYTES + 1},
        {"size": "many"},
        {"manifest": None},
        {"manifest": {"publisher": "acme", "tools": ["../Plot"]}},
        {"manifest": {"publisher": "acme", "schema": 9}},
    ],
    ids=str,
)
def test_an_entry_that_cannot_be_used_is_left_out_and_hides_no_other(
    change: dict[str, Any],
) -> None:
    found = parse_catalogue(text({**GOOD, **change}, {**GOOD, "version": "2.0"}), "somewhere")
    assert [one.version for one in found.entries] == ["2.0"]
    (problem,) = found.problems
    assert problem.where is not None
    assert problem.where.startswith("somewhere: extensions[0]")


@pytest.mark.parametrize(
    "data",
    [b"", b"[", b"[]", b"{}", b'{"catalogue": 2, "extensions": []}', b"[" * 100_000, b"\xff"],
)
def test_what_is_not_a_catalogue_is_refused(data: bytes) -> None:
    with pytest.raises(CatalogueError):
        parse_catalogue(data, "somewhere")


@pytest.mark.parametrize(
    "location",
    [
        "http://example.org/c.json",
        "ftp://example.org/c.json",
        "https:///c.json",
        "https://name:password@example.org/c.json",
        "file://elsewhere/c.json",
        "http://127.0.0.1.example.org/c.json",
    ],
)
def test_a_catalogue_is_at_https_or_on_this_machine(location: str) -> None:
    with pytest.raises(CatalogueError, match="is not allowed"):
        normalize_location(location)


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "http://localhost:1/x.whl", "ftp://example.org/x.whl"]
)
def test_what_came_over_https_leads_nowhere_else(url: str) -> None:
    with pytest.raises(CatalogueError):
        resolve_location(url, "https://example.org/c.json")


def test_files_are_named_relative_to_the_catalogue(tmp_path: Path) -> None:
    assert (
        resolve_location("a/b.whl", "https://example.org/x/c.json")
        == "https://example.org/x/a/b.whl"
    )
    assert resolve_location("a%20b.whl", str(tmp_path / "c.json")) == str(tmp_path / "a b.whl")


def test_a_redirection_out_of_the_web_is_not_followed(web: Web, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    for target in (secret.as_uri(), "http://example.org/", "ftp://example.org/"):
        with pytest.raises(FetchError, match=r"[Rr]edirect"):
            fetch_bytes(web.redirect("/away", target), DownloadLimit(1000, 10))
    web.put("/here", b"content")
    assert fetch_bytes(web.redirect("/on", "/here"), DownloadLimit(1000, 10)) == b"content"


def test_no_more_is_fetched_than_is_allowed(web: Web) -> None:
    url = web.put("/large", b"x" * 100_001)
    with pytest.raises(FetchError, match="is longer than 100,000 bytes"):
        fetch_bytes(url, DownloadLimit(100_000, 10))
    web.answers["/endless"] = Answer(b"x", is_endless=True)
    with pytest.raises(FetchError, match="takes longer than"):
        fetch_bytes(f"{web.url}/endless", DownloadLimit(10**12, 0.1))
    with pytest.raises(FetchError, match="cannot be fetched"):
        fetch_bytes(f"{web.url}/nothing", DownloadLimit(100_000, 10))


def test_a_server_that_answers_byte_by_byte_is_left_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        gone = Event()

        def drip() -> None:
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\nSlowly: ")
                while not gone.wait(0.01):
                    connection.sendall(b"x")

        thread = Thread(target=drip)
        thread.start()
        try:
            with pytest.raises(FetchError, match="takes longer than"):
                fetch_bytes(
                    f"http://127.0.0.1:{listening.getsockname()[1]}/", DownloadLimit(1000, 0.2)
                )
        finally:
            gone.set()
            thread.join()


def test_a_catalogue_is_fetched_once_and_kept(web: Web, shelf: Path, monkeypatch: Any) -> None:
    url = web.put("/c.json", (shelf / CATALOGUE).read_bytes())
    monkeypatch.setenv(store.CATALOGUES_VARIABLE, url)
    assert find_remote_extension("acme/charts") is None, "nothing is fetched to look at a name"
    assert web.asked == []
    assert len(store.load_entries(may_fetch=True)) == 3
    assert len(store.load_entries(may_fetch=True)) == 3
    assert find_remote_extension("acme/charts") is not None
    assert web.asked == ["/c.json"]


def test_an_old_copy_is_fetched_again_and_stays_when_that_fails(
    web: Web, shelf: Path, data: Path
) -> None:
    url = web.put("/c.json", (shelf / CATALOGUE).read_bytes())
    store.refresh_catalogue(url)
    store.add_catalogue(url)
    (copy,) = (data / store.COPY_FOLDER).iterdir()
    os.utime(copy, (1, 1))
    for broken in (b"no catalogue", None):
        if broken is None:
            del web.answers["/c.json"]
        else:
            web.put("/c.json", broken)
        (known,) = store.load_catalogues(may_fetch=True)
        assert known.catalogue is not None
        assert len(known.catalogue.entries) == 3
        assert isinstance(known.problem, PaddockError)
    web.put("/c.json", text(GOOD))
    assert [one.version for one in store.load_entries(may_fetch=True)] == ["1.0"]


def test_the_highest_version_counts_and_the_first_catalogue_decides() -> None:
    several = [{**GOOD, "version": version} for version in ("1.9", "1.10", "1.2")]
    first = parse_catalogue(text(*several), "first").entries
    second = parse_catalogue(text({**GOOD, "version": "99"}), "second").entries
    (found,) = select_best_entries([*first, *second])
    assert (found.version, found.catalogue) == ("1.10", "first")


@pytest.mark.parametrize(
    "file",
    [
        "acme_charts-2.0-cp27-cp27mu-atari_st.whl",
        "acme_charts-2.0-cp37-cp37m-any.whl",
        "acme_charts-2.0-py3-none-atari_st.whl",
        "charts.whl",
    ],
)
def test_a_file_for_another_machine_is_not_chosen(file: str) -> None:
    foreign = {**GOOD, "version": "2.0", "url": file}
    (found,) = select_best_entries(parse_catalogue(text(foreign, GOOD), "first").entries)
    assert found.version == "1.0"


def test_of_several_files_of_a_version_one_for_this_machine_is_chosen() -> None:
    tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    minor = sys.version_info.minor
    files = [
        "acme_charts-1.0-cp37-cp37m-atari_st.whl",
        f"acme_charts-1.0-cp3{minor}-cp3{minor}-{tag}.whl",
    ]
    (found,) = select_best_entries(
        parse_catalogue(text(*({**GOOD, "url": one} for one in files)), "it").entries
    )
    assert found.file == files[1]


@pytest.mark.parametrize(
    ("versions", "chosen"),
    [
        (("1.0", "1.0.post1"), "1.0.post1"),
        (("1.0", "1.0rc1", "2.0b1"), "1.0"),
        (("1.0a1", "1.0rc1", "1.0.dev5"), "1.0rc1"),
        (("9.0", "1!1.0"), "1!1.0"),
        (("1.0", "1.0+local"), "1.0+local"),
        (("1.0", "no-version"), "1.0"),
    ],
)
def test_versions_of_distributions_are_ordered_as_pip_does(
    versions: tuple[str, ...], chosen: str
) -> None:
    for several in (versions, versions[::-1]):
        listed = [{**GOOD, "version": version} for version in several]
        (found,) = select_best_entries(parse_catalogue(text(*listed), "first").entries)
        assert found.version == chosen


def test_a_distribution_for_another_python_is_not_chosen() -> None:
    later = f">=3.{sys.version_info.minor + 1}"
    foreign = {**GOOD, "version": "2.0", "requires_python": later}
    fine = {**GOOD, "version": "1.0", "requires_python": ">=3.11"}
    odd = {**GOOD, "version": "0.9", "requires_python": "three"}
    (found,) = select_best_entries(parse_catalogue(text(foreign, fine, odd), "first").entries)
    assert found.version == "1.0"


def test_a_wheel_for_another_c_library_is_not_chosen() -> None:
    machine = sysconfig.get_platform().rpartition("-")[2]
    linux = [f"acme_charts-2.0-py3-none-{one}_1_2_{machine}.whl" for one in ("musllinux", "other")]
    if any("musl" in tag.platform for tag in sys_tags()):
        linux[0] = linux[0].replace("musllinux_1_2", "manylinux_2_17")
    listed = [{**GOOD, "version": "2.0", "url": one} for one in linux]
    (found,) = select_best_entries(parse_catalogue(text(*listed, GOOD), "first").entries)
    assert found.version == "1.0"


def test_a_distribution_and_a_paclet_of_one_name_can_be_compared() -> None:
    paclet = {**GOOD, "kind": "paclet", "version": "9.0", "url": "Charts-9.0.paclet"}
    for listed in ((GOOD, paclet), (paclet, GOOD)):
        (found,) = select_best_entries(parse_catalogue(text(*listed), "first").entries)
        assert found.kind == "distribution"


def test_paths_of_catalogues_are_made_plain(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    assert normalize_location("../b/./c.json") == str(tmp_path / "b" / "c.json")


def test_local_urls_are_decoded_once(tmp_path: Path) -> None:
    file = tmp_path / "100%25.json"
    assert normalize_location(file.as_uri()) == str(file)
    assert resolve_location("100%2525.whl", str(file)) == str(tmp_path / "100%25.whl")


def test_a_directory_is_not_a_catalogue(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="is not a file"):
        store.refresh_catalogue(str(tmp_path))


def test_a_location_that_cannot_be_hides_no_other(
    data: Path, shelf: Path, monkeypatch: Any
) -> None:
    data.mkdir()
    bad = "http://example.org/c.json"
    store.get_settings_file().write_text(f'catalogues = ["{bad}"]\n')
    monkeypatch.setenv(store.CATALOGUES_VARIABLE, f"{shelf / CATALOGUE} ftp://example.org/c.json")
    first, good, second = store.load_catalogues(may_fetch=False)
    assert good.catalogue is not None
    assert first.problem is not None
    assert first.problem.where == str(store.get_settings_file())
    assert second.problem is not None
    assert second.problem.where == f"the variable {store.CATALOGUES_VARIABLE}"
    assert find_remote_extension("acme/charts") is not None
    assert store.remove_catalogue(bad) == bad
    assert store.read_settings().catalogues == ()


def test_settings_keep_what_else_is_in_their_file(data: Path, tmp_path: Path) -> None:
    data.mkdir()
    store.get_settings_file().write_text('# mine\ninstall = "never"\n')
    store.add_catalogue(str(tmp_path / "c.json"))
    store.add_catalogue("https://example.org/c.json")
    assert store.remove_catalogue("https://example.org/c.json") is not None
    assert store.remove_catalogue("https://example.org/c.json") is None
    assert store.read_settings() == ((str(tmp_path / "c.json"),), "never")
    assert store.get_settings_file().read_text().startswith("# mine\n")


@pytest.mark.parametrize(
    "content", ["catalogues = 1", "install = 'always'", "= 1", f"n = {'9' * 5000}"]
)
def test_settings_that_cannot_be_are_refused(data: Path, content: str) -> None:
    data.mkdir()
    store.get_settings_file().write_text(content)
    with pytest.raises(CatalogueError) as caught:
        store.read_settings()
    assert caught.value.where == str(store.get_settings_file())
