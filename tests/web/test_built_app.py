"""What a browser has to load before it shows the app, and whose work that is."""

import gzip
import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUDGET = 250_000
"""Bytes of compressed script at first load."""

FIRST_SCRIPT = re.compile(r'<(?:script|link)[^>]+(?:src|href)="/(?P<path>[^"]+\.js)"')
ELSEWHERE = re.compile(r"(?:src|href)=[\"'](?:https?:)?//|url\([\"']?(?:https?:)?//")

PERMISSIVE = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC-BY-4.0"),
    *("CC0-1.0", "ISC", "MIT", "MIT-0", "OFL-1.1", "Python-2.0", "Unlicense"),
}
TOOLS_UNDER_MPL = {"axe", "lightningcss"}
"""Used unchanged to build and to test, and no part of what is built."""


def test_the_first_load_keeps_its_budget(web_app: Path) -> None:
    page = (web_app / "index.html").read_text(encoding="utf-8")
    scripts = [match["path"] for match in FIRST_SCRIPT.finditer(page)]
    assert scripts
    sizes = {path: len(gzip.compress((web_app / path).read_bytes())) for path in scripts}
    assert sum(sizes.values()) < BUDGET, sizes


def test_nothing_is_loaded_from_elsewhere(web_app: Path) -> None:
    for file in [web_app / "index.html", *web_app.rglob("*.css")]:
        assert ELSEWHERE.findall(file.read_text(encoding="utf-8")) == [], file.name


def test_the_fonts_are_among_the_files(web_app: Path) -> None:
    names = {file.name.partition("-")[0] for file in web_app.rglob("*.woff2")}
    assert names == {"bricolage", "nunito"}


def licences() -> dict[str, str]:
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))
    return {
        path.rpartition("node_modules/")[2]: about.get("license", "none")
        for path, about in lock["packages"].items()
        if path
    }


def test_packages_from_npm_have_permissive_licences() -> None:
    found = licences()
    assert len(found) > 50
    other = {
        name: licence
        for name, licence in found.items()
        if not set(re.split(r"[() ]+(?:OR)?[() ]*", licence)) & PERMISSIVE
        and name.partition("-")[0] not in TOOLS_UNDER_MPL
    }
    assert other == {}


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))
    assert [path for path, about in lock["packages"].items() if "resolved" in about] == []
