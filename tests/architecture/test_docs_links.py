"""Every relative link in the documentation leads to something that exists."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]

CODE = re.compile(r"^(?P<fence>```+|~~~+).*?^(?P=fence)\s*?$|(?P<tick>`+).+?(?P=tick)", re.M | re.S)
LINK = re.compile(
    r"\]\(\s*<?(?P<inline>[^)\s>]+)[^)]*\)"  # [text](target "title"), images too
    r"|^ {0,3}\[[^\]^]+\]:\s*<?(?P<reference>[^\s>]+)"  # [label]: target
    r"|<(?:a|img)\s[^>]*?(?:href|src)=\"(?P<html>[^\"]+)\"",
    re.M,
)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#", re.I)


def relative_links(markdown: str) -> Iterator[str]:
    for match in LINK.finditer(CODE.sub("", markdown)):
        target = match["inline"] or match["reference"] or match["html"]
        if not ELSEWHERE.match(target):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_relative_links_lead_to_files_of_the_repository(page: Path) -> None:
    broken = []
    for link in relative_links(page.read_text(encoding="utf-8")):
        target = (page.parent / unquote(link.partition("#")[0])).resolve()
        if not (target.is_relative_to(ROOT) and target.exists()):
            broken.append(link)
    assert broken == []


def test_links_are_found_in_every_form_and_not_in_code() -> None:
    page = """
[inline](one.md#part "title"), ![image](<two.png>), [web](https://example.org), [here](#part)
`[code](no.md)` and <img src="three.svg" alt="">

```markdown
[fenced](no.md)
```

[label]: four.md
"""
    found = ["one.md#part", "two.png", "three.svg", "four.md"]
    assert list(relative_links(page)) == found
