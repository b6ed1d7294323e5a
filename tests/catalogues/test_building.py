"""A catalogue is made of files that are read, and nothing else is done with them."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from paddock.extensions.catalogues.builder import build_catalogue
from paddock.extensions.catalogues.document import format_catalogue, parse_catalogue
from paddock.extensions.errors import CatalogueError
from tests.catalogues.conftest import wheel as by_hand


def wheel(directory: Path, manifest: bytes, point: str = "bad = bad", *more: str) -> Path:
    """A wheel with a manifest, made by hand."""
    file = directory / "bad-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("bad/paddock.toml", manifest)
        zipped.writestr("bad-1.0.dist-info/METADATA", "Name: bad\nVersion: 1.0\n")
        zipped.writestr("bad-1.0.dist-info/entry_points.txt", f"[paddock.extensions]\n{point}\n")
        for name in more:
            zipped.writestr(name, "text")
    return file


def test_wheels_and_paclets_are_listed_with_manifests_versions_and_hashes(shelf: Path) -> None:
    built = build_catalogue([shelf], catalogue_directory=shelf)
    assert built.problems == []
    assert [(one.name, one.kind, one.version, one.url) for one in built.entries] == [
        ("SamplePublisher/Sampler", "paclet", "1.2.0", "Sampler-1.2.0.paclet"),
        ("acme/charts", "distribution", "1.2.3", "acme_charts-1.2.3-py2.py3-none-any.whl"),
        ("mines", "distribution", "1.2.3", "mines-1.2.3-py2.py3-none-any.whl"),
    ]
    for entry in built.entries:
        data = (shelf / entry.file).read_bytes()
        assert (entry.sha256, entry.size) == (hashlib.sha256(data).hexdigest(), len(data))
    servers = [item.name for item in built.entries[1].manifest.servers]
    assert servers == ["Charts", "Code"]


def test_a_catalogue_that_was_written_says_the_same_when_it_is_read(shelf: Path) -> None:
    built = build_catalogue(
        [shelf], "https://example.org/files/", catalogue_directory=shelf
    ).entries
    read = parse_catalogue(format_catalogue(built), "here")
    assert read.problems == ()
    assert [one._replace(catalogue="") for one in read.entries] == [
        one._replace(manifest=one.manifest._replace(extra={})) for one in built
    ]
    assert read.entries[0].url == "https://example.org/files/Sampler-1.2.0.paclet"


def test_files_elsewhere_are_named_as_seen_from_the_catalogue(shelf: Path, tmp_path: Path) -> None:
    (entry, *_) = build_catalogue([shelf], catalogue_directory=tmp_path / "else").entries
    assert (tmp_path / "else" / entry.url).resolve() == shelf / entry.file


@pytest.mark.parametrize(
    ("manifest", "point", "more", "said"),
    [
        (b"#" * 50_000_000, "bad = bad", [], "times its size"),
        (b"# " + bytes(range(1, 9)) * 200_000, "bad = bad", [], "times its size"),
        (b'tools = ["../Plot"]', "bad = bad", [], "tools[0] is '../Plot'"),
        (b"n = " + b"9" * 5_000, "bad = bad", [], "cannot be read"),
        (b'root = "../elsewhere"', "bad = bad", [], "root is '../elsewhere'"),
        (b"", "../bad = bad", [], "for the entry point '../bad'"),
        (b"", "paddock = bad", [], "name is 'paddock'"),
        (b"", "bad = elsewhere", [], "contains no 'elsewhere/paddock.toml'"),
        (b"", "bad = bad", ["../outside.py"], "is a path outside the archive"),
        (b"", "bad = bad", ["other-1.dist-info/METADATA"], "expected one METADATA file"),
    ],
)
def test_a_file_that_is_not_right_is_reported_and_hides_no_other(
    tmp_path: Path, shelf: Path, manifest: bytes, point: str, more: list[str], said: str
) -> None:
    bad = wheel(tmp_path, manifest, point, *more)
    built = build_catalogue([bad, shelf], catalogue_directory=tmp_path)
    assert [one.name for one in built.entries] == [
        "SamplePublisher/Sampler",
        "acme/charts",
        "mines",
    ]
    (problem,) = built.problems
    assert said in str(problem)
    assert str(bad) in str(problem)


def test_a_long_manifest_that_packs_badly_is_refused_too(tmp_path: Path) -> None:
    noise = b"".join(hashlib.sha256(bytes([n % 256, n // 256])).digest() for n in range(40_000))
    (problem,) = build_catalogue([wheel(tmp_path, noise)], catalogue_directory=tmp_path).problems
    assert "is longer than 1,000,000 bytes" in problem.message


def test_a_place_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="is not a directory, wheel or paclet archive"):
        build_catalogue([tmp_path / "nowhere"], catalogue_directory=tmp_path)


def test_a_wheel_is_reported_as_to_be_rebuilt_and_not_as_a_paclet(tmp_path: Path) -> None:
    bad = wheel(tmp_path, b"", "bad = bad", "../outside.py")
    (problem,) = build_catalogue([bad], catalogue_directory=tmp_path).problems
    assert problem.hint == "nothing of it was used; download the archive again, or rebuild it"


def test_what_the_metadata_says_of_python_and_the_purpose_is_kept(tmp_path: Path) -> None:
    said = "Requires-Python: >=3.11\nSummary: Draws\n  things\nRequires-Dist: x>1\n"
    by_hand(tmp_path, "words", said)
    (entry,) = build_catalogue([tmp_path], catalogue_directory=tmp_path).entries
    assert (entry.requires_python, entry.description) == (">=3.11", "Draws things")
    (read,) = parse_catalogue(format_catalogue([entry]), "here").entries
    assert read._replace(catalogue="") == entry
