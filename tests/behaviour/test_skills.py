"""Serving skills: the extension's methods, and their files as resources."""

import base64
import hashlib
import logging
from pathlib import Path
from typing import Any

import pytest

from paddock import Context, Resource, Server, Skill
from tests.behaviour.line import Json, Line
from tests.behaviour.process import serve_command
from tests.behaviour.wire import META_KEY, SESSION, STATELESS
from tests.conftest import Connect, Start

EXTENSION = f"{META_KEY}skills"
METHODS = ("skills/list", "skills/get", "resources/directory/read")
FILES: dict[str, Any] = {"scripts/run.py": "print('ü')\n", "data/raw file.bin": b"\xff\x00"}


def written(**options: Any) -> Skill:
    return Skill("pdf-tools", "Work with PDF files", "# PDF\n", files=FILES, **options)


def digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def raw(contents: Json) -> bytes:
    """The bytes of a resource, whichever way they came."""
    if "text" in contents:
        text: str = contents["text"]
        return text.encode()
    return base64.b64decode(contents["blob"])


def declared(line: Line) -> Json | None:
    result = line.result("server/discover") if line.era == STATELESS else line.open()["result"]
    extensions: Json = result["capabilities"].get("extensions", {})
    return extensions.get(EXTENSION)


def test_a_server_declares_the_extension_once_it_has_a_skill(connect: Connect, era: str) -> None:
    server = Server("s")
    assert declared(connect.silent(server, era)) is None
    server.register(written())
    assert declared(connect.silent(server, era)) == {"directoryRead": True}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("params", [{}, {"uri": 5}, {"uri": "skill://a/SKILL.md"}, {"cursor": 5}])
def test_the_methods_do_not_exist_without_the_extension(
    connect: Connect, era: str, method: str, params: Json
) -> None:
    assert connect(Server("s"), era).error(method, params)["code"] == -32601


@pytest.mark.parametrize("method", METHODS)
def test_capabilities_of_the_author_hold_for_skills_too(
    connect: Connect, era: str, method: str
) -> None:
    server = Server("s", capabilities={"resources": {}}, skills=written())
    line = connect(server, era)
    assert line.error(method, {"uri": "skill://pdf-tools"})["code"] == -32601
    assert line.result("resources/read", {"uri": "skill://pdf-tools/scripts/run.py"})["contents"]


def test_an_author_may_declare_skills_without_directories(connect: Connect, era: str) -> None:
    capabilities: Json = {"resources": {}, "extensions": {EXTENSION: {}}}
    line = connect(Server("s", capabilities=capabilities, skills=written()), era)
    assert len(line.result("skills/list")["skills"]) == 1
    directory = {"uri": "skill://pdf-tools"}
    assert line.error("resources/directory/read", directory)["code"] == -32601


def test_a_skill_is_listed_with_its_frontmatter_and_the_digests_of_its_files(
    connect: Connect, era: str
) -> None:
    extra = {"license": "MIT", "metadata": {"version": "1.0"}}
    line = connect(Server("s", skills=written(frontmatter=extra)), era)
    (skill,) = line.result("skills/list")["skills"]
    root = "skill://pdf-tools"
    assert skill["uri"] == f"{root}/SKILL.md"
    fields = {"name": "pdf-tools", "description": "Work with PDF files"}
    assert skill["frontmatter"] == {**fields, **extra}
    assert [file["uri"] for file in skill["resources"]] == [
        f"{root}/SKILL.md",
        f"{root}/data/raw%20file.bin",
        f"{root}/scripts/run.py",
    ]
    for file in skill["resources"]:
        (contents,) = line.result("resources/read", {"uri": file["uri"]})["contents"]
        assert contents["uri"] == file["uri"]
        assert (digest(raw(contents)), len(raw(contents))) == (file["digest"], file["size"])


def test_files_are_read_as_text_where_they_are_text(connect: Connect, era: str) -> None:
    line = connect(Server("s", skills=written()), era)
    root = "skill://pdf-tools"
    found = [
        line.result("resources/read", {"uri": f"{root}/{path}"})["contents"]
        for path in ("SKILL.md", "scripts/run.py", "data/raw%20file.bin")
    ]
    head = '---\nname: "pdf-tools"\ndescription: "Work with PDF files"\n---\n\n'
    python, binary = "text/x-python", "application/octet-stream"
    assert found == [
        [{"uri": f"{root}/SKILL.md", "mimeType": "text/markdown", "text": f"{head}# PDF\n"}],
        [{"uri": f"{root}/scripts/run.py", "mimeType": python, "text": "print('ü')\n"}],
        [{"uri": f"{root}/data/raw%20file.bin", "mimeType": binary, "blob": "/wA="}],
    ]


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf\r\n\r\x00", "\u2028".encode(), b"\xc3"])
def test_bytes_are_served_unchanged(connect: Connect, era: str, data: bytes) -> None:
    server = Server("s", skills=Skill("a", "d", "", files={"x": data}))
    (contents,) = connect(server, era).result("resources/read", {"uri": "skill://a/x"})["contents"]
    assert raw(contents) == data


