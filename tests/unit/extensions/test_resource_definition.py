"""Resources from definitions, listed and read over a connection."""

import base64
from pathlib import Path
from typing import Any

import pytest

from paddock import Resource, Server
from paddock.extensions.errors import ResourceSpecificationError
from paddock.extensions.resource_definition import make_resource
from tests.conftest import Connect
from tests.unit.extensions.places import write


def read(connect: Connect, definition: object, directory: Path, uri: str) -> dict[str, Any]:
    server = Server("s", resources=make_resource(definition, relative_to=directory, where="here"))
    (found,) = connect(server).result("resources/read", {"uri": uri})["contents"]
    contents: dict[str, Any] = found
    return contents


def test_a_text_is_read_as_it_is(connect: Connect, tmp_path: Path) -> None:
    table = {"URI": "notes://about", "Name": "about", "Text": "{braces}", "MIMEType": "text/x-a"}
    assert read(connect, table, tmp_path, "notes://about") == {
        "uri": "notes://about",
        "text": "{braces}",
        "mimeType": "text/x-a",
    }


def test_a_file_is_read_each_time_with_the_type_of_its_name(
    connect: Connect, tmp_path: Path
) -> None:
    file = write(tmp_path / "about.html", "<p>one</p>")
    table = {"uri": "notes://about", "file": "about.html"}
    line = connect(Server("s", resources=make_resource(table, relative_to=tmp_path, where="here")))
    first = line.result("resources/read", {"uri": "notes://about"})["contents"][0]
    file.write_text("<p>two</p>", encoding="utf-8")
    second = line.result("resources/read", {"uri": "notes://about"})["contents"][0]
    assert (first["text"], first["mimeType"]) == ("<p>one</p>", "text/html")
    assert second["text"] == "<p>two</p>"


def test_a_file_that_is_not_text_is_read_as_bytes(connect: Connect, tmp_path: Path) -> None:
    (tmp_path / "dot.png").write_bytes(b"\x89PNG\xff")
    table = {"uri": "notes://dot", "file": "dot.png"}
    assert read(connect, table, tmp_path, "notes://dot") == {
        "uri": "notes://dot",
        "blob": base64.b64encode(b"\x89PNG\xff").decode(),
        "mimeType": "image/png",
    }


def test_a_function_reads_a_resource_or_a_family_of_them(connect: Connect, tmp_path: Path) -> None:
    write(tmp_path / "reading.py", "def all():\n    return 'all'\ndef one(name):\n    return name")
    whole = {"uri": "notes://all", "function": "reading.py:all"}
    family = {"uri_template": "notes://by/{name}", "name": "note", "function": "reading.py:one"}
    assert read(connect, whole, tmp_path, "notes://all")["text"] == "all"
    assert read(connect, family, tmp_path, "notes://by/ada")["text"] == "ada"


def test_a_resource_is_taken_as_it_is() -> None:
    resource = Resource("a://b", lambda: "x")
    assert make_resource(resource, where="here") is resource


@pytest.mark.parametrize(
    ("definition", "found"),
    [
        (5, "5"),
        ({"text": "x"}, "expected exactly one of uri and uri_template"),
        ({"uri": "a://b"}, "its content comes from none"),
        ({"uri": "a://b", "text": "x", "file": "y"}, "its content comes from text and file"),
        ({"uri_template": "a://{b}", "text": "x"}, "a uri_template requires a function"),
        ({"uri": "a://{b}", "text": "x"}, "'a://{b}' is not the URI of a resource"),
        ({"uri": "a://b", "txt": "x"}, "the key 'txt' is unknown"),
    ],
)
def test_what_is_not_a_definition_of_a_resource_is_reported(definition: object, found: str) -> None:
    with pytest.raises(ResourceSpecificationError) as raised:
        make_resource(definition, where="here")
    assert raised.value.message == f"Invalid resource specification: {found}"
    assert raised.value.where == "here"


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ResourceSpecificationError):
        make_resource({"uri": "a://b", "file": "x.txt"}, relative_to=tmp_path, where="here")
