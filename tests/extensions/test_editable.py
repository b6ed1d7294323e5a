"""Editable installs are found where their files are, whichever tool has made them."""

import json
import sys
import textwrap
from pathlib import Path

import pytest

from paddock.extensions.discovery import discover, discover_extension
from tests.extensions import samples
from tests.extensions.conftest import put_on_path

POINTS = "[paddock.extensions]\ncharts = acme_charts\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return samples.write(tmp_path, "acme-charts", *samples.WORKING["acme-charts"])


def metadata(site: Path, files: dict[str, str], points: str = POINTS) -> None:
    """What a tool leaves in a directory of installed distributions."""
    directory = site / "acme_charts-1.0.dist-info"
    written = {f"{directory.name}/entry_points.txt": points, **files}
    for name, text in written.items():
        file = site / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")
    record = "".join(f"{name},,\n" for name in written)
    (directory / "RECORD").write_text(record, encoding="utf-8")


def found(site: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    put_on_path(monkeypatch, site)
    return [one.directory for one in discover_extension("acme/charts").extensions]


def test_an_editable_install_by_pip_is_found(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    build = (
        "import os, sys; from hatchling.build import build_editable; build_editable(sys.argv[1])"
    )
    samples.run([sys.executable, "-c", f"import os; os.chdir({str(project)!r}); {build}", tmp_path])
    samples.install(tmp_path.glob("*.whl"), site)
    assert found(site, monkeypatch) == [project / "src" / "acme_charts"]
    assert not (site / "acme_charts").exists()


def test_a_file_with_a_directory_leads_there(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata(tmp_path / "site", {"some.pth": f"# comment\nimport sys\n{project / 'src'}\n"})
    assert found(tmp_path / "site", monkeypatch) == [project / "src" / "acme_charts"]


@pytest.mark.parametrize("annotation", ["", ": dict[str, str]"])
def test_the_table_of_setuptools_leads_there_and_is_not_run(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, annotation: str
) -> None:
    place = project / "src" / "acme_charts"
    finder = f"raise SystemExit\nMAPPING{annotation} = {{'acme_charts': {str(place)!r}}}\n"
    files = {
        "__editable__.acme.pth": "import __editable___acme_finder; install()",
        "__editable___acme_finder.py": finder,
    }
    metadata(tmp_path / "site", files)
    assert found(tmp_path / "site", monkeypatch) == [place]


def test_the_project_that_was_installed_leads_there(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = json.dumps({"url": project.as_uri(), "dir_info": {"editable": True}})
    metadata(tmp_path / "site", {"acme_charts-1.0.dist-info/direct_url.json": url})
    assert found(tmp_path / "site", monkeypatch) == [project / "src" / "acme_charts"]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"x.pth": "/nowhere\n"},
        {"x.py": "MAPPING = {'acme_charts': 5}"},
        {"x.py": "MAPPING = {'acme_charts': open}"},
        {"x.py": "MAPPING = ("},
        {"acme_charts-1.0.dist-info/direct_url.json": "{"},
        {"acme_charts-1.0.dist-info/direct_url.json": '{"url": "https://example.org/x"}'},
    ],
)
def test_one_that_leads_nowhere_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]
) -> None:
    metadata(tmp_path / "site", files)
    put_on_path(monkeypatch, tmp_path / "site")
    assert [one.problem.code for one in discover().broken] == ["extension-not-found"]


def test_a_project_with_its_metadata_beside_it_is_found(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    information = project / "src" / "acme_charts.egg-info"
    information.mkdir()
    (information / "entry_points.txt").write_text(POINTS, encoding="utf-8")
    assert found(project / "src", monkeypatch) == [project / "src" / "acme_charts"]


def test_a_project_that_was_installed_as_a_copy_does_not_lend_its_files(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = json.dumps({"url": project.as_uri(), "dir_info": {}})
    metadata(tmp_path / "site", {"acme_charts-1.0.dist-info/direct_url.json": url})
    put_on_path(monkeypatch, tmp_path / "site")
    assert [one.problem.code for one in discover().broken] == ["extension-not-found"]


@pytest.mark.parametrize(("value", "inner"), [("s_map", "."), ("s_map.deep", "deep")])
def test_a_package_may_be_in_a_directory_of_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, inner: str
) -> None:
    code = tmp_path / "lib" / "code"
    (code / inner).mkdir(parents=True)
    (code / inner / "paddock.toml").write_text('publisher = "acme"', encoding="utf-8")
    finder = f"MAPPING = {{'s_map': {str(code)!r}}}\n"
    points = f"[paddock.extensions]\ncharts = {value}\n"
    metadata(tmp_path / "site", {"__editable___finder.py": finder}, points)
    assert found(tmp_path / "site", monkeypatch) == [code / inner]
