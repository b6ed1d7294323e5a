"""The commands of the README work one after the other, for someone who has nothing yet."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from paddock.directories import DATA_DIRECTORY_VARIABLE
from tests.docs.pages import ROOT, blocks

FOREIGN = re.compile("CLAUDE_|XDG_")


def commands() -> list[tuple[str, str]]:
    """The `paddock` commands that end by themselves, each with what is shown of its output."""
    found: list[tuple[str, str]] = []
    for block in blocks():
        if block.page == ROOT / "README.md" and block.language == "console":
            parts = re.split(r"^\$ ", block.code, flags=re.M)[1:]
            found += [(line, shown) for line, _, shown in (part.partition("\n") for part in parts)]
    return [one for one in found if re.match("paddock (?!serve|up)", one[0])]


def test_the_commands_of_the_readme_give_what_it_shows(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_bytes((ROOT / "docs_src" / "readme.py").read_bytes())
    kept = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
    home = {
        "HOME": str(tmp_path),
        "USERPROFILE": str(tmp_path),
        DATA_DIRECTORY_VARIABLE: f"{tmp_path}/data",
    }
    ran = [line.split()[1] for line, _ in commands()]
    assert {"call", "clients", "install", "create", "doctor"} <= set(ran)
    for line, shown in commands():
        done = subprocess.run(
            [sys.executable, "-m", "paddock", *shlex.split(line)[1:]],
            cwd=tmp_path,
            env={**kept, **home},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (line, done.returncode, done.stderr * (done.returncode != 0)) == (line, 0, "")
        assert not shown or done.stdout == shown
