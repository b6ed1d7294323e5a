"""The shape of the code base: sizes, names, comments, and where protocol dates may stand."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "paddock"
MODULES = sorted(PACKAGE.rglob("*.py"))
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


def in_package(module: Path) -> str:
    return module.relative_to(PACKAGE).as_posix()


def in_repository(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


@cache
def source_of(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(source_of(file), filename=str(file))


def tokens_of(file: Path) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(source_of(file)).readline)


def comments_of(file: Path) -> Iterator[tuple[int, str]]:
    for token in tokens_of(file):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def prose_nodes(tree: ast.Module) -> Iterator[ast.Constant]:
    """Docstrings, also those that stand under a constant or an attribute."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value


@cache
def code_lines(file: Path) -> frozenset[int]:
    """The numbers of the lines that hold code: no blank lines, comments or docstrings."""
    lines: set[int] = set()
    for token in tokens_of(file):
        if token.type not in INVISIBLE_TOKENS:
            lines.update(range(token.start[0], token.end[0] + 1))
    for prose in prose_nodes(tree_of(file)):
        lines.difference_update(range(prose.lineno, (prose.end_lineno or prose.lineno) + 1))
    return frozenset(lines)


def functions_of(file: Path) -> Iterator[Function]:
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def body_length(function: Function, lines: frozenset[int]) -> int:
    last = function.body[-1].end_lineno or function.body[-1].lineno
    return sum(function.body[0].lineno <= line <= last for line in lines)


@pytest.mark.parametrize("module", MODULES, ids=in_package)
def test_a_module_fits_its_budget(module: Path) -> None:
    assert len(code_lines(module)) <= MAX_MODULE_LINES


@pytest.mark.parametrize("module", MODULES, ids=in_package)
def test_every_function_fits_its_budget(module: Path) -> None:
    lengths = {f: body_length(f, code_lines(module)) for f in functions_of(module)}
    long = {f"{f.name}:{f.lineno}": n for f, n in lengths.items() if n > MAX_FUNCTION_LINES}
    assert long == {}


def test_every_module_says_what_it_is_for() -> None:
    assert [in_package(m) for m in MODULES if ast.get_docstring(tree_of(m)) is None] == []


def test_no_module_or_package_has_a_vague_name() -> None:
    vague = [
        in_package(module)
        for module in MODULES
        if VAGUE_NAMES & set(module.relative_to(PACKAGE).with_suffix("").parts)
    ]
    assert vague == []


def test_protocol_dates_stand_only_where_the_eras_are_defined() -> None:
    offenders = []
    for module in MODULES:
        if in_package(module).startswith(DATE_HOMES):
            continue
        prose = set(prose_nodes(tree_of(module)))
        for node in ast.walk(tree_of(module)):
            if not isinstance(node, ast.Constant) or node in prose:
                continue
            text = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
            if isinstance(text, str) and PROTOCOL_DATE.search(text):
                offenders.append(f"{in_package(module)}:{node.lineno}")
    assert offenders == []


def test_no_comment_is_a_banner() -> None:
    """A section with a headline is a module of its own."""
    banners = [
        f"{in_repository(file)}:{line}: {comment}"
        for file in PYTHON_FILES
        for line, comment in comments_of(file)
        if BANNER.search(comment)
    ]
    assert banners == []


def test_every_suppression_names_its_rule_and_its_reason() -> None:
    """As in `# noqa: S603 - the user named this program`."""
    bare = [
        f"{in_package(module)}:{line}: {comment}"
        for module in MODULES
        for line, comment in comments_of(module)
        if SUPPRESSION.search(comment) and not EXPLAINED_SUPPRESSION.search(comment)
    ]
    assert bare == []
