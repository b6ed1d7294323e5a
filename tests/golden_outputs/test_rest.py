"""The REST API as `paddock up` describes it, and its answers for a user who has nothing."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.golden_outputs.golden_files import GoldenFiles, MachineNames, dump_json, split_files

TIMEOUT_SECONDS = 30.0
MODULE = re.compile(r"paddock\.(?:\w+\.)+")
"""In the name of a schema; modules may be renamed."""
COMPONENT = "#/components/schemas/"
METHODS = ("get", "put", "post", "delete", "patch")
COMMAND = [sys.executable, "-m", "paddock", "up", "--no-browser", "--port", "0"]
SIMPLE_ROUTES = ("agents", "agents/summaries", "bin", "formats", "starters", "library/packs")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a user who has nothing."""
    return tmp_path_factory.mktemp("rest")


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[httpx.Client]:
    """`paddock up` as a process, for all tests of this file; none of them changes the zoo."""
    process = subprocess.Popen(
        COMMAND,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=home,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "PADDOCK_DATA_DIR": str(home / "data"),
            "PADDOCK_WOLFRAM_ENGINE": "woxi",
        },
    )
    assert process.stderr is not None
    url = None
    for line in process.stderr:
        if url := re.search(r"http://127\.0\.0\.1:\d+", line):
            break
    assert url is not None
    try:
        with httpx.Client(base_url=url[0], timeout=TIMEOUT_SECONDS) as client:
            yield client
    finally:
        process.kill()
        process.wait(TIMEOUT_SECONDS)
        process.stderr.close()


class ComponentNames:
    """Names each schema after the place where it is first used.

    The names in the description are those of classes, which may be renamed.
    """

    def __init__(self, schemas: dict[str, Any]) -> None:
        self._schemas = schemas
        self.places: dict[str, str] = {}
        self.contents: dict[str, Any] = {}

    def rename(self, value: Any, place: str) -> Any:
        """Return JSON data with references to the new names."""
        if isinstance(value, list):
            return [self.rename(one, place) for one in value]
        if not isinstance(value, dict):
            return value
        reference = value.get("$ref", "")
        if reference.startswith(COMPONENT):
            return {**value, "$ref": COMPONENT + self._get_place(reference, place)}
        # Sorted, so that places do not depend on the order in which routes were added.
        renamed = {key: self._rename_below(key, value[key], place) for key in sorted(value)}
        return {key: renamed[key] for key in value}

    def _rename_below(self, key: str, value: Any, place: str) -> Any:
        if key == "properties":
            renamed = {name: self.rename(value[name], f"{place} {name}") for name in sorted(value)}
            return {name: renamed[name] for name in value}
        return self.rename(value, place if key in STRUCTURE else f"{place} {key}")

    def _get_place(self, reference: str, place: str) -> str:
        name = reference.removeprefix(COMPONENT)
        if name not in self.places:
            assert place not in self.contents
            self.places[name] = place
            schema = dict(self._schemas[name])
            schema.pop("title", None)  # the name of a class again
            self.contents[place] = self.rename(schema, place)
        return self.places[name]


STRUCTURE = {
    *("content", "application/json", "schema", "items", "responses", "oneOf"),
    *("anyOf", "allOf", "additionalProperties", "requestBody"),
}
"""Keys that say nothing about where a schema is used."""


def test_description_of_the_rest_api(
    golden: GoldenFiles, server: httpx.Client, names: MachineNames
) -> None:
    document = names.hide_in(server.get("/api/openapi.json").json())
    schemas = document["components"].pop("schemas")
    components = ComponentNames(schemas)
    operations, paths = {}, {}
    for path, methods in sorted(document.pop("paths").items()):
        for method in METHODS:
            if method in methods:
                operation = methods[method]
                operations[f"{method} {path}"] = operation.pop("operationId")
                methods[method] = components.rename(operation, f"{method} {path}")
        paths[path] = methods
    assert set(components.places) == set(schemas)
    places = {MODULE.sub("", name): place for name, place in components.places.items()}
    files = {
        **split_files("openapi", {**document, "paths": paths}),
        **split_files("schemas", components.contents),
        # Of use to programs that generate code from the description.
        "names.json": dump_json({"operations": operations, "schemas": places}),
    }
    golden.check("rest/description", files)


def test_answers_of_the_rest_api(
    golden: GoldenFiles, server: httpx.Client, names: MachineNames
) -> None:
    files: dict[str, str] = {}
    for route in SIMPLE_ROUTES:
        answer = names.hide_in(server.get(f"/api/{route}").json())
        files |= split_files(route.replace("/", "."), answer)
    wrong = {
        "unknown agent": server.get("/api/agents/nobody"),
        "unknown key": server.post("/api/agents", json={"nmae": "Ada"}),
        "wrong value": server.post("/api/agents", json={"name": 5}),
        "unknown route": server.get("/api/nothing"),
        "unknown server": server.get("/api/servers/Nothing"),
        "wrong query": server.get("/api/agents", params={"limit": "many"}),
    }
    errors = {name: {"status": one.status_code, **one.json()} for name, one in wrong.items()}
    for error in errors.values():
        error["message"] = error.pop("error")
    files |= split_files("errors", errors)
    golden.check("rest/answers", files)
