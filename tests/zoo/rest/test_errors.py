"""Every error has the same form, whatever has refused the request."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from paddock.zoo.opening import open_zoo
from tests.app.serving import Client, client_of, make_application
from tests.zoo.rest.test_agents import code_of, make

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/api", (404, "NOT_FOUND")),
        ("GET", "/api/nothing", (404, "NOT_FOUND")),
        ("GET", "/api/agents/ada/nothing", (404, "NOT_FOUND")),
        ("DELETE", "/api/agents", (405, "METHOD_NOT_ALLOWED")),
        ("PATCH", "/api/health", (405, "METHOD_NOT_ALLOWED")),
    ],
)
def test_a_missing_resource_is_reported(
    api: Client, method: str, path: str, expected: tuple[int, str]
) -> None:
    answer = api.request(method, path)
    assert code_of(answer) == expected
    if expected[0] == 405:
        assert answer.headers["Allow"]


@pytest.mark.parametrize(
    ("content", "headers", "expected"),
    [
        (b"{bad", JSON, (400, "INVALID_ARGUMENTS")),
        (b"[]", JSON, (400, "INVALID_ARGUMENTS")),
        (b"5", JSON, (400, "INVALID_ARGUMENTS")),
        (b"\xff\xfe", JSON, (400, "INVALID_ARGUMENTS")),
        (b"[" * 100_000, JSON, (400, "INVALID_ARGUMENTS")),
        (b"name=Ada", {"Content-Type": "application/x-www-form-urlencoded"}, (415, None)),
        (b'{"name": "Ada"}', {"Content-Type": "text/plain"}, (415, None)),
        (b'{"name": "Ada"}', {}, (415, None)),
        (b'{"name": "' + b"a" * 1024 * 1024 + b'"}', JSON, (413, "BODY_TOO_LARGE")),
    ],
)
def test_body_that_cannot_be_used_makes_no_agent(
    api: Client, content: bytes, headers: dict[str, str], expected: tuple[int, str | None]
) -> None:
    status, code = expected
    answer = api.post("/api/agents", content=content, headers=headers)
    assert code_of(answer) == (status, code or "UNSUPPORTED_MEDIA_TYPE")
    assert api.get("/api/agents").json() == []


def test_body_without_a_length_is_bounded_too(api: Client) -> None:
    def chunks() -> Iterator[bytes]:
        yield b'{"name": "'
        for _ in range(20):
            yield b"a" * 100_000
        yield b'"}'

    answer = api.post("/api/agents", content=chunks(), headers=JSON)
    assert code_of(answer) == (413, "BODY_TOO_LARGE")


def test_fault_of_paddock_says_nothing_of_its_insides(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        open_zoo(str(tmp_path / "zoo.db")) as zoo,
        client_of(make_application(zoo, instance=None)) as client,
    ):
        answer = client.get("/api/health")
    assert answer.status_code == 500
    assert answer.json() == {
        "error": "Internal error; see the log of the server",
        "code": "INTERNAL_ERROR",
        "details": [],
    }
    (told,) = [record for record in caplog.records if record.name == "paddock.rest"]
    assert told.exc_info is not None


def test_database_that_is_locked_for_too_long_is_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "zoo.db"
    with open_zoo(str(path), wait_seconds=0.1) as zoo, client_of(make_application(zoo)) as client:
        make(client)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            answer = client.post("/api/agents", json={"name": "Eve"})
            assert len(client.get("/api/agents").json()) == 1
        assert code_of(answer) == (503, "ZOO_UNAVAILABLE")
        assert client.post("/api/agents", json={"name": "Eve"}).status_code == 201


def test_answers_are_kept_by_no_one(api: Client) -> None:
    make(api)
    for path in ("/api/agents", "/api/agents/missing", "/api/nothing"):
        headers = api.get(path).headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
