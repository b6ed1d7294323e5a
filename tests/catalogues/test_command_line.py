"""Catalogues as people use them, by `paddock` in a shell."""

import json
import os
import re
from pathlib import Path

import pytest

from paddock.extensions.catalogues.store import CATALOGUES_VARIABLE, NO_INSTALL_VARIABLE
from tests.catalogues.conftest import CATALOGUE, wheel, write_catalogue
from tests.catalogues.web import Web
from tests.command_line.program import Program
from tests.extensions import samples

SAMPLER = "SamplePublisher/Sampler"
BENCH = f"{SAMPLER}/Bench"
CLEARING = "\x1b[2J\x9b2J"
"""What clears a terminal that obeys it, written in two ways."""
ESCAPED = r"\u001b[2J\u009b2J"


@pytest.fixture
def paddock(tmp_path: Path) -> Program:
    """`paddock` with no catalogue."""
    return Program(tmp_path)


@pytest.fixture
def paddock_with_catalogue(paddock: Program, shelf: Path) -> Program:
    """`paddock` with a catalogue of files on this machine."""
    assert paddock("catalogue", "add", str(shelf / CATALOGUE)).code == 0
    return paddock


def test_a_catalogue_is_built_added_listed_refreshed_and_removed(
    paddock: Program, shelf: Path, web: Web
) -> None:
    file = paddock.work / "c.json"
    built = paddock("catalogue", "build", str(shelf), "--output", str(file), "--base-url", web.url)
    assert (built.code, built.out, built.err) == (0, "", f"Wrote {file}: 3 extensions\n")
    url = web.put("/c.json", file.read_bytes())
    assert paddock("catalogue", "add", url).out == f"Added {url}: 3 extensions\n"
    (row,) = paddock("catalogue", "list", "--json").json
    assert (row["location"], row["extensions"], row["problem"]) == (url, 3, None)
    web.put("/c.json", b"broken")
    refreshed = paddock("catalogue", "refresh")
    assert refreshed.code == 1
    assert "is not JSON" in refreshed.err
    assert paddock("catalogue", "list", "--json").json == [row], "what was known stays"
    assert paddock("catalogue", "remove", url).out == f"Removed {url}\n"
    assert paddock("catalogue", "list", "--json").json == []
    again = paddock("catalogue", "remove", url)
    assert (again.code, again.out) == (2, "")


def test_a_catalogue_goes_to_standard_output(paddock: Program, shelf: Path) -> None:
    said = paddock.at(shelf)("catalogue", "build", ".")
    assert said.out == (shelf / CATALOGUE).read_text()


def test_what_cannot_be_listed_is_reported_and_the_rest_is_listed(
    paddock: Program, shelf: Path
) -> None:
    (paddock.work / "bad-1.0-py3-none-any.whl").write_bytes(b"no archive")
    said = paddock("catalogue", "build", ".", str(shelf))
    assert said.code == 1
    assert len(json.loads(said.out)["extensions"]) == 3
    assert "bad-1.0-py3-none-any.whl" in said.err


def test_what_is_not_a_catalogue_is_not_added(paddock: Program, web: Web) -> None:
    for location in (web.put("/x", b"{}"), "http://example.org/c.json", "nowhere.json"):
        said = paddock("catalogue", "add", location)
        assert (said.code, said.out) == (2, "")
    assert paddock("catalogue", "list", "--json").json == []


def test_extensions_are_searched_by_words_in_what_they_bring(
    paddock_with_catalogue: Program,
) -> None:
    paddock = paddock_with_catalogue
    rows = paddock("extensions", "search").out.splitlines()
    assert [row.split()[:3] for row in rows[1:]] == [
        ["acme/charts", "1.2.3", "distribution"],
        ["mines", "1.2.3", "distribution"],
        [SAMPLER, "1.2.0", "paclet"],
    ]
    (found,) = paddock("extensions", "search", "DRAWS a table", "--json").json
    assert (found["name"], found["is_installed"]) == ("acme/charts", False)
    assert found["servers"][0] == {"name": "acme/charts/Charts", "description": None}
    nothing = paddock("extensions", "search", "xyzzy")
    assert (nothing.out, nothing.err) == ("", "No catalogue lists anything like 'xyzzy'\n")


