"""The documentation as data: its pages, and the code blocks on them.

A comment directly above a fenced block says where the block comes from:

    <!-- from docs_src/tutorial/first.py -->            the whole file
    <!-- from docs_src/how_to/results.py#errors -->     what stands between `# region: errors` and
                                                        the next `# endregion`
    <!-- run in docs_src/tutorial -->                   a console session that is run in a directory
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

BLOCK = re.compile(
    r"(?:^<!-- (?P<verb>from|run in) (?P<place>\S+) -->\n)?"
    r"^```(?P<language>\w*)\n(?P<code>.*?)^```$",
    re.M | re.S,
)
REGION = re.compile(r"^\s*# region: (?P<name>\w+)\n(?P<code>.*?)^\s*# endregion\n", re.M | re.S)
REGION_MARK = re.compile(r"^\s*# (?:region: \w+|endregion)\n", re.M)


class Block(NamedTuple):
    """A fenced block of a page."""

    page: Path
    language: str
    code: str
    verb: str | None
    place: str

    def __str__(self) -> str:
        first = self.code.partition("\n")[0]
        return f"{self.page.relative_to(ROOT).as_posix()}: {self.place or first}"


def blocks() -> Iterator[Block]:
    for page in PAGES:
        for found in BLOCK.finditer(page.read_text(encoding="utf-8")):
            place = found["place"] or ""
            yield Block(page, found["language"], found["code"], found["verb"], place)


def source(place: str) -> str:
    """The program, or the region of one, that a marker names."""
    name, _, region = place.partition("#")
    text = (ROOT / name).read_text(encoding="utf-8")
    if not region:
        return tidied(REGION_MARK.sub("", text))
    found = {match["name"]: match["code"] for match in REGION.finditer(text)}
    return tidied(found[region])


def tidied(code: str) -> str:
    """Code without blank lines around it, or more than two within it."""
    return re.sub(r"\n{4,}", "\n\n\n", code).strip("\n") + "\n"
