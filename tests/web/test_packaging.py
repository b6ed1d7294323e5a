"""A wheel carries the web app, and one made from a source distribution needs no Node for that."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = "paddock/web_dist/index.html"


def sources_in(folder: Path) -> Path:
    """A copy of what git knows, with the packages that `make web` has installed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    (folder / "web" / "node_modules").symlink_to(ROOT / "web" / "node_modules")
    return folder


def built(kind: str, source: Path, target: Path, environment: Mapping[str, str]) -> Path:
    """The file that hatchling makes, which is what pip and uv call too."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "-d", str(target)]
    ended = subprocess.run(
        command, cwd=source, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (made,) = target.iterdir()
    return made


@pytest.fixture(scope="module")
def source_distribution(web_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert (web_app / "index.html").is_file()
    source = sources_in(tmp_path_factory.mktemp("source"))
    return built("sdist", source, tmp_path_factory.mktemp("sdist"), os.environ)


def test_a_source_distribution_carries_the_app_and_its_source(source_distribution: Path) -> None:
    with tarfile.open(source_distribution) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/{PAGE}", "web/package-lock.json", "hatch_build.py"} <= names
    assert not any("node_modules" in name for name in names)


def test_a_wheel_from_a_source_distribution_has_the_app_without_node(
    source_distribution: Path, tmp_path: Path
) -> None:
    with tarfile.open(source_distribution) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()
    made = built("wheel", source, tmp_path / "wheel", {**os.environ, "PATH": os.devnull})
    with zipfile.ZipFile(made) as wheel:
        page = wheel.read(PAGE)
        assert page == (source / "src" / PAGE).read_bytes()
        scripts = [name for name in wheel.namelist() if name.endswith(".js")]
    assert any("web_dist/assets/" in name for name in scripts)
