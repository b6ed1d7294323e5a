"""What the pages show is what exists: programs are files, and sessions give what they promise."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import BLOCK, PAGES, ROOT, Block, blocks, source

BLOCKS = list(blocks())
FROM_FILES = [block for block in BLOCKS if block.verb == "from"]
SESSIONS = [block for block in BLOCKS if block.verb == "run in"]
PROGRAMS = sorted((ROOT / "docs_src").rglob("*.py"))


def test_every_python_block_names_the_file_it_is_from() -> None:
    unmarked = [str(block) for block in BLOCKS if block.language == "python" and not block.verb]
    assert unmarked == []


@pytest.mark.parametrize("block", FROM_FILES, ids=str)
def test_a_block_shows_its_file_as_it_is(block: Block) -> None:
    assert block.code == source(block.place)


def test_every_program_is_shown_on_a_page() -> None:
    shown = {block.place.partition("#")[0] for block in FROM_FILES}
    programs = {program.relative_to(ROOT).as_posix() for program in PROGRAMS}
    assert programs - shown == set()


@pytest.mark.parametrize("block", SESSIONS, ids=str)
def test_a_console_session_gives_what_it_shows(block: Block) -> None:
    for command, shown in sessions(block.code):
        program, *arguments = shlex.split(command)
        assert program == "paddock"
        ran = subprocess.run(
            [sys.executable, "-m", "paddock", *arguments],
            cwd=ROOT / block.place,
            env={**os.environ, "PATH": with_our_commands()},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert ran.stdout == shown


def with_our_commands() -> str:
    """The search path of someone who has activated the environment."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def sessions(code: str) -> list[tuple[str, str]]:
    """Each command of a console session, with what follows it up to the next one."""
    found: list[tuple[str, str]] = []
    for line in code.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:], ""))
        else:
            command, shown = found.pop()
            if command.endswith("\\\n"):
                found.append((command[:-2] + line, shown))
            else:
                found.append((command, shown + line))
    return found


def test_the_index_links_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    numbered = {name for name in pages if name.startswith("decisions/0")}
    assert {name for name in pages - numbered - {"index.md"} if f"({name})" not in index} == set()


def headings(page: Path) -> set[str]:
    """The anchors of a page, as GitHub makes them of its headings."""
    lines = re.findall(r"^#+ (.+)$", BLOCK.sub("", page.read_text(encoding="utf-8")), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_to_headings_lead_to_one(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s:]*)#([^)\s]+)\)", page.read_text(encoding="utf-8"))
    broken = [
        f"{file}#{anchor}"
        for file, anchor in links
        if anchor not in headings((page.parent / file).resolve() if file else page)
    ]
    assert broken == []
