"""`validate` finds every fault of a distribution at once: in its project, its wheel, installed."""

import stat
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from paddock import PaddockError, Server, Validation, connect, get_server, validate
from paddock.extensions.discovery import discover_extension
from paddock.extensions.registry import ItemRegistry
from paddock.extensions.scaffold import create_extension
from paddock.validation.findings import FindingLocation, ValidationFinding
from tests.extensions import samples
from tests.extensions.conftest import put_on_path
from tests.extensions.faulty import FAULTY, files_of


def codes(found: Validation) -> list[str]:
    return [one.code for one in found.findings]


@pytest.fixture(scope="session")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The projects of the distributions with faults."""
    directory = tmp_path_factory.mktemp("faulty")
    for package in FAULTY:
        samples.write(directory, package, f"{package} = {package}", files_of(package))
    return directory


@pytest.fixture(scope="session")
def wheels(projects: Path) -> Path:
    """Their wheels."""
    directory = projects / "wheels"
    samples.build([projects / package for package in FAULTY], directory)
    return directory


@pytest.mark.parametrize("package", FAULTY)
def test_faults_are_found_in_a_project(projects: Path, package: str) -> None:
    assert sorted(codes(validate(projects / package))) == sorted(FAULTY[package].codes)


@pytest.mark.parametrize("package", FAULTY)
def test_faults_are_found_without_running_anything(projects: Path, package: str) -> None:
    found = validate(projects / package, static=True)
    assert sorted(codes(found)) == sorted(FAULTY[package].read)
    assert found.is_static


@pytest.mark.parametrize("package", FAULTY)
def test_faults_are_found_in_a_wheel(wheels: Path, package: str) -> None:
    (wheel,) = wheels.glob(f"{package}-*.whl")
    found = validate(wheel)
    assert sorted(codes(found)) == sorted(FAULTY[package].read)
    assert found.is_static


def test_faults_are_found_in_what_is_installed(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = samples.install(sorted(wheels.glob("*.whl")), tmp_path / "site")
    put_on_path(monkeypatch, site)
    found = {package: sorted(codes(validate(package))) for package in FAULTY}
    assert found == {package: sorted(one.codes) for package, one in FAULTY.items()}


SERVED_ALL_THE_SAME = {"unknown-key", "duplicate-definition-files"}
"""Errors that are not visible when the extension is served."""
SEEN_IN_CALLS = {"f_arguments"}
"""Samples of which everything is listed, and something cannot be called."""


def is_served(package: str) -> bool:
    """Whether everything that an extension declares can be served."""
    found = discover_extension(package)
    if not found.extensions:
        return False
    (extension,) = found.extensions
    scratch = Server("scratch")
    try:
        for kind in ("tools", "prompts", "resources"):
            for item in extension.manifest.get_items(kind):
                one = ItemRegistry([extension]).resolve_item(
                    kind, f"{package}/{item.name}", where="here"
                )
                scratch.register(one)
                is_listed(scratch, {kind: 1})
                scratch = Server("scratch")
        for item in extension.manifest.servers:
            server = get_server(f"{package}/{item.name}")
            definition = server.definition
            lists = {
                kind: len(getattr(definition, kind)) for kind in ("tools", "prompts", "resources")
            }
            is_listed(server.load(), lists)
    except (PaddockError, AssertionError):
        return False
    return True


def is_listed(server: Server, expected: dict[str, int]) -> None:
    """See that clients are reported so many of each kind."""
    with connect(server) as peer:
        resources = [*peer.resources(), *peer.templates()]
        found: dict[str, list[Any]] = {
            "tools": peer.tools(),
            "prompts": peer.prompts(),
            "resources": resources,
        }
    assert {kind: len(found[kind]) for kind in expected} == expected


def test_what_has_no_errors_is_served_and_what_has_is_not(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = samples.install(sorted(wheels.glob("*.whl")), tmp_path / "site")
    put_on_path(monkeypatch, site)
    differing = {}
    for package in FAULTY.keys() - SEEN_IN_CALLS:
        errors = {one.code for one in validate(package).errors} - SERVED_ALL_THE_SAME
        if bool(errors) == is_served(package):
            differing[package] = errors
    assert differing == {}


def test_a_finding_says_where_it_is_and_what_to_do(projects: Path) -> None:
    project = projects / "f_names"
    definition = project / "src" / "f_names" / "agenttools" / "servers" / "A.toml"
    first = validate(project).findings[0]
    assert first == ValidationFinding(
        "unknown-tool",
        "error",
        FindingLocation(str(definition), 4, key="tools[4]"),
        "there is no tool named 'Owns', declared here or built in",
        "did you mean Own?",
    )


def test_a_fault_in_a_file_has_its_line(projects: Path) -> None:
    places = {
        Path(one.place.file).name: (one.place.line, one.place.column)
        for one in validate(projects / "f_unreadable").findings
    }
    assert places["A.py"][0] == 1
    assert places["B.toml"] == (1, 12)
    assert places["E.py"][0] == 1


@pytest.mark.parametrize("options", [{}, {"name": "wordy", "publisher": "acme"}])
def test_a_new_extension_is_valid_to_the_last_warning(
    tmp_path: Path, options: dict[str, str]
) -> None:
    started = create_extension(tmp_path / "some-words", **options)
    (wheel,) = samples.build([tmp_path / "some-words"], tmp_path)
    for target in (tmp_path / "some-words", wheel):
        found = validate(target)
        assert found.findings == ()
        assert found.is_valid
        assert found.servers == (started.server,)
        assert found.tools == (f"{started.name}/CountWords",)
        assert found.prompts == (f"{started.name}/Shorten",)
        assert len(found.python_files) == 1


def test_installed_extensions_are_known_by_their_names_and_their_distributions(
    installed: Path,
) -> None:
    for name in ("acme/charts", "acme-charts"):
        found = validate(name)
        assert found.is_valid
        assert "undeclared-definition" in codes(found)
        assert found.servers == ("acme/charts/Charts", "acme/charts/Code")
        assert found.resources == ("acme/charts/Rules",)
    assert validate(installed / "acme_charts").is_valid


def test_nothing_of_an_extension_is_run_when_it_is_only_read(installed: Path) -> None:
    found = validate("mines", static=True)
    assert codes(found) == ["unreadable-definition"]  # no prompt in it
    assert len(found.python_files) == 4
    assert not list(installed.rglob("*.touched"))
    (wheel,) = installed.parent.glob("mines-*.whl")
    assert codes(validate(wheel)) == ["unreadable-definition"]
    assert not list(installed.rglob("*.touched"))


@pytest.mark.usefixtures("all_installed")
def test_what_is_installed_and_broken_says_why() -> None:
    found = {name: set(codes(validate(name))) for name in samples.BROKEN}
    assert found["no-manifest"] == {"missing-manifest"}
    assert found["an-object"] == found["slash"] == {"invalid-entry-point"}
    assert found["impostor"] >= {"broken-extension"}
    assert found["other-charts"] >= {"broken-extension"}
    assert all(found.values())


@pytest.mark.parametrize("point", ["a/b = package", "thing = package:thing", "thing = package!"])
def test_an_entry_point_has_a_name_and_leads_to_a_package(tmp_path: Path, point: str) -> None:
    project = samples.write(tmp_path, "points", point, {"package/__init__.py": ""})
    assert codes(validate(project)) == ["invalid-entry-point"]


def test_a_project_without_an_entry_point_is_looked_at_all_the_same(tmp_path: Path) -> None:
    project = samples.write(tmp_path, "pointless", "x = y", {"package/paddock.toml": "tool = []"})
    text = (project / "pyproject.toml").read_text(encoding="utf-8")
    (project / "pyproject.toml").write_text(
        text.replace("paddock.extensions", "other.things"), encoding="utf-8"
    )
    assert codes(validate(project)) == ["no-entry-point", "unknown-key", "empty-extension"]
    (wheel,) = samples.build([project], tmp_path)
    assert codes(validate(wheel)) == ["no-entry-point"]


def test_a_directory_that_is_nothing_is_reported_so(tmp_path: Path) -> None:
    assert codes(validate(tmp_path)) == ["no-extension"]
    (tmp_path / "pyproject.toml").write_text("[", encoding="utf-8")
    assert codes(validate(tmp_path)) == ["unreadable-manifest"]


def test_a_wheel_that_is_not_an_archive_or_not_safe_is_refused(tmp_path: Path) -> None:
    broken, unsafe = tmp_path / "broken-1-py3-none-any.whl", tmp_path / "up-1-py3-none-any.whl"
    broken.write_bytes(b"PK no")
    with zipfile.ZipFile(unsafe, "w") as file:
        file.writestr("../up.py", "")
    for wheel in (broken, unsafe):
        assert codes(validate(wheel)) == ["invalid-archive"]


def test_a_project_is_run_from_its_directory_and_then_forgotten(tmp_path: Path) -> None:
    files = {
        "changing/__init__.py": "print('printed on import')",
        "changing/paddock.toml": 'tools = ["A"]',
        "changing/agenttools/tools/A.py": "from changing.code import tool",
        "changing/code.py": "def tool() -> str:\n    '''Say it.'''\n    return ''",
    }
    project = samples.write(tmp_path, "changing", "changing = changing", files)
    assert codes(validate(project)) == []
    code = project / "src" / "changing" / "code.py"
    code.write_text("def tool() -> str:\n    return ''", encoding="utf-8")
    assert codes(validate(project)) == ["missing-description"]
    assert not list(project.rglob("__pycache__"))


@pytest.mark.parametrize("static", [False, True])
def test_a_combined_file_is_parsed_once_for_all_its_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, static: bool
) -> None:
    names = [f"T{number}" for number in range(20)]
    files = {
        "many/__init__.py": "def say() -> str:\n    '''Say it.'''\n    return ''",
        "many/paddock.toml": f"tools = {names}",
        "many/agenttools/tools.toml": "\n".join(f"[{one}]\nfunction = 'many:say'" for one in names),
    }
    project = samples.write(tmp_path, "many", "many = many", files)
    times = 0
    parse = tomllib.loads

    def loads(text: str) -> dict[str, object]:
        nonlocal times
        times += "[T7]" in text
        return parse(text)

    monkeypatch.setattr(tomllib, "loads", loads)
    assert codes(validate(project, static=static)) == []
    assert times == 1


@pytest.mark.parametrize(
    "text",
    [
        "deep = " + "[" * 5000 + "]" * 5000,
        "long = " + "1" * 5000,
        "name = \udcff",
    ],
    ids=["nested", "a long number", "not UTF-8"],
)
def test_no_file_of_data_is_too_odd_to_be_reported(tmp_path: Path, text: str) -> None:
    files = {
        "odd/__init__.py": "",
        "odd/paddock.toml": "tools = ['A']",
        "odd/agenttools/tools/A.toml": "name = 'a'",
    }
    found = {}
    for place in ("pyproject.toml", *(f"src/{one}" for one in files if one.endswith(".toml"))):
        project = samples.write(tmp_path / place.replace("/", "-"), "odd", "odd = odd", files)
        (project / place).write_text(text, encoding="utf-8", errors="surrogateescape")
        found[place] = codes(validate(project))
    assert list(found.values()) == [
        ["unreadable-manifest"],
        ["unreadable-manifest"],
        ["unreadable-definition"],
    ]


WHEEL = {
    "own/__init__.py": "def say() -> str:\n    '''Say it.'''\n    return ''\n",
    "own/paddock.toml": "",
    "own-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: own\nVersion: 1\n",
    "own-1.dist-info/entry_points.txt": "[paddock.extensions]\nown = own\n",
}


def wheel_of(directory: Path, files: dict[str, str | None]) -> Path:
    """A wheel with some files more, or less."""
    path = directory / "own-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        for name, text in {**WHEEL, **files}.items():
            if text is not None:
                file.writestr(name, text)
    return path


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"own-1.dist-info/METADATA": None}, ["invalid-archive", "empty-extension"]),
        (
            {"other-1.dist-info/METADATA": "Metadata-Version: 2.1\n"},
            ["invalid-archive", "empty-extension"],
        ),
        ({"own-1.dist-info/entry_points.txt": "[paddock.extensions]\n"}, ["no-entry-point"]),
        (
            {"own-1.dist-info/entry_points.txt": "[paddock.extensions.more]\nown = own\n"},
            ["no-entry-point"],
        ),
        (
            {"own-1.dist-info/entry_points.txt": "[paddock.extensions]\npaddock = own\n"},
            ["empty-extension", "invalid-entry-point"],
        ),
    ],
    ids=["no metadata", "two of them", "no entry point", "another group", "Paddock's name"],
)
def test_a_wheel_that_no_extension_comes_of_is_reported(
    tmp_path: Path, files: dict[str, str | None], expected: list[str]
) -> None:
    assert codes(validate(wheel_of(tmp_path, files))) == expected


def test_an_extension_cannot_be_called_like_paddock(tmp_path: Path) -> None:
    files = {"impostor/__init__.py": "", "impostor/paddock.toml": ""}
    project = samples.write(tmp_path, "impostor", "paddock = impostor", files)
    assert codes(validate(project)) == ["empty-extension", "invalid-entry-point"]
    (project / "src" / "impostor" / "paddock.toml").write_text("publisher = 'acme'")
    assert codes(validate(project)) == ["empty-extension"]


@pytest.mark.parametrize(
    ("reference", "files"),
    [
        ("own.fast:say", {"own/fast.cpython-311-x86_64-linux-gnu.so": ""}),
        ("own.fast:say", {"own/fast.pyd": ""}),
        ("space.others.code:say", {"space/mine/code.py": ""}),
        ("own:code.say", {"own/code.py": "def say() -> str: ..."}),
        ("own.code.deep:say", {"own/code/deep.py": "def say() -> str: ..."}),
        ("alone:say", {"alone.pyd": ""}),
    ],
)
def test_a_wheel_may_refer_to_what_cannot_be_looked_into(
    tmp_path: Path, reference: str, files: dict[str, str | None]
) -> None:
    wheel = wheel_of(
        tmp_path,
        {
            **files,
            "own/paddock.toml": "tools = ['A']",
            "own/agenttools/tools/A.toml": f"description = 'a'\nfunction = '{reference}'",
        },
    )
    assert codes(validate(wheel)) == []


@pytest.mark.parametrize("reference", ["own.slow:say", "own.code.shallow:say", "own:cod.say"])
def test_a_wheel_may_not_refer_to_what_its_own_packages_have_not(
    tmp_path: Path, reference: str
) -> None:
    wheel = wheel_of(
        tmp_path,
        {
            "own/code/deep.py": "def say() -> str: ...",
            "own/paddock.toml": "tools = ['A']",
            "own/agenttools/tools/A.toml": f"description = 'a'\nfunction = '{reference}'",
        },
    )
    assert codes(validate(wheel)) == ["reference-not-found"]


@pytest.mark.parametrize(
    "text",
    [
        "from paddock import Tool\nthing = Tool('A', lambda: '', description='a')",
        "from own import thing",
    ],
)
def test_an_object_in_a_combined_file_may_have_any_name(tmp_path: Path, text: str) -> None:
    files = {"own/paddock.toml": "tools = ['A']", "own/agenttools/tools.py": text}
    assert codes(validate(wheel_of(tmp_path, {**files}))) == []


def test_a_definition_may_begin_with_a_byte_order_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    definition = "\ufeffdescription = 'a'\nfunction = 'own:say'"
    wheel = wheel_of(
        tmp_path,
        {"own/paddock.toml": "tools = ['A']", "own/agenttools/tools/A.toml": definition},
    )
    assert codes(validate(wheel)) == []
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "site")
    put_on_path(monkeypatch, tmp_path / "site")
    assert codes(validate("own")) == []
    assert is_served("own")


def test_the_extensions_of_one_distribution_know_each_other(tmp_path: Path) -> None:
    wheel = wheel_of(
        tmp_path,
        {
            "own-1.dist-info/entry_points.txt": "[paddock.extensions]\none = own\ntwo = two\n",
            "own/paddock.toml": "tools = ['A']",
            "own/agenttools/tools/A.toml": "description = 'a'\nfunction = 'own:say'",
            "two/__init__.py": "",
            "two/paddock.toml": "servers = [['S', 's']]",
            "two/agenttools/servers/S.toml": "tools = ['one/A', 'one/B']",
        },
    )
    found = [(one.code, one.place.key) for one in validate(wheel).findings]
    assert found == [("item-not-declared", "tools[1]")]
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "project" / "src")
    (tmp_path / "project" / "pyproject.toml").write_text(
        "[project.entry-points.'paddock.extensions']\none = 'own'\ntwo = 'two'", encoding="utf-8"
    )
    found = [(one.code, one.place.key) for one in validate(tmp_path / "project").findings]
    assert found == [("item-not-declared", "tools[1]")]


def test_a_slip_in_an_item_of_a_manifest_is_reported(tmp_path: Path) -> None:
    wheel = wheel_of(
        tmp_path,
        {
            "own/paddock.toml": "tools = [{ name = 'A', descripton = 'x', colour = 'red' }]",
            "own/agenttools/tools/A.toml": "description = 'a'\nfunction = 'own:say'",
        },
    )
    (one,) = validate(wheel).findings
    assert (one.code, one.place.key, one.remedy) == (
        "unknown-key",
        "tools[0].descripton",
        "did you mean description?",
    )


SETUP = """
[metadata]
name = older
version = 2.0
[options.entry_points]
console_scripts =
    older = own:say
