"""The API against its own description: thousands of requests that fit it, and that do not."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from paddock.zoo.opening import open_zoo
from tests.app.serving import Served, make_application, served
from tests.zoo.conftest import DATABASES

PATIENCE = 280.0
PHASES = {"sqlite": "examples,coverage,fuzzing", "postgresql": "examples,fuzzing"}
"""The phase with the most requests asks nothing that the second database would do otherwise."""
NOT_TRIED = [
    "/api/events",  # has no end
    "/api/clients/{client}/install",  # start programs
    "/api/clients/{client}/uninstall",
]
TOO_STRICT = "positive_data_acceptance"
"""Rejecting duplicate ids or invalid dates is allowed, although the schema cannot express it."""


@pytest.fixture(params=DATABASES)
def running(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Served]:
    """The API with a few things in it, on a socket, in a scratch home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PADDOCK_DATA_DIR", str(tmp_path / "data"))
    address = str(tmp_path / "zoo.db")
    if request.param == "postgresql":
        address = request.getfixturevalue("postgresql").new_database()
    with open_zoo(address) as zoo, served(make_application(zoo)) as server:
        server.http.post("/api/starters")
        yield server


def test_api_does_what_its_description_says(
    running: Served, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    phases = PHASES[request.node.callspec.params["running"]]
    excluded = [word for path in NOT_TRIED for word in ("--exclude-path", path)]
    done = subprocess.run(
        [
            *(str(Path(sys.executable).with_name("schemathesis")), "run"),
            f"{running.url}/api/openapi.json",
            *("--phases", phases, "--max-examples", "5"),
            *("--generation-deterministic", "--exclude-checks", TOO_STRICT),
            *excluded,
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:]


def described(server: httpx.Client) -> Any:
    return server.get("/api/openapi.json").json()


def test_description_is_openapi_3_1_with_examples(shared: httpx.Client) -> None:
    schema = described(shared)
    assert schema["openapi"].startswith("3.1.")
    bodies = {
        (method, path): operation["requestBody"]["content"]["application/json"]
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
        if "requestBody" in operation
    }
    without = {
        key
        for key, content in bodies.items()
        if "example" not in content and not key[1].endswith(("{pack_id}", "import"))
    }
    assert without <= {
        ("patch", "/api/agents/{agent_id}/categories/{category_id}"),
        ("patch", "/api/library/skills/{skill_id}"),
    }


def test_every_route_is_described_in_words_and_with_its_errors(shared: httpx.Client) -> None:
    for path, methods in described(shared)["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (method, path)
            assert operation["description"], (method, path)
            for status, answer in operation["responses"].items():
                if status >= "400":
                    content = answer["content"]["application/json"]["schema"]
                    assert content["$ref"].endswith(("/Problem", "/Conflict")), (method, path)


def test_no_page_with_foreign_scripts_describes_the_api(shared: httpx.Client) -> None:
    for path in ("/api", "/api/docs", "/api/swagger", "/api/redoc", "/schema", "/description"):
        assert "<script" not in shared.get(path).text