def test_without_a_catalogue_one_is_reported_how_to_add_one(paddock: Program) -> None:
    assert "paddock catalogue add" in paddock("extensions", "search").err


def test_a_catalogue_that_is_away_is_reported_and_the_copy_is_used(
    paddock: Program, web: Web, shelf: Path
) -> None:
    web.put_directory(shelf)
    url = f"{web.url}/{CATALOGUE}"
    paddock.environment[CATALOGUES_VARIABLE] = f"{url} {web.url}/away.json"
    said = paddock("extensions", "search")
    assert "acme/charts" in said.out
    assert "Warning: " in said.err
    web.answers.clear()
    assert "acme/charts" in paddock("extensions", "search").out


def test_servers_of_catalogues_are_listed_and_shown(paddock_with_catalogue: Program) -> None:
    paddock = paddock_with_catalogue
    assert BENCH not in paddock("servers").out
    assert f"{SAMPLER} (not installed)" in paddock("servers", "--remote").out
    rows = paddock("servers", "--remote", "--json").json
    assert {row["name"]: row["is_remote"] for row in rows}[BENCH]
    shown = paddock("show", BENCH)
    assert shown.code == 1
    assert "Not installed: " in shown.out
    assert f"paddock extensions install {SAMPLER}" in " ".join(shown.out.split())


def test_nothing_is_installed_unasked(paddock_with_catalogue: Program) -> None:
    paddock = paddock_with_catalogue
    file = paddock.work / "client.json"
    for words in (
        ("serve", BENCH),
        ("serve", "--no-install", BENCH),
        ("inspect", BENCH),
        ("install", "cursor", BENCH, "--file", str(file), "--yes"),
        ("install", "cursor", BENCH, "--file", str(file), "--install", "--dry-run"),
        ("extensions", "install", SAMPLER),
    ):
        said = paddock(*words)
        assert (said.code, said.out) == (2, ""), words
    assert not (paddock.data / "paclets").exists()
    assert not file.exists()


def test_serve_installs_what_is_missing_with_the_option(paddock_with_catalogue: Program) -> None:
    said = paddock_with_catalogue("serve", "--install", BENCH)
    assert (said.code, said.out) == (0, ""), said.err
    assert "To install SamplePublisher/Sampler 1.2.0 (paclet) from" in said.err
    assert "Installed SamplePublisher/Sampler 1.2.0\n" in said.err
    assert "echo" in paddock_with_catalogue("inspect", BENCH).out.lower()


def test_install_installs_what_a_definition_refers_to(paddock_with_catalogue: Program) -> None:
    paddock = paddock_with_catalogue
    definition = paddock.work / "mine.toml"
    definition.write_text(f'name = "Mine"\ntools = ["{SAMPLER}/Echo"]\n')
    file = paddock.work / "client.json"
    words = ("install", "cursor", "./mine.toml", "--file", str(file))
    refused = paddock(*words)
    assert refused.code == 2
    assert f"paddock extensions install {SAMPLER}" in refused.err
    said = paddock(*words, "--install")
    assert said.code == 0, said.err
    assert "mine.toml" in file.read_text()


def test_a_setting_forbids_even_what_is_reported(paddock_with_catalogue: Program) -> None:
    said = paddock_with_catalogue(
        "serve", "--install", BENCH, environment={NO_INSTALL_VARIABLE: "1"}
    )
    assert said.code == 2
    assert NO_INSTALL_VARIABLE in said.err
    assert not (paddock_with_catalogue.data / "paclets").exists()


def test_the_two_options_cannot_go_together(paddock: Program) -> None:
    assert paddock("serve", "--install", "--no-install", "Demo").code == 2


def test_on_a_terminal_one_is_asked(paddock_with_catalogue: Program) -> None:
    paddock = paddock_with_catalogue
    with paddock.terminal("serve", BENCH) as terminal:
        terminal.wait_for("Install it?")
        assert "check that its SHA-256 is" in terminal.text
        assert "unpack it into" in terminal.text
        terminal.type("n")
        assert terminal.end() == 1
    assert not (paddock.data / "paclets").exists()
    with paddock.terminal("extensions", "install", SAMPLER) as terminal:
        terminal.wait_for("Install it?")
        terminal.type("y")
        terminal.wait_for("Installed SamplePublisher/Sampler 1.2.0")
        assert terminal.end() == 0
    assert [one["name"] for one in paddock("extensions", "Sample*", "--json").json] == [SAMPLER]


