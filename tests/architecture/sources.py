"""The files that the architecture tests look at, each read and parsed once."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "paddock"
MODULES = sorted(PACKAGE.rglob("*.py"))


@cache
def read_file(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def parse_file(file: Path) -> ast.Module:
    return ast.parse(read_file(file), filename=str(file))
