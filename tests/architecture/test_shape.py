"""The shape of the code base: sizes, module names, comments, and where protocol dates occur."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.sources import MODULES, PACKAGE, ROOT, parse_file, read_file

PYTHON_FILES = sorted(
    file
    for folder in ("src", "tests", "benchmarks", "soak", "examples", "docs")
    for file in (ROOT / folder).rglob("*.py")
)

MAX_MODULE_LINES = 500
MAX_FUNCTION_LINES = 60
VAGUE_NAMES = {
    *("base", "common", "core", "helper", "helpers", "manager", "managers", "misc"),
    *("shared", "stuff", "types", "util", "utilities", "utils"),
}
PROTOCOL_DATE = re.compile(r"2024-11-05|2025-03-26|2025-06-18|2025-11-25|2026-07-28")
DATE_HOMES = ("protocol/versions.py", "protocol/eras/")

RULE = r"[-=#*~_+<>\u2500-\u257f]{3,}"
BANNER = re.compile(rf"^#\s*{RULE}|{RULE}\s*#?\s*$")
SUPPRESSION = re.compile(r"#\s*(?:noqa|type: ignore)\b")
EXPLAINED_SUPPRESSION = re.compile(
    r"#\s*(?:noqa: ?[A-Z]+\d+(?:, ?[A-Z]+\d+)*|type: ignore\[[\w, -]+\])\s*[-:#\u2013\u2014]+\s*\S+"
)
INVISIBLE_TOKENS = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def get_module_path(module: Path) -> str:
    return module.relative_to(PACKAGE).as_posix()


def get_file_path(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def iter_tokens(file: Path) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(read_file(file)).readline)


def iter_comments(file: Path) -> Iterator[tuple[int, str]]:
    for token in iter_tokens(file):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def iter_prose(tree: ast.Module) -> Iterator[ast.Constant]:
    """Docstrings, including those below a constant or an attribute."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value


@cache
def find_code_lines(file: Path) -> frozenset[int]:
    """The numbers of the lines that hold code: no blank lines, comments or docstrings."""
    lines: set[int] = set()
    for token in iter_tokens(file):
        if token.type not in INVISIBLE_TOKENS:
            lines.update(range(token.start[0], token.end[0] + 1))
    for prose in iter_prose(parse_file(file)):
        lines.difference_update(range(prose.lineno, (prose.end_lineno or prose.lineno) + 1))
    return frozenset(lines)


def iter_functions(file: Path) -> Iterator[Function]:
    for node in ast.walk(parse_file(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def count_body_lines(function: Function, lines: frozenset[int]) -> int:
    last = function.body[-1].end_lineno or function.body[-1].lineno
    return sum(function.body[0].lineno <= line <= last for line in lines)


@pytest.mark.parametrize("module", MODULES, ids=get_module_path)
def test_a_module_fits_its_budget(module: Path) -> None:
    assert len(find_code_lines(module)) <= MAX_MODULE_LINES


@pytest.mark.parametrize("module", MODULES, ids=get_module_path)
def test_every_function_fits_its_budget(module: Path) -> None:
    lengths = {f: count_body_lines(f, find_code_lines(module)) for f in iter_functions(module)}
    long = {f"{f.name}:{f.lineno}": n for f, n in lengths.items() if n > MAX_FUNCTION_LINES}
    assert long == {}


def test_every_module_says_what_it_is_for() -> None:
    assert [get_module_path(m) for m in MODULES if ast.get_docstring(parse_file(m)) is None] == []


def test_no_module_or_package_has_a_vague_name() -> None:
    vague = [
        get_module_path(module)
        for module in MODULES
        if VAGUE_NAMES & set(module.relative_to(PACKAGE).with_suffix("").parts)
    ]
    assert vague == []


def test_protocol_dates_occur_only_where_the_eras_are_defined() -> None:
    offenders = []
    for module in MODULES:
        if get_module_path(module).startswith(DATE_HOMES):
            continue
        prose = set(iter_prose(parse_file(module)))
        for node in ast.walk(parse_file(module)):
            if not isinstance(node, ast.Constant) or node in prose:
                continue
            text = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
            if isinstance(text, str) and PROTOCOL_DATE.search(text):
                offenders.append(f"{get_module_path(module)}:{node.lineno}")
    assert offenders == []


def test_no_comment_is_a_banner() -> None:
    """A section with a headline is a module of its own."""
    banners = [
        f"{get_file_path(file)}:{line}: {comment}"
        for file in PYTHON_FILES
        for line, comment in iter_comments(file)
        if BANNER.search(comment)
    ]
    assert banners == []


def test_every_suppression_names_its_rule_and_its_reason() -> None:
    """As in `# noqa: S603 - the user named this program`."""
    bare = [
        f"{get_module_path(module)}:{line}: {comment}"
        for module in MODULES
        for line, comment in iter_comments(module)
        if SUPPRESSION.search(comment) and not EXPLAINED_SUPPRESSION.search(comment)
    ]
    assert bare == []
