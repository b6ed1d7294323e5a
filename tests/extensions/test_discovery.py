"""Installed distributions are found by their metadata, and a broken one hides no other."""

from pathlib import Path

import pytest

from paddock import DefinitionError
from paddock.extensions.discovery import discover, discover_extension, list_extensions
from paddock.extensions.distributions import is_installed
from paddock.extensions.entry_points import parse_entry_points
from paddock.extensions.errors import ExtensionNotFoundError, ManifestError
from tests.extensions import samples

WORKING = ["paddock", "acme/charts", "deep", "mines", "plain"]


def test_distributions_are_found_with_their_kind_version_and_place(installed: Path) -> None:
    found = [
        (one.name, one.kind, one.version, one.distribution, one.directory)
        for one in list_extensions()[1:]
    ]
    assert found == [
        ("acme/charts", "distribution", "1.2.3", "acme-charts", installed / "acme_charts"),
        ("deep", "distribution", "1.2.3", "acme-deep", installed / "acme_space" / "deep"),
        ("mines", "distribution", "1.2.3", "mines", installed / "mines"),
        ("plain", "distribution", "1.2.3", "plain", installed / "plain_tools"),
    ]


@pytest.mark.usefixtures("all_installed")
def test_a_broken_extension_hides_no_other() -> None:
    found = discover()
    assert [one.name for one in found.extensions] == WORKING
    assert sorted(one.distribution or "" for one in found.broken) == sorted(samples.BROKEN)


@pytest.mark.usefixtures("all_installed")
@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("no-manifest", ExtensionNotFoundError, "without the manifest"),
        ("no-toml", ManifestError, "cannot be read"),
        ("new-schema", ManifestError, "schema is 2"),
        ("no-list", ManifestError, "tools is 'Plot'"),
        ("bad-item", ManifestError, "tools[1] is 42"),
        ("twice", ManifestError, "'Plot' is declared twice"),
        ("outside", ManifestError, "root is '../elsewhere'"),
        ("bad-name", ManifestError, "tools[0] is '../Plot'"),
        ("bad-publisher", ManifestError, "publisher is 'a/b'"),
        ("an-object", ManifestError, "'b_object:thing'"),
        ("slash", ManifestError, "'a/b'"),
        ("other-charts", DefinitionError, "'acme/charts' is already used"),
        ("impostor", DefinitionError, "'paddock' is already used"),
        ("binary", ManifestError, "cannot be read"),
        ("huge", ManifestError, "longer than"),
    ],
)
def test_what_is_broken_says_why(name: str, kind: type[DefinitionError], message: str) -> None:
    (broken,) = [one for one in discover().broken if one.distribution == name]
    assert isinstance(broken.problem, kind)
    assert message in broken.problem.message
    assert broken.place.exists()


@pytest.mark.usefixtures("all_installed")
def test_one_extension_is_found_without_the_others() -> None:
    found = discover_extension("acme/charts")
    assert [one.name for one in found.extensions] == ["acme/charts"]
    assert discover_extension("no-toml").extensions == ()
    assert [one.name for one in discover_extension("no-toml").broken] == ["no-toml"]
    assert discover_extension("charts").extensions == ()
    assert discover_extension("absent/nothing") == ((), ())


@pytest.mark.usefixtures("installed")
def test_a_distribution_is_known_by_any_spelling_of_its_name() -> None:
    assert is_installed("Acme_Charts")
    assert is_installed("acme-charts")
    assert not is_installed("acme-nothing")


def test_what_is_installed_later_is_found_at_once(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    assert len(list_extensions()) == len(WORKING)
    wheels = (installed.parent).glob("plain-*.whl")
    samples.install(wheels, site)
    (site / "plain-1.2.3.dist-info").rename(site / "other-1.dist-info")
    points = site / "other-1.dist-info" / "entry_points.txt"
    points.write_text("[paddock.extensions]\nlater = plain_tools\n", encoding="utf-8")
    assert "later" in [one.name for one in list_extensions()]
    manifest = site / "plain_tools" / "paddock.toml"
    manifest.write_text('publisher = "sooner"', encoding="utf-8")
    assert "sooner/later" in [one.name for one in list_extensions()]


def test_of_one_distribution_installed_twice_the_first_on_the_path_counts(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = tmp_path / "acme_charts-9.dist-info"
    metadata.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert "acme/charts" not in [one.name for one in list_extensions()]
    monkeypatch.syspath_prepend(installed)
    assert "acme/charts" in [one.name for one in list_extensions()]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("value", ["x" * 300, "", "..", "a b", "a/b", "a:", "1a"])
def test_an_entry_point_that_leads_nowhere_is_broken_and_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    metadata = tmp_path / "odd-1.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text(f"[paddock.extensions]\nodd = {value}\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = discover()
    assert [one.name for one in found.extensions] == WORKING
    assert [(one.name, one.version) for one in found.broken] == [("odd", "1")]


@pytest.mark.usefixtures("installed")
def test_what_is_not_a_directory_on_the_path_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "archive.zip").touch()
    for place in (tmp_path / "archive.zip", tmp_path / "nothing", "a\0b", ""):
        monkeypatch.syspath_prepend(place)
    assert [one.name for one in list_extensions()] == WORKING


def test_entry_points_are_read_as_python_reads_them() -> None:
    text = """
# a comment
[console_scripts]
charts = other:main
[ paddock.extensions ]
charts=acme.charts
; another
 two words  =  acme_two
"""
    assert parse_entry_points(text) == [("charts", "acme.charts"), ("two words", "acme_two")]