def test_serve_fetches_a_catalogue_of_which_there_is_no_copy(
    paddock: Program, web: Web, shelf: Path
) -> None:
    web.put_directory(shelf)
    paddock.environment[CATALOGUES_VARIABLE] = f"{web.url}/{CATALOGUE} {web.url}/away.json"
    said = paddock("serve", "--install", BENCH)
    assert said.code == 0, said.err
    assert "Installed SamplePublisher/Sampler 1.2.0\n" in said.err
    assert said.err.count(f"Warning: {web.url}/away.json: cannot be fetched") == 1


def test_a_catalogue_that_cannot_be_read_is_reported_during_an_installation(
    paddock: Program, web: Web
) -> None:
    paddock.environment[CATALOGUES_VARIABLE] = f"{web.url}/away.json ftp://example.org/c.json"
    said = paddock("extensions", "install", SAMPLER, "--yes")
    assert said.code == 2
    assert f"Warning: {web.url}/away.json: cannot be fetched" in said.err
    assert f"Warning: the variable {CATALOGUES_VARIABLE}: " in said.err


def test_extensions_are_searched_by_what_they_are_for(paddock: Program, tmp_path: Path) -> None:
    wheel(tmp_path / "shelf", "words", "Summary: Counts syllables\n")
    paddock.environment[CATALOGUES_VARIABLE] = str(write_catalogue(tmp_path / "shelf"))
    (found,) = paddock("extensions", "search", "SYLLABLES", "--json").json
    assert (found["name"], found["description"]) == ("words", "Counts syllables")


@pytest.mark.parametrize("key", ["requires", "url"])
def test_no_catalogue_writes_to_the_terminal_what_it_likes(
    paddock: Program, tmp_path: Path, key: str
) -> None:
    wheel(tmp_path / "shelf", "words", "Requires-Dist: fine\n", f'tools = [["T", "{ESCAPED}"]]')
    file = write_catalogue(tmp_path / "shelf")
    table = json.loads(file.read_text())
    table["extensions"][0][key] = CLEARING if key == "url" else [CLEARING]
    file.write_text(json.dumps(table))
    paddock.environment[CATALOGUES_VARIABLE] = f"{file} http://example.org/{CLEARING}"
    for words in (("search",), ("install", "words")):
        with paddock.terminal("extensions", *words) as terminal:
            terminal.wait_for("Error: " if "install" in words else "Warning: ")
            terminal.end()
            assert not re.findall("\x1b.2J|\x9b", terminal.raw)


def test_what_an_installed_extension_says_is_made_visible(paddock: Program, tmp_path: Path) -> None:
    tools = f'tools = [["T", "{ESCAPED}"]]'
    samples.put(tmp_path / "site", "words", {"paddock.toml": tools})
    before = paddock.environment.get("PYTHONPATH", "")
    paddock.environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path / "site"), before])
    for words in (("extensions", "words"), ("tools", "words/*")):
        with paddock.terminal(*words) as terminal:
            assert terminal.end() == 0
            assert "words/T" in terminal.text
            assert not re.findall("\x1b.2J|\x9b", terminal.raw)


def test_a_catalogue_that_cannot_be_written_is_reported(paddock: Program, shelf: Path) -> None:
    (paddock.work / "afile").touch()
    said = paddock("catalogue", "build", str(shelf), "--output", "afile/c.json")
    assert said.code == 2
    assert "The catalogue cannot be written: Not a directory" in said.err
    assert "Traceback" not in said.err


def test_an_extension_that_is_in_a_catalogue_says_how_to_install_it(
    known: Path, tmp_path: Path
) -> None:
    paddock = Program(tmp_path)
    environment = {CATALOGUES_VARIABLE: str(known)}
    said = paddock("extensions", "acme/charts", environment=environment)
    assert "paddock extensions install acme/charts" in said.err
    found = paddock("show", "acme/charts/Code", "--json", environment=environment).json
    assert (found["tools"], found["resources"]) == (["acme/charts/Plot"], None)
