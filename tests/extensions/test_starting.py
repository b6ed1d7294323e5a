"""`paddock new extension` writes a distribution that works, built and installed as it is."""

import json
import os
import re
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import paddock as package
from paddock.extensions.manifest import read_manifest
from paddock.extensions.names import normalize_distribution_name
from paddock.extensions.scaffold import (
    RESERVED_NAMES,
    ScaffoldError,
    create_extension,
    make_module_name,
)
from tests.command_line.program import Program
from tests.extensions import samples

ROOT = Path(__file__).parents[2]


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """The interpreter of an environment in which Paddock and pytest can be imported."""
    home = tmp_path / "environment"
    venv.create(home, symlinks=os.name != "nt")
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    (site,) = {
        Path(sysconfig.get_path("purelib", "venv", {"base": str(home), "platbase": str(home)}))
    }
    sources = Path(package.__file__).parents[1]
    lent = [str(sources), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    (site / "lent.pth").write_text("\n".join(dict.fromkeys(lent)), encoding="utf-8")
    return python


@pytest.mark.parametrize("options", [[], ["--name", "wordy", "--publisher", "acme"]])
def test_a_new_extension_can_be_built_installed_tested_and_used(
    tmp_path: Path, environment: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    (tmp_path / "paddock").mkdir()
    paddock = Program(tmp_path / "paddock")
    project = tmp_path / "some-words"
    said = paddock("new", "extension", str(project), *options)
    name = "acme/wordy" if options else "some-words"
    assert said.out.splitlines()[0] == f"Created the extension {name}: {project}"
    monkeypatch.delenv("PYTHONPATH", raising=False)
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--quiet", "--python", environment]
    (wheel,) = samples.build([project], tmp_path)
    samples.run([*pip, "install", "--no-deps", "--no-index", wheel])
    command: list[str | Path] = [environment, "-m", "paddock"]
    found = json.loads(samples.run([*command, "extensions", name, "--json"]))
    assert [one["name"] for one in found[0]["servers"]] == [f"{name}/Writing"]
    counted = samples.run([*command, "call", f"{name}/Writing", "count_words", "text=a b c"])
    assert counted == "3\n"
    tests: list[str | Path] = [
        environment,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
    ]
    assert "4 passed" in samples.run([*tests, project])


def test_the_tutorial_shows_the_files_that_are_there(tmp_path: Path) -> None:
    started = create_extension(tmp_path / "words")
    text = (tmp_path / "words" / "README.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `(.+?)` \|", text, flags=re.M))
    assert told == {file.as_posix() for file in started.files} - {
        "README.md",
        "src/words/__init__.py",
    }
    assert "$" not in text
    manifest = read_manifest(tmp_path / "words" / "src" / "words" / "paddock.toml")
    assert [item.name for item in manifest.servers] == ["Writing"]


def test_the_steps_of_the_tutorial_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "tutorial-words"
    create_extension(project)
    module = project / "src" / "tutorial_words"
    text = (project / "README.md").read_text(encoding="utf-8")
    blocks = [
        re.sub(r"^   ", "", block, flags=re.M)
        for block in re.findall(r"^   ```(?:python|toml)\n(.*?)^   ```", text, flags=re.M | re.S)
    ]
    function, definition, tools, served = blocks
    with (module / "texts.py").open("a", encoding="utf-8") as file:
        file.write(f"\n\n{function}")
    (module / "agenttools/tools/LongestWord.py").write_text(definition, encoding="utf-8")
    for place, new in (("paddock.toml", tools), ("agenttools/servers/Writing.toml", served)):
        old = (module / place).read_text(encoding="utf-8")
        (line,) = re.findall(r"^tools = .*\n", old, flags=re.M)
        (module / place).write_text(old.replace(line, new), encoding="utf-8")
    site = samples.install(samples.build([project], tmp_path), tmp_path / "site")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), *sys.path]))
    called = [sys.executable, "-m", "paddock", "call", "tutorial-words/Writing", "longest_word"]
    assert samples.run([*called, "text=a bcd ef"]) == "bcd\n"
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    assert "4 passed" in samples.run([*tests, project])


@pytest.mark.parametrize("name", ["a/b", "-x", "", "two words", "ü", "x\ny"])
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ScaffoldError):
        create_extension(tmp_path / "new", name=name or "/")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["paddock", "Paddock", "msgspec", "ruamel.yaml", "PyJWT", "jwt"])
def test_no_extension_takes_the_place_of_what_paddock_needs(tmp_path: Path, name: str) -> None:
    with pytest.raises(ScaffoldError, match="Paddock or one of its dependencies"):
        create_extension(tmp_path / "new", name=name)
    assert not (tmp_path / "new").exists()


def test_all_that_paddock_needs_is_known() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["http"], *extras["pickle"]]
    assert {normalize_distribution_name(Requirement(one).name) for one in needed} <= RESERVED_NAMES


def test_a_place_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "afile").touch()
    with pytest.raises(ScaffoldError, match="cannot be written: Not a directory"):
        create_extension(tmp_path / "afile" / "new")


def test_what_is_to_be_typed_next_can_be_typed(tmp_path: Path) -> None:
    (tmp_path / "paddock").mkdir()
    paddock = Program(tmp_path / "paddock")
    said = paddock("new", "extension", "my dir/acme").err
    assert said.splitlines() == [
        "Install it: pip install -e './my dir/acme'",
        "Inspect it: paddock inspect acme/Writing",
        "Check it: paddock validate './my dir/acme'",
    ]


def test_nothing_is_written_where_something_is(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path, tmp_path / "file"):
        with pytest.raises(ScaffoldError):
            create_extension(place, name="fine")
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_directory_with_nothing_but_a_repository_will_do(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert create_extension(tmp_path, name="fine").server == "fine/Writing"


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("acme-charts", "acme_charts"),
        ("Acme.Two", "acme_two"),
        ("class", "ext_class"),
        ("3d", "ext_3d"),
        ("json", "ext_json"),
        ("Test_Extension", "ext_test_extension"),
    ],
)
def test_the_package_has_a_name_that_python_can_import(name: str, module: str) -> None:
    assert make_module_name(name) == module
