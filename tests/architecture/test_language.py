"""The language of the code base: names, forwarding modules, and phrases that our prose avoids."""

import ast
import io
import re
import tokenize
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.sources import MODULES, PACKAGE, ROOT, parse_file, read_file

HERE = Path(__file__).parent
PHRASES = tomllib.loads((HERE / "retired_phrases.toml").read_text(encoding="utf-8"))["phrase"]
PROSE_FILES = [
    *(ROOT / "src" / "paddock").rglob("*.py"),
    *(ROOT / "src" / "paddock").rglob("*.toml"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *(file for end in ("*.ts", "*.tsx") for file in (ROOT / "web" / "src").rglob(end)),
    *(file for file in (ROOT / "tests").rglob("*.py") if file.parent != HERE),
]
PARTICIPLE = re.compile(r"_*[A-Za-z][a-z]{2,}(?:ed|ing)")
PUBLIC_NAMES = {"elicited", "sampling"}
"""Public names that stay."""
PLAIN_WORDS = {
    *("embed", "exceed", "feed", "finding", "need", "ping", "proceed", "seed", "speed", "string"),
    "succeed",
}
"""Verbs and nouns that only look like participles."""


def iter_functions(tree: ast.AST, owner: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield owner + node.name, node
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from iter_functions(node, f"{owner}{node.name}.")


def is_accessor(function: ast.FunctionDef) -> bool:
    """A property or a predicate may be an adjective, as `file.closed` is."""
    decorators = {
        ast.unparse(decorator).rpartition(".")[2] for decorator in function.decorator_list
    }
    returns_bool = function.returns is not None and ast.unparse(function.returns) == "bool"
    return returns_bool or bool(decorators & {"property", "cached_property", "setter"})


def is_forwarding(tree: ast.Module) -> bool:
    """Imports, perhaps `__all__`, and nothing else."""
    rest = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    rest = [node for node in rest if not (isinstance(node, ast.Expr) or defines_all(node))]
    return len(rest) == 0 and any(isinstance(n, ast.Import | ast.ImportFrom) for n in tree.body)


def defines_all(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def read_prose(file: Path) -> str:
    """The text of a file without examples: fenced blocks of pages, and data of tests."""
    text = read_file(file)
    if file.suffix == ".md":
        return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    if file.suffix == ".py" and file.is_relative_to(ROOT / "tests"):
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
        nodes = [n.value for n in ast.walk(parse_file(file)) if isinstance(n, ast.Expr)]
        docstrings = [str(n.value) for n in nodes if isinstance(n, ast.Constant)]
        return "\n".join([*comments, *docstrings])
    return text


def test_every_class_name_is_unique() -> None:
    homes = defaultdict(list)
    for module in MODULES:
        for node in ast.walk(parse_file(module)):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(module.relative_to(PACKAGE).as_posix())
    shared = {name for name, files in homes.items() if len(files) > 1}
    assert shared == set()


def test_no_function_or_class_is_called_by_a_single_participle() -> None:
    offenders = []
    for module in MODULES:
        tree = parse_file(module)
        names = [name for name, function in iter_functions(tree) if not is_accessor(function)]
        names += [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        offenders += [
            f"{module.relative_to(PACKAGE).as_posix()}: {name}"
            for name in names
            if PARTICIPLE.fullmatch(last := name.rpartition(".")[2])
            and last.strip("_").lower() not in PLAIN_WORDS | PUBLIC_NAMES
        ]
    assert offenders == []


def test_no_module_only_forwards_names() -> None:
    forwarding = [
        module.relative_to(PACKAGE).as_posix()
        for module in MODULES
        if module.name != "__init__.py" and is_forwarding(parse_file(module))
    ]
    assert forwarding == []


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase["instead"])
def test_no_file_uses_a_retired_phrase(phrase: dict[str, str]) -> None:
    pattern = re.compile(phrase["pattern"], re.I)
    found = []
    for file in PROSE_FILES:
        text = " ".join(read_prose(file).split())
        for match in pattern.finditer(text):
            context = text[max(0, match.start() - 30) : match.end() + 20]
            found.append(f"{file.relative_to(ROOT).as_posix()}: {context!r}")
    assert found == []
