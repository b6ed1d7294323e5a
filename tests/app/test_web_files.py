"""The files of the web app."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from paddock.zoo.service import Zoo
from tests.app.serving import Client, client_of, make_application

SCRIPT = "const zoo = 1;\n" * 200


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A built app, with a secret beside it."""
    built = tmp_path / "web"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<!doctype html><title>Zoo</title>")
    (built / "assets" / "index-1a2b.js").write_text(SCRIPT)
    (built / "assets" / "font.woff2").write_bytes(b"\0font")
    (built / ".hidden").write_text("hidden")
    (tmp_path / "secret.txt").write_text("secret")
    (built / "assets" / "link.txt").symlink_to(tmp_path / "secret.txt")
    return built


@pytest.fixture
def web(zoo: Zoo, directory: Path) -> Iterator[Client]:
    with client_of(make_application(zoo, web_directory=directory)) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/index.html", "/agents/ada", "/agents/a.b/soul", "/x/y/z"])
def test_every_address_of_the_app_is_its_page(web: Client, path: str) -> None:
    answer = web.get(path)
    assert (answer.status_code, answer.text) == (200, "<!doctype html><title>Zoo</title>")
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-cache"


def test_hashed_file_is_kept_for_ever_and_comes_packed(web: Client) -> None:
    answer = web.get("/assets/index-1a2b.js", headers={"Accept-Encoding": "gzip"})
    assert (answer.status_code, answer.text) == (200, SCRIPT)
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert int(answer.headers["Content-Length"]) == len(gzip.compress(SCRIPT.encode(), 9, mtime=0))
    plain = web.get("/assets/index-1a2b.js", headers={"Accept-Encoding": "identity"})
    assert int(plain.headers["Content-Length"]) == len(SCRIPT)


def test_page_that_has_not_changed_is_not_sent_again(web: Client, directory: Path) -> None:
    tag = web.get("/").headers["ETag"]
    assert web.get("/", headers={"If-None-Match": tag}).status_code == 304
    (directory / "index.html").write_text("<!doctype html><title>New zoo</title>")
    answer = web.get("/", headers={"If-None-Match": tag})
    assert (answer.status_code, answer.text) == (200, "<!doctype html><title>New zoo</title>")


def test_head_has_no_body(web: Client) -> None:
    answer = web.head("/assets/font.woff2")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["Content-Type"] == "font/woff2"


@pytest.mark.parametrize(
    "path",
    ["/assets/none.js", "/assets/link.txt", "/assets/%2e%2e/%2e%2e/secret.txt", "/assets/..%5Cx"],
)
def test_asset_that_is_not_there_is_no_page(web: Client, path: str) -> None:
    assert web.get(path).status_code == 404


@pytest.mark.parametrize(
    "path", ["/.hidden", "/%2e%2e/secret.txt", "//secret.txt", "/..%2fsecret.txt"]
)
def test_nothing_but_the_app_is_given_out(web: Client, path: str) -> None:
    assert web.get(path).text == "<!doctype html><title>Zoo</title>"


def test_page_cannot_be_written(web: Client) -> None:
    answer = web.put("/index.html", json={})
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")


def test_app_that_is_not_built_says_how_to_build_it(client: Client) -> None:
    answer = client.get("/")
    assert answer.status_code == 503
    assert "make web" in answer.text
