"""Nothing of one machine gets into the repository: no paths, no package mirrors, no heavy files.

Nor does a merge that no one has finished.

Files that git does not know yet but would add are looked at too, so that a mistake shows before it
is committed.
"""

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAX_BYTES = 1_500_000

MACHINE_PATH = re.compile(r"(?<![\w.~#}>)-])/(?:work|opt|root)(?![\w-])")
URL = re.compile(
    r"(?P<setting>(?:index[-_]url|find[-_]links|registry|resolved)[\"']?\s*[=:]?\s*[\"']?)?"
    r"https?://(?:[^\s/@\"']+@)?(?P<host>[\w.-]+)(?P<path>[^\s\"'<>)]*)",
    re.I,
)
REGISTRY_HOST = re.compile(r"pypi|registry|artifactory|nexus|devpi|mirror", re.I)
REGISTRY_PATH = re.compile(r"/simple(?:/|$)|/-/[^/]+\.tgz")
CONFLICT = re.compile(r"^(?:<{7}|>{7}) .*", re.M)


def repository_files() -> list[Path]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    files = [ROOT / name for name in listing.stdout.split("\0") if name]
    return [file for file in files if file.is_file()]


def machine_paths(text: str) -> Iterator[str]:
    for match in MACHINE_PATH.finditer(text):
        yield match[0]


def find_registry_hosts(text: str) -> Iterator[str]:
    for url in URL.finditer(text):
        is_registry = (
            url["setting"] or REGISTRY_HOST.search(url["host"]) or REGISTRY_PATH.search(url["path"])
        )
        if is_registry:
            yield url["host"]


def conflicts(text: str) -> Iterator[str]:
    for match in CONFLICT.finditer(text):
        yield match[0]


def offenders(find: Callable[[str], Iterator[str]]) -> list[str]:
    return [
        f"{file.relative_to(ROOT).as_posix()}: {found}"
        for file in repository_files()
        for found in find(file.read_bytes().decode("utf-8", errors="replace"))
    ]


def test_the_repository_is_read() -> None:
    assert Path(__file__) in repository_files()


def test_no_file_names_a_path_of_one_machine() -> None:
    assert offenders(machine_paths) == []


def test_no_file_names_a_package_registry() -> None:
    assert offenders(find_registry_hosts) == []


def test_no_file_has_two_sides_of_a_merge() -> None:
    assert offenders(conflicts) == []


def test_no_file_is_heavy() -> None:
    sizes = {f.relative_to(ROOT).as_posix(): f.stat().st_size for f in repository_files()}
    assert {name: size for name, size in sizes.items() if size > MAX_BYTES} == {}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("cd /{}/main", 1),
        ('"file:///{}"', 1),
        ("https://example.org/{}/main, ~/{}, ./{}, /{}-items, /{}er", 0),
    ],
)
def test_machine_paths_are_recognised(text: str, count: int) -> None:
    assert list(machine_paths(text.replace("{}", "work"))) == ["/" + "work"] * count


def test_sides_of_a_merge_are_recognised() -> None:
    text = f"a\n{'<' * 7} HEAD\nb\n{'=' * 7}\nc\n{'>' * 7} other\n"
    assert list(conflicts(text)) == [f"{'<' * 7} HEAD", f"{'>' * 7} other"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{}pypi.example.org/simple", ["pypi.example.org"]),
        ("--index-url {}user:secret@packages.example.org/x", ["packages.example.org"]),
        ('"resolved": "{}packages.example.org/a/-/a-1.0.0.tgz"', ["packages.example.org"]),
        ("{}10.0.0.1:8080/team/simple/", ["10.0.0.1"]),
        ("{}example.org/project/paddock", []),
    ],
)
def test_registry_hosts_are_recognized(text: str, found: list[str]) -> None:
    assert list(find_registry_hosts(text.replace("{}", "https://"))) == found