def test_one_skill_is_got_by_its_uri_even_if_it_is_not_listed(connect: Connect, era: str) -> None:
    server = Server("s", skills=[written(), Skill("secret", "d", "", listed=False)])
    line = connect(server, era)
    listed = line.result("skills/list")["skills"]
    assert [skill["uri"] for skill in listed] == ["skill://pdf-tools/SKILL.md"]
    assert len(line.result("resources/list")["resources"]) == 1
    assert line.result("skills/get", {"uri": listed[0]["uri"]}) == {"skill": listed[0]}
    secret = {"uri": "skill://secret/SKILL.md"}
    assert line.result("skills/get", secret)["skill"]["uri"] == secret["uri"]
    assert line.result("resources/read", secret)["contents"]


@pytest.mark.parametrize(
    "uri",
    [
        *("skill://none/SKILL.md", "skill://pdf-tools", "skill://pdf-tools/", "pdf-tools", ""),
        *("skill://pdf-tools/scripts/run.py", "SKILL://pdf-tools/SKILL.md", "pdf-tools/SKILL.md"),
        *("skill://pdf-tools/./SKILL.md", "skill://pdf-tools//SKILL.md", "test://a"),
    ],
)
def test_getting_what_is_not_a_skill_is_invalid_params(
    connect: Connect, era: str, uri: str
) -> None:
    server = Server("s", skills=written(), resources=Resource("test://a", lambda: ""))
    error = connect(server, era).error("skills/get", {"uri": uri})
    assert (error["code"], error["data"]) == (-32602, {"uri": uri})


@pytest.mark.parametrize("method", METHODS[1:])
@pytest.mark.parametrize("params", [{}, {"uri": None}, {"uri": 5}])
def test_a_missing_uri_is_invalid_params(
    connect: Connect, era: str, method: str, params: Json
) -> None:
    assert connect(Server("s", skills=written()), era).error(method, params)["code"] == -32602


@pytest.mark.parametrize(("version", "code"), [(SESSION, -32002), (STATELESS, -32602)])
@pytest.mark.parametrize("path", ["", "/", "/none", "/scripts", "/scripts/", "/SKILL.md/", "/../a"])
def test_reading_what_is_not_a_file_is_not_found(
    connect: Connect, version: str, code: int, path: str
) -> None:
    uri = f"skill://pdf-tools{path}"
    error = connect(Server("s", skills=written()), version).error("resources/read", {"uri": uri})
    assert (error["code"], error["data"]) == (code, {"uri": uri})


def test_a_directory_shows_what_is_directly_in_it(connect: Connect, era: str) -> None:
    line = connect(Server("s", skills=written(prefix="acme/docs")), era)

    def read(uri: str) -> list[Json]:
        resources: list[Json] = line.result("resources/directory/read", {"uri": uri})["resources"]
        return resources

    root = "skill://acme/docs/pdf-tools"
    directory = {"mimeType": "inode/directory"}
    assert read("skill://acme") == [{"uri": "skill://acme/docs", "name": "docs", **directory}]
    assert read("skill://acme/docs") == [{"uri": root, "name": "pdf-tools", **directory}]
    assert read(root) == [
        {
            "uri": f"{root}/SKILL.md",
            "name": "pdf-tools",
            "description": "Work with PDF files",
            "mimeType": "text/markdown",
        },
        {"uri": f"{root}/data", "name": "data", **directory},
        {"uri": f"{root}/scripts", "name": "scripts", **directory},
    ]
    assert read(f"{root}/data") == [
        {"uri": f"{root}/data/raw%20file.bin", "name": "raw file.bin", "size": 2}
    ]