paddock.extensions =
    older = own
"""


def test_entry_points_in_setup_cfg_count(tmp_path: Path) -> None:
    for name in ("own/__init__.py", "own/paddock.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(WHEEL[name], encoding="utf-8")
    (tmp_path / "own" / "paddock.toml").write_text("tools = ['A']", encoding="utf-8")
    (tmp_path / "setup.py").write_text("raise RuntimeError", encoding="utf-8")
    found = validate(tmp_path)
    assert codes(found) == ["unread-entry-points", "missing-root"]
    (tmp_path / "setup.cfg").write_text(SETUP, encoding="utf-8")
    found = validate(tmp_path)
    assert (codes(found), found.tools) == (["missing-root"], ("older/A",))
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'newer'", encoding="utf-8")
    assert validate(tmp_path).tools == ("older/A",)
    (tmp_path / "setup.cfg").write_text("[broken", encoding="utf-8")
    assert codes(validate(tmp_path)) == ["unreadable-manifest"]


def test_a_wheel_with_a_link_in_it_is_refused(tmp_path: Path) -> None:
    wheel = wheel_of(tmp_path, {})
    link = zipfile.ZipInfo("own/link.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(wheel, "a") as file:
        file.writestr(link, "/etc/passwd")
    (one,) = validate(wheel).findings
    assert (one.code, "own/link.py" in one.message) == ("invalid-archive", True)
