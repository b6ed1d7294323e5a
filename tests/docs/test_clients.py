"""The page on clients is the table."""

import subprocess
import sys
from pathlib import Path

from tests.docs.clients_page import render_page
from tests.docs.pages import ROOT


def test_the_page_on_clients_is_what_the_table_says() -> None:
    file = ROOT / "docs" / "reference" / "clients.md"
    assert file.read_text(encoding="utf-8") == render_page(), (
        "python -m tests.docs.clients_page > docs/reference/clients.md"
    )


def test_the_program_on_links_and_bundles_gives_them(tmp_path: Path) -> None:
    program = ROOT / "docs_src" / "how_to" / "links_and_bundles.py"
    command = [sys.executable, str(program), str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    starts = ["cursor://", "https://lmstudio.ai/", "vscode:mcp/install?", str(tmp_path)]
    for line, start in zip(ran.stdout.splitlines(), starts, strict=True):
        assert line.startswith(start)
    assert (tmp_path / "Demo.mcpb").is_file()