@pytest.mark.parametrize(
    "uri",
    [
        *("skill://none", "skill://pdf-tools/", "skill://pdf-tools/SKILL.md", "skill://", "", "a"),
        *("skill://pdf-tools/scripts/", "skill://pdf-tools/none", "skill://pdf", "test://a"),
    ],
)
def test_what_is_not_a_directory_is_invalid_params(connect: Connect, era: str, uri: str) -> None:
    line = connect(Server("s", skills=written()), era)
    assert line.error("resources/directory/read", {"uri": uri})["code"] == -32602


def test_lists_of_skills_and_directories_come_in_pages(connect: Connect, era: str) -> None:
    skills = [Skill(f"skill-{number}", "d", "", files=FILES) for number in range(3)]
    resource = Resource("test://a", lambda: "")
    line = connect(Server("s", page_size=2, skills=skills, resources=resource), era)
    lists = {
        "skills/list": ("skills", [1, 2]),
        "resources/list": ("resources", [2, 2]),
        "resources/directory/read": ("resources", [1, 2]),
    }
    for method, (key, lengths) in lists.items():
        params = {"uri": "skill://skill-0"} if "directory" in method else {}
        first = line.result(method, params)
        second = line.result(method, {**params, "cursor": first["nextCursor"]})
        assert sorted([len(first[key]), len(second[key])]) == lengths
        assert "nextCursor" not in second
        assert line.error(method, {**params, "cursor": "made up"})["code"] == -32602


@pytest.mark.parametrize("cursor", ["c2tpbGxzOjE=", 5])
def test_a_cursor_where_there_is_one_page_is_invalid_params(
    connect: Connect, era: str, cursor: object
) -> None:
    line = connect(Server("s", skills=written()), era)
    assert line.error("skills/list", {"cursor": cursor})["code"] == -32602


def test_lists_and_entries_carry_the_cache_hints_of_the_server(connect: Connect) -> None:
    server = Server("s", cache_ttl_ms=5000, cache_scope="public", skills=written())
    line = connect(server, STATELESS)
    uri = {"uri": "skill://pdf-tools/SKILL.md"}
    for answer in (line.ask("skills/list"), line.ask("skills/get", uri)):
        assert (answer["result"]["ttlMs"], answer["result"]["cacheScope"]) == (5000, "public")


def test_content_that_a_function_makes_is_dynamic(connect: Connect, era: str) -> None:
    async def report(ctx: Context) -> dict[str, str]:
        return {"server": ctx.server.name}

    body = iter(["# One", "# Two"])
    files: dict[str, Any] = {"report.json": report, "still.txt": "still"}
    line = connect(Server("s", skills=Skill("daily", "d", lambda: next(body), files=files)), era)
    (skill,) = line.result("skills/list")["skills"]
    assert skill["resources"] == "dynamic"

    def read(path: str) -> str:
        uri = f"skill://daily/{path}"
        text: str = line.result("resources/read", {"uri": uri})["contents"][0]["text"]
        return text

    assert [read("SKILL.md").splitlines()[-1] for _ in range(2)] == ["# One", "# Two"]
    assert read("report.json") == '{"server":"s"}'
    assert read("still.txt") == "still"
    found = line.result("resources/directory/read", {"uri": "skill://daily"})["resources"]
    assert [entry["name"] for entry in found] == ["daily", "report.json", "still.txt"]


def test_a_function_that_fails_is_an_internal_error(connect: Connect, era: str) -> None:
    def broken() -> str:
        raise OSError("disk on fire")

    line = connect(Server("s", skills=Skill("a", "d", broken)), era)
    error = line.error("resources/read", {"uri": "skill://a/SKILL.md"})
    assert error["code"] == -32603
    assert "disk on fire" in error["message"]


def directory_skill(directory: Path, description: str = "d") -> Path:
    place = directory / "notes"
    place.mkdir(exist_ok=True)
    text = f"---\nname: notes\ndescription: {description}\n---\n"
    (place / "SKILL.md").write_text(text, encoding="utf-8")
    return place


def test_files_are_served_as_they_are_on_the_disk_now(
    connect: Connect, era: str, tmp_path: Path
) -> None:
    place = directory_skill(tmp_path)
    (place / "a.txt").write_text("one", encoding="utf-8")
    line = connect(Server("s", skills=place), era)
    (before,) = line.result("skills/list")["skills"]
    directory_skill(tmp_path, "something else")
    (place / "a.txt").write_text("other", encoding="utf-8")
    (place / "b.txt").touch()
    (after,) = line.result("skills/list")["skills"]
    assert before["frontmatter"]["description"] == "d"
    assert after["frontmatter"]["description"] == "something else"
    assert [file["uri"].rpartition("/")[2] for file in after["resources"]] == [
        *("SKILL.md", "a.txt", "b.txt")
    ]
    assert after["resources"][1]["digest"] == digest(b"other")
    (listed,) = line.result("resources/list")["resources"]
    assert listed["description"] == "something else"


def test_a_skill_that_breaks_is_left_out_and_our_paths_are_not_told(
    connect: Connect, era: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = directory_skill(tmp_path)
    line = connect(Server("s", skills=[place, written()]), era)
    (place / "SKILL.md").write_text("no frontmatter", encoding="utf-8")
    with caplog.at_level(logging.ERROR, "paddock"):
        (skill,) = line.result("skills/list")["skills"]
        error = line.error("skills/get", {"uri": "skill://notes/SKILL.md"})
    assert skill["uri"] == "skill://pdf-tools/SKILL.md"
    assert error["code"] == -32603
    assert "has no frontmatter" in error["message"]
    assert str(tmp_path) not in error["message"]
    assert str(tmp_path) in caplog.text


@pytest.mark.parametrize("value", [r'"\ud800"', r'"\U00110000"'])
def test_a_skill_with_characters_that_there_are_not_is_left_out_of_every_list(
    connect: Connect, era: str, tmp_path: Path, value: str
) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        head = f"---\nname: {name}\ndescription: d\n"
        (tmp_path / name / "SKILL.md").write_text(f"{head}---\n", encoding="utf-8")
    line = connect(Server("s", skills=tmp_path), era)
    (tmp_path / "second" / "SKILL.md").write_text(f"{head}x: {value}\n---\n", encoding="utf-8")
    for method, member in (("skills/list", "skills"), ("resources/list", "resources")):
        listed = line.result(method)[member]
        assert [one["uri"] for one in listed] == ["skill://first/SKILL.md"]
    error = line.error("skills/get", {"uri": "skill://second/SKILL.md"})
    assert error["message"].startswith("The skill cannot be served: frontmatter ")


def test_nested_skills_are_files_of_the_outer_and_skills_of_their_own(
    connect: Connect, era: str, tmp_path: Path
) -> None:
    outer = directory_skill(tmp_path)
    inner = directory_skill(outer)
    server = Server("s").skill(outer).skill(inner, prefix="notes")
    line = connect(server, era)
    found = {
        skill["uri"]: [file["uri"] for file in skill["resources"]]
        for skill in line.result("skills/list")["skills"]
    }
    assert found == {
        "skill://notes/SKILL.md": ["skill://notes/SKILL.md", "skill://notes/notes/SKILL.md"],
        "skill://notes/notes/SKILL.md": ["skill://notes/notes/SKILL.md"],
    }


def test_changes_of_the_skills_are_changes_of_the_resources(connect: Connect) -> None:
    server = Server("s")
    session, stateless = connect(server, SESSION), connect(server, STATELESS)
    stateless.request("subscriptions/listen", {"notifications": {"resourcesListChanged": True}})
    stateless.notification("notifications/subscriptions/acknowledged")
    server.register([written(), Skill("other", "d", "")])
    for line in (session, stateless):
        line.notification("notifications/resources/list_changed")
        assert len(line.result("skills/list")["skills"]) == 2
    server.skills.remove("other")
    for line in (session, stateless):
        line.notification("notifications/resources/list_changed")
        assert len(line.result("skills/list")["skills"]) == 1
        assert line.heard() == []


@pytest.mark.parametrize(
    "registration",
    [
        'server = Server("s", skills="skills")',
        'server = Server("s")\nserver.skills("skills")',
        'server = Server("s")\nserver.skill("skills/notes")',
        'server = Server("s", auto_register_dir=".")',
        'server = Server("s")\nserver.register(Skill("notes", "d", ""))',
    ],
)
def test_the_first_answer_of_a_served_file_declares_its_skills(
    start: Start, tmp_path: Path, registration: str
) -> None:
    (tmp_path / "skills").mkdir()
    directory_skill(tmp_path / "skills")
    process = start(f"from paddock import Server, Skill\n{registration}\n", is_served=True)
    line = process.connect(STATELESS)
    assert declared(line) == {"directoryRead": True}
    assert len(line.result("skills/list")["skills"]) == 1


def test_a_directory_that_is_served_has_its_skills(start: Start, tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    directory_skill(tmp_path / "skills")
    line = start.command(serve_command(tmp_path)).connect(STATELESS)
    assert declared(line) == {"directoryRead": True}
    assert len(line.result("skills/list")["skills"]) == 1
